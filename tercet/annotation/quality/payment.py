"""Whom to pay: how each person finished, and the lists that crowdsourcing platforms take.

Approved are those who are done and not excluded. People who stopped early are not approved: their
minutes and judgments tell what part to pay.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from tercet.analysis.tables.csv_injection import escaped
from tercet.analysis.tables.csv_tables import csv_text
from tercet.annotation.models import Annotator, Study
from tercet.annotation.models.annotator import AnnotatorQuerySet
from tercet.annotation.models.study import Outcome
from tercet.annotation.studies.progress import AnnotatorStats, check_stats

FILES = ("pay.csv", "approve.csv")
COLUMNS = (
    "annotator",
    "platform_id",
    "label",
    "outcome",
    "code",
    "minutes",
    "judged",
    "gold",
    "gold_right",
    "repeats",
    "repeats_same",
    "excluded",
    "approve",
    "bonus",
)
PLATFORM_ID = re.compile(r"[\w.@-]+", re.ASCII)
"""Ids that lists of a platform may contain: others could add lines to them."""


@dataclass(frozen=True)
class Payment:
    """How one person finished; `minutes` from joining to finishing.

    For people who left without finishing, the minutes end with their last vote.
    """

    stats: AnnotatorStats

    @property
    def annotator(self) -> Annotator:
        return self.stats.annotator

    @property
    def minutes(self) -> float | None:
        begin = self.annotator.created_at
        end = self.annotator.finished_at or self.stats.last
        return (end - begin).total_seconds() / 60 if begin and end else None

    @property
    def is_approved(self) -> bool:
        outcome = self.annotator.outcome
        is_done = outcome == Outcome.DONE
        return is_done and self.annotator.excluded_at is None

    @property
    def is_listed(self) -> bool:
        """Whether a platform's list may contain the person's id."""
        external_id = self.annotator.external_id
        return bool(PLATFORM_ID.fullmatch(external_id))


def people_to_pay(study: Study) -> AnnotatorQuerySet:
    """Select the people who have judged or finished, in the order in which they came."""
    everybody = study.annotators.real()
    people = everybody.order_by("pk")
    return people.exclude(judged=0, outcome="")


def payments(annotators: Iterable[Annotator]) -> list[Payment]:
    """Return how each of these people finished."""
    return [Payment(stats) for stats in check_stats(annotators)]


def pay_file(study: Study, file: str) -> str:
    """Return one of FILES: everybody, or the ids to approve."""
    people = people_to_pay(study)
    rows = payments(people)
    if file == "pay.csv":
        table = pd.DataFrame(map(_cells, rows), columns=list(COLUMNS))
        return csv_text(escaped(table), COLUMNS)

    approved = [row for row in rows if row.is_approved and row.is_listed]
    return "".join(f"{row.annotator.external_id}\n" for row in approved)


def _cells(row: Payment) -> tuple[object, ...]:
    person = row.annotator
    stats = row.stats

    return (
        person.name,
        person.external_id,
        person.label,
        person.outcome,
        person.code,
        "" if row.minutes is None else f"{row.minutes:.1f}",
        person.judged,
        stats.gold,
        stats.gold_right,
        stats.repeats,
        stats.repeats_same,
        "yes" if person.excluded_at else "no",
        "yes" if row.is_approved else "no",
        f"{person.bonus if row.is_approved else 0:.2f}",
    )
