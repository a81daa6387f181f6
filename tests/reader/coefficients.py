"""Coefficients of two lists by their definitions: slow, and for lists of any scale."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import sqrt


def coefficients(x: Sequence[float], y: Sequence[float]) -> dict[str, float]:
    """Return Kendall's tau b and c, Spearman's rho, and Pearson's r."""
    size = len(x)
    pairs = size * (size - 1) / 2
    concordance = sum(
        ((a > b) - (a < b)) * ((c > d) - (c < d))
        for (a, c), (b, d) in combinations(zip(x, y, strict=True), 2)
    )
    untied = [
        pairs - sum(n * (n - 1) / 2 for n in Counter(each).values()) for each in (x, y)
    ]
    distinct = min(len({*x}), len({*y}))
    return {
        "tau_b": concordance / sqrt(untied[0] * untied[1]),
        "tau_c": 2 * concordance * distinct / (size * size * (distinct - 1)),
        "Spearman": pearson(ranks(x), ranks(y)),
        "Pearson": pearson(x, y),
    }


def ranks(values: Sequence[float]) -> list[float]:
    """Return midranks."""
    return [
        sum(each < value for each in values) + (list(values).count(value) + 1) / 2
        for value in values
    ]


def pearson(x: Sequence[float], y: Sequence[float]) -> float:
    """Return Pearson's r, exactly until the last root, so that no square leaves the range."""
    a, b = (_centred(each) for each in (x, y))
    product = sum(p * q for p, q in zip(a, b, strict=True))
    squared = product**2 / (sum(p * p for p in a) * sum(q * q for q in b))
    return sqrt(squared) * (1 if product > 0 else -1)


def _centred(values: Sequence[float]) -> list[Fraction]:
    exact = [Fraction(value) for value in values]
    mean = sum(exact, Fraction()) / len(exact)
    return [value - mean for value in exact]
