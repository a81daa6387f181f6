"""The forms of an upload: its files, and the dataset's name."""

from collections import Counter
from pathlib import PurePath
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.humanize.templatetags.humanize import intcomma
from django.core.files.uploadedfile import UploadedFile

from tercet.analysis.number_texts import plural
from tercet.analysis.tables.parse import INSTALL, reads_parquet

ZIP = ".zip"


class _FilesInput(forms.FileInput):
    allow_multiple_selected = True


class _FilesField(forms.FileField):
    widget = _FilesInput

    def clean(self, data: Any, initial: Any = None) -> "list[UploadedFile[bytes]]":
        clean = super().clean  # not to be found within a comprehension
        return [clean(file, initial) for file in data or [None]]


class UploadForm(forms.Form):
    file = _FilesField(label="Dataset folder as a zip file, or its files")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.reads_parquet = reads_parquet()
        self.install_parquet = INSTALL

    def clean_file(self) -> "list[UploadedFile[bytes]]":
        files: list[UploadedFile[bytes]] = self.cleaned_data["file"]
        limit = settings.UPLOAD_LIMIT

        if sum(file.size or 0 for file in files) > limit:
            words = plural(
                len(files),
                "The file is larger than %(limit)s MB.",
                "The files are larger than %(limit)s MB.",
            )
            raise forms.ValidationError(words % {"limit": intcomma(limit // 2**20)})

        zips = [file for file in files if not is_loose(file)]
        if zips and len(files) > 1:
            raise forms.ValidationError(
                "Choose one zip file, or files that are not packed as zip."
            )

        [(name, count)] = Counter(file.name for file in files).most_common(1)
        if count > 1:
            raise forms.ValidationError(
                f"Two files are named {name}. Rename one of them."
            )

        return files


def is_loose(file: "UploadedFile[bytes]") -> bool:
    """Return whether a file is a single file of a dataset folder, not a zip."""
    return PurePath(file.name or "").suffix.lower() not in (ZIP, "")


class ImportForm(forms.Form):
    name = forms.SlugField(
        label="Name",
        max_length=80,
        help_text="Letters, digits, hyphens and underscores. It is used in URLs and commands.",
        error_messages={
            "invalid": "Use only letters, digits, hyphens and underscores."
        },
    )
    collection = forms.ChoiceField(
        label="Is the collection of votes finished?",
        choices=[
            ("finished", "Yes: import a closed study with these votes"),
            ("unfinished", "No: import an open study that collects more votes"),
        ],
        required=False,
        help_text="The files have votes, and do not say whether more are to come.",
    )

    @property
    def collecting(self) -> bool:
        """Whether the missing votes are collected here."""
        return self.cleaned_data.get("collection") == "unfinished"
