"""The pairs of a study with their winners, searched, filtered and ordered."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_

from django.db.models import Q, QuerySet

from tercet.annotation.models import Adjudication, Pair, Remark, Study
from tercet.annotation.results.pair_winners import Winner, winners_of

CLOSE, CLEAR = "close", "clear"
TO_DECIDE, DISPUTED, REPORTED, DECIDED = ("open", "disputed", "reported", "decided")
"""Which pairs a list shows: `open` ones are disputed or reported, and have no decision."""
_CAPTIONS = ("b__caption", "c__caption", "b__source", "c__source")
_SEARCHED = ("name", "image__name", *_CAPTIONS)


@dataclass(frozen=True)
class _Listed:
    """A pair of a list; `decided` is None where the study does not ask about it.

    `decision` is that of an adjudicator, empty without one, whether results use it or not.
    """

    pair: Pair
    decided: Winner | None
    reports: int = 0
    decision: str = ""

    @property
    def is_equal(self) -> bool:
        """Whether its candidates are the same caption: a tie that nobody is asked about."""
        return self.pair.b.caption == self.pair.c.caption


def matching(
    study: Study, text: str = "", category: str | None = None
) -> "QuerySet[Pair]":
    """Select the pairs whose name, image, captions or sources contain a text."""
    pairs = study.dataset.pairs.order_by("pk")
    if category is not None:
        pairs = pairs.filter(category=category)

    if text:
        found = (Q(**{f"{field}__icontains": text}) for field in _SEARCHED)
        in_any_field = reduce(or_, found)
        pairs = pairs.filter(in_any_field)
    return pairs


def keys_of(
    pairs: "QuerySet[Pair]",
    winners: Mapping[int, Winner],
    winner: str = "",
    order: str = "",
) -> list[int]:
    """Return the keys of pairs that have a winner, in an order.

    `winners` has those of all pairs by their keys; `winner` is B, C, tie or unfinished, or empty
    for any. The order is `close` (the smallest margin first), `clear` (the largest), or else that
    of the dataset; pairs without votes come last.
    """
    chosen = []
    for key in pairs.values_list("pk", flat=True):
        decided = winners.get(key)
        if not winner or (decided and decided.has(winner)):
            chosen.append((key, decided.margin if decided else None))

    if order in (CLOSE, CLEAR):
        sign = 1 if order == CLOSE else -1
        chosen.sort(key=lambda each: 2.0 if each[1] is None else sign * each[1])
    return [key for key, _ in chosen]


def reports_on(study: Study) -> "QuerySet[Remark]":
    """Select what annotators said about questions."""
    return Remark.objects.filter(
        annotator__study=study, annotator__is_test=False, question__isnull=False
    )


def keys_to_show(study: Study, winners: Mapping[int, Winner], which: str) -> set[int]:
    """Return the keys of the pairs that are disputed, reported, decided, or yet to decide."""
    reported = set(reports_on(study).values_list("question__pair", flat=True))
    decisions = Adjudication.objects.in_force()
    in_force = decisions.filter(study=study)
    decided = set(in_force.values_list("pair", flat=True))
    disputed = {key for key, each in winners.items() if each.is_disputed}

    return {
        TO_DECIDE: (disputed | reported) - decided,
        DISPUTED: disputed,
        REPORTED: reported,
        DECIDED: decided,
    }[which]


def listed(study: Study, keys: Iterable[int]) -> list[_Listed]:
    """Return the pairs of these keys with their captions, in this order."""
    keys = list(keys)
    pairs = Pair.objects.select_related("b", "c", "image").in_bulk(keys)

    remarks = reports_on(study)
    reported = remarks.filter(question__pair__in=keys)
    reported_pairs = reported.values_list("question__pair", flat=True)
    reports = Counter(reported_pairs)
    all_in_force = study.adjudications.in_force()
    in_force = all_in_force.filter(pair__in=keys)
    decisions = dict(in_force.values_list("pair", "decision"))
    winners = winners_of(study, keys)

    return [
        _Listed(pairs[key], winners.get(key), reports[key], decisions.get(key, ""))
        for key in keys
    ]
