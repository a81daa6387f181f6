"""Candidates aligned with references, and the scores for every reference count."""

import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np

from tercet.metrics.core.arrays import FloatArray, IntArray, offsets_of, ranges
from tercet.metrics.corpora.corpus import Corpus
from tercet.metrics.corpora.orders import Order
from tercet.metrics.meteor.align import STATISTICS, align
from tercet.metrics.meteor.captions import Dictionary, Words, batch_of
from tercet.metrics.meteor.lexicon import Numbers, Ragged
from tercet.metrics.meteor.normalise import MAX_CHARACTERS, MAX_WORDS
from tercet.metrics.meteor.paraphrases import Trie
from tercet.metrics.meteor.resources import Resources, shared_resources
from tercet.metrics.meteor.score import corpus_summands, scores_of
from tercet.metrics.text.tokens import Captions

BATCH = 1 << 15

_UNTRACED = np.empty((0, 5), np.int32), np.empty(0, np.int64)


@dataclass(frozen=True, eq=False)
class _Aligned:
    """Pairs of captions, aligned.

    statistics: (pairs, 23), see :mod:`tercet.metrics.meteor.score`.
    matches: for each pair (matches, 5): the first word and the number of words in the reference,
        the same in the candidate, and the module: 0 exact, 1 stem, 2 synonym, 3 paraphrase.
    candidates, references: the normalised words of each pair.
    """

    statistics: Numbers
    matches: list[Numbers]
    candidates: list[list[str]]
    references: list[list[str]]


class _Pairs(NamedTuple):
    """Pairs of captions, by their numbers (pairs,) among some captions.

    captions: their words by number. words: what is known of each word.
    """

    candidates: IntArray
    references: IntArray
    captions: Ragged
    words: Words

    def align(self, trie: Trie, traced: Numbers, traced_offsets: IntArray) -> Numbers:
        """Find the phrases of the captions, and align the pairs (see `align`)."""
        batch = batch_of(self.captions, self.words, trie)
        return align(self.candidates, self.references, batch, traced, traced_offsets)


