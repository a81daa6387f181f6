"""Which metrics a plot has room for, and which are tested together."""

from collections.abc import Sequence

import numpy as np

from tercet import metrics
from tercet.metrics import IntArray

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
    """Return the main metrics.

    Parameters
    ----------
    names
        All metrics.
    chosen
        The main ones; if empty, all names where they are few, else those of `HEADLINE` and of
        metrics computed elsewhere.

    Returns
    -------
    list of str
        In the order of `names`; all of them if none is a main one.
    """
    built_in = metrics.names()
    few = not chosen and len(names) <= len(HEADLINE)
    main = [
        name
        for name in names
        if name in (chosen or HEADLINE) or (not chosen and name not in built_in)
    ]

    return list(names) if few or not main else main


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
    parents = [parent(name, main) for name in names]
    is_parent = np.array(
        [[name == each for each in parents] for name in names], dtype=bool
    ).reshape(len(names), len(names))
    compared: IntArray = (is_parent | is_parent.T).astype(int)
    return compared
