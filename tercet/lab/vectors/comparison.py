"""Word mover's distances of candidates and references, for every reference count."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass

import numpy as np

from tercet.lab.vectors.bags import Bags, bags_of
from tercet.lab.vectors.distances import distances_of
from tercet.lab.vectors.glove import look_up
from tercet.lab.vectors.stop_words import STOP_WORDS
from tercet.lab.vectors.versions import (
    VERSIONS,
    DistanceVersion,
    Weighting,
    WordMeasure,
)
from tercet.metrics.core.arrays import FloatArray, IntArray, over_references
from tercet.metrics.corpora.corpus import Corpus
from tercet.metrics.corpora.ngrams import Grams
from tercet.metrics.corpora.orders import Order, file_order

_LEAST_OF_THREAD = 250
"""Comparisons of a thread; up to twice as many take no longer in one."""


@dataclass(frozen=True, eq=False)
class WordMoverComparison:
    """The similarities of captions.

    names: of `VERSIONS`. vectors: (words, dimensions) of the words of the corpus.
    known: (words,) 1 for words that have a vector, 0 for others.
    similarities: (comparisons,) those that are the same for any number of references.
    """

    corpus: Corpus
    names: Sequence[str]
    vectors: FloatArray
    known: FloatArray
    similarities: dict[WordMeasure, FloatArray]

    @classmethod
    def of(cls, corpus: Corpus, names: Sequence[str]) -> "WordMoverComparison":
        """Compare every candidate with every reference of its image, once.

        Where document frequencies are those of the first k references, distances that depend on
        them are computed for each number of references anew.

        Raises MissingVectorsError where the vectors are not installed.
        """
        vectors, is_known = look_up(corpus.words)
        known = is_known.astype(np.float64)
        comparison = cls(corpus, names, vectors, known, {})

        order = file_order(corpus)
        k = corpus.most_references
        for measure in {VERSIONS[name].measure for name in names}:
            if measure.weighting != "idf" or corpus.documents != "k":
                similarities = comparison._compare(measure, order, k)
                comparison.similarities[measure] = similarities

        return comparison

    def accumulate(self, order: Order) -> dict[str, FloatArray]:
        """Return the scores (candidates, K) with the first 1 to K references."""
        return {
            name: self.corpus.where_enough(self._curve(name, order))
            for name in self.names
        }

    def _curve(self, name: str, order: Order) -> FloatArray:
        version = VERSIONS[name]
        if version.measure in self.similarities:
            similarities = self.similarities[version.measure]
            return self._over_references(version, similarities, order)

        shape = (len(self.corpus.candidates), self.corpus.most_references)
        curve = np.empty(shape)

        for k in range(1, self.corpus.most_references + 1):
            similarities = self._compare(version.measure, order, k)
            with_k = self._over_references(version, similarities, order)
            curve[:, k - 1] = with_k[:, k - 1]

        return curve

    def _over_references(
        self, version: DistanceVersion, similarities: FloatArray, order: Order
    ) -> FloatArray:
        table = self.corpus.by_place(similarities, order.places)
        return over_references(table, version.best)

    def _compare(self, measure: WordMeasure, order: Order, k: int) -> FloatArray:
        """Return the similarities (comparisons,) of the first k references, 0 for the others."""
        candidates, references = self.bags(measure, order, k)
        similarities = np.zeros(len(order.places))
        candidate, reference = self.corpus.comparisons

        def compare(part: IntArray) -> None:
            pairs = candidate[part], reference[part]
            distance = distances_of(
                candidates, references, pairs, self.vectors, measure.is_relaxed
            )
            similarities[part] = np.exp(-distance)

        used = np.flatnonzero(order.places < k)
        workers = min(os.cpu_count() or 1, len(used) // _LEAST_OF_THREAD)
        if workers < 2:
            compare(used)
            return similarities

        with ThreadPoolExecutor(workers) as pool:
            parts = np.array_split(used, workers)
            # the context says whether kernels are compiled
            running = [pool.submit(copy_context().run, compare, part) for part in parts]
            for each in running:
                each.result()

        return similarities

    def bags(self, measure: WordMeasure, order: Order, k: int) -> tuple[Bags, Bags]:
        """Return candidates and references as words with their weights, by k references."""
        weights = self.known * self._weights(measure.weighting, order.rank, k)

        return (
            bags_of(self.corpus.candidates, weights),
            bags_of(self.corpus.references, weights),
        )

    def _weights(self, weighting: Weighting, rank: IntArray, k: int) -> FloatArray:
        """Return how much each word weighs (words,); "idf" as CIDEr weighs its n-grams."""
        corpus = self.corpus
        if weighting == "idf":
            frequencies = Grams(corpus).overlap().frequencies(rank, k)
            documents = np.maximum(frequencies, 1)
            weights: FloatArray = np.log(corpus.document_count) - np.log(documents)
            return weights

        if weighting == "no stop words":
            return np.array([word not in STOP_WORDS for word in corpus.words], float)

        return np.ones(len(corpus.words))
