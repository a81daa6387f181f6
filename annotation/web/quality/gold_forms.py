"""Forms of the gold questions of a study."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from tercet.annotation.models import Study
from tercet.annotation.quality.gold import FaultyGold, Gold, read_gold

MAX_TEXT = 100_000
MAX_KEY = 2**63 - 1


class GoldForm(forms.Form):
    """Gold questions as lines of CSV."""

    lines = forms.CharField(
        label=gettext_lazy("Lines of pair, reference, answer"),
        max_length=MAX_TEXT,
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false"}),
    )

    def __init__(self, study: Study, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data)
        self.study = study

    def clean_lines(self) -> dict[int, Gold]:
        try:
            return read_gold(self.study, self.cleaned_data["lines"])
        except FaultyGold as error:
            raise forms.ValidationError(error.problems) from None


class DrawForm(forms.Form):
    """How many gold questions to draw at random."""

    count = forms.IntegerField(
        label=gettext_lazy("How many"), min_value=1, max_value=10_000, initial=20
    )


class ChooseGoldForm(forms.Form):
    """The button “B is right” or “C is right” of one triplet, as 17.B."""

    right = forms.RegexField(r"^[0-9]{1,18}\.[BC]$")

    def clean_right(self) -> tuple[int, str]:
        key, _dot, answer = self.cleaned_data["right"].partition(".")
        return int(key), answer


class RemoveGoldForm(forms.Form):
    """The triplet that shall no longer be gold."""

    triplet = forms.IntegerField(min_value=0, max_value=MAX_KEY)
