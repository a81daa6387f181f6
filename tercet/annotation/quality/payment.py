"""Whom to pay: how each person finished, and the lists that crowdsourcing platforms take.

Approved are those who are done, not excluded and not flagged, and flagged people whom somebody has
looked at and decided to approve. People who stopped early are looked at as well: their minutes and
judgments tell what part to pay.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from tercet.analysis.tables.csv_injection import escaped
from tercet.analysis.tables.csv_tables import csv_text
from tercet.annotation.models import Annotator, Study
from tercet.annotation.models.annotator import AnnotatorQuerySet, PayDecision
from tercet.annotation.models.study import Outcome
from tercet.annotation.quality.checks import checked_annotators
from tercet.annotation.studies.audit import log
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
    "flags",
    "decision",
    "approve",
    "bonus",
)
PLATFORM_ID = re.compile(r"[\w.@-]+", re.ASCII)
"""Ids that lists of a platform may contain: others could add lines to them."""
Flags = Mapping[int, Sequence[str]]
"""The flags of people by their keys; a person who is not checked yet has no entry."""


@dataclass(frozen=True)
class Payment:
    """How one person finished; `flags` are reasons to look before paying.

    `minutes` are from joining to finishing. For people who left without finishing, they end with
    their last vote.
    """

    stats: AnnotatorStats
    flags: Sequence[str] = ()

    @property
    def annotator(self) -> Annotator:
        return self.stats.annotator

    @property
    def minutes(self) -> float | None:
        begin = self.annotator.created_at
        end = self.annotator.finished_at or self.stats.last
        return (end - begin).total_seconds() / 60 if begin and end else None

    @property
    def is_done(self) -> bool:
        """Whether the person did all that was asked, and is not excluded."""
        is_done = self.annotator.outcome == Outcome.DONE
        return is_done and self.annotator.excluded_at is None

    @property
    def has_stopped(self) -> bool:
        """Whether the person stopped early after some judgments, and is not excluded."""
        person = self.annotator
        has_judged = person.outcome == Outcome.STOPPED and person.judged > 0
        return has_judged and person.excluded_at is None

    @property
    def is_approved(self) -> bool:
        decision = self.annotator.pay_decision
        if decision:
            is_payable = self.is_done or self.has_stopped
            return is_payable and decision == PayDecision.APPROVE
        return self.is_done and not self.flags

    @property
    def needs_look(self) -> bool:
        """Whether somebody has to look at the person, or has done so and not approved them."""
        return (self.is_done or self.has_stopped) and not self.is_approved

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


def flags_of(study: Study, content: Mapping[str, Any]) -> Flags:
    """Return the flags of the annotators of a `quality_content`, by their keys."""
    checked = checked_annotators(study, content)
    return {person.key: person.flags for person in checked}


def payments(
    annotators: Iterable[Annotator], flags: Flags, *, are_complete: bool = True
) -> list[Payment]:
    """Return how each of these people finished.

    Where the flags are not of everybody, people without an entry are to be looked at.
    """
    unknown = [] if are_complete else ["not checked yet"]
    return [
        Payment(stats, flags.get(stats.annotator.pk, unknown))
        for stats in check_stats(annotators)
    ]


@transaction.atomic
def decide(study: Study, decisions: Mapping[int, str], by: User) -> int:
    """Store whom somebody decided to pay, by their keys; return how many decisions are new."""
    people = people_to_pay(study).select_for_update()
    changed = 0
    for person in people.filter(pk__in=decisions):
        decision = decisions[person.pk]
        if person.pay_decision == decision:
            continue

        person.pay_decision = decision
        person.save(update_fields=["pay_decision"])
        log(study, by, "decided pay", annotator=person.name, decision=decision)
        changed += 1

    return changed


def pay_file(rows: Iterable[Payment], file: str) -> str:
    """Return one of FILES: everybody, or the ids to approve."""
    if file == "pay.csv":
        table = pd.DataFrame(map(_cells, rows), columns=list(COLUMNS))
        return csv_text(escaped(table), COLUMNS)

    approved = [row for row in rows if row.is_approved and row.is_listed]
    return "".join(f"{row.annotator.external_id}\n" for row in approved)


def note_listed(rows: Iterable[Payment]) -> None:
    """Note that the ids to approve were downloaded, so that their pay is not owed any more."""
    listed = [row.annotator.pk for row in rows if row.is_approved and row.is_listed]
    people = Annotator.objects.filter(pk__in=listed, listed_at=None)
    people.update(listed_at=timezone.now())


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
        "; ".join(row.flags),
        person.pay_decision,
        "yes" if row.is_approved else "no",
        f"{person.bonus if row.is_approved else 0:.2f}",
    )
