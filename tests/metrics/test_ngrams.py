from collections import Counter

import numpy as np
from hypothesis import given

from metrics import corpus
from metrics.ngrams import ORDERS, Overlap
from tests.metrics.slow import grams
from tests.metrics.strategies import Set, sets


def flat(captions: Set) -> list[list[str]]:
    return [reference for references in captions.references for reference in references]


def shared(overlap: Overlap, comparison: int) -> Counter[tuple[int, int]]:
    at = np.flatnonzero(overlap.comparison == comparison)
    entry, match = overlap.entry[at], overlap.match[at]
    assert (overlap.candidates.gram[entry] == overlap.references.gram[match]).all()
    counts = overlap.candidates.count[entry], overlap.references.count[match]
    return Counter(zip(*(count.tolist() for count in counts), strict=True))


@given(sets())
def test_the_overlap_is_every_shared_ngram_with_both_counts(captions: Set) -> None:
    made = corpus(*captions)
    references = flat(captions)
    for n, overlap in zip(ORDERS, made.overlaps, strict=True):
        for comparison, (c, r) in enumerate(zip(*made.comparisons, strict=True)):
            left, right = grams(captions.candidates[c], n), grams(references[r], n)
            expected = Counter((left[gram], right[gram]) for gram in left.keys() & right.keys())
            assert shared(overlap, comparison) == expected


@given(sets())
def test_documents_are_the_images_that_hold_an_ngram(captions: Set) -> None:
    made = corpus(*captions)
    for n, overlap in zip(ORDERS, made.overlaps, strict=True):
        held = [set().union(*(grams(r, n) for r in refs)) for refs in captions.references]
        expected = Counter(gram for image in held for gram in image)
        weights = np.ones(len(captions.references))
        frequencies = overlap.documents.frequencies(weights, overlap.distinct)
        assert sorted(frequencies[frequencies > 0]) == sorted(expected.values())


def test_first_places_follow_the_order() -> None:
    made = corpus([["a b", "b", "a"]], ["a"])
    documents = made.overlaps[0].documents
    places = documents.first_places(np.array([2, 0, 1]))
    assert places.tolist() == [1, 0]


def test_the_overlap_is_counted_once() -> None:
    made = corpus([["a"]], ["a"])
    assert made.overlaps is made.overlaps
