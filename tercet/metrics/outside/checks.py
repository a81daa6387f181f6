"""What is checked of every metric from outside: whether it repeats its scores, and knows equals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, Self, TypeAlias

import numpy as np

from tercet.metrics.core.arrays import FloatArray
from tercet.metrics.outside.calls import Calls, MetricFailed, ScoredItem
from tercet.metrics.outside.text_metric import TextMetric
from tercet.metrics.text.inputs import Inputs, text_of

Repeats: TypeAlias = Literal["yes", "neighbours", "no", "unchecked"]
"""Whether scores are equal when asked again; with "neighbours", if asked in the same batches."""
_SHARE = 0.02
_LEAST, MOST_AGAIN = 200, 2_000
"""Comparisons that are asked again: a share of all, within these limits."""
CHECK_SHARE = 0.1
"""Calls that all checks may add, as a share of the different comparisons; one at least."""
_ROUNDING = 1e-9
"""Differences count from this share of the range of the scores."""
_LEAST_CORRELATION = 0.9
_EQUALS = 100
"""References that are compared with themselves."""
_OTHERS = 5
"""Other references of the image that each is compared with."""
MANY = 0.5
"""A metric fails from this share of references that score higher with another."""
LENGTH = 0.5
"""Scores follow the length of captions if they correlate with it by at least this much."""


_NEIGHBOURS = {
    True: "scores are the same in other batches",
    False: "scores are the same in the same batches only: declare batch=1, or a resolution of at "
    "least the difference",
}


class CheckOutcome(NamedTuple):
    """What a check says of a metric; `passed` is None where it says nothing good or bad."""

    check: str
    passed: bool | None
    what: str


@dataclass(frozen=True)
class Checks:
    """What was found out about a metric while it scored.

    Attributes
    ----------
    asked_again : int
        How many comparisons were made a second time, shuffled and in other batches.
    difference : float
        The largest difference between the two.
    repeats : {"yes", "neighbours", "no", "unchecked"}
        Whether scores are equal when asked again; with "neighbours", in the same batches only.
    correlation : float
        Of the scores of two whole runs; 1 where there was only one.
    equals : int
        How many references were compared with themselves and with others of their images.
    below : int
        How many of them score higher with another than with themselves.
    """

    asked_again: int = 0
    difference: float = 0.0
    repeats: Repeats = "unchecked"
    correlation: float = 1.0
    equals: int = 0
    below: int = 0

    @property
    def prefers_others(self) -> bool:
        """Whether copies of references score worse than other captions, as a rule."""
        return self.equals > 0 and self.below >= MANY * self.equals

    @classmethod
    def of(cls, first: FloatArray, again: FloatArray, resolution: float) -> Self:
        """Compare the scores (N,) of a sample with those when it is asked again."""
        if not len(first):
            return cls()

        repeats = _are_equal(first, again, resolution)
        difference = float(np.abs(first - again).max(initial=0.0))
        return cls(len(first), difference, "yes" if repeats else "no")

    def with_run(
        self, first: FloatArray, second: FloatArray, resolution: float
    ) -> Self:
        """Compare two whole runs (N,) in the same batches."""
        if _are_equal(first, second, resolution):
            return replace(self, repeats="neighbours")

        varies = np.ptp(first) > 0 and np.ptp(second) > 0
        correlation = float(np.corrcoef(first, second)[0, 1]) if varies else 0.0
        return replace(self, repeats="no", correlation=correlation)

    def outcomes(self, metric: TextMetric) -> list[CheckOutcome]:
        """Return what the checks say of the metric."""
        again = (
            f"{self.asked_again:,} comparisons made again, shuffled and in other batches: "
            f"largest difference {self.difference:.3g}"
        )
        if self.repeats == "unchecked":
            few = "no comparison was made again"
            repeats = [CheckOutcome("repeatable", None, few)]
        elif self.repeats == "no":
            runs = f"{again}; two whole runs correlate by {self.correlation:.3f}"
            is_declared = not metric.deterministic
            repeats = [CheckOutcome("repeatable", is_declared, runs)]
        else:
            is_alone = self.repeats == "yes"
            repeats = [
                CheckOutcome("repeatable", True, again),
                CheckOutcome("neighbours", is_alone, _NEIGHBOURS[is_alone]),
            ]

        itself = "there are no references to compare"
        if self.equals:
            itself = (
                f"{self.below:,} of {self.equals:,} references score higher with another than "
                "with themselves"
            )
        passed = not self.prefers_others if self.equals else None
        if self.prefers_others:
            other = not metric.higher_is_better
            itself += f": declare higher_is_better={other}, or repair the metric"

        return [*repeats, CheckOutcome("itself", passed, itself)]


def budget_of(comparisons: int, share: float) -> int:
    """Return how many calls the checks of different comparisons may add."""
    least = share > 0 and comparisons > 0
    return max(int(share * comparisons), int(least))


def size_of_sample(comparisons: int, budget: int | None = None) -> int:
    """Return how many of some comparisons are asked again: at most half of a budget."""
    wanted = int(np.clip(_SHARE * comparisons, _LEAST, MOST_AGAIN))
    if budget is not None:
        wanted = min(wanted, (budget + 1) // 2)
    return min(wanted, comparisons)


def asked_again(
    calls: Calls, items: Sequence[ScoredItem], generator: np.random.Generator
) -> FloatArray:
    """Score items (N,) once more: encoded anew, shuffled, and in batches of another size."""
    shuffled = generator.permutation(len(items))
    size = min(calls.metric.batch, len(items)) // 2 + 1
    scores = np.empty(len(items))
    scores[shuffled] = calls.anew().scores(
        [items[each] for each in shuffled], batch=size
    )

    return scores


def check_correlation(metric: TextMetric, correlation: float) -> None:
    """Raise MetricFailed where a metric has other scores each time, and does not say so."""
    if correlation >= _LEAST_CORRELATION or not metric.deterministic:
        return

    raise MetricFailed(
        f"metric {metric.name}: two runs over the same captions correlate by {correlation:.2f} "
        "only: make its scores repeatable (a fixed seed, no dropout), or declare "
        "deterministic=False",
        check="repeatable",
    )


def compare_equals(
    calls: Calls,
    captions: Inputs,
    generator: np.random.Generator,
    known: Mapping[ScoredItem, float],
    budget: int,
) -> tuple[int, int]:
    """Compare references with themselves and with others.

    Parameters
    ----------
    calls : Calls
    captions : Inputs
    generator : numpy.random.Generator
        Draws the references.
    known : mapping of ScoredItem to float
        Scores that are made already.
    budget : int
        How many other comparisons may be made.

    Returns
    -------
    tuple of int
        How many references there were, and how many of them score higher with another.
    """
    metric = calls.metric
    if metric.combine == "none":
        return 0, 0

    most_others = int(np.clip(budget // _EQUALS - 1, 1, _OTHERS))
    groups: list[list[ScoredItem]] = []
    missing: dict[ScoredItem, None] = {}
    for image in generator.permutation(len(captions.references))[:_EQUALS].tolist():
        items = _with_itself(captions, image, generator, most_others)
        unknown = missing | dict.fromkeys(item for item in items if item not in known)
        if len(items) > 1 and len(unknown) <= budget:
            groups.append(items)
            missing = unknown

    made = list(missing)
    scores = {**known, **dict(zip(made, calls.scores(made).tolist(), strict=True))}
    below = 0
    for items in groups:
        itself, *others = (metric.sign * scores[item] for item in items)
        below += max(others) > itself + metric.resolution

    return len(groups), below


def _with_itself(
    captions: Inputs, image: int, generator: np.random.Generator, most_others: int
) -> list[ScoredItem]:
    """Return a reference with itself, and other captions with it, best those that are scored."""
    own_texts = captions.references[image]
    own = text_of(own_texts[int(generator.integers(len(own_texts)))])
    scored = np.flatnonzero(captions.candidate_image == image)[:1].tolist()
    elsewhere = captions.references[(image + 1) % len(captions.references)]

    others = [captions.candidates[each] for each in scored]
    texts = map(text_of, (*others, *own_texts, *elsewhere))
    different = [text for text in dict.fromkeys(texts) if text != own][:most_others]
    file = captions.files[image] if captions.files else None
    return [ScoredItem(text, (own,), file) for text in (own, *different)]


def rank_correlation(x: FloatArray, y: FloatArray) -> float:
    """Compute Spearman's rho of two variables (N,); NaN where one is constant or has a NaN."""
    if np.isnan([x, y]).any() or not (np.ptp(x) and np.ptp(y)):
        return float("nan")

    return float(np.corrcoef(_middle_ranks(x), _middle_ranks(y))[0, 1])


def _middle_ranks(values: FloatArray) -> FloatArray:
    """Return ranks (N,); equal values have the mean of theirs."""
    _different, rank, counts = np.unique(
        values, return_inverse=True, return_counts=True
    )
    middle: FloatArray = (np.cumsum(counts) - counts / 2)[rank]
    return middle


def _are_equal(first: FloatArray, second: FloatArray, resolution: float) -> bool:
    """Return whether scores (N,) differ by rounding, or less than the metric tells apart."""
    tolerance = max(resolution, _ROUNDING * float(np.ptp(first)))
    return bool(np.abs(first - second).max() <= tolerance)
