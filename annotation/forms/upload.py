"""The forms of an upload: its files, how foreign ones are to be read, the dataset's name."""

from collections import Counter
from pathlib import PurePath
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.humanize.templatetags.humanize import intcomma
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from analysis.dataset.csv_tables import CsvDialect, shortened
from analysis.dataset.encodings import ENCODINGS, UTF_8
from analysis.dataset.guessing import TABLE_SUFFIXES, ForeignFile
from analysis.dataset.schema import TABLES

LOOSE_SUFFIXES = (*TABLE_SUFFIXES, ".json")
LEFT_OUT = ("", gettext_lazy("left out"))
NOT_THERE = ("", gettext_lazy("not in this file"))


class FilesInput(forms.FileInput):
    allow_multiple_selected = True


class FilesField(forms.FileField):
    widget = FilesInput

    def clean(self, data: Any, initial: Any = None) -> "list[UploadedFile[bytes]]":
        clean = super().clean
        return [clean(file, initial) for file in data or [None]]


class UploadForm(forms.Form):
    file = FilesField(
        label=gettext_lazy("Dataset folder as a zip file, or its CSV and JSON files"),
        widget=FilesInput(attrs={"accept": ",".join((".zip", "application/zip", *LOOSE_SUFFIXES))}),
    )

    def clean_file(self) -> "list[UploadedFile[bytes]]":
        files: list[UploadedFile[bytes]] = self.cleaned_data["file"]
        limit = settings.UPLOAD_LIMIT
        if sum(file.size or 0 for file in files) > limit:
            words = ngettext(
                "The file is larger than %(limit)s MB.",
                "The files are larger than %(limit)s MB.",
                len(files),
            )
            raise forms.ValidationError(words % {"limit": intcomma(limit // 2**20)})
        if len(files) > 1 and not all(map(is_loose, files)):
            raise forms.ValidationError(_("Choose one zip file, or only CSV and JSON files."))
        [(name, count)] = Counter(file.name for file in files).most_common(1)
        if count > 1:
            raise forms.ValidationError(
                _("Two files are called %(name)s: rename one of them.") % {"name": name}
            )
        return files


def is_loose(file: "UploadedFile[bytes]") -> bool:
    """Whether a file is one of a dataset folder, and no zip of it."""
    return PurePath(file.name or "").suffix.lower() in LOOSE_SUFFIXES


class FormatForm(forms.Form):
    """How one foreign file is to be read: which table it is, its encoding, its columns."""

    def __init__(self, file: ForeignFile, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.file = file
        if not file.named:
            tables = [LEFT_OUT, *((table.file, table.file) for table in TABLES)]
            self.fields["table"] = choice(_("This file is"), tables, file.dialect.table)
        if not file.utf8:
            self.fields["encoding"] = choice(
                _("Encoding"), ENCODINGS.items(), file.dialect.encoding
            )
        self.fields |= {column_field(name): self.column_choice(name) for name in file.asked}

    def column_choice(self, name: str) -> forms.ChoiceField:
        places = {theirs: str(self.file.header.index(theirs)) for theirs in self.file.unknown}
        choices = [NOT_THERE, *((place, shortened(theirs)) for theirs, place in places.items())]
        needed = self.file.table is not None and name in self.file.table.required
        label = _("Column %(name)s") if needed else _("Column %(name)s (optional)")
        return choice(
            label % {"name": name}, choices, places.get(self.file.dialect.columns.get(name, ""), "")
        )

    def clean(self) -> dict[str, Any]:
        for place, count in Counter(self.places.values()).items():
            if count > 1:
                words = _("%(column)s is chosen twice: choose another column for one.")
                self.add_error(None, words % {"column": shortened(self.file.header[place])})
        return self.cleaned_data

    @property
    def places(self) -> dict[str, int]:
        """Where in the header the columns stand that were found."""
        chosen = {name: self.cleaned_data.get(column_field(name)) for name in self.file.asked}
        return {name: int(place) for name, place in chosen.items() if place}

    @property
    def format(self) -> CsvDialect:
        chosen = self.cleaned_data
        encoding, table = chosen.get("encoding", UTF_8), chosen.get("table", "")
        return self.file.read_as(encoding, table, self.places)


def choice(label: str, choices: Any, initial: str) -> forms.ChoiceField:
    """A select that may be left at the choice without a value, where it has one."""
    needed = "" not in dict(choices)
    return forms.ChoiceField(label=label, choices=choices, initial=initial, required=needed)


def column_field(name: str) -> str:
    return f"column-{name}"


class ImportForm(forms.Form):
    name = forms.SlugField(
        label=gettext_lazy("Name"),
        max_length=80,
        help_text=gettext_lazy("Letters, digits and hyphens: it stands in addresses and commands."),
    )
