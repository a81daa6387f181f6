"""What a metric has to beat: ``length``, which prefers the longer caption, and ``random``."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise

import numpy as np

from tercet.metrics.core.arrays import FloatArray
from tercet.metrics.corpora.corpus import Corpus
from tercet.metrics.corpora.metric import Metric
from tercet.metrics.corpora.orders import Order


@dataclass(frozen=True, eq=False)
class _ConstantComparison:
    """Scores (candidates,) that no reference has a part in."""

    corpus: Corpus
    name: str
    scores: FloatArray

    def accumulate(self, order: Order) -> dict[str, FloatArray]:
        """The same score for every number of references."""
        shape = (len(self.corpus.candidates), self.corpus.most_references)
        curve = np.broadcast_to(self.scores[:, None], shape)

        return {self.name: self.corpus.where_enough(curve)}


def length(corpus: Corpus, wanted: Sequence[str]) -> _ConstantComparison:
    """The number of tokens of each candidate."""
    lengths = corpus.candidates.lengths
    return _ConstantComparison(corpus, "length", lengths.astype(np.float64))


def random(corpus: Corpus, wanted: Sequence[str]) -> _ConstantComparison:
    """A number in [0, 1) by chance, the same whenever this caption is of this image."""
    words = [corpus.words[number] for number in corpus.candidates.tokens.tolist()]
    bounds = pairwise(corpus.candidates.offsets.tolist())
    images = corpus.given.first_image + corpus.candidate_image

    scores = []
    for image, (start, end) in zip(images.tolist(), bounds, strict=True):
        caption = " ".join(words[start:end])
        scores.append(chance(f"{image} {caption}"))

    return _ConstantComparison(corpus, "random", np.array(scores, np.float64))


def chance(text: str) -> float:
    """A number in [0, 1) that looks random, the same for the same text."""
    encoded = text.encode("utf-8", "surrogatepass")
    digest = blake2b(encoded, digest_size=8).digest()

    bits = int.from_bytes(digest) >> 11

    return bits / 2**53


BASELINES = (Metric(("length",), length), Metric(("random",), random))
