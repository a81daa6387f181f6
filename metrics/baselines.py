"""What a metric has to beat: ``length``, which prefers the longer caption, and ``random``."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from metrics.arrays import FloatArray, IntArray
from metrics.corpus import Corpus
from metrics.metric import Metric


@dataclass(frozen=True, eq=False)
class ConstantComparison:
    """Scores (candidates,) that no reference has a part in."""

    corpus: Corpus
    name: str
    scores: FloatArray

    def accumulate(self, rank: IntArray) -> dict[str, FloatArray]:
        """The same score for every number of references."""
        shape = (len(self.corpus.candidates), self.corpus.most_references)
        curve = np.broadcast_to(self.scores[:, None], shape)

        return {self.name: self.corpus.where_enough(curve)}


def length(corpus: Corpus, wanted: Sequence[str]) -> ConstantComparison:
    """The number of tokens of each candidate."""
    return ConstantComparison(
        corpus, "length", corpus.candidates.lengths.astype(np.float64)
    )


def random(corpus: Corpus, wanted: Sequence[str]) -> ConstantComparison:
    """A number in [0, 1) by chance, the same whenever this caption is of this image."""
    offsets = corpus.candidates.offsets.tolist()
    words = [
        corpus.words[number] for number in corpus.candidates.tokens.tolist()
    ]
    scores = [
        chance(f"{image} {' '.join(words[start:end])}")
        for image, start, end in zip(
            (corpus.first_image + corpus.candidate_image).tolist(),
            offsets[:-1],
            offsets[1:],
            strict=True,
        )
    ]

    return ConstantComparison(
        corpus, "random", np.array(scores, dtype=np.float64)
    )


def chance(text: str) -> float:
    """A number in [0, 1) that looks random, the same for the same text."""
    digest = blake2b(
        text.encode("utf-8", "surrogatepass"), digest_size=8
    ).digest()
    return (int.from_bytes(digest) >> 11) / 2**53


BASELINES = (Metric(("length",), length), Metric(("random",), random))
