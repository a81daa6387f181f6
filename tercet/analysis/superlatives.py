"""Superlatives: who is first, and with whom, in words that hold for all values.

Every sentence that says "most", "least" or "best" is made here, of all values that are compared.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import SupportsFloat

import pandas as pd

from tercet.analysis.number_texts import plural, stored
from tercet.analysis.values import span

AND, OR = "and", "or"
_MOST_NAMED = 12
"""Names that a sentence lists; of more, it says how many there are."""


@dataclass(frozen=True)
class Ranking:
    """Values by name, the largest first; names without a value are left out.

    Values tie where files of a report hold the same number.
    """

    values: Mapping[str, float]

    @classmethod
    def of(cls, values: "Mapping[str, SupportsFloat] | pd.Series[float]") -> "Ranking":
        numbers = {str(name): float(value) for name, value in values.items()}
        known = {name: value for name, value in numbers.items() if not isnan(value)}
        names = sorted(known, key=lambda name: -stored(known[name]))
        return cls({name: known[name] for name in names})

    @property
    def first(self) -> list[str]:
        """The names with the largest value."""
        return self._tied_with(self.highest) if self.values else []

    @property
    def last(self) -> list[str]:
        """The names with the smallest value."""
        return self._tied_with(self.lowest) if self.values else []

    @property
    def highest(self) -> float:
        return next(iter(self.values.values()))

    @property
    def lowest(self) -> float:
        return [*self.values.values()][-1]

    @property
    def is_level(self) -> bool:
        """Whether there is no first, as all have the same value."""
        return len(self.first) == len(self.values)

    def top(self, most: int) -> list[str]:
        """The names with the largest values, at most `most`; none ties with one left out."""
        left_out = [stored(value) for value in [*self.values.values()][most:]]
        return [
            name
            for name, value in self.values.items()
            if not left_out or stored(value) > left_out[0]
        ]

    def _tied_with(self, value: float) -> list[str]:
        own = stored(value)
        return [name for name, each in self.values.items() if stored(each) == own]


@dataclass(frozen=True)
class Wording:
    """What is said of a ranking, with the slots `first`, `last`, `number` and those of the caller.

    Attributes
    ----------
    one, several : str
        Of one name with the largest value, and of several that have it.
    level : str
        Where all have the same value.
    none_above : str
        Where the largest value is 0 or less, for values that say something above 0 only; may be
        empty.
    alone : str
        Of the only value; may be empty.
    """

    one: str
    several: str
    level: str
    none_above: str = ""
    alone: str = ""

    def said(
        self, ranking: Ranking, write: Callable[[str], str] = str, **slots: str
    ) -> str:
        """Return the sentence that holds for a ranking; empty where there is nothing to compare."""
        if not ranking.values:
            return ""

        return self._of(ranking).format(
            first=listed(list(map(write, ranking.first))),
            last=listed(list(map(write, ranking.last))),
            number=len(ranking.values),
            **slots,
        )

    def _of(self, ranking: Ranking) -> str:
        if len(ranking.values) == 1:
            return self.alone
        if self.none_above and stored(ranking.highest) <= 0:
            return self.none_above
        if ranking.is_level:
            return self.level
        return self.one if len(ranking.first) == 1 else self.several


def interval_in_words(
    low: Sequence[float],
    high: Sequence[float],
    write: Callable[[float, float], str] = span,
) -> str:
    """Write the interval of what is first; the range of several intervals.

    Examples
    --------
    >>> interval_in_words([0.5, 0.4], [0.7, 0.7])
    '95 % intervals within 40.0 to 70.0'
    >>> interval_in_words([float("nan")], [float("nan")])
    'no 95 % interval'
    """
    bounds = [each for each in zip(low, high, strict=True) if not isnan(each[0])]
    if not bounds:
        return "no 95 % interval"

    lowest = min(each[0] for each in bounds)
    highest = max(each[1] for each in bounds)
    within = write(lowest, highest)
    are_equal = len({write(*each) for each in bounds}) == 1
    text = f"95 % interval {within}" if are_equal else f"95 % intervals within {within}"
    if len(bounds) < len(low):
        return f"{text}, where there is one"
    return text


def beside_first(
    first: str,
    alike: Sequence[str],
    unadjusted: Sequence[str],
    behind: Sequence[str],
    comparisons: int,
    verb: str = "agree",
    less: str = "less often",
) -> Iterator[str]:
    """Say which metrics cannot be told apart from the first, and which are behind it.

    Parameters
    ----------
    first : str
    alike, behind
        All of them, with their figures.
    unadjusted
        The names of those that cannot be told apart, though the interval leaves out no difference.
    comparisons
        How many the tests are adjusted for.
    verb, less
        What the metrics behind it do, and how.
    """
    if alike:
        is_adjusted = comparisons > 1
        said = f"{joined(alike, AND)} cannot be told apart from {first}"
        if is_adjusted:
            said = f"{said} (adjusted for {comparisons:,} comparisons)"
        if unadjusted and is_adjusted:
            differ = plural(len(unadjusted), "differs", "differ")
            said = f"{said}; {joined(unadjusted, AND)} {differ} before the adjustment"
        yield f"{said}."
    if behind:
        yield f"{joined(behind, AND)} {verb}{plural(len(behind), 's', '')} {less} than {first}."


def quoted(name: str) -> str:
    return f"“{name}”"


def listed(names: Sequence[str], word: str = AND) -> str:
    """List names with a word before the last one; of very many, only say how many there are."""
    if len(names) > _MOST_NAMED:
        return f"{len(names):,} of them"
    return joined(names, word)


def joined(texts: Sequence[str], word: str) -> str:
    """List texts, with a word before the last one.

    Examples
    --------
    >>> joined(["A", "B", "C"], "or")
    'A, B or C'
    """
    *most, last = texts
    return f"{', '.join(most)} {word} {last}" if most else last
