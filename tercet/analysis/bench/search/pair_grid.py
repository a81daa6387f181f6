"""The accuracies of metrics on pairs under every setting that is searched.

What people and a metric prefer of the pairs of a category is a table of three by three, B, a tie,
and C: every rule for ties is a weighted sum of it.

Arrays: P pairs, C categories, D draws, V variants of a metric.
"""

from collections.abc import Sequence
from itertools import product
from math import isnan, nan

import numpy as np

from tercet.analysis.bench.search.grids import (
    ALL_OF_THEM,
    DOCUMENTS,
    FIRST,
    LEFT_OUT,
    RANDOM,
    TOKENS,
    GivenReferences,
    Grid,
    Values,
    columns_at,
    documents_of,
    range_of,
    scored,
    stacked,
    usual_given,
)
from tercet.analysis.scoring.options import Documents, Options
from tercet.analysis.scoring.pairs import Pairs, arrange_pairs, decide
from tercet.analysis.stats.accuracy import preference
from tercet.analysis.tables.schema import ALL, Dataset
from tercet.metrics import FloatArray, IntArray

TOTAL = "mean"
_MEANS = ("of categories", "of pairs")
_HUMAN = {"half": 0.0, "drop": nan, "coin": 0.5, "B": 1.0, "C": -1.0}
_METRIC = {
    "half": 0.0,
    "wrong": 2.0,
    "right": 3.0,
    "coin": 0.5,
    "first": 1.0,
    "drop": nan,
}
"""What stands for a tie: a side; 0.5 is a coin, 2 and 3 are wrong and right, NaN is left out."""


def _credit(human: float, metric: float) -> tuple[float, float, float]:
    """Return what a pair earns, whether it counts, and the variance of a coin."""
    if isnan(human) or isnan(metric):
        return 0.0, 0.0, 0.0
    if metric in (2.0, 3.0):
        return metric - 2, 1.0, 0.0
    if 0.5 in (human, metric):
        return 0.5, 1.0, 0.25
    return (0.5 if 0 in (human, metric) else float(human == metric)), 1.0, 0.0


_SIDES = (-1, 0, 1)
_RULES = np.array(
    [
        [
            [
                [_credit(side or if_human, other or if_metric) for other in _SIDES]
                for side in _SIDES
            ]
            for if_metric in _METRIC.values()
        ]
        for if_human in _HUMAN.values()
    ]
)
"""(rules of people, of metrics, side, side, 3), as `_credit`."""


class PairGrid(Grid):
    """The pairs of a dataset under every setting."""

    def __init__(self, dataset: Dataset, options: Options) -> None:
        decided = decide(dataset, Options())
        has_own = decided.is_identical.any()
        excluded = {"kept": False, "left out": True} if has_own else {"kept": False}
        self._pairs = []
        for is_excluded in excluded.values():
            chosen = Options(exclude_identical=is_excluded)
            self._pairs.append(arrange_pairs(dataset, decide(dataset, chosen), chosen))

        pairs = self._pairs[0]
        self._categories = [name for name in pairs.groups if name != ALL]
        super().__init__()
        self.columns = [*(self._categories or [ALL]), TOTAL]
        self.given = usual_given(pairs.most_references, with_chance=True)
        self._winners = [*_winners(pairs)]
        self.axes = {
            "own captions": [*excluded],
            "tokens": TOKENS,
            "documents": DOCUMENTS,
            "references": [*map(str, self.given)],
            "winners": self._winners,
            "ties of people": [*_HUMAN],
            "ties of metrics": [*_METRIC],
            "mean": _MEANS if len(self._categories) > 1 else _MEANS[:1],
        }
        self.usual = {
            "own captions": "left out" if options.exclude_identical else "kept",
            "tokens": options.tokenizer,
            "documents": options.documents,
            "references": str(_usual_reference(options)),
            "winners": self._winners[0],
            "ties of people": options.human_ties,
            "ties of metrics": options.metric_ties,
            "mean": _MEANS[0],
        }

    def values(
        self, metric: str, variants: Sequence[str], given: Sequence[GivenReferences]
    ) -> dict[GivenReferences, Values]:
        """Return the accuracies with some references.

        Their axes are own captions, tokens, documents, winners, ties of people, ties of metrics,
        mean, variants, and columns.
        """
        means = len(self.axes["mean"])
        found: dict[GivenReferences, list[Values]] = {each: [] for each in given}
        for pairs, tokens in product(self._pairs, TOKENS):
            for documents in documents_of(metric):
                tables = self._tables(
                    pairs, metric, variants, (tokens, documents), given
                )
                for each in given:
                    found[each].append(_accuracies(tables[each], each.how, means))

        shape = (len(self._pairs), len(TOKENS), len(documents_of(metric)))
        return {each: stacked(values, shape) for each, values in found.items()}

    def _tables(
        self,
        pairs: Pairs,
        metric: str,
        variants: Sequence[str],
        scoring: tuple[str, Documents],
        given: Sequence[GivenReferences],
    ) -> dict[GivenReferences, IntArray]:
        """Count what people and the variants prefer, by order: (D, winners, V, C, 3, 3)."""
        category = np.zeros(len(pairs), dtype=np.int64)
        for number, name in enumerate(self._categories):
            category[pairs.groups[name]] = number
        size = len(self.columns) - 1

        tables: dict[GivenReferences, list[IntArray]] = {each: [] for each in given}
        for drawn in scored(pairs.captions, metric, *scoring, given):
            wanted = [each for each in given if each.how == drawn.how]
            counts = [each.number for each in wanted]
            winners = _winners(pairs, drawn.rank, counts)
            preferred = [
                _preferred(pairs, drawn.curves[name], counts) for name in variants
            ]
            crossed = np.array(
                [
                    [_cross(winner, side, category, size) for side in preferred]
                    for winner in winners.values()
                ]
            )
            for number, each in enumerate(wanted):
                tables[each].append(crossed[:, :, number])
        return {each: np.stack(found) for each, found in tables.items()}


