"""Forms of the people, votes, pairs and gold questions of a study."""

from collections.abc import Mapping
from itertools import chain
from typing import Any

from django import forms
from django.db.models import QuerySet

from tercet.annotation.judging.kinds import kind_of
from tercet.annotation.models import Study
from tercet.annotation.models.annotator import PayDecision
from tercet.annotation.models.answer import Choice
from tercet.annotation.models.participation import MAX_REMARK
from tercet.annotation.quality.gold import FaultyGold, read_gold
from tercet.annotation.quality.range_gold import COLUMNS, read_ranges
from tercet.annotation.studies.lifecycle import NotPossible

_NOT_IN_STUDY = (
    "One of the selected rows is not in this study. Reload the page and try again."
)


MAX_KEY = 2**63 - 1


class ChosenForm(forms.Form):
    """Selected annotators or votes of a study."""

    def __init__(self, rows: "QuerySet[Any]", data: Any) -> None:
        super().__init__(data)
        self.fields["chosen"] = forms.ModelMultipleChoiceField(
            rows,
            error_messages={
                "required": "Select at least one row.",
                "invalid_choice": _NOT_IN_STUDY,
                "invalid_pk_value": _NOT_IN_STUDY,
            },
        )

    def chosen(self) -> "QuerySet[Any]":
        """Return the selected rows of a valid form; raises NotPossible with all errors."""
        errors = chain.from_iterable(self.errors.values())
        if text := " ".join(map(str, errors)):
            raise NotPossible(text)

        rows: QuerySet[Any] = self.cleaned_data["chosen"]
        return rows


class ErasureForm(forms.Form):
    """The confirmation that a person is to be erased."""

    confirmed = forms.BooleanField(
        label="Erase this person for good; this cannot be undone"
    )


class ExclusionForm(ChosenForm):
    """Rows to exclude, with a reason."""

    reason = forms.CharField(
        max_length=1000,
        error_messages={"required": "Give a reason; it is stored in the audit log."},
    )


class PayForm(forms.Form):
    """Decisions on the pay of people: fields `decision-KEY`, or the button `undecide`, a key."""

    undecide = forms.IntegerField(required=False, min_value=0, max_value=MAX_KEY)

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        decisions = {}
        for name in self.data:
            prefix, _dash, key = name.partition("decision-")
            decision = self.data[name]
            if prefix or not key.isascii() or not key.isdigit() or len(key) > 18:
                continue
            if decision and decision not in PayDecision.values:
                raise forms.ValidationError("Choose one of the decisions.")
            decisions[int(key)] = decision

        if values.get("undecide") is not None:
            decisions = {values["undecide"]: ""}
        return values | {"decisions": decisions}


class AdjudicationForm(forms.Form):
    """A decision and its reason."""

    decision = forms.ChoiceField(
        label="decision",
        choices={
            Choice.B: "B",
            Choice.C: "C",
            Choice.TIE: "tie: both are equally good",
        },
        widget=forms.RadioSelect,
    )
    reason = forms.CharField(
        label="reason",
        max_length=MAX_REMARK,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="It is stored with the decision and in the log.",
    )


MAX_TEXT = 100_000


class GoldForm(forms.Form):
    """Gold questions as lines of CSV."""

    lines = forms.CharField(
        label="Lines of pair, reference, answer",
        max_length=MAX_TEXT,
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false"}),
    )

    def __init__(self, study: Study, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data)
        self.study = study
        if not kind_of(study).chooses:
            self.fields["lines"].label = f"Lines of {', '.join(COLUMNS)}"

    def clean_lines(self) -> Mapping[int, Any]:
        read = read_gold if kind_of(self.study).chooses else read_ranges
        try:
            return read(self.study, self.cleaned_data["lines"])
        except FaultyGold as error:
            raise forms.ValidationError(error.problems) from None


class DrawForm(forms.Form):
    """How many gold questions to draw at random."""

    count = forms.IntegerField(
        label="How many", min_value=1, max_value=10_000, initial=20
    )


class ChooseGoldForm(forms.Form):
    """The button “B is right” or “C is right” of one question, as 17.B."""

    right = forms.RegexField(r"^[0-9]{1,18}\.[BC]$")

    def clean_right(self) -> tuple[int, str]:
        key, _dot, answer = self.cleaned_data["right"].partition(".")
        return int(key), answer


class RemoveGoldForm(forms.Form):
    """The question that shall no longer be gold."""

    triplet = forms.IntegerField(min_value=0, max_value=MAX_KEY)


_MAX_LINKS = 1_000
MAX_NAME = 200


class LinksForm(forms.Form):
    """The names of people who shall get personal links."""

    names = forms.CharField(
        label="Names, one per line",
        max_length=MAX_TEXT,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="Only owners of this study see them. Existing names keep their links.",
    )

    def clean_names(self) -> list[str]:
        lines = (line.strip() for line in self.cleaned_data["names"].splitlines())
        names = list(dict.fromkeys(filter(None, lines)))

        if len(names) > _MAX_LINKS:
            raise forms.ValidationError("Create at most 1,000 links at a time.")
        if any(len(name) > MAX_NAME for name in names):
            raise forms.ValidationError("A name may have at most 200 characters.")

        return names
