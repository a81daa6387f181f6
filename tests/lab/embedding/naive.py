"""The forward pass of BERT for one text, number by number in float64."""

from collections.abc import Mapping
from math import erf, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def states(
    tensors: Mapping[str, Array], layers: int, heads: int, numbers: list[int]
) -> Array:
    """Return the states (tokens, d) of a text."""
    given = {name: values.astype(float) for name, values in tensors.items()}
    words = given["embeddings.word_embeddings.weight"][numbers]
    positions = given["embeddings.position_embeddings.weight"][: len(numbers)]
    kind = given["embeddings.token_type_embeddings.weight"][0]
    rows = norm(given, "embeddings.LayerNorm", words + positions + kind)

    for number in range(layers):
        name = f"encoder.layer.{number}"
        attended = attention(given, f"{name}.attention.self", heads, rows)
        attended = linear(given, f"{name}.attention.output.dense", attended)
        rows = norm(given, f"{name}.attention.output.LayerNorm", rows + attended)

        wide = linear(given, f"{name}.intermediate.dense", rows)
        active = np.vectorize(lambda x: x * (1 + erf(x / sqrt(2))) / 2)(wide)
        narrow = linear(given, f"{name}.output.dense", active)
        rows = norm(given, f"{name}.output.LayerNorm", rows + narrow)

    return rows


def attention(given: Mapping[str, Array], name: str, heads: int, rows: Array) -> Array:
    parts = [
        linear(given, f"{name}.{part}", rows) for part in ("query", "key", "value")
    ]
    size = rows.shape[1] // heads
    found = []

    for head in range(heads):
        columns = slice(head * size, (head + 1) * size)
        query, key, value = (part[:, columns] for part in parts)
        weights = np.exp(query @ key.T / sqrt(size))
        weights /= weights.sum(axis=1, keepdims=True)
        found.append(weights @ value)

    return np.concatenate(found, axis=1)


def linear(given: Mapping[str, Array], name: str, rows: Array) -> Array:
    result: Array = rows @ given[f"{name}.weight"].T + given[f"{name}.bias"]
    return result


def norm(given: Mapping[str, Array], name: str, rows: Array) -> Array:
    centred = rows - rows.mean(axis=1, keepdims=True)
    deviation = np.sqrt(np.square(centred).mean(axis=1, keepdims=True) + 1e-12)
    result: Array = centred / deviation * given[f"{name}.weight"]

    return result + given[f"{name}.bias"]
