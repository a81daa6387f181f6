"""Compare the bags of candidates with the bags of their images' references."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from tercet.lab.tuples.bags import BAGS, BagCounts, Grounding, bags_of
from tercet.lab.tuples.captions import ROLES, tuples_in
from tercet.lab.tuples.comparison import TUPLE_F, TupleComparison
from tercet.lab.tuples.extraction import Tuple
from tercet.lab.tuples.matching import meteor_synsets, no_synsets
from tercet.lab.tuples.roles import SemanticTuple
from tercet.metrics.core.arrays import FloatArray
from tercet.metrics.core.garbage import no_collection
from tercet.metrics.corpora.corpus import Corpus
from tercet.metrics.corpora.orders import Order

_TuplesOfCaptions = Sequence[frozenset[SemanticTuple]]
Bags = Sequence[frozenset[Tuple]]


@dataclass(frozen=True, eq=False)
class Meanings:
    """The semantic tuples of each caption of a corpus."""

    corpus: Corpus
    references: _TuplesOfCaptions
    candidates: _TuplesOfCaptions

    @classmethod
    def parsed(cls, corpus: Corpus) -> "Meanings":
        """Parse the captions of a corpus; MissingParserError where no parser is installed."""
        references, candidates = tuples_in(corpus, ROLES)
        semantic = cache(_semantic)

        with no_collection():
            return cls(
                corpus, list(map(semantic, references)), list(map(semantic, candidates))
            )

    @no_collection()
    def compare(self, bag: str, has_synonyms: bool) -> TupleComparison:
        """Compare one bag of each candidate with the bags of its references."""
        references, candidates = self.bags[bag]

        return TupleComparison.of(
            self.corpus,
            references=references,
            candidates=candidates,
            synsets_of=meteor_synsets if has_synonyms else no_synsets,
        )

    def count(self, grounding: Grounding, order: Order, left_out: int = 0) -> BagCounts:
        """Compare all bags of each candidate with those of its references: (candidates, 7) each.

        grounding: as for :func:`metrics.bast`. left_out: how many references at the end of order
        are left out, of images that have more.
        """
        if not isinstance(grounding, str):
            return self._grounded(grounding).count("lemma", order, left_out)

        rows = np.arange(len(self.corpus.candidates))
        last = self.corpus.reference_counts - 1 - left_out
        columns = []

        for bag in BAGS:
            compared = self.compare(bag, grounding == "synset")
            confirmed, recalled, union = (
                counts[rows, last] for counts in compared.counts(order)
            )
            columns.append((confirmed, compared.sizes, recalled, union))

        return BagCounts(*map(np.column_stack, zip(*columns, strict=True)))

    def _grounded(self, table: Mapping[str, str]) -> "Meanings":
        """Replace values by the values of a table."""

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

        found: dict[str, tuple[Bags, Bags]] = {}
        for bag in BAGS:
            ours = [bags[bag] for bags in candidates]
            found[bag] = [bags[bag] for bags in references], ours

        return found


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


def _semantic(tuples: frozenset[Tuple]) -> frozenset[SemanticTuple]:
    return frozenset(SemanticTuple(*each) for each in tuples)
