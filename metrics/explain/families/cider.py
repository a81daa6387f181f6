"""What each n-gram adds to CIDEr, its versions, and CIDEr-D.

With the similarity of each n a sum over n-grams, and the score a mean over n and over references
(or that of the best reference), the score is a sum over n-grams:
10 share(n) / m · Σ_j penalty_j · min(h, r_j) r_j w² / (|h| |r_j|).
"""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from tercet.metrics.core.arrays import FloatArray, ratio
from tercet.metrics.corpora.corpus import Corpus
from tercet.metrics.corpora.ngrams import Overlap
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
    matched, unmatched, missing = [], [], []
    for weighed in all_weighed:
        matched += _matched(weighed, shares)
        unmatched += _unmatched(weighed)
        missing += _missing(weighed, version)

    missing.sort(key=lambda part: -float(part.details["weight"]))

    return Explanation(
        name,
        score,
        "sum",
        {"references": len(corpus.references)},
        largest_first(matched),
        tuple(unmatched),
        tuple(missing),
    )


def _weigh(grams: SpelledOverlap, version: Version) -> _Weighed:
    overlap = grams.overlap
    all_first = np.zeros(len(overlap.references), np.int64)
    images = overlap.frequencies(all_first, k=1)
    squares = np.ones(overlap.distinct)
    if version.idf:
        squares = squared_weights(overlap, all_first, k=1)

    terms = version.share_of(overlap.n) * _cosines(overlap, squares, version)
    if version.clipped:
        sizes = np.diff(overlap.offsets)
        terms *= np.repeat(length_penalty(overlap.corpus), sizes)

    return _Weighed(grams, squares, images, terms)


def _cosines(overlap: Overlap, squares: FloatArray, version: Version) -> FloatArray:
    """What each shared n-gram (shared,) adds to the cosine of its comparison."""
    ours = overlap.clipped if version.clipped else overlap.ours
    products = ours * overlap.theirs * squares[overlap.grams]

    sizes = np.diff(overlap.offsets)
    norms = np.repeat(norms_of(overlap, squares), sizes)

    return ratio(products, norms)


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


def _matched(weighed: _Weighed, shares: FloatArray) -> list[Part]:
    """The n-grams that the candidate shares with references."""
    grams = weighed.grams
    added = weighed.terms * shares[weighed.comparison]

    contributions: defaultdict[int, float] = defaultdict(float)
    for gram, value in zip(grams.overlap.grams, added, strict=True):
        contributions[int(gram)] += float(value)

    return [
        _part(weighed, gram, grams.ours[gram], contribution)
        for gram, contribution in contributions.items()
    ]


def _unmatched(weighed: _Weighed) -> list[Part]:
    """The n-grams of the candidate that no reference has: they make its vector longer."""
    grams = weighed.grams
    return [
        _part(weighed, gram, count)
        for gram, count in grams.ours.items()
        if not grams.references_with(gram)
    ]


def _part(
    weighed: _Weighed, gram: int, count: int, contribution: float | None = None
) -> Part:
    idf = float(np.sqrt(weighed.squares[gram]))

    return Part(
        weighed.grams.kind,
        weighed.grams.texts[gram],
        weighed.grams.references_with(gram),
        contribution,
        {"count": count, "images": float(weighed.images[gram]), "tf-idf": count * idf},
    )


def _missing(weighed: _Weighed, version: Version) -> list[Part]:
    """The n-grams that only references have, with what each adds to a perfect score of 10."""
    grams = weighed.grams
    lengths = []
    for counts in grams.theirs:
        squares = (count**2 * weighed.squares[gram] for gram, count in counts.items())
        lengths.append(sum(squares))

    parts = []
    for gram in grams.missing():
        held = grams.references_with(gram)
        weight = sum(
            grams.theirs[number][gram] ** 2
            * weighed.squares[gram]
            / max(lengths[number], np.finfo(float).tiny)
            for number in held
        )
        scale = SCALE * version.share_of(grams.overlap.n) / len(lengths)
        parts.append(_lacking(weighed, gram, held, float(scale * weight)))

    return parts


def _lacking(
    weighed: _Weighed, gram: int, held: tuple[int, ...], weight: float
) -> Part:
    return Part(
        weighed.grams.kind,
        weighed.grams.texts[gram],
        held,
        details={"images": float(weighed.images[gram]), "weight": weight},
    )
