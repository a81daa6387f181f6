"""Which elements of a bag of semantic tuples match, and which only one side has."""

from collections.abc import Iterable
from dataclasses import replace

from tercet.metrics.corpora.corpus import Corpus
from tercet.metrics.explain.explanation import Explanation, Part
from tercet.metrics.explain.families.tuples import explain_tuples
from tercet.metrics.tuples.bast import NAMES


def explain(corpus: Corpus, name: str, score: float) -> Explanation:
    """Explain the F1 of a bag of the only candidate of a corpus."""
    from tercet.metrics.tuples.bag_comparison import Meanings
    from tercet.metrics.tuples.matching import meteor_synsets

    bag = NAMES[name]
    references, (candidate,) = Meanings.parsed(corpus).bags[bag]
    explained = explain_tuples(name, score, references, candidate, meteor_synsets)

    return replace(
        explained,
        matched=_of_kind(bag, explained.matched),
        unmatched=_of_kind(bag, explained.unmatched),
        missing=_of_kind(bag, explained.missing),
    )


def _of_kind(kind: str, parts: Iterable[Part]) -> tuple[Part, ...]:
    return tuple(replace(part, kind=kind) for part in parts)
