"""The forms of an upload: its files, how to read third-party files, the dataset's name."""

from collections import Counter
from collections.abc import Iterable
from pathlib import PurePath
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.humanize.templatetags.humanize import intcomma
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from tercet.analysis.dataset.flat_files import (
    CAPTION,
    NAME,
    caption_columns,
    series_columns,
)
from tercet.analysis.dataset.guessing import TABLE_SUFFIXES, ForeignFile, Layout
from tercet.analysis.formats.conversion import PARQUET
from tercet.analysis.formats.entries import INSTALL, reads_parquet
from tercet.analysis.formats.wide_tables import WIDE
from tercet.analysis.tables.csv_tables import shortened
from tercet.analysis.tables.encodings import ENCODINGS, UTF_8
from tercet.analysis.tables.schema import (
    CANDIDATES,
    IMAGES,
    PAIRS,
    RATINGS,
    REFERENCES,
    SCORES,
    TABLES,
    VOTES,
)
from tercet.annotation.web.datasets.forms import CATEGORY_HELP

_LOOSE_SUFFIXES = (*TABLE_SUFFIXES, ".mat", ".json")
IGNORED = ("", gettext_lazy("ignore this file"))
MISSING = ("", gettext_lazy("not in this file"))
HELP_TEXTS = {"category": CATEGORY_HELP}
_DESCRIPTIONS = {
    IMAGES: gettext_lazy("files or addresses of the images"),
    REFERENCES: gettext_lazy("human captions of the images, one or several per line"),
    CANDIDATES: gettext_lazy("single captions, to generate pairs from"),
    PAIRS: gettext_lazy("two captions per line, with or without references"),
    VOTES: gettext_lazy("votes of annotators on pairs"),
    SCORES: gettext_lazy("scores of other metrics"),
    RATINGS: gettext_lazy("ratings of single captions"),
}
"""What a line of each table is, for those who choose one."""
_WIDE = gettext_lazy("wide table: references and captions of systems in columns")
NUMBERED = ("", gettext_lazy("number the lines: p1, p2, …"))


class _FilesInput(forms.FileInput):
    allow_multiple_selected = True


class _FilesField(forms.FileField):
    widget = _FilesInput

    def clean(self, data: Any, initial: Any = None) -> "list[UploadedFile[bytes]]":
        clean = super().clean  # not to be found within a comprehension
        return [clean(file, initial) for file in data or [None]]


class UploadForm(forms.Form):
    file = _FilesField(label=gettext_lazy("Dataset folder as a zip file, or its files"))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.reads_parquet = reads_parquet()
        self.install_parquet = INSTALL

        suffixes = [".zip", "application/zip", *_LOOSE_SUFFIXES]
        if not self.reads_parquet:
            suffixes.remove(PARQUET)
        self.fields["file"].widget.attrs["accept"] = ",".join(suffixes)

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

        suffixes = [PurePath(file.name or "").suffix.lower() for file in files]
        is_zip = suffixes in ([".zip"], [""])
        if not is_zip and not all(map(is_loose, files)):
            raise forms.ValidationError(
                _("Choose one zip file, or only files that end in %(suffixes)s.")
                % {"suffixes": ", ".join(_LOOSE_SUFFIXES)}
            )

        [(name, count)] = Counter(file.name for file in files).most_common(1)
        if count > 1:
            raise forms.ValidationError(
                _("Two files are named %(name)s. Rename one of them.") % {"name": name}
            )

        return files


def is_loose(file: "UploadedFile[bytes]") -> bool:
    """Return whether a file is a single file of a dataset folder, not a zip."""
    return PurePath(file.name or "").suffix.lower() in _LOOSE_SUFFIXES


