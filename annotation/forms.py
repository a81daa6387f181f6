"""A small form for every POST."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.conf import settings

from analysis.dataset import CATEGORIES
from annotation.models import Study
from annotation.models.vote import Side

PAIRS_WANTED = 100


class UploadForm(forms.Form):
    file = forms.FileField(
        label="Dataset folder as a zip file",
        widget=forms.FileInput(attrs={"accept": ".zip,application/zip"}),
    )

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        limit = settings.UPLOAD_LIMIT
        if file.size > limit:
            raise forms.ValidationError(f"The file is larger than {limit // 2**20:,} MB.")
        return file


class ImportForm(forms.Form):
    name = forms.SlugField(
        max_length=80, help_text="Letters, digits and hyphens: it stands in addresses and commands."
    )


class PairsForm(forms.Form):
    seed = forms.IntegerField(min_value=0, max_value=2**31 - 1, initial=0)

    def __init__(self, possible: Mapping[str, int], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        counts = {
            name: forms.IntegerField(
                label=name,
                min_value=0,
                max_value=10_000,
                initial=min(PAIRS_WANTED, possible[name]),
                help_text=f"of {possible[name]:,}",
            )
            for name in CATEGORIES
        }
        self.fields = counts | self.fields

    @property
    def counts(self) -> dict[str, int]:
        return {name: self.cleaned_data[name] for name in CATEGORIES}


class StudyForm(forms.ModelForm[Study]):
    class Meta:
        model = Study
        fields = ["dataset", "title", "protocol", "votes", "references", "seed"]


class VoteForm(forms.Form):
    key = forms.UUIDField()
    side = forms.ChoiceField(choices=Side.choices)


class UndoForm(forms.Form):
    key = forms.UUIDField()
