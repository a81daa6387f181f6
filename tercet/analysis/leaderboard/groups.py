"""Which systems do not differ: sign flips by image, for every metric of a reference count.

Arrays: N pairs of systems, F sign flips.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

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

    @cache
    def of_pair(pair: frozenset[str]) -> dict[str, FloatArray]:
        one, other = sorted(pair)
        return differences(systems[one], systems[other])

    for metric in names:
        figures = {
            name: float(each.figures(each.sums)[metric])
            for name, each in systems.items()
        }
        best = sorted(figures, key=figures.__getitem__, reverse=True)
        compared = best[:MOST_COMPARED]

        pairs = map(frozenset, combinations(compared, 2))
        differences_of = [of_pair(pair)[metric] for pair in pairs]
        differs = _are_different(len(compared), differences_of)
        values = np.array([figures[name] for name in compared])
        found = compact_letters(values, differs)
        letters[metric] = dict(zip(compared, found, strict=True))

    return letters


def _are_different(systems: int, pairs: Sequence[FloatArray]) -> NDArray[np.bool_]:
    """Return which systems differ (systems, systems), from the `differences` of every two.

    Which system is subtracted changes their signs alone, which a two-sided test ignores.
    """
    differs = np.zeros((systems, systems), bool)
    if pairs:
        both = np.column_stack(pairs)
        _p, adjusted = p_of_flips(both[0], both[1:])
        differs[np.triu_indices(systems, k=1)] = adjusted <= LEVEL

    return differs | differs.T


def differences(one: CountScores, other: CountScores) -> dict[str, FloatArray]:
    """Compute differences of the corpus figures of two systems on the same images and sign flips.

    Returns
    -------
    dict of str to ndarray
        By metric, the difference as observed, then under each sign flip: shape (1 + F,).
    """
    first: Sums = {}
    second: Sums = {}

    for name in one.sums:
        own = one.sums[name]
        theirs = other.sums[name]
        half = (own + theirs) / 2
        difference = own - theirs
        flipped = one.flipped[name] - other.flipped[name]

        apart = np.concatenate([difference[None], flipped]) / 2
        first[name], second[name] = half + apart, half - apart

    figures = one.figures(first)
    others = other.figures(second)

    return {name: figures[name] - others[name] for name in figures}
