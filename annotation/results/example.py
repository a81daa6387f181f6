"""The study whose result the start page shows to visitors without an account."""

from dataclasses import dataclass

from django.db.models import F

from tercet.analysis.report.files import MAIN_PLOT
from tercet.analysis.report.plots import inlined
from tercet.annotation.models import Evaluation, Study, Triplet
from tercet.annotation.models.computation import State
from tercet.annotation.results.report_page import report_in
from tercet.annotation.results.summary import sentence_of

CATEGORIES = ("MM", "HM", "HC")
"""One question of each is asked, the first of those on which all votes agree."""


@dataclass(frozen=True)
class Example:
    """A study with the main sentence and plot of its newest report.

    `unusual` names the options of the report that are not the usual ones; empty without any.
    """

    study: Study
    sentence: str
    figure: str
    unusual: str


def find_example() -> Example | None:
    """Return the study that everybody may see, if there is one with results."""
    done = Evaluation.objects.filter(study__is_example=True, state=State.DONE).first()
    if done is None:
        return None

    report = report_in(done.folder)
    figure = inlined(done.folder, MAIN_PLOT)
    if report is None or report.lead is None or not figure:
        return None

    return Example(done.study, sentence_of(report), figure, str(report.unusual))


def example_questions(study: Study) -> list[Triplet]:
    """Return some finished triplets of a study, on each of which all votes agree."""
    finished = study.triplets.filter(
        votes=F("needed"), lead__in=[F("votes"), -F("votes")]
    )
    triplets = finished.select_related("pair__b", "pair__c", "reference").order_by(
        "pair__name", "reference__number"
    )

    found = [
        triplets.filter(pair__category=category).first() for category in CATEGORIES
    ]
    return [triplet for triplet in found if triplet is not None]
