"""The n-grams of one candidate and its references, with their words."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tercet.metrics.corpora.corpus import Corpus
from tercet.metrics.corpora.ngrams import Grams, Overlap
from tercet.metrics.explain.explanation import Detail, Part


@dataclass(frozen=True, eq=False)
class SpelledOverlap:
    """What the only candidate of a corpus shares with its references, of one n.

    overlap: the shared n-grams. texts: the words of each n-gram, by its number.
    ours, theirs: how often the candidate, and each reference, has each n-gram.
    """

    overlap: Overlap
    texts: Sequence[str]
    ours: Counter[int]
    theirs: Sequence[Counter[int]]

    @property
    def kind(self) -> str:
        """What the n-grams are called."""
        return f"{self.overlap.n}-gram"

    @cached_property
    def missing(self) -> list[int]:
        """The n-grams that only references have, the most frequent first."""
        held = Counter(gram for counts in self.theirs for gram in counts)
        return [gram for gram, _ in held.most_common() if gram not in self.ours]

    def part(
        self,
        gram: int,
        details: Mapping[str, Detail],
        contribution: float | None = None,
    ) -> Part:
        """An n-gram as part of an explanation, with the references that have it."""
        held = [number for number, counts in enumerate(self.theirs) if gram in counts]
        return Part(self.kind, self.texts[gram], tuple(held), contribution, details)


def overlaps(corpus: Corpus, orders: Sequence[int]) -> Iterator[SpelledOverlap]:
    """Yield what the only candidate of a corpus shares with its references, n by n."""
    grams = Grams(corpus)

    for n in orders:
        grams.extend(n)
        overlap = grams.overlap()
        numbers = range(overlap.distinct)
        (ours,) = map(Counter, overlap.candidates.spelled(numbers))
        theirs = list(map(Counter, overlap.references.spelled(numbers)))

        spelled = grams.spelled().tolist()
        texts = [" ".join(corpus.words[word] for word in words) for words in spelled]
        yield SpelledOverlap(overlap, texts, ours, theirs)
