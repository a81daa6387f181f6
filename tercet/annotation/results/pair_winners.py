"""The winners of pairs by the votes so far, from the counters of their questions."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Case, Count, F, IntegerField, Q, QuerySet, Sum, When

from tercet.analysis.dataset.winners import NAME, UNFINISHED
from tercet.analysis.tables.schema import TIE
from tercet.annotation.models import Pair, Study
from tercet.annotation.quality.adjudication import VOTES

_DISPUTED_MARGIN = 0.34
"""The largest margin of a disputed pair: at most two votes in three are for one caption."""
_SIDE_OF_QUESTION = Case(
    When(lead__gt=0, then=1),
    When(lead__lt=0, then=-1),
    default=0,
    output_field=IntegerField(),
)


@dataclass(frozen=True)
class Winner:
    """How a pair is decided so far.

    `by_votes` is B, C or tie, empty without votes; `margin` a share of the votes, None without
    any; `decision` that of an adjudicator, where the results of the study use decisions.
    """

    votes: int
    by_votes: str
    margin: float | None
    is_complete: bool
    decision: str = ""

    @property
    def winner(self) -> str:
        return self.decision or self.by_votes

    @property
    def is_adjudicated(self) -> bool:
        return bool(self.decision)

    @property
    def is_unfinished(self) -> bool:
        """Whether votes are missing that the winner depends on."""
        return not (self.is_complete or self.is_adjudicated)

    def has(self, winner: str) -> bool:
        """Return whether the winner is B, C or tie, or the pair is `unfinished`."""
        return self.is_unfinished if winner == UNFINISHED else self.winner == winner

    @property
    def is_disputed(self) -> bool:
        """Whether its votes are complete, and split."""
        if self.margin is None or not self.is_complete:
            return False

        return self.by_votes == TIE or self.margin <= _DISPUTED_MARGIN


def winners_of(study: Study, pairs: Collection[int] | None = None) -> dict[int, Winner]:
    """Return the winners of the pairs that a study asks about, by the keys of pairs.

    Where nobody has voted they are the published ones, as in results; `pairs` are the keys of some
    pairs, all if None.
    """
    winners = _by_votes(study, pairs)
    if not study.questions.filter(answers__gt=0).exists():
        winners |= _published(study, pairs)

    if study.winners != VOTES:
        in_force = study.adjudications.in_force()
        winners |= {
            pair: replace(winners[pair], decision=decision)
            for pair, decision in in_force.values_list("pair", "decision")
            if pair in winners
        }
    return winners


def _of_pairs(
    rows: "QuerySet[Any]", column: str, pairs: Collection[int] | None
) -> "QuerySet[Any]":
    """Select the rows of pairs by the column of their keys; all rows if None."""
    if pairs is None:
        return rows

    column_in = f"{column}__in"
    return rows.filter(**{column_in: [*pairs]})


def _by_votes(study: Study, pairs: Collection[int] | None) -> dict[int, Winner]:
    """Return the winners by the majority of votes, then of questions.

    A study that was collected elsewhere needs no more votes than it has.
    """
    is_open = Q(stopped=False, answers__lt=F("needed"))
    questions = _of_pairs(study.questions.all(), "pair", pairs).order_by()
    rows = questions.values_list("pair").annotate(
        cast=Sum("answers"),
        margin=Sum("lead"),
        won=Sum(_SIDE_OF_QUESTION),
        missing=Count("pk", filter=is_open),
    )

    winners = {}
    for pair, cast, margin, won, missing in rows:
        is_complete = study.collected_elsewhere or not missing
        winners[pair] = Winner(0, "", None, is_complete=False)
        if cast:
            side = (won > 0) - (won < 0)
            winners[pair] = Winner(cast, NAME[side], abs(margin) / cast, is_complete)
    return winners


def _published(study: Study, pairs: Collection[int] | None) -> dict[int, Winner]:
    """Return the winners that a dataset brings: none, or a tie where it names none."""
    known: QuerySet[Pair] = study.dataset.pairs.all()
    if not known.exclude(winner="").exists():
        return {}

    selected = _of_pairs(known, "pk", pairs)
    rows = selected.values_list("pk", "winner")
    return {pk: Winner(0, winner or TIE, None, is_complete=True) for pk, winner in rows}
