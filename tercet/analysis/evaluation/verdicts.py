"""What a comparison of two metrics shows: decided here, for words, letters, bold and plots."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import isnan, nan
from typing import Any, Self

import pandas as pd

from tercet.analysis.number_texts import counted, fixed, percent, stored
from tercet.analysis.scoring.contamination import marked
from tercet.analysis.scoring.headline import BASELINES
from tercet.analysis.scoring.tallies import ReferenceCount
from tercet.analysis.superlatives import beside_first
from tercet.analysis.tables.schema import ALL, MEAN
from tercet.analysis.values import p_value, share

LEVEL = 0.05
POINTS = 0.02
"""The difference (0..1) that a verdict of "no difference" is held against."""


class Verdict(StrEnum):
    """What can be said of one metric, compared with another."""

    MORE = "more often"
    LESS = "less often"
    NONE = "no difference"
    ADJUSTED = "no difference after adjusting"


def verdict(difference: float, low: float, high: float, p_adjusted: float) -> Verdict:
    """Decide whether the first of two metrics agrees with people more or less often.

    Parameters
    ----------
    difference, low, high
        The difference of the accuracies (-1..1) with its interval; NaN where there is none.
    p_adjusted
        Adjusted for all comparisons of the table. It alone decides whether there is a difference.

    Returns
    -------
    Verdict
        `ADJUSTED` where the interval leaves out 0, and no difference can be seen all the same.
    """
    if p_adjusted <= LEVEL:
        return Verdict.MORE if difference > 0 else Verdict.LESS
    return Verdict.ADJUSTED if low > 0 or high < 0 else Verdict.NONE


@dataclass(frozen=True)
class Comparison:
    """Two metrics on the same pairs, in one category and with one number of references.

    Attributes
    ----------
    metric_a, metric_b, category : str
    reference_count : int or "all"
    pairs : int
    accuracy_a, accuracy_b : float
        0..1.
    difference, low, high : float
        The first accuracy minus the second, with its interval; -1..1.
    p, p_adjusted : float
        For these two metrics alone, and adjusted for all comparisons.
    comparisons : int
        How many comparisons p is adjusted for.
    variants : int
        How many variants the two metrics were chosen from: p is adjusted for these, too.
    more_pairs : float
        How many more pairs would show a difference of `POINTS` if these two metrics alone were
        compared; NaN where that is not known.
    """

    metric_a: str
    metric_b: str
    category: str
    reference_count: ReferenceCount
    pairs: int
    accuracy_a: float
    accuracy_b: float
    difference: float
    low: float
    high: float
    p: float
    p_adjusted: float
    comparisons: int = 1
    variants: int = 1
    more_pairs: float = nan

    @classmethod
    def of(cls, row: Mapping[Any, Any]) -> Self:
        """Return the comparison of a row of a table; some columns may be missing."""
        known = {name: row[name] for name in cls.__match_args__ if name in row}
        return cls(**known)

    @property
    def verdict(self) -> Verdict:
        return verdict(self.difference, self.low, self.high, self.p_adjusted)

    @property
    def turned(self) -> Self:
        """The same comparison from the side of the other metric."""
        return replace(
            self,
            metric_a=self.metric_b,
            metric_b=self.metric_a,
            accuracy_a=self.accuracy_b,
            accuracy_b=self.accuracy_a,
            difference=-self.difference,
            low=-self.high,
            high=-self.low,
        )

    def marked(self, marks: Mapping[str, str]) -> Self:
        """The same comparison with the marks of metrics behind their names."""
        return replace(
            self,
            metric_a=marked(self.metric_a, marks),
            metric_b=marked(self.metric_b, marks),
        )

    @property
    def p_in_words(self) -> str:
        """Such as `p = .136, adjusted for 45 comparisons`."""
        p = p_value(self.p_adjusted)
        return f"{p}, adjusted for {self._adjusted_for}" if self._adjusted_for else p

    @property
    def _adjusted_for(self) -> str:
        """Say what p is adjusted for; empty for nothing."""
        numbers = {"comparison": self.comparisons, "variant": self.variants}
        several = [counted(each, noun) for noun, each in numbers.items() if each > 1]
        return " and ".join(several)

    @property
    def in_words(self) -> str:
        """Say what the comparison shows, and what it would take to show more."""
        if self.verdict is Verdict.LESS:
            return self.turned.in_words
        if self.verdict is Verdict.MORE:
            return (
                f"{self.metric_a} agrees with people more often than {self.metric_b}, by "
                f"{fixed(percent(self.difference), 1)} points ({self.p_in_words})."
            )
        if self.verdict is Verdict.ADJUSTED and self._adjusted_for:
            return self._only_unadjusted
        return self._unclear

    @property
    def _only_unadjusted(self) -> str:
        """Say that the interval leaves out 0, but not after adjusting."""
        return (
            f"No difference can be seen between {self.metric_a} and {self.metric_b} after "
            f"adjusting for {self._adjusted_for} ({p_value(self.p_adjusted)}; "
            f"unadjusted {p_value(self.p)})."
        )

    @property
    def _unclear(self) -> str:
        """Say that no difference can be seen, and whether more pairs are needed to show one."""
        unseen = (
            f"No difference can be seen between {self.metric_a} and {self.metric_b} "
            f"({self.p_in_words})."
        )
        if self.low == self.high:
            return (
                f"{unseen} All images give the same result, so these pairs cannot show how many "
                "more are needed."
            )
        if isnan(self.more_pairs):
            return unseen

        points = fixed(percent(POINTS), 0)
        if self.more_pairs > 0:
            return (
                f"{unseen} If only these two are compared, detecting a difference of {points} "
                f"points {self._where} takes about {int(self.more_pairs):,} more pairs like these."
            )
        return (
            f"{unseen} If only these two are compared, a difference of {points} points would "
            "probably have been detected."
        )

    @property
    def _where(self) -> str:
        """Say of which accuracy the difference is."""
        names = {MEAN: "in the mean over categories", ALL: "over all pairs"}
        return names.get(self.category, f"on {self.category} pairs")


def comparisons_of(table: pd.DataFrame) -> list[Comparison]:
    """Return the rows of a table of tests as comparisons."""
    return [Comparison.of(row) for row in table.to_dict("records")]


def beside_best(
    best: str, others: Collection[str], compared: Sequence[Comparison]
) -> Iterator[str]:
    """Say which of other metrics cannot be told apart from the best one, and which agree less.

    Parameters
    ----------
    best : str
    others : collection of str
    compared : sequence of Comparison
        Of metrics in one category, at one reference count.
    """
    sides = [side for each in compared for side in (each, each.turned)]
    with_best = [each for each in sides if each.metric_a == best]
    rows = [each for each in with_best if each.metric_b in others]
    if not rows:
        return

    alike = [each for each in rows if each.verdict is not Verdict.MORE]
    unadjusted = [each for each in alike if each.verdict is Verdict.ADJUSTED]
    yield from beside_first(
        best,
        _with_shares(alike),
        [each.metric_b for each in unadjusted],
        _with_shares([each for each in rows if each.verdict is Verdict.MORE]),
        rows[0].comparisons,
    )


def _with_shares(others: Sequence[Comparison]) -> list[str]:
    """Return the second metrics with their accuracies, such as `METEOR (81.4 %)`."""
    return [f"{each.metric_b} ({share(each.accuracy_b)})" for each in others]


def with_verdicts(tests: pd.DataFrame) -> pd.DataFrame:
    """Return a table of tests with the verdict on each first metric."""
    columns = ["difference", "low", "high", "p_adjusted"]
    rows = tests[columns].to_numpy(dtype=float).tolist()
    verdicts = [str(verdict(*row)) for row in rows]
    return tests.assign(verdict=verdicts)


def is_difference(tests: pd.DataFrame) -> "pd.Series[bool]":
    """Return which rows of a table with verdicts show a difference."""
    return tests["verdict"].isin([Verdict.MORE, Verdict.LESS])


def in_bold(accuracy: "pd.Series[float]", tests: pd.DataFrame) -> set[str]:
    """Return the best metrics, and those that do not differ from one of them.

    Parameters
    ----------
    accuracy : Series
        The accuracy of each metric of a table, by its name.
    tests : DataFrame
        Their comparisons, with verdicts.

    Returns
    -------
    set of str
        A baseline is in it only where it is the best. Empty where nothing is compared.
    """
    if tests.empty:
        return set()

    values = accuracy.dropna().map(stored)
    is_best = values == values.max()
    best = set(values.index[is_best])
    is_clear = is_difference(tests)
    rows = tests[~is_clear]
    alike = list(zip(rows["metric_a"], rows["metric_b"], strict=True))

    beside = {b for a, b in alike if a in best}
    beside |= {a for a, b in alike if b in best}
    return best | beside.difference(BASELINES)
