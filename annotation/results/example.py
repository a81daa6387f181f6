"""The study whose result the start page shows to visitors without an account."""

from dataclasses import dataclass
from pathlib import Path

from django.db.models import F

from tercet.analysis.figures.formats import plot_files
from tercet.analysis.report.unusual_options import said_of, unusual_options
from tercet.annotation.models import Evaluation, Study, Triplet
from tercet.annotation.models.computation import State
from tercet.annotation.results.report_page import read_provenance
from tercet.annotation.results.summary import sentence_in

FIGURES = tuple(file for file in plot_files("accuracy") if file.endswith(".svg"))
CATEGORIES = ("MM", "HM", "HC")
"""One question of each is asked, the first of those on which all votes agree."""


@dataclass(frozen=True)
class Example:
    """A study with the folder of its newest report, and the report's main sentence.

    `unusual` names the options of the report that are not the usual ones; empty without any.
    """

    study: Study
    folder: Path
    version: int
    sentence: str
    unusual: str


def find_example() -> Example | None:
    """Return the study that everybody may see, if there is one with results."""
    done = Evaluation.objects.filter(study__is_example=True, state=State.DONE).first()
    if done is None:
        return None

    is_whole = all((done.folder / name).is_file() for name in FIGURES)
    sentence = sentence_in(done.folder) if is_whole else ""
    if not sentence:
        return None

    options = read_provenance(done.folder).get("options", {})
    unusual = str(said_of(unusual_options(options)))
    return Example(done.study, done.folder, done.pk, sentence, unusual)


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
