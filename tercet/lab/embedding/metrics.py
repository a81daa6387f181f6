"""The metrics of the extra ``embed``, by name.

embed        cosine of the sentences' vectors, the mean over references; -max: the best reference
token-F      F1 of the tokens' best cosines, the mean over references; -max: the best reference
token-F-idf  tokens weigh by their inverse frequency in the references; -max: the best reference

They are computed only where they are named.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tercet.lab.embedding.encoder import Tokens, text_encoder
from tercet.lab.embedding.token_matching import DIGITS, inverse_frequencies, token_f
from tercet.lab.embedding.weights import digest_of, find, missing, software
from tercet.metrics.core.arrays import FloatArray
from tercet.metrics.outside.text_metric import TextFamily, TextMetric, metric

_TRAINED_ON = ("Flickr30k", "COCO")
"""Sets of captions that the model card of all-MiniLM-L6-v2 lists."""
_VARIANTS = 26
"""How many were tried on ABSTRACT-50S; those that are no convention were chosen by it."""


def _sentences(texts: list[str]) -> FloatArray:
    return text_encoder().sentences(texts)


def _tokens(texts: list[str]) -> list[Tokens]:
    return text_encoder().tokens(texts)


def _frequencies(references: list[list[str]]) -> FloatArray:
    encoder = text_encoder()
    sentences = [sentence for own in references for sentence in own]

    return inverse_frequencies(encoder.numbers(sentences), encoder.vocabulary)


def _cosines(candidates: FloatArray, references: FloatArray) -> FloatArray:
    """Return the cosines (N,) of vectors (N, d) of length 1."""
    cosines: FloatArray = np.round((candidates * references).sum(axis=1), DIGITS)
    return cosines


def _token_scores(
    candidates: Sequence[Tokens],
    references: Sequence[Tokens],
    state: FloatArray | None = None,
) -> list[float]:
    pairs = zip(candidates, references, strict=True)
    return [token_f(*pair, state) for pair in pairs]


_SHARED: dict[str, Any] = {
    "batched": True,
    "language": "en",
    "resolution": 1e-6,
    "family": "embed",
    "batch": 2048,
}
_OF_SENTENCES = _SHARED | {"encode": _sentences, "bounds": (-1, 1)}
_OF_TOKENS = _SHARED | {"encode": _tokens, "bounds": (0, 1)}
_WEIGHED = _OF_TOKENS | {"fit": _frequencies, "variants_tried": _VARIANTS}

_METRICS = (
    metric(_cosines, name="embed", **_OF_SENTENCES),
    metric(_cosines, name="embed-max", combine="max", **_OF_SENTENCES),
    metric(_token_scores, name="token-F", variants_tried=_VARIANTS, **_OF_TOKENS),
    metric(_token_scores, name="token-F-max", combine="max", **_OF_TOKENS),
    metric(_token_scores, name="token-F-idf", **_WEIGHED),
    metric(_token_scores, name="token-F-idf-max", combine="max", **_WEIGHED),
)
NAMES = tuple(each.name for each in _METRICS)


def is_own(metric: TextMetric) -> bool:
    """Return whether a metric is one of these."""
    return any(each.compare is metric.compare for each in _METRICS)


def embedding_metric(name: str) -> TextMetric:
    """Return a metric of `NAMES`, in any case, with what is known of the weights in use.

    Raises MissingEmbeddingError, with what to install.
    """
    found = find()
    [made] = [each for each in _METRICS if each.name.lower() == name.lower()]

    return replace(
        made,
        version=f"1, {software()}",
        weights_sha256=digest_of(found.model),
        trained_on=_TRAINED_ON if found.is_tested else None,
    )


EMBEDDINGS = TextFamily(NAMES, missing, embedding_metric, is_own)
