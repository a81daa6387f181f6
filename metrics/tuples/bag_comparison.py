"""The bags of candidates compared with those of the references of their images."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tercet.metrics.core.arrays import FloatArray
from tercet.metrics.core.garbage import no_collection
from tercet.metrics.corpora.corpus import Corpus
from tercet.metrics.corpora.orders import Order
from tercet.metrics.tuples.bags import BAGS, BagCounts, Grounding, bags_of
from tercet.metrics.tuples.captions import ROLES, texts, tuples_of
from tercet.metrics.tuples.comparison import TUPLE_F, TupleComparison
from tercet.metrics.tuples.extraction import Tuple
from tercet.metrics.tuples.matching import meteor_synsets, no_synsets
from tercet.metrics.tuples.roles import SemanticTuple

_TuplesOfCaptions = Sequence[frozenset[SemanticTuple]]
Bags = Sequence[frozenset[Tuple]]


@dataclass(frozen=True, eq=False)
class Meanings:
    """The semantic tuples of the captions of a corpus.

    Attributes
    ----------
    corpus : Corpus
    references, candidates : sequence of frozensets of SemanticTuple
        Of each caption.
    """

    corpus: Corpus
    references: _TuplesOfCaptions
    candidates: _TuplesOfCaptions

    @classmethod
    def parsed(cls, corpus: Corpus) -> "Meanings":
        """Parse the captions of a corpus; MissingParserError where no parser is installed."""
        references = texts(corpus.references, corpus.words)
        candidates = texts(corpus.candidates, corpus.words)
        known = _semantic_tuples_of([*references, *candidates])

        return cls(
            corpus,
            [known[text] for text in references],
            [known[text] for text in candidates],
        )

    @no_collection()
    def compare(self, bag: str, has_synonyms: bool) -> TupleComparison:
        """Compare one bag of each candidate with those of its references."""
        references, candidates = self.bags[bag]

        return TupleComparison.of(
            self.corpus,
            references=references,
            candidates=candidates,
            synsets_of=meteor_synsets if has_synonyms else no_synsets,
        )

    def count(self, grounding: Grounding, order: Order, left_out: int = 0) -> BagCounts:
        """Compare all bags of each candidate with those of its references.

        Parameters
        ----------
        grounding
            As for :func:`metrics.bast`.
        order : Order
            The order of the references, which matters only where some are left out.
        left_out : int
            How many references at the end of the order are left out, of images that have more.

        Returns
        -------
        BagCounts
            (candidates, 7) each.
        """
        if not isinstance(grounding, str):
            return self._grounded(grounding).count("lemma", order, left_out)

        rows = np.arange(len(self.corpus.candidates))
        last = self.corpus.reference_counts - 1 - left_out
        columns = []

        for bag in BAGS:
            compared = self.compare(bag, grounding == "synset")
            counts = compared.counts(order)
            columns.append(
                (
                    counts.confirmed[rows, last],
                    compared.sizes,
                    counts.recalled[rows, last],
                    counts.union[rows, last],
                )
            )

        return BagCounts(*map(np.column_stack, zip(*columns, strict=True)))

    def _grounded(self, table: Mapping[str, str]) -> "Meanings":
        """Replace values by those of a table."""

        def grounded(captions: _TuplesOfCaptions) -> _TuplesOfCaptions:
            return [
                frozenset(each.grounded(table) for each in tuples)
                for tuples in captions
            ]

        return Meanings(
            self.corpus, grounded(self.references), grounded(self.candidates)
        )

    @cached_property
    def bags(self) -> dict[str, tuple[Bags, Bags]]:
        """The bags of the references and of the candidates, by name."""
        references = [bags_of(tuples) for tuples in self.references]
        candidates = [bags_of(tuples) for tuples in self.candidates]

        return {
            bag: (
                [bags[bag] for bags in references],
                [bags[bag] for bags in candidates],
            )
            for bag in BAGS
        }


@dataclass(frozen=True, eq=False)
class BagComparison:
    """Some bags of the candidates of a corpus, by the names of their scores."""

    comparisons: Mapping[str, TupleComparison]

    def accumulate(self, order: Order) -> dict[str, FloatArray]:
        """Return the F1 (candidates, K) of each bag with the first 1 to K references."""
        return {
            name: comparison.accumulate(order)[TUPLE_F]
            for name, comparison in self.comparisons.items()
        }


def _semantic_tuples_of(captions: Iterable[str]) -> dict[str, frozenset[SemanticTuple]]:
    """Return the semantic tuples of captions, given as words with spaces in between.

    Raises MissingParserError if spaCy or the model is not installed.
    """
    known = tuples_of(captions, ROLES)

    with no_collection():
        return {
            caption: frozenset(SemanticTuple(*each) for each in tuples)
            for caption, tuples in known.items()
        }
