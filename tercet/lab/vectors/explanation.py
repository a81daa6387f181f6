"""The flow of words behind the word mover's distance: which word moves onto which, and how far."""

from math import exp

from tercet.lab.vectors.flows import Flow, relaxed_flow, word_movers_flow
from tercet.lab.vectors.versions import VERSIONS
from tercet.metrics.corpora.corpus import Corpus
from tercet.metrics.corpora.orders import file_order
from tercet.metrics.explain.explanation import (
    SIMILARITY,
    Explanation,
    Part,
    largest_first,
)

_MOVES = 5
"""Moves of a reference that are named, the longest first."""


def explain(corpus: Corpus, name: str, score: float) -> Explanation:
    """Explain a version of WMD: each reference adds exp(-distance), over their number.

    Of the versions with the best reference, the only part is the nearest one.
    """
    flows = _flows(corpus, name)

    chosen = list(range(len(flows)))
    if VERSIONS[name].best:
        chosen = [min(chosen, key=lambda number: flows[number].distance)]

    parts = [_part(number, flows[number], len(chosen)) for number in chosen]
    figures = {"references": len(flows)}

    return Explanation(name, score, "sum", figures, largest_first(parts))


def _flows(corpus: Corpus, name: str) -> list[Flow]:
    """The flow of the only candidate to each reference, with the words weighed as in a run."""
    from tercet.lab.vectors.bags import bag_of
    from tercet.lab.vectors.comparison import WordMoverComparison

    measure = VERSIONS[name].measure
    find = relaxed_flow if measure.is_relaxed else word_movers_flow

    run = WordMoverComparison.of(corpus, [])
    candidates, references = run.bags(
        measure, file_order(corpus), corpus.most_references
    )
    candidate = bag_of(candidates, 0)

    return [
        find(candidate, bag_of(references, number), run.vectors, corpus.words)
        for number in range(corpus.most_references)
    ]


def _part(number: int, found: Flow, count: int) -> Part:
    moves = [move for move in found.moves if move.cost > 0]
    moves.sort(key=lambda move: -move.mass * move.cost)
    texts = [
        f"{move.candidate} → {move.reference} {move.mass * move.cost:.2f}"
        for move in moves[:_MOVES]
    ]

    return Part(
        SIMILARITY,
        f"reference {number + 1}",
        (number,),
        exp(-found.distance) / count,
        {"distance": found.distance, "moves": "; ".join(texts)},
    )