class Aligner:
    """Aligns candidates of a corpus with references; knows the words that it has met."""

    def __init__(self, corpus: Corpus, data: Resources | None = None) -> None:
        _refuse_many_characters(corpus)
        self._corpus = corpus
        self._data = data or shared_resources()
        self._dictionary = Dictionary(self._data, corpus.words)

    def statistics(
        self, candidate: IntArray, reference: IntArray
    ) -> Iterator[tuple[IntArray, Numbers]]:
        """The statistics of pairs, (pairs,) numbers each, batch by batch, on all processors.

        Gives which pairs they are (batch,), and their statistics (batch, 23).
        """
        image = self._corpus.candidate_image[candidate]
        order = np.lexsort((candidate, image))
        batches = max(1, -(-len(order) // BATCH))

        if batches == 1:
            pairs = self._pairs(candidate[order], reference[order])
            yield order, pairs.align(self._data.trie, *_UNTRACED)
            return

        workers = os.cpu_count() or 1
        running: deque[tuple[IntArray, Future[Numbers]]] = deque()
        with ThreadPoolExecutor(workers) as pool:
            for batch in np.array_split(order, batches):
                pairs = self._pairs(candidate[batch], reference[batch])
                compare = partial(pairs.align, self._data.trie, *_UNTRACED)
                # the context says whether kernels are compiled
                statistics = pool.submit(copy_context().run, compare)
                running.append((batch, statistics))

                if len(running) > workers:
                    batch, statistics = running.popleft()
                    yield batch, statistics.result()

            for batch, statistics in running:
                yield batch, statistics.result()

    def align(self, candidate: IntArray, reference: IntArray) -> _Aligned:
        """Pairs, (pairs,) numbers each, with everything about their alignment; in one batch."""
        candidates = self._spelled(_take(self._corpus.candidates, candidate))
        references = self._spelled(_take(self._corpus.references, reference))

        sizes = np.array([len(words) for words in references], np.int64)
        offsets = offsets_of(sizes)
        traced = np.full((int(offsets[-1]), 5), -1, np.int32)
        pairs = self._pairs(candidate, reference)
        statistics = pairs.align(self._data.trie, traced, offsets)

        rows = np.split(traced, offsets[1:-1])
        matches = [each[each[:, 0] >= 0] for each in rows]

        return _Aligned(statistics, matches[: len(candidate)], candidates, references)

    def _pairs(self, candidate: IntArray, reference: IntArray) -> _Pairs:
        used, references = np.unique(reference, return_inverse=True)
        others, candidates = np.unique(candidate, return_inverse=True)
        first = _take(self._corpus.references, used)
        captions = first.then(_take(self._corpus.candidates, others))

        words = self._dictionary.words_of(captions)
        sizes = np.diff(words.offsets)
        ours = sizes[len(used) :]
        theirs = sizes[: len(used)]
        _refuse(theirs, MAX_WORDS, "words", used, self._corpus.reference_name)
        _refuse(ours, MAX_WORDS, "words", others, self._corpus.candidate_name)

        known = self._dictionary.describe()

        return _Pairs(candidates + len(used), references, words, known)

    def _spelled(self, captions: Captions) -> list[list[str]]:
        words = Captions(*self._dictionary.words_of(captions))
        return words.spelled(self._dictionary.spelled())


@dataclass(frozen=True, eq=False)
class MeteorComparison:
    """scores: (comparisons,)."""

    corpus: Corpus
    scores: FloatArray
    aligner: Aligner
    family: ClassVar[str] = "METEOR"

    @classmethod
    def of(cls, corpus: Corpus) -> "MeteorComparison":
        """Compare every candidate with every reference of its image; may compile the data."""
        aligner = Aligner(corpus)
        scores = np.zeros(len(corpus.comparisons.candidate))

        for batch, statistics in aligner.statistics(*corpus.comparisons):
            scores[batch] = scores_of(statistics).score

        return cls(corpus, scores, aligner)

    def accumulate(self, order: Order) -> dict[str, FloatArray]:
        """METEOR for every number of references of the order, each with the best of them."""
        scores = self.corpus.by_place(self.scores, order.places, -1)
        best = np.maximum.accumulate(scores, axis=1)

        return {"METEOR": self.corpus.where_enough(best)}

    def summands(self, order: Order, used: IntArray) -> IntArray:
        """The statistics with the best references (see :mod:`tercet.metrics.corpus_scores`)."""
        statistics = self.best_statistics(order, used)
        return corpus_summands(statistics)

    def best_statistics(self, order: Order, used: IntArray) -> Numbers:
        """Align candidates with the best of the references that they use.

        used: (candidates,) the number of references; candidates that use none are left out.
        Gives the statistics (candidates that use any, 23) with the best reference, the first of
        equally good ones (section 11).
        """
        scores = self.corpus.by_place(self.scores, order.places, -1)
        scores[np.arange(scores.shape[1]) >= used[:, None]] = -1
        numbers = self.corpus.by_place(self.corpus.comparisons.reference, order.places)

        candidate = np.flatnonzero(used)
        best = numbers[candidate, scores[candidate].argmax(axis=1)]
        statistics = np.zeros((len(candidate), STATISTICS), np.int32)
        for batch, found in self.aligner.statistics(candidate, best):
            statistics[batch] = found

        return statistics


def _refuse_many_characters(corpus: Corpus) -> None:
    """Raise ValueError if a caption is too long to be normalized."""
    letters = np.fromiter(map(len, corpus.words), np.int64, len(corpus.words))

    for captions, name in (
        (corpus.references, corpus.reference_name),
        (corpus.candidates, corpus.candidate_name),
    ):
        # With a blank after each token.
        ends = offsets_of(letters[captions.tokens] + 1)
        sizes = np.diff(ends[captions.offsets])
        numbers = np.arange(len(captions))
        _refuse(sizes, MAX_CHARACTERS, "characters", numbers, name)


def _refuse(
    sizes: IntArray, most: int, unit: str, numbers: IntArray, name: Callable[[int], str]
) -> None:
    """Raise ValueError if a caption, by its number, is larger than allowed."""
    long = np.flatnonzero(sizes > most)
    if len(long) == 0:
        return

    size = f"{sizes[long[0]]:,} {unit}"
    raise ValueError(
        f"{name(int(numbers[long[0]]))} has {size}; METEOR takes at most {most:,}: "
        "shorten it, or leave METEOR out"
    )


def _take(captions: Captions, numbers: IntArray) -> Captions:
    sizes = captions.lengths[numbers]
    places = ranges(captions.offsets[numbers], sizes)

    return Captions(captions.tokens[places], offsets_of(sizes))