def _usual_reference(options: Options) -> GivenReferences:
    """Return the references that a preset compares with."""
    if not options.counts:
        return GivenReferences(FIRST)
    return GivenReferences(
        FIRST if options.order == "file" else RANDOM, max(options.counts)
    )


def _winners(
    pairs: Pairs, rank: FloatArray | None = None, counts: Sequence[int] = (ALL_OF_THEM,)
) -> dict[str, FloatArray]:
    """Return the winners (P, counts) by who decides: all votes, or those with references given."""
    shape = (len(pairs), len(counts))
    ahead = pairs.human.vote_share - 0.5
    by_votes = np.sign(ahead)
    winners = {"all triplets": pairs.human.winner}
    if (by_votes != pairs.human.winner).any() and not np.isnan(by_votes).any():
        winners["single votes"] = by_votes
    winners = {
        name: np.broadcast_to(each[:, None], shape) for name, each in winners.items()
    }
    if np.isnan(pairs.sides).all():
        return winners

    votes = np.nan_to_num(pairs.sides)
    if rank is not None:
        votes = np.take_along_axis(votes, _order_of(pairs, rank), axis=1)
    lead = votes.cumsum(axis=1)
    of_counts = [
        lead[:, min(count or lead.shape[1], lead.shape[1]) - 1] for count in counts
    ]
    return winners | {"references given": np.sign(np.stack(of_counts, axis=1))}


def _order_of(pairs: Pairs, key: FloatArray) -> IntArray:
    """Return the references (P, K) of each pair's image in the order of a key."""
    sizes = pairs.captions.reference_counts
    table = np.full((len(sizes), pairs.most_references), np.inf)
    table[np.arange(table.shape[1]) < sizes[:, None]] = key
    order: IntArray = table.argsort(axis=1, kind="stable")
    return order[pairs.captions.candidate_image[pairs.b]]


def _preferred(pairs: Pairs, curve: FloatArray, counts: Sequence[int]) -> FloatArray:
    """Return the sides (P, counts) that scores (candidates, K) prefer; NaN without a score."""
    available = pairs.captions.reference_counts[pairs.captions.candidate_image]
    scores = columns_at(curve, available, counts)
    both = scores[pairs.candidates]
    return preference(*both)


def _cross(
    winner: FloatArray, side: FloatArray, category: IntArray, size: int
) -> IntArray:
    """Count the pairs of each category by what people and a metric prefer: (counts, C, 3, 3)."""
    counts = winner.shape[1]
    cell = np.arange(counts) * size + category[:, None]
    code = cell * 9 + (winner + 1) * 3 + (side + 1)
    found = np.bincount(
        code[~np.isnan(code)].astype(np.int64), minlength=9 * size * counts
    )
    return found.reshape(counts, size, 3, 3)


def _accuracies(tables: IntArray, how: str, means: int) -> Values:
    """Return accuracies by every rule for ties, from counts (D, winners, V, C, 3, 3).

    The result has the axes winners, rules of people, of metrics, mean, V, and C + 1.
    """
    sums = np.einsum("dwvcij,hmijk->kdwhmvc", tables, _RULES)
    earned, counted, variance = sums[:, :, :, :, :, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        each, spread = earned / counted, variance / counted**2
        count = counted.sum(axis=-1)
        of_all = earned.sum(axis=-1) / count, variance.sum(axis=-1) / count**2
    size = each.shape[-1]
    totals = [each.mean(axis=-1), of_all[0]][:means]
    spreads = [spread.sum(axis=-1) / size**2, of_all[1]][:means]

    shape = [*each.shape]
    shape[4] = means
    values, variances = (
        np.concatenate(
            [np.broadcast_to(cells, shape), np.concatenate(whole, axis=4)[..., None]],
            axis=-1,
        )
        for cells, whole in ((each, totals), (spread, spreads))
    )
    if how == LEFT_OUT:
        values, variances = (x.mean(axis=0, keepdims=True) for x in (values, variances))
    return range_of(values, variances)
