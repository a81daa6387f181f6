"""A file for ONNX Runtime is taken if it has the vectors of the weights, and refused if not."""

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tercet.lab.embedding import encoder, weights
from tercet.lab.embedding.bert import Encoder
from tercet.lab.embedding.onnx import OnnxEncoder

INPUTS = ("input_ids", "attention_mask", "token_type_ids")
TEXTS = ["a dog", "two dogs run", "dog"]


class Words:
    """A tokenizer: a number between marks for each word."""

    def encode_batch(self, texts: list[str]) -> list[SimpleNamespace]:
        numbers = [[len(word) for word in text.split()] for text in texts]
        return [SimpleNamespace(ids=[38, *each, 39]) for each in numbers]


class Session:
    """What ONNX Runtime has of a file: the states of the weights beside it, a little off."""

    def __init__(self, path: str, noise: float, inputs: tuple[str, ...]) -> None:
        folder = Path(path).parent
        shape = weights.shape_of(weights.ModelFiles(folder, None, is_packaged=False))
        self._encoder = Encoder.read(folder / "model.safetensors", shape)
        self._noise = noise
        self._inputs = inputs

    def get_inputs(self) -> list[SimpleNamespace]:
        return [SimpleNamespace(name=name) for name in self._inputs]

    def run(self, outputs: None, feed: dict[str, Any]) -> list[Any]:
        assert set(feed) == set(self._inputs)
        states = self._encoder.states(feed["input_ids"])
        noise = np.random.default_rng(1).standard_normal(states.shape)
        return [states + self._noise * noise.astype(np.float32)]


@pytest.fixture
def onnx(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that is named, and all that reads it."""
    path = folder / "model.onnx"
    path.touch()
    monkeypatch.setenv(weights.VARIABLE, str(path))
    monkeypatch.setattr(weights, "is_installed", lambda name: True)
    monkeypatch.setattr(encoder, "_tokenizer", lambda *given: Words())
    monkeypatch.setattr(encoder, "_PROBES", TEXTS)

    return path


def serve(
    monkeypatch: pytest.MonkeyPatch, noise: float, inputs: tuple[str, ...] = INPUTS
) -> None:
    def open_session(path: str, providers: list[str]) -> Session:
        return Session(path, noise, inputs)

    runtime = SimpleNamespace(InferenceSession=open_session)
    monkeypatch.setitem(sys.modules, "onnxruntime", runtime)


@pytest.mark.parametrize("inputs", [INPUTS, INPUTS[:2]])
def test_a_file_of_the_same_vectors_is_taken(
    onnx: Path, monkeypatch: pytest.MonkeyPatch, inputs: tuple[str, ...]
) -> None:
    serve(monkeypatch, 1e-7, inputs)
    found = encoder.text_encoder()
    assert isinstance(found._encoder, OnnxEncoder)

    monkeypatch.setenv(weights.VARIABLE, str(onnx.parent))
    expected = encoder.text_encoder()
    np.testing.assert_allclose(
        found.sentences(TEXTS), expected.sentences(TEXTS), rtol=0, atol=1e-5
    )


def test_a_file_of_other_vectors_is_refused_with_its_cosine(
    onnx: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(monkeypatch, 0.7)
    with pytest.raises(ValueError, match=r"of 3 texts, one has a cosine of 0\.\d{3};"):
        encoder.text_encoder()


def test_a_file_that_wants_other_inputs_is_refused(
    onnx: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(monkeypatch, 0, ("pixels",))
    with pytest.raises(ValueError, match=r"model\.onnx: its inputs are not those of"):
        encoder.text_encoder()
