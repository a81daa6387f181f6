"""Which n-grams BLEU counts, and how often; its score is no sum."""

from math import exp

from tercet.metrics.corpora.corpus import Corpus
from tercet.metrics.corpora.ngrams import ORDERS
from tercet.metrics.explain.explanation import Explanation, Part
from tercet.metrics.explain.grams import SpelledOverlap, overlaps
from tercet.metrics.ngram.bleu import NAMES, NO_BREVITY


def explain(corpus: Corpus, name: str, score: float) -> Explanation:
    """Explain BLEU-n by the clipped counts of all n-grams up to that n."""
    corpus = corpus.with_split_words
    highest = (*NAMES, *NO_BREVITY).index(name) % len(ORDERS)
    figures: dict[str, float] = {}
    matched, unmatched = [], []

    for grams in overlaps(corpus, ORDERS[: highest + 1]):
        parts = [_part(grams, gram) for gram in grams.ours]
        matched += [part for part in parts if part.details["credited"]]
        unmatched += [part for part in parts if not part.details["credited"]]

        credited = sum(float(part.details["credited"]) for part in parts)
        whole = max(grams.ours.total(), 1)
        figures[f"{grams.kind} precision"] = credited / whole

    if name in NAMES:
        figures |= _brevity(corpus)

    return Explanation(
        name, score, "matches", figures, tuple(matched), tuple(unmatched)
    )


def _part(grams: SpelledOverlap, gram: int) -> Part:
    """An n-gram with its count, clipped by the highest count in a reference."""
    count = grams.ours[gram]
    most = max(each[gram] for each in grams.theirs)

    return Part(
        grams.kind,
        grams.texts[gram],
        grams.references_with(gram),
        details={"count": count, "credited": min(count, most)},
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
