"""METEOR's alignment with its best reference: which words match, how, and in which chunks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tercet.metrics.core.arrays import FloatArray
from tercet.metrics.corpora.corpus import Corpus
from tercet.metrics.explain.explanation import Explanation, Part, Slopes, slopes

if TYPE_CHECKING:
    from tercet.metrics.meteor.score import MeteorScores

_MODULES = ("exact", "stem", "synonym", "paraphrase")


class _Match(NamedTuple):
    """A row of the alignment."""

    reference_start: int
    reference_length: int
    start: int
    length: int
    module: int

    @property
    def words(self) -> slice:
        """The words of the candidate."""
        return slice(self.start, self.start + self.length)

    @property
    def reference_words(self) -> slice:
        """The words of the reference."""
        end = self.reference_start + self.reference_length
        return slice(self.reference_start, end)


@dataclass(frozen=True, eq=False)
class _Side:
    """The words of a caption, and the share of each (words,) in precision or recall."""

    words: Sequence[str]
    shares: FloatArray

    @classmethod
    def of(cls, words: Sequence[str]) -> "_Side":
        """Weigh words: function words less than others."""
        from tercet.metrics.meteor.lexicon import rows_of
        from tercet.metrics.meteor.resources import shared_resources
        from tercet.metrics.meteor.score import DELTA

        lexicon = shared_resources().lexicon
        rows = rows_of(lexicon, list(words))
        functions = np.where(rows >= 0, lexicon.is_function[rows], 0)
        weights = np.where(functions, 1 - DELTA, DELTA)

        return cls(words, weights / weights.sum())


def explain(corpus: Corpus, name: str, score: float) -> Explanation:
    """Explain METEOR by the alignment with the reference that gives the highest score."""
    from tercet.metrics.meteor.comparison import MeteorComparison
    from tercet.metrics.meteor.score import ALPHA, scores_of

    compared = MeteorComparison.of(corpus)
    best = int(compared.scores.argmax())
    aligned = compared.aligner.align(np.array([0]), np.array([best]))
    scores = scores_of(aligned.statistics)
    ours = _Side.of(aligned.candidates[0])
    theirs = _Side.of(aligned.references[0])

    matches = [_Match(*row) for row in aligned.matches[0].tolist()]
    figures = _figures(scores, _chunks(matches))
    kept = 1 - figures["fragmentation penalty"]
    mean = slopes(figures["precision"], figures["recall"], ALPHA / (1 - ALPHA))
    slope = Slopes(kept * mean.precision, kept * mean.recall)
    ours_taken = [match.words for match in matches]
    theirs_taken = [match.reference_words for match in matches]

    return Explanation(
        name,
        score,
        "shares",
        figures | {"best reference": best + 1},
        tuple(_matched(matches, ours, theirs, slope, best)),
        tuple(_lacking(ours, "precision", ours_taken)),
        tuple(_lacking(theirs, "recall", theirs_taken, (best,))),
    )


def _figures(scores: "MeteorScores", chunks: Sequence[int]) -> dict[str, float]:
    """Precision, recall and what fragmentation takes off; 0 where there is no match."""
    precision, recall, fragmentation = (
        float(np.nan_to_num(values[0])) for values in scores[:3]
    )

    return {
        "precision": precision,
        "recall": recall,
        "chunks": max(chunks, default=0),
        "fragmentation penalty": fragmentation,
    }


def _chunks(matches: Sequence[_Match]) -> list[int]:
    """The chunk of each match, from 1."""
    chunks: list[int] = []
    end = other_end = -1

    for match in matches:
        goes_on = match.reference_start == end and match.start == other_end
        before = chunks[-1] if chunks else 0
        chunks.append(before if goes_on else before + 1)

        end = match.reference_words.stop
        other_end = match.words.stop

    return chunks


def _matched(
    matches: Sequence[_Match], ours: _Side, theirs: _Side, slope: Slopes, reference: int
) -> Iterator[Part]:
    """The matches in the order of the candidate's words."""
    from tercet.metrics.meteor.score import MODULE_WEIGHTS

    numbered = zip(matches, _chunks(matches), strict=True)

    for match, chunk in sorted(numbered, key=lambda each: each[0].start):
        weight = MODULE_WEIGHTS[match.module]
        precision = weight * float(ours.shares[match.words].sum())
        recall = weight * float(theirs.shares[match.reference_words].sum())

        yield Part(
            _MODULES[match.module],
            _text(ours.words[match.words], theirs.words[match.reference_words]),
            (reference,),
            precision * slope.precision + recall * slope.recall,
            {"precision": precision, "recall": recall, "chunk": chunk},
        )


def _text(ours: Sequence[str], theirs: Sequence[str]) -> str:
    left = " ".join(ours)
    right = " ".join(theirs)
    return left if left == right else f"{left} → {right}"


def _lacking(
    side: _Side, share_of: str, taken: Sequence[slice], references: tuple[int, ...] = ()
) -> Iterator[Part]:
    """The words that no match has taken, with their shares."""
    is_free = np.ones(len(side.words), bool)
    for words in taken:
        is_free[words] = False

    for number in np.flatnonzero(is_free).tolist():
        share = float(side.shares[number])
        yield Part("word", side.words[number], references, details={share_of: share})
