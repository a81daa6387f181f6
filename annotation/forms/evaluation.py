"""The form that starts the computation of results."""

from typing import Any

from django import forms
from django.contrib.humanize.templatetags.humanize import intcomma
from django.db.models import Count, Exists, OuterRef
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analysis.evaluation.options import read_counts
from annotation.models import Pair, Study

LONGEST_COUNTS = 200


class EvaluationForm(forms.Form):
    """The reference counts that a result reports."""

    counts = forms.CharField(
        label=gettext_lazy("Reference counts"),
        required=False,
        max_length=LONGEST_COUNTS,
        widget=forms.TextInput(
            attrs={
                "autocomplete": "off",
                "form": "ask",
                "aria-describedby": "counts-help",
            }
        ),
    )

    def __init__(self, study: Study, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.study = study

    def clean_counts(self) -> str:
        """Refuse what is no list of counts, and counts that not all images have."""
        text: str = self.cleaned_data["counts"].strip()
        try:
            counts = read_counts(text)
        except ValueError:
            message = _(
                "“%(text)s” is no list of reference counts. Write such as 2, or 1,5,10, or 1-12."
            )
            raise forms.ValidationError(message % {"text": text}) from None

        most = fewest_references(self.study)
        if counts and counts[-1] > most:
            message = _(
                "Not every image has %(count)s references. Give reference counts up to %(most)s."
            )
            raise forms.ValidationError(
                message
                % {"count": intcomma(counts[-1]), "most": intcomma(most)}
            )

        return text


def fewest_references(study: Study) -> int:
    """Return how many references each image with pairs has at least."""
    has_pairs = Exists(Pair.objects.filter(image=OuterRef("pk")))
    images = study.dataset.images.filter(has_pairs).annotate(
        number=Count("references")
    )
    numbers = images.filter(number__gt=0).values_list("number", flat=True)
    return min(numbers, default=0)
