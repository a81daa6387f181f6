"""Which n-grams BLEU counts, and how often; its score is no sum."""

from math import exp

from tercet.metrics.corpora.corpus import Corpus
from tercet.metrics.corpora.ngrams import ORDERS
from tercet.metrics.explain.explanation import Explanation, Part
from tercet.metrics.explain.grams import overlaps
from tercet.metrics.ngram.bleu import NAMES, highest_order


def explain(corpus: Corpus, name: str, score: float) -> Explanation:
    """Explain BLEU-n by the counts of all n-grams up to that n, clipped as in the score."""
    corpus = corpus.with_split_words
    figures: dict[str, float] = {}
    matched: list[Part] = []
    unmatched: list[Part] = []

    for grams in overlaps(corpus, ORDERS[: highest_order([name])]):
        credited = 0
        for gram, count in grams.ours.items():
            clipped = min(count, max(counts[gram] for counts in grams.theirs))
            part = grams.part(gram, {"count": count, "credited": clipped})
            (matched if clipped else unmatched).append(part)
            credited += clipped

        whole = max(grams.ours.total(), 1)
        figures[f"{grams.kind} precision"] = credited / whole

    if name in NAMES:
        figures |= _brevity(corpus)

    return Explanation(
        name, score, "matches", figures, tuple(matched), tuple(unmatched)
    )


def _brevity(corpus: Corpus) -> dict[str, float]:
    """The two lengths and the brevity penalty, without the constants that smooth it."""
    (length,) = corpus.candidates.lengths.tolist()
    lengths = corpus.references.lengths.tolist()
    closest = min(lengths, key=lambda other: (abs(other - length), other))

    penalty = 1.0
    if length < closest:
        penalty = exp(1 - closest / length) if length else 0.0

    return {
        "length": length,
        "closest length of a reference": closest,
        "brevity penalty": penalty,
    }
