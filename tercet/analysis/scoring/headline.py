"""Which metrics a plot has room for, and which are tested together."""

from collections.abc import Sequence

import numpy as np

from tercet.metrics import IntArray
from tercet.metrics.registry import built_in_names

HEADLINE = (
    "CIDEr",
    "CIDEr-stem",
    "CIDEr-D",
    "METEOR",
    "BLEU-1",
    "BLEU-4",
    "ROUGE-1",
    "ROUGE-L",
    "tuple-F",
    "WMD",
    "length",
)
"""Of the built-in metrics, those of the extras included: all versions of all would hide each
other."""

BASELINES = ("length", "random")
"""What a metric has to beat (`tercet.metrics.ngram.baselines`)."""


def headline(names: Sequence[str], chosen: Sequence[str] = ()) -> list[str]:
    """Return the main metrics, in the order of all names.

    Those are the chosen ones; if none are chosen, all names where they are few, else those of
    `HEADLINE` and of metrics computed elsewhere. All names if none is a main one.
    """
    if not chosen and len(names) <= len(HEADLINE):
        return list(names)

    usual = {*HEADLINE, *names}.difference(built_in_names()).union(HEADLINE)
    main = [name for name in names if name in (chosen or usual)]
    return main or list(names)


def parent(name: str, main: Sequence[str]) -> str:
    """Return the main metric that another one is a version of, or "".

    Examples
    --------
    >>> parent("CIDEr-stem", ["METEOR", "CIDEr", "CIDEr-D"])
    'CIDEr'
    """
    family = [other for other in main if other.split("-")[0] == name.split("-")[0]]
    return family[0] if family and name not in main else ""


def with_parents(names: Sequence[str], main: Sequence[str]) -> IntArray:
    """Return which metrics are a version and its main metric (M, M): 1, else 0.

    These are tested together, and not with the main ones: the tests of the main ones do not pay
    for hundreds of comparisons among versions of one metric.
    """
    parents = np.array([parent(name, main) for name in names], dtype=object)
    is_parent = np.array(names, dtype=object)[:, None] == parents
    are_compared = is_parent | is_parent.T
    compared: IntArray = are_compared.astype(int)
    return compared
