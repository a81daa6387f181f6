"""Why a metric prefers one candidate to another: contributions to the difference."""

from dataclasses import dataclass
from math import fsum

from tercet.metrics.explain.explanation import Explanation


@dataclass(frozen=True)
class Term:
    """A part of two candidates, and what it adds to the score of each, 0 where it has none."""

    kind: str
    text: str
    b: float
    c: float

    @property
    def difference(self) -> float:
        """What it adds to the score of b minus the score of c."""
        return self.b - self.c


@dataclass(frozen=True)
class Difference:
    """The scores of two candidates and what makes them differ; made by `metrics.explain_pair`.

    Attributes
    ----------
    b, c : Explanation
        Of the two candidates.
    terms : tuple of Term
        The parts that add to either score, the largest difference first; their differences add up
        to that of the scores. Empty for a metric without contributions.
    """

    b: Explanation
    c: Explanation
    terms: tuple[Term, ...]

    def __repr__(self) -> str:
        return (
            f"Difference({self.b.metric} {self.b.score:.3f} - {self.c.score:.3f}: "
            f"{len(self.terms)} terms)"
        )

    @property
    def score(self) -> float:
        """The score of b minus the score of c."""
        return self.b.score - self.c.score

    @property
    def total(self) -> float:
        """The sum of the differences."""
        return fsum(term.difference for term in self.terms)


def difference(b: Explanation, c: Explanation) -> Difference:
    """Subtract one candidate's contributions from another's, by the same metric."""
    ours = _contributions(b)
    theirs = _contributions(c)
    terms = [
        Term(*key, ours.get(key, 0.0), theirs.get(key, 0.0))
        for key in dict.fromkeys((*ours, *theirs))
    ]
    terms.sort(key=lambda term: -abs(term.difference))

    return Difference(b, c, tuple(terms))


def _contributions(explained: Explanation) -> dict[tuple[str, str], float]:
    """The contributions by kind and text."""
    sums: dict[tuple[str, str], float] = {}
    for part in explained.matched:
        if part.contribution is not None:
            key = part.kind, part.text
            sums[key] = sums.get(key, 0.0) + part.contribution

    return sums
