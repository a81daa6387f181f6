"""The n-grams of one candidate and its references, with their words."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from tercet.metrics.corpora.corpus import Corpus
from tercet.metrics.corpora.ngrams import Grams, Overlap
from tercet.metrics.text.tokens import Captions


@dataclass(frozen=True, eq=False)
class SpelledOverlap:
    """What the only candidate of a corpus shares with its references, of one n.

    overlap: the shared n-grams. texts: the words of each n-gram, by its number.
    """

    overlap: Overlap
    texts: Sequence[str]

    @property
    def kind(self) -> str:
        """What the n-grams are called."""
        return f"{self.overlap.n}-gram"

    @cached_property
    def ours(self) -> Counter[int]:
        """How often the candidate has each n-gram."""
        (counts,) = _counts(self.overlap.candidates)
        return counts

    @cached_property
    def theirs(self) -> list[Counter[int]]:
        """How often each reference has each n-gram."""
        return _counts(self.overlap.references)

    def references_with(self, gram: int) -> tuple[int, ...]:
        """The references that have an n-gram."""
        return tuple(
            number for number, counts in enumerate(self.theirs) if gram in counts
        )

    def missing(self) -> list[int]:
        """The n-grams that only references have, those of the most references first."""
        held = Counter(gram for counts in self.theirs for gram in counts)
        return [gram for gram, _ in held.most_common() if gram not in self.ours]


def overlaps(corpus: Corpus, orders: Sequence[int]) -> Iterator[SpelledOverlap]:
    """Yield what the only candidate of a corpus shares with its references, n by n."""
    grams = Grams(corpus)

    for n in orders:
        grams.extend(n)
        spelled = grams.spelled().tolist()
        texts = [_text(words, corpus.words) for words in spelled]
        yield SpelledOverlap(grams.overlap(), texts)


def _text(numbers: Sequence[int], words: Sequence[str]) -> str:
    return " ".join(words[number] for number in numbers)


def _counts(captions: Captions) -> list[Counter[int]]:
    """How often each caption has each n-gram."""
    tokens = captions.tokens.tolist()
    bounds = pairwise(captions.offsets.tolist())

    return [Counter(tokens[start:end]) for start, end in bounds]