class FormatForm(forms.Form):
    """How to read one third-party file: which table it is, its encoding, its columns."""

    def __init__(self, file: ForeignFile, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.file = file

        if not file.named:
            files = [table.file for table in TABLES]
            named = [f"{table.file}: {_DESCRIPTIONS[table]}" for table in TABLES]
            tables = [IGNORED, (WIDE, _WIDE), *zip(files, named, strict=True)]
            chosen = file.dialect.table
            self.fields["table"] = _choice(_("This file is"), tables, chosen)
        if not file.utf8:
            choices = ENCODINGS.items()
            chosen = file.dialect.encoding
            self.fields["encoding"] = _choice(_("Encoding"), choices, chosen)
        for name in file.asked:
            self.fields[_column_field(name)] = self._column_choice(name)

    def _column_choice(self, name: str) -> forms.Field:
        label = self._label_of(name) % {"name": name}
        if self._has_boxes(name):
            return self._boxes(label)

        unknown = self.file.unknown
        nothing = NUMBERED if name == NAME else MISSING
        columns = self.file.dialect.columns
        column = columns.get(name, "")
        initial = self._index(column) if column in unknown else ""

        field = _choice(label, [nothing, *self._choices_of(unknown)], initial)
        field.help_text = HELP_TEXTS.get(name, "")
        return field

    def _boxes(self, label: str) -> forms.MultipleChoiceField:
        """A box for each column that may hold references; those that seem to are checked."""
        columns = self.file.dialect.columns
        chosen = [columns[each] for each in caption_columns(columns)]
        possible = self.file.reference_columns

        return forms.MultipleChoiceField(
            label=label,
            choices=self._choices_of(possible),
            initial=[self._index(each) for each in chosen if each in possible],
            widget=forms.CheckboxSelectMultiple,
            required=False,
        )

    def _choices_of(self, columns: Iterable[str]) -> list[tuple[str, str]]:
        return [(self._index(column), shortened(column)) for column in columns]

    def _index(self, column: str) -> str:
        return str(self.file.header.index(column))

    def _has_boxes(self, name: str) -> bool:
        """Whether several columns may be chosen as one of ours."""
        return self._is_references(name) and self.file.has_series

    def _is_references(self, name: str) -> bool:
        return name == CAPTION and self.file.table in (PAIRS, REFERENCES)

    def _label_of(self, name: str) -> str:
        table = self.file.table
        if self._has_boxes(name):
            return _("Columns of the references")
        if self._is_references(name) and table == PAIRS:
            return _("Column %(name)s, the references")
        if table is not None and name in table.required:
            return _("Column %(name)s (required)")

        return _("Column %(name)s (optional)")

    def clean(self) -> dict[str, Any]:
        for index, count in Counter(self.column_indices.values()).items():
            if count > 1:
                message = _(
                    "%(column)s is selected twice. Select another column for one of them."
                )
                column = shortened(self.file.header[index])
                self.add_error(None, message % {"column": column})

        return self.cleaned_data

    @property
    def references_field(self) -> forms.BoundField | None:
        """The field for the references of a file of pairs, where they may stand there."""
        is_asked = CAPTION in self.file.asked
        may_have = is_asked and self.file.layout is Layout.WITH_PAIRS
        return self[_column_field(CAPTION)] if may_have else None

    @property
    def column_indices(self) -> dict[str, int]:
        """The index in the header of each column that was selected."""
        selected: dict[str, int] = {}

        for name in self.file.asked:
            value = self.cleaned_data.get(_column_field(name)) or []
            indices = [value] if isinstance(value, str) else value
            ours = series_columns(name, len(indices))
            selected |= dict(zip(ours, map(int, indices), strict=False))

        return selected

    @property
    def choice(self) -> dict[str, Any]:
        """The parameters of `ForeignFile.read_as`."""
        return {
            "encoding": self.cleaned_data.get("encoding", UTF_8),
            "table": self.cleaned_data.get("table", ""),
            "positions": self.column_indices,
        }


def _choice(label: str, choices: Any, initial: str) -> forms.ChoiceField:
    """Return a select that is optional where it has a choice without a value."""
    needed = "" not in dict(choices)
    return forms.ChoiceField(
        label=label, choices=choices, initial=initial, required=needed
    )


def _column_field(name: str) -> str:
    return f"column-{name}"


class ImportForm(forms.Form):
    name = forms.SlugField(
        label=gettext_lazy("Name"),
        max_length=80,
        help_text=gettext_lazy(
            "Letters, digits, hyphens and underscores. It is used in URLs and commands."
        ),
        error_messages={
            "invalid": gettext_lazy(
                "Use only letters, digits, hyphens and underscores."
            )
        },
    )
    collection = forms.ChoiceField(
        label=gettext_lazy("Is the collection of votes finished?"),
        choices=[
            ("finished", gettext_lazy("Yes: import a closed study with these votes")),
            (
                "unfinished",
                gettext_lazy("No: import an open study that collects more votes"),
            ),
        ],
        required=False,
        help_text=gettext_lazy("The files have votes, but no study.json that says so."),
    )

    @property
    def collecting(self) -> bool:
        """Whether the missing votes are collected here."""
        return self.cleaned_data.get("collection") == "unfinished"
