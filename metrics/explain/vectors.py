"""The flow of words behind the word mover's distance: which word moves onto which, and how far."""

from collections.abc import Iterable
from math import exp

from metrics.corpus import Corpus
from metrics.explain.explanation import Explanation, Part, largest_first
from metrics.vectors.flows import Flow, Move, flow

EXPLAINED = ("WMD", "WMD-max")
_MOVES = 5
"""Moves of a reference that are named, the longest first."""


def explain(corpus: Corpus, name: str, score: float) -> Explanation:
    """Explain WMD by its references: each adds its similarity, exp(-distance), over their number.

    Of WMD-max the only part is the nearest reference.
    """
    (candidate,) = corpus.candidates.spelled(corpus.words)
    references = corpus.references.spelled(corpus.words)
    flows = [flow(candidate, reference) for reference in references]

    chosen = list(range(len(flows)))
    if name == "WMD-max":
        chosen = [min(chosen, key=lambda number: flows[number].distance)]

    parts = [_part(number, flows[number], len(chosen)) for number in chosen]

    return Explanation(
        name,
        score,
        "sum",
        {"references": len(references)},
        largest_first(parts),
    )


def _part(number: int, found: Flow, count: int) -> Part:
    moves = [move for move in found.moves if move.cost > 0]
    moves.sort(key=lambda move: -move.mass * move.cost)

    return Part(
        "similarity",
        f"reference {number + 1}",
        (number,),
        exp(-found.distance) / count,
        {"distance": found.distance, "moves": _as_text(moves[:_MOVES])},
    )


def _as_text(moves: Iterable[Move]) -> str:
    """Each move with what it adds to the distance."""
    texts = [
        f"{move.candidate} → {move.reference} {move.mass * move.cost:.2f}"
        for move in moves
    ]

    return "; ".join(texts)
