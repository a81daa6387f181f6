"""The forms of the results page: computation, and shared views."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django import forms
from django.contrib.humanize.templatetags.humanize import intcomma
from django.db.models import Count, Exists, OuterRef

from tercet.analysis.scoring.options import read_counts
from tercet.annotation.challenges.references import metrics_for
from tercet.annotation.models import Pair, SharedView, Study
from tercet.annotation.models.study import LARGEST
from tercet.annotation.results.tasks import Asked

_LONGEST_COUNTS = 200


@dataclass(frozen=True)
class _CountRange:
    """The reference counts that a result can report.

    `most` is the most references that pairs of every category have; `fewer` of the `images` with
    pairs have fewer than that, and their pairs are left out at higher counts than they have.
    """

    most: int
    images: int
    fewer: int


class ReferencesForm(forms.Form):
    """How the sentences of a study become the references of a new dataset."""

    unreviewed = forms.BooleanField(
        label="Also use the sentences that nobody has reviewed", required=False
    )
    candidates = forms.IntegerField(
        label="Candidates per image",
        min_value=0,
        max_value=1_000,
        initial=2,
        help_text=(
            "This many sentences of each image become candidates by people, for pairs, instead of "
            "references; ABSTRACT-50S has 48 and 2."
        ),
    )
    seed = forms.IntegerField(min_value=0, max_value=LARGEST, initial=0)


class EvaluationForm(forms.Form):
    """What people choose of a result: its reference counts, and metrics from outside."""

    counts = forms.CharField(
        label="Reference counts",
        required=False,
        max_length=_LONGEST_COUNTS,
        widget=forms.TextInput(
            attrs={
                "autocomplete": "off",
                "form": "ask",
                "aria-describedby": "counts-help",
            }
        ),
    )

    metrics = forms.MultipleChoiceField(
        label="Metrics from outside",
        required=False,
        help_text=(
            "An administrator enabled them. Results show them with the metrics of Tercet, and what "
            "their checks found."
        ),
        widget=forms.CheckboxSelectMultiple(attrs={"form": "ask"}),
    )

    def __init__(self, study: Study, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.study = study

        names = metrics_for(study)
        fields: dict[str, Any] = self.fields
        fields["metrics"].choices = [(name, name) for name in names]
        if not names:
            del fields["metrics"]

    @cached_property
    def range(self) -> _CountRange:
        """The reference counts to choose from."""
        return _count_range(self.study)

    def asked(self) -> Asked:
        """Return what was chosen, of a valid form."""
        metrics = self.cleaned_data.get("metrics", ())
        return Asked(self.cleaned_data["counts"], tuple(metrics))

    def clean_counts(self) -> str:
        """Refuse what is no list of counts, and counts that the study does not have."""
        given = self.cleaned_data["counts"]
        text: str = given.strip()
        try:
            counts = read_counts(text)
        except ValueError:
            raise forms.ValidationError(
                f"“{text}” is no list of reference counts. Write such as 2, or 1,5,10, or 1-12."
            ) from None

        most = self.range.most
        if counts and counts[-1] > most:
            message = (
                "This study has too few references for %(count)s. Give reference counts up to "
                "%(most)s."
            )
            raise forms.ValidationError(
                message % {"count": intcomma(counts[-1]), "most": intcomma(most)}
            )

        return text


class SharedViewForm(forms.ModelForm[SharedView]):
    """The name of a view that is shared."""

    class Meta:
        model = SharedView
        fields = ("title",)
        labels = {"title": "Name of the view"}


def _count_range(study: Study) -> _CountRange:
    """Return which reference counts a result of a study can report."""
    has_pairs = Exists(Pair.objects.filter(image=OuterRef("pk")))
    images = study.dataset.images.filter(has_pairs).annotate(number=Count("references"))
    numbers = dict(images.filter(number__gt=0).values_list("pk", "number").order_by())

    pairs = study.dataset.pairs.order_by()
    largest: dict[str, int] = {}
    for category, image in pairs.values_list("category", "image").distinct():
        number = numbers.get(image, 0)
        largest[category] = max(largest.get(category, 0), number)

    most = min(filter(None, largest.values()), default=0)
    fewer = sum(number < most for number in numbers.values())
    return _CountRange(most, len(numbers), fewer)
