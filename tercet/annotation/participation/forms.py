"""The forms of people who judge, and of generating pairs."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib.humanize.templatetags.humanize import intcomma

from tercet.analysis.tables.schema import CATEGORIES
from tercet.annotation.models.dataset import CATEGORY_LABELS
from tercet.annotation.models.participation import MAX_REMARK, Reason

_DEFAULT_PAIRS = 100


class PairsForm(forms.Form):
    """How many pairs to generate of each category that the candidates allow."""

    seed = forms.IntegerField(label="Seed", min_value=0, max_value=2**31 - 1, initial=0)

    def __init__(self, possible: Mapping[str, int], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        counts = {
            name: forms.IntegerField(
                label=name,
                min_value=0,
                max_value=10_000,
                initial=min(_DEFAULT_PAIRS, possible[name]),
                help_text=f"of {intcomma(possible[name])}: {CATEGORY_LABELS[name]}",
            )
            for name in CATEGORIES
            if possible[name] or name in self.data
        }
        self.may_generate = any(possible.values())
        self.fields = counts | self.fields

    @property
    def counts(self) -> dict[str, int]:
        return {name: self.cleaned_data.get(name, 0) for name in CATEGORIES}


class KeyForm(forms.Form):
    """The key of a lease or of an answer."""

    key = forms.UUIDField()


class ReportForm(forms.Form):
    """A report on the question of a lease."""

    key = forms.UUIDField(widget=forms.HiddenInput)
    reason = forms.ChoiceField(
        label="What is wrong?",
        choices=[
            ("", "Choose a reason"),
            *(each for each in Reason.choices if each[0] != Reason.COMMENT),
        ],
    )
    text = forms.CharField(
        label="Details (optional)",
        required=False,
        max_length=MAX_REMARK,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )


class CommentForm(forms.Form):
    """A comment on the whole study."""

    text = forms.CharField(
        label="Is there anything you would like to tell us?",
        max_length=MAX_REMARK,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
