"""Whom to pay: how each person finished, and the lists that crowdsourcing platforms take.

Approved are those who are done and not excluded. The bonus is one amount for each of them whose
share of gold questions right is at least the rule's; who answered none gets no bonus, unless that
share is 0. People who stopped early are not approved: their minutes and judgments tell what part
to pay.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

import pandas as pd

from tercet.analysis.tables.csv_injection import escaped
from tercet.analysis.tables.csv_tables import csv_text
from tercet.annotation.models import Annotator, Study
from tercet.annotation.models.annotator import AnnotatorQuerySet
from tercet.annotation.models.study import Outcome
from tercet.annotation.studies.progress import AnnotatorStats, check_stats, gold_of

FILES = ("pay.csv", "approve.csv", "bonus.csv")
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
"""Ids that lists of a platform may contain: others could add lines or amounts to them."""


@dataclass(frozen=True)
class BonusRule:
    """The amount for each approved person with at least this share of gold right (0..1)."""

    amount: Decimal
    gold: float


@dataclass(frozen=True)
class Payment:
    """How one person finished, and what they get; `minutes` from joining to finishing.

    For people who left without finishing, the minutes end with their last vote.
    """

    stats: AnnotatorStats
    rule: BonusRule

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
    def bonus(self) -> Decimal:
        right = self.stats.gold_right
        gold = self.stats.gold
        has_enough = gold > 0 and right / gold >= self.rule.gold
        is_good = has_enough or self.rule.gold == 0
        return self.rule.amount if self.is_approved and is_good else Decimal(0)

    @property
    def is_listed(self) -> bool:
        """Whether a platform's list may contain the person's id."""
        external_id = self.annotator.external_id
        return bool(PLATFORM_ID.fullmatch(external_id))


def bonus_rule(study: Study) -> BonusRule:
    """Return the bonus rule of a study, with the amount to the cent."""
    return BonusRule(Decimal(f"{study.bonus:.2f}"), study.bonus_gold)


def people_to_pay(study: Study) -> AnnotatorQuerySet:
    """Select the people who have judged or finished, in the order in which they came."""
    everybody = study.annotators.real()
    people = everybody.order_by("pk")
    return people.exclude(judged=0, outcome="")


def payments(annotators: Iterable[Annotator], rule: BonusRule) -> list[Payment]:
    """Return how each of these people finished, and what they get."""
    return [Payment(stats, rule) for stats in check_stats(annotators)]


def gives_bonus(study: Study, rule: BonusRule) -> bool:
    """Return whether somebody gets the bonus, by gold questions alone."""
    approved = people_to_pay(study).filter(outcome=Outcome.DONE, excluded_at=None)
    listed = [row for row in approved if PLATFORM_ID.fullmatch(row.external_id)]
    if not rule.amount or not listed:
        return False

    gold = gold_of(listed)
    stats = [AnnotatorStats(row, **gold.get(row.pk, {})) for row in listed]
    return any(Payment(row, rule).bonus for row in stats)


def pay_file(study: Study, file: str, rule: BonusRule) -> str:
    """Return one of FILES: everybody, the ids to approve, or the ids with their bonuses."""
    people = people_to_pay(study)
    rows = payments(people, rule)
    if file == "pay.csv":
        table = pd.DataFrame(map(_cells, rows), columns=list(COLUMNS))
        return csv_text(escaped(table), COLUMNS)

    approved = [row for row in rows if row.is_approved and row.is_listed]
    if file == "approve.csv":
        return "".join(f"{row.annotator.external_id}\n" for row in approved)

    paid = [(row.annotator.external_id, row.bonus) for row in approved if row.bonus]
    return "".join(f"{person},{bonus:.2f}\n" for person, bonus in paid)


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
        f"{row.bonus:.2f}",
    )
