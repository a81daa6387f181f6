from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from hypothesis import given

from tercet.metrics import Corpus, corpus, file_order
from tercet.metrics.corpora.ngrams import ORDERS, Overlap, read
from tests.metrics.slow import grams
from tests.metrics.strategies import Set, sets


@dataclass
class Collector:
    """A reader that keeps what it is handed."""

    corpus: Corpus
    orders: tuple[int, ...] = ORDERS
    overlaps: list[Overlap] = field(default_factory=list)

    def read(self, overlap: Overlap) -> None:
        self.overlaps.append(overlap)


def overlaps(made: Corpus) -> list[Overlap]:
    collector = Collector(made)
    read([collector])
    return collector.overlaps


def flat(captions: Set) -> list[list[str]]:
    return [reference for references in captions.references for reference in references]


def shared(overlap: Overlap, comparison: int) -> Counter[tuple[int, int]]:
    items = slice(*overlap.offsets[comparison : comparison + 2])
    assert len(set(overlap.grams[items].tolist())) == len(overlap.grams[items])

    return Counter(
        zip(overlap.ours[items].tolist(), overlap.theirs[items].tolist(), strict=True)
    )


@given(sets())
def test_the_overlap_is_every_shared_ngram_with_both_counts(captions: Set) -> None:
    made = corpus(**captions._asdict())
    references = flat(captions)

    for n, overlap in zip(ORDERS, overlaps(made), strict=True):
        for comparison, (c, r) in enumerate(zip(*made.comparisons, strict=True)):
            left, right = grams(captions.candidates[c], n), grams(references[r], n)
            expected = Counter(
                (left[gram], right[gram]) for gram in left.keys() & right.keys()
            )
            assert shared(overlap, comparison) == expected
            assert overlap.matches()[comparison] == (left & right).total()


@given(sets())
def test_frequencies_are_the_images_whose_first_references_hold_an_ngram(
    captions: Set,
) -> None:
    made = corpus(**captions._asdict())
    for n, overlap in zip(ORDERS, overlaps(made), strict=True):
        for k in (1, 4):
            first = [refs[:k] for refs in captions.references]
            held = [set().union(*(grams(r, n) for r in refs)) for refs in first]
            expected = Counter(gram for image in held for gram in image)
            rank = file_order(made).rank
            frequencies = overlap.frequencies(rank, k)
            assert sorted(frequencies[frequencies > 0]) == sorted(expected.values())


def test_frequencies_follow_the_order() -> None:
    made = corpus(references=[["a b", "b", "a"]], candidates=["a"])
    overlap = overlaps(made)[0]
    assert overlap.frequencies(np.array([2, 0, 1]), 1).tolist() == [0, 1]


def test_many_ngrams_are_told_apart() -> None:
    generator = np.random.default_rng(0)
    numbers = generator.integers(0, 300, (20_000, 5))
    captions = [[f"w{number}" for number in row] for row in numbers.tolist()]
    (overlap,) = [
        each
        for each in overlaps(corpus(references=[captions], candidates=[["x"]]))
        if each.n == 2
    ]

    pairs = {pair for row in numbers.tolist() for pair in pairwise(row)}
    assert overlap.distinct == len(pairs)


def test_readers_of_one_corpus_read_one_overlap_and_only_what_they_want() -> None:
    made = corpus(references=[["a b c"]], candidates=["a b"])
    all_orders, twos = Collector(made), Collector(made, (2,))
    elsewhere = Collector(corpus(references=[["a"]], candidates=["b"]), (1,))

    read([all_orders, twos, elsewhere])
    assert twos.overlaps == [all_orders.overlaps[1]]
    assert [overlap.corpus for overlap in elsewhere.overlaps] == [elsewhere.corpus]
