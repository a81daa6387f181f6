"""What each metric earns on the pairs, summed over the orders of the references.

Arrays: P pairs, K reference counts, R draws (orders of the references), C cells (the pairs of one
image and one category). An axis of K + 1 has the counts 1 .. K, and last all references that a
pair's image has.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tercet.analysis.stats.accuracy import Credit, HumanWinners, preference
from tercet.metrics import FloatArray, IntArray

SUMS = ("scored", "human_ties", "metric_ties", "voted", "votes", "ceiling")
"""Pairs with a score, those of them that people or the metric tie on, those with votes; the share
of their votes for the metric's preference, and the highest share that any preference could have."""

TIES = [SUMS.index("human_ties"), SUMS.index("metric_ties")]

ALL_REFERENCES: Literal["all"] = "all"
"""The reference count at which each pair has all references that its image has."""
ReferenceCount: TypeAlias = int | Literal["all"]

ALL_TRIPLETS = "all triplets"
NOT_GIVEN = "triplets of references not given"
GIVEN = "triplets of references given"
AS_MANY = "as many of references not given"
_SOME_TRIPLETS = (NOT_GIVEN, GIVEN, AS_MANY)
TRIPLET_SETS = (ALL_TRIPLETS, *_SOME_TRIPLETS)
"""Which triplets decide the winner. A metric agrees too well with triplets whose references it was
given."""


def column_of(count: ReferenceCount) -> int:
    """Return the index of a reference count on an axis of K + 1."""
    return -1 if count == ALL_REFERENCES else count - 1


@dataclass(frozen=True)
class MetricTally:
    """What one metric earned, summed over draws.

    Attributes
    ----------
    cells : mapping from `TRIPLET_SETS` to a float array (2, K + 1, C)
        Earned and counted, as in `Credit`; (2, K // 2, C) where only some triplets decide.
        Credit is in halves, so single precision is exact.
    sums : float array (fields, groups, K + 1)
        The sums named in `SUMS`, by group.
    draws : float array (R, 2, groups, K + 1)
        Earned and counted in each draw, by group.
    preferred, score_b, score_c : float array (P,)
        The preference (a side) and the scores with all references.
    side : float array (P,)
        The mean over draws of the preference at the largest reference count that is wanted.
    """

    cells: Mapping[str, NDArray[np.float32]]
    sums: FloatArray
    draws: FloatArray
    preferred: FloatArray
    score_b: FloatArray
    score_c: FloatArray
    side: FloatArray

    def empty(self, cells: int, pairs: int) -> Self:
        """Return a tally of zeros for `cells` cells and `pairs` pairs, else shaped like this."""
        no_credit = {
            name: np.zeros((*credit.shape[:-1], cells), np.float32)
            for name, credit in self.cells.items()
        }
        of_pairs = [np.empty(pairs) for _ in range(4)]
        sums = np.zeros_like(self.sums)
        draws = np.zeros_like(self.draws)
        return type(self)(no_credit, sums, draws, *of_pairs)

    def add(self, batch: Self, first_cell: int, first_pair: int) -> None:
        """Add the tally of a batch, whose first cell and pair have these numbers."""
        for name, credit in batch.cells.items():
            last_cell = first_cell + credit.shape[-1]
            self.cells[name][..., first_cell:last_cell] = credit

        self.sums[...] += batch.sums
        self.draws[...] += batch.draws

        last_pair = first_pair + len(batch.preferred)
        pairs = slice(first_pair, last_pair)
        for name in ("preferred", "score_b", "score_c", "side"):
            getattr(self, name)[pairs] = getattr(batch, name)


class TallyCounter:
    """Count what one metric earns on a batch, draw by draw.

    Parameters
    ----------
    human : HumanWinners
        The winners (P,) by all triplets.
    groups : float array (groups, P)
        1 where the pair is in the group, else 0.
    first_of_cell : int array (C,)
        The first pair of each cell.
    counts : int
        K.
    column : int
        The largest reference count that is wanted, as an index of an axis of K + 1.
    generator : Generator
        Tosses coins for ties.
    resolution : float
        The largest difference of scores that is a tie.
    """

    def __init__(
        self,
        human: HumanWinners,
        groups: FloatArray,
        first_of_cell: IntArray,
        counts: int,
        column: int,
        generator: np.random.Generator,
        resolution: float = 0.0,
    ) -> None:
        self._human = human
        self._groups = groups
        self._column = column
        self._first_of_cell = first_of_cell
        self._generator = generator
        self._resolution = resolution

        pairs = groups.shape[1]
        self._counts = counts // 2
        self._credit = Credit.zero((counts + 1, pairs))
        self._by_some = {
            name: np.zeros((2, pairs, self._counts)) for name in _SOME_TRIPLETS
        }
        self._draws: list[FloatArray] = []
        self._side = np.zeros(pairs)
        self._scores = np.zeros((2, pairs))
        self._preferred = np.zeros(pairs)

    def add(self, scores: FloatArray, winners: Mapping[str, HumanWinners]) -> None:
        """Add the scores (2, P, K + 1) of one draw; `winners` by the triplets that decide."""
        preferred = preference(*scores, resolution=self._resolution)
        self._side += preferred[:, self._column]
        self._preferred, self._scores = preferred[:, -1], scores[..., -1]

        credit = winners[ALL_TRIPLETS].credit(preferred, self._generator)
        self._credit += credit
        both = np.stack([credit.earned, credit.counted])
        by_group = self._by_group(both)
        self._draws.append(by_group)

        # coins are tossed for all counts
        columns = slice(-1 if self._human.tosses_coins else self._counts)
        for name, total in self._by_some.items():
            human = winners[name]
            earned, is_counted = human.earned(preferred[:, columns], self._generator)
            total[0] += earned[:, : self._counts]
            total[1] += is_counted[:, : self._counts]

    def tally(self) -> MetricTally:
        """Return the sums, with the preferences and scores of the last draw."""
        credit = self._credit
        both = np.stack([credit.earned, credit.counted])
        cells = {ALL_TRIPLETS: self._by_cell(both)}
        for name, total in self._by_some.items():
            cells[name] = self._by_cell(np.swapaxes(total, 1, 2))

        return MetricTally(
            cells=cells,
            sums=self._by_group(np.stack(list(self._summed()))),
            draws=np.array(self._draws),
            preferred=self._preferred,
            score_b=self._scores[0],
            score_c=self._scores[1],
            side=self._side / len(self._draws),
        )

    def _by_group(self, values: FloatArray) -> FloatArray:
        """Sum over pairs: (fields, K, P) to (fields, groups, K)."""
        return np.swapaxes(values @ self._groups.T, 1, 2)

    def _by_cell(self, values: NDArray[np.floating]) -> NDArray[np.float32]:
        """Sum over each cell's pairs: (2, K, P) to (2, K, C)."""
        sums = np.add.reduceat(values, self._first_of_cell, axis=2)
        return sums.astype(np.float32)

    def _summed(self) -> Iterator[FloatArray]:
        """Yield what is summed by group, (K + 1, P) each, in the order of `SUMS`."""
        credit = self._credit
        vote_share = self._human.vote_share
        has_votes = ~np.isnan(vote_share)
        voted = credit.scored * has_votes
        other_share = 1 - vote_share
        larger_share = np.fmax(vote_share, other_share)

        yield credit.scored
        are_tied = self._human.winner == 0
        yield credit.scored * are_tied
        yield credit.tied
        yield voted
        yield credit.votes
        yield voted * np.nan_to_num(larger_share)
