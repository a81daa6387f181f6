"""The pairs of a study with their winners, searched, filtered and ordered."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import isnan
from pathlib import Path

import pandas as pd
from django.db.models import Q, QuerySet

from analysis.dataset.schema import TIE
from analysis.dataset.winners import ADJUDICATOR, UNFINISHED, margins
from annotation.models import Adjudication, Evaluation, Pair, Remark, Study
from annotation.models.computation import State

WINNERS = "winners.csv"
CLOSE, CLEAR = "close", "clear"
DISPUTED_MARGIN = 0.34
"""The largest margin of a disputed pair: at most two votes in three are for one caption."""
TO_DECIDE, DISPUTED, REPORTED, DECIDED = (
    "open",
    "disputed",
    "reported",
    "decided",
)
"""Which pairs a list shows: `open` ones are disputed or reported, and have no decision."""


@dataclass(frozen=True)
class Winner:
    """How a pair was decided; `margin` is a share of the votes, None without votes."""

    winner: str
    is_unfinished: bool
    margin: float | None
    votes: int
    is_adjudicated: bool = False

    @property
    def is_disputed(self) -> bool:
        """Whether the votes are split; without any, nothing is disputed."""
        if self.margin is None:
            return False

        is_tie = self.winner == TIE and not self.is_adjudicated
        return is_tie or self.margin <= DISPUTED_MARGIN


@dataclass(frozen=True)
class Listed:
    """A pair of a list; `decided` is None where no results have been computed.

    `decision` is that of an adjudicator, empty without one.
    """

    pair: Pair
    decided: Winner | None
    reports: int = 0
    decision: str = ""


def last_report(study: Study) -> Evaluation | None:
    """Return the evaluation whose report the results page shows."""
    return study.evaluations.filter(state=State.DONE).first()


def winners_in(evaluation: Evaluation | None) -> Mapping[str, Winner]:
    """Return the winners of all pairs by name, as the report has them; none without a report."""
    if evaluation is None:
        return {}
    try:
        return _winners(evaluation.folder / WINNERS)
    except (OSError, ValueError, KeyError):
        return {}


@lru_cache(maxsize=4)
def _winners(path: Path) -> Mapping[str, Winner]:
    table = pd.read_csv(
        path,
        dtype={"pair": str},
        keep_default_na=False,
        na_values={"vote_share": [""]},
    )
    by = table.get("decided_by", pd.Series("", index=table.index))
    rows = zip(
        table["pair"],
        table["winner"],
        table["state"],
        margins(table),
        table["votes"],
        by == ADJUDICATOR,
        strict=True,
    )

    return {
        pair: Winner(
            winner,
            state == UNFINISHED,
            None if isnan(margin) else margin,
            votes,
            is_adjudicated,
        )
        for pair, winner, state, margin, votes, is_adjudicated in rows
    }


def matching(
    study: Study, text: str = "", category: str | None = None
) -> "QuerySet[Pair]":
    """Select the pairs whose name, image, captions or sources contain a text."""
    pairs = study.dataset.pairs.order_by("pk")
    if category is not None:
        pairs = pairs.filter(category=category)

    if text:
        fields = (
            "name",
            "image__name",
            "b__caption",
            "c__caption",
            "b__source",
            "c__source",
        )
        found = Q()
        for field in fields:
            found |= Q(**{f"{field}__icontains": text})
        pairs = pairs.filter(found)

    return pairs


def keys_of(
    pairs: "QuerySet[Pair]",
    winners: Mapping[str, Winner],
    winner: str = "",
    order: str = "",
) -> list[int]:
    """Return the keys of pairs with a winner (B, C or tie, unfinished), in an order.

    Parameters
    ----------
    pairs
        The pairs to choose from.
    winners
        The winners of all pairs by name.
    winner
        The winner that is wanted; any if empty.
    order
        `close`: the smallest margin first. `clear`: the largest. Otherwise that of the dataset.
        Pairs without votes come last.
    """
    chosen = []
    for key, name in pairs.values_list("pk", "name"):
        decided = winners.get(name)
        if not winner or (decided and _has(decided, winner)):
            chosen.append((key, decided.margin if decided else None))

    if order in (CLOSE, CLEAR):
        sign = 1 if order == CLOSE else -1
        chosen.sort(
            key=lambda each: 2.0 if each[1] is None else sign * each[1]
        )

    return [key for key, _ in chosen]


def _has(decided: Winner, winner: str) -> bool:
    if winner == UNFINISHED:
        return decided.is_unfinished

    return decided.winner == winner


def reports_on(study: Study) -> "QuerySet[Remark]":
    """Select what annotators said about questions."""
    return Remark.objects.filter(
        annotator__study=study,
        annotator__is_test=False,
        triplet__isnull=False,
    )


def keys_to_show(
    study: Study,
    pairs: "QuerySet[Pair]",
    winners: Mapping[str, Winner],
    which: str,
) -> set[int]:
    """Return the keys of the pairs that are disputed, reported, decided, or yet to decide."""
    reported = set(reports_on(study).values_list("triplet__pair", flat=True))
    in_force = Adjudication.objects.in_force().filter(study=study)
    decided = set(in_force.values_list("pair", flat=True))
    disputed = {
        key
        for key, name in pairs.values_list("pk", "name")
        if name in winners and winners[name].is_disputed
    }

    return {
        TO_DECIDE: (disputed | reported) - decided,
        DISPUTED: disputed,
        REPORTED: reported,
        DECIDED: decided,
    }[which]


def listed(
    study: Study, keys: Iterable[int], winners: Mapping[str, Winner]
) -> list[Listed]:
    """Return the pairs of these keys with their captions, in this order."""
    keys = list(keys)
    pairs = Pair.objects.select_related("b", "c", "image").in_bulk(keys)

    reported = reports_on(study).filter(triplet__pair__in=keys)
    reports = Counter(reported.values_list("triplet__pair", flat=True))
    in_force = study.adjudications.in_force().filter(pair__in=keys)
    decisions = dict(in_force.values_list("pair", "decision"))

    return [
        Listed(
            pairs[key],
            winners.get(pairs[key].name),
            reports[key],
            decisions.get(key, ""),
        )
        for key in keys
    ]
