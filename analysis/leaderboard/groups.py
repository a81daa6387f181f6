"""Which systems do not differ: sign flips by image, for every metric of a reference count.

Arrays: N pairs of systems, F sign flips.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import numpy as np

from tercet.analysis.leaderboard.scores import CountScores, Sums
from tercet.analysis.stats.significance import compact_letters, p_of_flips
from tercet.metrics import FloatArray

LEVEL = 0.05
MOST_COMPARED = 40
"""Systems that are compared by a metric: the best. The pairs grow with the square."""


def group_letters(
    systems: Mapping[str, CountScores], names: Iterable[str]
) -> dict[str, dict[str, str]]:
    """Find groups of systems that do not differ significantly.

    If two systems do not differ, their captions of any image may be exchanged. So under a sign
    flip, what half of the images add to BLEU and METEOR, and their scores by other metrics, are
    exchanged between the two systems, and the difference of their corpus figures is computed anew
    (approximate randomization: Noreen 1989; Riezler and Maxwell 2005).

    Parameters
    ----------
    systems
        The scores of systems with one reference count, on the same images and sign flips.
    names
        The metrics.

    Returns
    -------
    dict of str to dict of str to str
        By metric, the letters of the best `MOST_COMPARED` systems: two that share a letter do not
        differ at 5 %, adjusted for all pairs by step-down maxT.
    """
    letters = {}
    differences = _Differences(systems)

    for metric in names:
        figures = {
            name: float(each.figures(each.sums)[metric])
            for name, each in systems.items()
        }
        best = sorted(figures, key=figures.__getitem__, reverse=True)
        compared = best[:MOST_COMPARED]

        differs = differences.are_significant(compared, metric)
        values = np.array([figures[name] for name in compared])
        found = compact_letters(values, differs)
        letters[metric] = dict(zip(compared, found, strict=True))

    return letters


class _Differences:
    """Differences of the figures of two systems, each computed once for all metrics."""

    def __init__(self, systems: Mapping[str, CountScores]) -> None:
        self._systems = systems
        self._known: dict[frozenset[str], dict[str, FloatArray]] = {}

    def are_significant(
        self, names: Sequence[str], metric: str
    ) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
        """Return which of these systems differ (systems, systems)."""
        differs = np.zeros((len(names), len(names)), bool)
        pairs = list(combinations(names, 2))
        if not pairs:
            return differs

        both = np.column_stack([self._of(*pair)[metric] for pair in pairs])
        _p, adjusted = p_of_flips(both[0], both[1:])
        differs[np.triu_indices(len(names), k=1)] = adjusted <= LEVEL

        return differs | differs.T

    def _of(self, one: str, other: str) -> dict[str, FloatArray]:
        """Return the observed difference, then those under the flips (1 + F,), by metric.

        Which system is subtracted changes their signs alone, which a two-sided test ignores.
        """
        pair = frozenset((one, other))
        if pair not in self._known:
            self._known[pair] = differences(self._systems[one], self._systems[other])

        return self._known[pair]


def differences(one: CountScores, other: CountScores) -> dict[str, FloatArray]:
    """Compute differences of corpus figures: as observed, then under each sign flip.

    Parameters
    ----------
    one, other
        Two systems on the same images and sign flips.

    Returns
    -------
    dict of str to ndarray
        By metric: shape (1 + F,).
    """
    first: Sums = {}
    second: Sums = {}

    for name in one.sums:
        half = (one.sums[name] + other.sums[name]) / 2
        difference = one.sums[name] - other.sums[name]
        flipped = one.flipped[name] - other.flipped[name]

        apart = np.concatenate([difference[None], flipped]) / 2
        first[name], second[name] = half + apart, half - apart

    figures = one.figures(first)
    others = other.figures(second)

    return {name: figures[name] - others[name] for name in figures}
