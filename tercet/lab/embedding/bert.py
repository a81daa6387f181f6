"""The forward pass of BERT in numpy: token numbers in, the states of the last layer out.

Devlin, Chang, Lee, Toutanova: BERT, NAACL 2019. Texts of one length are computed side by side, but
no matrix product has rows of two texts: how linear algebra rounds a row depends on where it stands
among others. So the states of a text are the same to the last bit whatever texts are beside it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tercet.lab.embedding.safetensors import read_tensors
from tercet.lab.embedding.weights import Shape
from tercet.metrics.core.arrays import AnyArray, IntArray

Rows: TypeAlias = NDArray[np.float32]

_MULTIPLE = 4
"""Products with a multiple of this number of rows are the fastest."""
_ERFC = (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)
_ERFC_SCALE = 0.3275911
"""Abramowitz and Stegun (1964), formula 7.1.26: errors below 1.5e-7."""


class _Linear(NamedTuple):
    """Weights (from, to) and bias (to,)."""

    weights: Rows
    bias: Rows

    def __call__(self, rows: Rows) -> Rows:
        result: Rows = rows @ self.weights
        result += self.bias

        return result


class _Norm(NamedTuple):
    """Shift and scale each row to mean 0 and variance 1, then by ``scale`` and ``bias``."""

    scale: Rows
    bias: Rows
    epsilon: np.float32

    def __call__(self, rows: Rows) -> Rows:
        centred: Rows = rows - rows.mean(axis=-1, keepdims=True)
        variance = np.square(centred).mean(axis=-1, keepdims=True)
        centred /= np.sqrt(variance + self.epsilon)
        centred *= self.scale
        centred += self.bias

        return centred


class _Layer(NamedTuple):
    """``mixed`` gives the queries, keys and values of all heads, one after the other."""

    mixed: _Linear
    attended: _Linear
    attention_norm: _Norm
    wide: _Linear
    narrow: _Linear
    norm: _Norm


@dataclass(frozen=True, eq=False)
class Encoder:
    """The weights of an encoder.

    words: (vocabulary, d). positions: (positions, d), those of the first sentence of two.
    """

    words: Rows
    positions: Rows
    norm: _Norm
    layers: tuple[_Layer, ...]
    heads: int

    @classmethod
    def read(cls, path: Path, shape: Shape) -> "Encoder":
        """Read the weights of a BertModel from a file of safetensors.

        Raises ValueError if the file is not readable, or a tensor is missing or of another shape.
        """
        tensors = read_tensors(path)
        weights = _Weights(path, tensors, shape.epsilon)
        width = weights.width
        if width % shape.heads:
            raise ValueError(
                f"{path}: {shape.heads} heads do not divide {width} numbers"
            )

        kinds = weights.array("embeddings.token_type_embeddings.weight", None, width)
        places = weights.array("embeddings.position_embeddings.weight", None, width)

        return cls(
            weights.array("embeddings.word_embeddings.weight", None, width),
            places + kinds[0],
            weights.norm("embeddings.LayerNorm"),
            tuple(weights.layer(number) for number in range(shape.layers)),
            shape.heads,
        )

    def states(self, numbers: IntArray) -> Rows:
        """Return the states (texts, tokens, d) of token numbers (texts, tokens)."""
        length = numbers.shape[1]
        padding = (0, 0), (0, -length % _MULTIPLE), (0, 0)
        rows = self.words[numbers] + self.positions[:length]
        rows = self.norm(np.pad(rows, padding))

        for layer in self.layers:
            attended = _attend(layer.mixed(rows), length, self.heads)
            rows = layer.attention_norm(layer.attended(attended) + rows)
            rows = layer.norm(layer.narrow(_gelu(layer.wide(rows))) + rows)

        return rows[:, :length]


def _attend(mixed: Rows, length: int, heads: int) -> Rows:
    """Let the first tokens of each text attend to one another: (texts, rows, d) of (.., 3 d)."""
    texts, rows, width = mixed.shape
    size = width // 3 // heads
    scale = np.float32(1 / sqrt(size))

    parts = mixed[:, :length].reshape(texts, length, 3, heads, size)
    queries, keys, values = parts.transpose(2, 0, 3, 1, 4)
    weights = _softmax(queries @ keys.swapaxes(2, 3) * scale)
    attended = (weights @ values).swapaxes(1, 2)

    result = np.zeros((texts, rows, width // 3), np.float32)
    result[:, :length] = attended.reshape(texts, length, -1)

    return result


def _softmax(scores: Rows) -> Rows:
    weights: Rows = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)

    return weights


def _gelu(rows: Rows) -> Rows:
    """Return x Φ(x), Φ the distribution function of the normal distribution.

    Where x < 0, this is -|x| Φ(-|x|), elsewhere x - |x| Φ(-|x|).
    """
    size = np.abs(rows)
    inverse = size * np.float32(_ERFC_SCALE / sqrt(2))
    inverse += 1
    np.reciprocal(inverse, out=inverse)

    tail = np.zeros_like(rows)
    for coefficient in _ERFC:
        tail += np.float32(coefficient / 2)
        tail *= inverse

    tail *= np.exp(size * size * np.float32(-0.5))
    tail *= size
    result: Rows = np.maximum(rows, 0)
    result -= tail

    return result


class _Weights(NamedTuple):
    """The tensors of a file, and the epsilon of the norms."""

    path: Path
    tensors: dict[str, AnyArray]
    epsilon: float

    @property
    def width(self) -> int:
        words = self.array("embeddings.word_embeddings.weight", None, None)
        return int(words.shape[1])

    def array(self, name: str, *shape: int | None) -> Rows:
        """Look up a tensor, and check its shape; None stands for any number."""
        if name not in self.tensors:
            raise ValueError(f"{self.path}: no tensor {name}: not the weights of BERT")

        found = self.tensors[name]
        wanted = tuple(
            actual if size is None else size
            for size, actual in zip(shape, found.shape, strict=False)
        )
        if found.shape != wanted or len(shape) != found.ndim:
            raise ValueError(f"{self.path}: {name} has the shape {found.shape}")

        return found.astype(np.float32, copy=False)

    def linear(self, name: str, inputs: int, outputs: int | None) -> _Linear:
        weights = self.array(f"{name}.weight", outputs, inputs)
        return _Linear(
            np.ascontiguousarray(weights.T), self.array(f"{name}.bias", len(weights))
        )

    def norm(self, name: str) -> _Norm:
        scale = self.array(f"{name}.weight", self.width)
        bias = self.array(f"{name}.bias", self.width)

        return _Norm(scale, bias, np.float32(self.epsilon))

    def layer(self, number: int) -> _Layer:
        name, width = f"encoder.layer.{number}", self.width
        wide = self.linear(f"{name}.intermediate.dense", width, None)
        mixed = [
            self.linear(f"{name}.attention.self.{part}", width, width)
            for part in ("query", "key", "value")
        ]

        return _Layer(
            mixed=_beside_one_another(mixed),
            attended=self.linear(f"{name}.attention.output.dense", width, width),
            attention_norm=self.norm(f"{name}.attention.output.LayerNorm"),
            wide=wide,
            narrow=self.linear(f"{name}.output.dense", len(wide.bias), width),
            norm=self.norm(f"{name}.output.LayerNorm"),
        )


def _beside_one_another(parts: Sequence[_Linear]) -> _Linear:
    weights = np.concatenate([part.weights for part in parts], axis=1)
    return _Linear(weights, np.concatenate([part.bias for part in parts]))
