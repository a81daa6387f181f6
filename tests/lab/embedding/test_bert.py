"""The forward pass in numpy, with the random weights of a small model."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tercet.lab.embedding.bert import Encoder
from tercet.lab.embedding.weights import Shape
from tests.lab.embedding import naive
from tests.lab.embedding.conftest import (
    HEADS,
    LAYERS,
    POSITIONS,
    WORDS,
    random_tensors,
    write_tensors,
)

SHAPE = Shape(LAYERS, HEADS, 1e-12)
TEXTS = st.integers(1, POSITIONS).flatmap(
    lambda length: st.lists(
        st.lists(st.integers(0, WORDS - 1), min_size=length, max_size=length),
        min_size=1,
        max_size=6,
    )
)


def read(folder: Path) -> Encoder:
    return Encoder.read(folder / "model.safetensors", SHAPE)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=TEXTS)
def test_states_are_those_of_another_implementation(
    folder: Path, texts: list[list[int]]
) -> None:
    found = read(folder).states(np.array(texts))

    for text, states in zip(texts, found, strict=True):
        expected = naive.states(random_tensors(), LAYERS, HEADS, text)
        np.testing.assert_allclose(states, expected, rtol=0, atol=2e-4)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=TEXTS)
def test_states_do_not_depend_on_the_texts_beside(
    folder: Path, texts: list[list[int]]
) -> None:
    encoder = read(folder)
    together = encoder.states(np.array(texts))

    for text, states in zip(texts, together, strict=True):
        np.testing.assert_array_equal(encoder.states(np.array([text]))[0], states)


def test_a_tensor_that_is_missing_or_of_another_shape_is_named(tmp_path: Path) -> None:
    tensors = random_tensors()
    name = "encoder.layer.1.output.dense.bias"
    path = tmp_path / "model.safetensors"

    write_tensors(path, {**tensors, name: tensors[name][:3]})
    with pytest.raises(ValueError, match=rf"safetensors: {name} has the shape \(3,\)"):
        Encoder.read(path, SHAPE)

    del tensors[name]
    write_tensors(path, tensors)
    with pytest.raises(ValueError, match=f"safetensors: no tensor {name}"):
        Encoder.read(path, SHAPE)

    with pytest.raises(ValueError, match="5 heads do not divide 12 numbers"):
        Encoder.read(path, SHAPE._replace(heads=5))
