"""The forms of an upload: its files, and the dataset's name."""

from collections import Counter
from pathlib import PurePath
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.humanize.templatetags.humanize import intcomma
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from tercet.analysis.dataset.guessing import TABLE_SUFFIXES
from tercet.analysis.formats.conversion import PARQUET
from tercet.analysis.formats.entries import INSTALL, reads_parquet

_LOOSE_SUFFIXES = (*TABLE_SUFFIXES, ".mat", ".json")


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
        help_text=gettext_lazy(
            "The files have votes, and do not say whether more are to come."
        ),
    )

    @property
    def collecting(self) -> bool:
        """Whether the missing votes are collected here."""
        return self.cleaned_data.get("collection") == "unfinished"
