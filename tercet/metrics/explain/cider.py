"""What each n-gram adds to CIDEr, its versions, and CIDEr-D.

With the similarity of each n a sum over n-grams, and the score a mean over n and over references
(or that of the best reference), the score is a sum over n-grams:
10 share(n) / m · Σ_j penalty_j · min(h, r_j) r_j w² / (|h| |r_j|).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tercet.metrics.core.arrays import FloatArray, ratio
from tercet.metrics.corpora.corpus import Corpus
from tercet.metrics.explain.explanation import Explanation, Part, largest_first
from tercet.metrics.explain.grams import SpelledOverlap, overlaps
from tercet.metrics.ngram.cider import (
    SCALE,
    STEM,
    VERSIONS,
    Version,
    length_penalty,
    norms_of,
    squared_weights,
    stemmed,
)


@dataclass(frozen=True, eq=False)
class _Weighed:
    """The n-grams of one n with their weights.

    squares: the squared idf (distinct,). images: the documents of each n-gram (distinct,).
    terms: what each shared n-gram (shared,) adds to the similarity of its comparison, 0..1.
    """

    grams: SpelledOverlap
    squares: FloatArray
    images: FloatArray
    terms: FloatArray

    @property
    def comparison(self) -> np.ndarray:
        """The comparison (shared,) of each shared n-gram."""
        sizes = np.diff(self.grams.overlap.offsets)
        return np.repeat(np.arange(len(sizes)), sizes)


def explain(corpus: Corpus, name: str, score: float) -> Explanation:
    """Explain the score of the only candidate by a version of CIDEr."""
    corpus = corpus.with_split_words
    corpus = stemmed(corpus) if name == STEM else corpus
    version = VERSIONS[name]
    all_weighed = [_weigh(grams, version) for grams in overlaps(corpus, version.orders)]

    shares = _shares_of_references(corpus, version, all_weighed)
    ours: list[Part] = []
    missing: list[Part] = []
    for weighed in all_weighed:
        ours += _parts(weighed, shares)
        missing += _missing(weighed, version)

    missing.sort(key=lambda part: -float(part.details["weight"]))

    return Explanation(
        name,
        score,
        "sum",
        {"references": len(corpus.references)},
        largest_first(part for part in ours if part.contribution is not None),
        tuple(part for part in ours if part.contribution is None),
        tuple(missing),
    )


def _weigh(grams: SpelledOverlap, version: Version) -> _Weighed:
    overlap = grams.overlap
    all_first = np.zeros(len(overlap.references), np.int64)
    images = overlap.frequencies(all_first, k=1)
    squares = np.ones(overlap.distinct)
    if version.idf:
        squares = squared_weights(overlap, all_first, k=1)

    sizes = np.diff(overlap.offsets)
    ours = overlap.clipped if version.clipped else overlap.ours
    products = ours * overlap.theirs * squares[overlap.grams]
    norms = np.repeat(norms_of(overlap, squares), sizes)

    terms = version.share_of(overlap.n) * ratio(products, norms)
    if version.clipped:
        terms *= np.repeat(length_penalty(overlap.corpus), sizes)

    return _Weighed(grams, squares, images, terms)


def _shares_of_references(
    corpus: Corpus, version: Version, all_weighed: list[_Weighed]
) -> FloatArray:
    """How much the similarity to each reference (references,) counts."""
    references = len(corpus.references)
    if not version.best:
        return np.full(references, SCALE / references)

    similarities = np.zeros(references)
    for weighed in all_weighed:
        np.add.at(similarities, weighed.comparison, weighed.terms)

    shares = np.zeros(references)
    shares[similarities.argmax()] = SCALE

    return shares


def _parts(weighed: _Weighed, shares: FloatArray) -> Iterator[Part]:
    """The n-grams of the candidate; without a contribution those that no reference has."""
    grams = weighed.grams
    added = weighed.terms * shares[weighed.comparison]
    numbers = grams.overlap.grams
    contributions = dict.fromkeys(numbers.tolist(), 0.0)
    for gram, value in zip(numbers.tolist(), added.tolist(), strict=True):
        contributions[gram] += value

    unmatched = [gram for gram in grams.ours if gram not in contributions]
    for gram in (*contributions, *unmatched):
        count = grams.ours[gram]
        details = {
            "count": count,
            "images": float(weighed.images[gram]),
            "tf-idf": count * float(np.sqrt(weighed.squares[gram])),
        }
        yield grams.part(gram, details, contributions.get(gram))


def _missing(weighed: _Weighed, version: Version) -> Iterator[Part]:
    """The n-grams that only references have, with what each adds to a perfect score of 10."""
    grams = weighed.grams
    squares = weighed.squares
    lengths = [
        sum(count**2 * squares[gram] for gram, count in counts.items())
        for counts in grams.theirs
    ]
    scale = SCALE * version.share_of(grams.overlap.n) / len(lengths)

    for gram in grams.missing:
        weight = 0.0
        for counts, length in zip(grams.theirs, lengths, strict=True):
            own = counts[gram] ** 2 * squares[gram]
            weight += own / max(length, np.finfo(float).tiny)

        images = float(weighed.images[gram])
        details = {"images": images, "weight": float(scale * weight)}
        yield grams.part(gram, details)
