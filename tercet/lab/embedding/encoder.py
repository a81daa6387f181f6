"""Texts as vectors: of sentences, and of their tokens in context.

Reimers, Gurevych: Sentence-BERT, EMNLP 2019. The vector of a sentence is the mean of the states of
its tokens, [CLS] and [SEP] among them, scaled to length 1.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tercet.lab.embedding.bert import Encoder, Rows
from tercet.lab.embedding.weights import ModelFiles, find, shape_of
from tercet.metrics.core.arrays import FloatArray, IntArray

_MAX_TOKENS = 256
"""How many tokens of a text are read, [CLS] and [SEP] among them."""

Numbers: TypeAlias = tuple[int, ...]
"""The tokens of a text in the vocabulary."""

_BATCH = 64
"""How many tokens are computed at a time: more do not stay in a processor's cache."""
_TOLERANCE = 1e-5
_PROBES = [
    f"{count} {who} {where}"
    for count, who, where in product(
        ("A", "Two", "Several tired", "12"),
        ("dog runs", "naïve painters, unposed,", "snowboarders", "¿men?"),
        ("on grass.", "beside the old red-brick station while it is raining"),
    )
]
"""What ONNX Runtime must give the same vectors as numpy."""


@dataclass(frozen=True, eq=False)
class Tokens:
    """The tokens of a text, without [CLS] and [SEP].

    numbers: (tokens,) in the vocabulary. vectors: (tokens, d) of the last layer, of length 1.
    """

    numbers: IntArray
    vectors: Rows


class _States(Protocol):
    """What computes the states of tokens."""

    def states(self, numbers: IntArray) -> Rows:
        """Return the states (texts, tokens, d) of token numbers (texts, tokens)."""
        ...


class TextEncoder:
    """A tokenizer and an encoder."""

    def __init__(self, tokenizer: Any, encoder: _States) -> None:
        self._tokenizer = tokenizer
        self._encoder = encoder

    @property
    def vocabulary(self) -> int:
        """How many tokens there are."""
        return int(self._tokenizer.get_vocab_size())

    def numbers(self, texts: Sequence[str]) -> list[Numbers]:
        """Return the tokens of each text, at most 256."""
        readable = [text.encode("utf-8", "replace").decode() for text in texts]
        return [tuple(each.ids) for each in self._tokenizer.encode_batch(readable)]

    def sentences(self, texts: Sequence[str]) -> FloatArray:
        """Return the vectors (texts, d) of texts, of length 1."""
        vectors: dict[int, FloatArray] = {}
        for places, _, states in self._states(texts):
            vector = unit(states.mean(axis=0, dtype=np.float64))
            vectors |= dict.fromkeys(places, vector)

        return np.array([vectors[place] for place in range(len(texts))])

    def tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """Return the tokens of each text with their vectors."""
        found: dict[int, Tokens] = {}
        for places, numbers, states in self._states(texts):
            vectors = unit(states[1:-1]).astype(np.float32)
            tokens = Tokens(np.array(numbers[1:-1], np.int64), vectors)
            found |= dict.fromkeys(places, tokens)

        return [found[place] for place in range(len(texts))]

    def _states(
        self, texts: Sequence[str]
    ) -> Iterator[tuple[list[int], Numbers, Rows]]:
        """Yield the places of texts that have the same tokens, the tokens, and their states."""
        places: dict[Numbers, list[int]] = {}
        for place, numbers in enumerate(self.numbers(texts)):
            places.setdefault(numbers, []).append(place)

        for batch in _batches(places):
            states = self._encoder.states(np.array(batch))
            for numbers, rows in zip(batch, states, strict=True):
                yield places[numbers], numbers, rows


def text_encoder() -> TextEncoder:
    """Load the encoder, once in a process.

    Raises MissingEmbeddingError, with what to install, or ValueError if a file is not usable.
    """
    return _loaded(find())


@cache
def _loaded(weights: ModelFiles) -> TextEncoder:
    states = Encoder.read(weights.model, shape_of(weights))
    tokenizer = _tokenizer(weights, min(_MAX_TOKENS, len(states.positions)))
    encoder = TextEncoder(tokenizer, states)
    if not weights.onnx:
        return encoder

    from tercet.lab.embedding.onnx import OnnxEncoder

    other = TextEncoder(tokenizer, OnnxEncoder.read(weights.onnx))
    _check_alike(weights, encoder.sentences(_PROBES), other.sentences(_PROBES))

    return other


def _tokenizer(weights: ModelFiles, tokens: int) -> Any:
    from tokenizers import Tokenizer

    path = weights.tokenizer
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # what the package raises, and nothing more special
        raise ValueError(f"{path}: not a tokenizer ({error})") from error

    if None in (tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")):
        raise ValueError(f"{path}: not the tokenizer of BERT: no [CLS] or [SEP]")

    tokenizer.no_padding()
    tokenizer.enable_truncation(tokens)

    return tokenizer


def _check_alike(weights: ModelFiles, expected: FloatArray, found: FloatArray) -> None:
    """Raise ValueError if a ``.onnx`` file has not the vectors (texts, d) of the weights."""
    is_alike = expected.shape == found.shape
    if is_alike and np.abs(expected - found).max() <= _TOLERANCE:
        return

    cosine = (expected * found).sum(axis=1).min() if is_alike else 0.0
    raise ValueError(
        f"{weights.onnx}: not the vectors of {weights.model}: of {len(expected)} texts, one has "
        f"a cosine of {cosine:.3f}; name a file with weights of 32 bits, or none"
    )


def _batches(texts: Sequence[Numbers] | dict[Numbers, Any]) -> Iterator[list[Numbers]]:
    """Yield texts of one length, a few at a time, from short to long."""
    by_length: dict[int, list[Numbers]] = {}
    for numbers in texts:
        by_length.setdefault(len(numbers), []).append(numbers)

    for length, alike in sorted(by_length.items()):
        size = max(_BATCH // length, 1)
        for start in range(0, len(alike), size):
            yield alike[start : start + size]


def unit(vectors: NDArray[Any]) -> FloatArray:
    """Scale vectors (..., d) to length 1; zeros stay."""
    exact = vectors.astype(np.float64)
    lengths = np.linalg.norm(exact, axis=-1, keepdims=True)
    scaled: FloatArray = exact / np.maximum(lengths, 1e-12)

    return scaled
