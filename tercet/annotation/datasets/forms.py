"""The form of what a dataset says about itself."""

from typing import Any

from django import forms

from tercet.annotation.models import Dataset


class BatchForm(forms.Form):
    """The number of the pairs that are taken back."""

    batch = forms.IntegerField(min_value=1)


class DatasetForm(forms.ModelForm[Dataset]):
    """What a dataset says about itself."""

    class Meta:
        model = Dataset
        fields = ("title", "description", "licence", "citation", "url", "origin")
        labels = {
            "url": "Web address",
            "origin": "Published datasets that its images are from",
        }
        widgets = {
            "title": forms.TextInput(),
            "description": forms.Textarea(attrs={"rows": 3}),
            "citation": forms.Textarea(attrs={"rows": 2}),
            "origin": forms.TextInput(),
        }

    def __init__(self, dataset: Dataset, data: Any = None) -> None:
        super().__init__(data, instance=dataset, auto_id="about-%s")
