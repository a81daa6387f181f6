"""The study whose result the start page shows to visitors without an account."""

from dataclasses import dataclass

from django.db.models import F

from tercet.analysis.report.files import MAIN_PLOT
from tercet.analysis.report.plots import inlined
from tercet.analysis.report.view import ReportView
from tercet.annotation.models import Evaluation, Question, Study
from tercet.annotation.models.computation import JobState
from tercet.annotation.results.report_page import report_in

CATEGORIES = ("MM", "HM", "HC")
"""One question of each is asked, the first of those on which all votes agree."""


@dataclass(frozen=True)
class Example:
    """A study with its newest report and the main plot."""

    study: Study
    report: ReportView
    figure: str


def find_example() -> Example | None:
    """Return the study that everybody may see, if there is one with results."""
    examples = Study.objects.filter(is_example=True)
    done = Evaluation.objects.filter(study__in=examples, state=JobState.DONE).first()
    if done is None:
        return None

    report = report_in(done.folder)
    figure = inlined(done.folder, MAIN_PLOT)
    if report is None or report.lead is None or not figure:
        return None

    return Example(done.study, report, figure)


def example_questions(study: Study) -> list[Question]:
    """Return some finished questions of a study, on each of which all votes agree."""
    finished = study.questions.filter(
        answers=F("needed"), lead__in=[F("answers"), -F("answers")]
    )
    known = finished.select_related("pair__b", "pair__c", "reference")
    questions = known.order_by("pair__name", "reference__number")
    found = [questions.filter(pair__category=name).first() for name in CATEGORIES]
    return [question for question in found if question is not None]
