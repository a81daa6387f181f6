"""What an explanation says, in the same form for every metric."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import fsum
from typing import Literal, NamedTuple, TypeAlias

from tercet.metrics.corpora.corpus import Corpus

Detail: TypeAlias = float | str
Form: TypeAlias = Literal["sum", "shares", "matches"]

METRIC = "metric"
"""The kind of a part that is the score of another metric."""
SIMILARITY = "similarity"
"""The kind of a part that is the similarity to a reference; its text names the reference."""


@dataclass(frozen=True)
class Part:
    """Something that captions have or lack: an n-gram, a tuple, an aligned word.

    Attributes
    ----------
    kind : str
        What it is, such as "2-gram", "relation" or "synonym".
    text : str
        The words.
    references : tuple of int
        The numbers, from 0, of the references that have it.
    contribution : float, optional
        What it adds to the score; None where it adds nothing or the score is no sum.
    details : mapping of str to float or str
        What else there is to know about it; the same keys for all parts of a list.
    """

    kind: str
    text: str
    references: tuple[int, ...] = ()
    contribution: float | None = None
    details: Mapping[str, Detail] = field(default_factory=dict)


@dataclass(frozen=True)
class Explanation:
    """Why a metric gives a candidate its score; made by :func:`tercet.metrics.explain`.

    Attributes
    ----------
    metric : str
    score : float
        The score with all references, as :func:`metrics.score` gives it.
    form : {"sum", "shares", "matches"}
        "sum": the score is the sum of the contributions. "shares": the score takes a mean of
        precision and recall, which are sums; a contribution is what a match adds to both, each
        times the derivative of the score, and these add up to the score as well (Euler's theorem
        on homogeneous functions). "matches": there are no contributions.
    figures : mapping of str to float
        The quantities that the formula takes, such as precision and recall.
    matched : tuple of Part
        What the candidate has in common with references, the largest contribution first; METEOR's
        alignment in the order of the candidate's words.
    unmatched : tuple of Part
        What only the candidate has.
    missing : tuple of Part
        What only references have, the most important first.
    """

    metric: str
    score: float
    form: Form
    figures: Mapping[str, float] = field(default_factory=dict)
    matched: tuple[Part, ...] = ()
    unmatched: tuple[Part, ...] = ()
    missing: tuple[Part, ...] = ()

    def __repr__(self) -> str:
        return (
            f"Explanation({self.metric} {self.score:.3f}: {len(self.matched)} matched, "
            f"{len(self.unmatched)} unmatched, {len(self.missing)} missing)"
        )

    @property
    def total(self) -> float:
        """The sum of the contributions."""
        return fsum(part.contribution or 0.0 for part in self.matched)


Explain: TypeAlias = Callable[[Corpus, str, float], Explanation]
"""Explains the score of the only candidate of a corpus by the metric of a name."""


def largest_first(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Order parts by their contributions; equal ones stay as they are."""
    return tuple(sorted(parts, key=lambda part: -(part.contribution or 0.0)))


class Slopes(NamedTuple):
    """By how much a score grows for each unit of precision, and of recall."""

    precision: float
    recall: float


def slopes(precision: float, recall: float, square: float) -> Slopes:
    """Derive F = (1 + b) P R / (R + b P) with respect to P and R; zeros where F is 0.

    F doubles where P and R double, so it is P dF/dP + R dF/dR: with P and R sums over matches,
    each match has its share, and the shares add up to F. ``square`` is b, the square of the beta
    that says how many times recall counts as much as precision.
    """
    bottom = recall + square * precision
    if bottom == 0:
        return Slopes(0.0, 0.0)

    scale = (1 + square) / bottom**2

    return Slopes(scale * recall**2, scale * square * precision**2)
