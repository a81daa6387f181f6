"""The installed encoder, and a small one whose weights are random."""

import json
import socket
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tercet.lab.embedding import weights

WIDTH, WIDE, LAYERS, HEADS = 12, 20, 2, 3
WORDS, POSITIONS = 40, 32


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Switch embeddings on, without any connection; skip where they are not installed."""
    monkeypatch.delenv(weights.VARIABLE)
    if problem := weights.missing():
        pytest.skip(problem)

    def refuse(*given: object) -> None:
        raise AssertionError(f"a connection to {given}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a small model; its tokenizer has no content."""
    write_tensors(tmp_path / "model.safetensors", random_tensors())
    config = {
        "model_type": "bert",
        "hidden_act": "gelu",
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "layer_norm_eps": 1e-12,
    }
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    (tmp_path / "tokenizer.json").write_text("{}", encoding="utf-8")

    return tmp_path


def random_tensors() -> dict[str, NDArray[np.float32]]:
    """Random weights of a BertModel."""
    generator = np.random.default_rng(7)
    shapes = {
        "embeddings.word_embeddings.weight": (WORDS, WIDTH),
        "embeddings.position_embeddings.weight": (POSITIONS, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
        **norm("embeddings.LayerNorm"),
    }
    for number in range(LAYERS):
        shapes |= layer(f"encoder.layer.{number}")

    return {
        name: generator.standard_normal(shape).astype(np.float32)
        for name, shape in shapes.items()
    }


def layer(name: str) -> dict[str, tuple[int, ...]]:
    return {
        **linear(f"{name}.attention.self.query", WIDTH, WIDTH),
        **linear(f"{name}.attention.self.key", WIDTH, WIDTH),
        **linear(f"{name}.attention.self.value", WIDTH, WIDTH),
        **linear(f"{name}.attention.output.dense", WIDTH, WIDTH),
        **norm(f"{name}.attention.output.LayerNorm"),
        **linear(f"{name}.intermediate.dense", WIDTH, WIDE),
        **linear(f"{name}.output.dense", WIDE, WIDTH),
        **norm(f"{name}.output.LayerNorm"),
    }


def linear(name: str, inputs: int, outputs: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (outputs, inputs), f"{name}.bias": (outputs,)}


def norm(name: str) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (WIDTH,), f"{name}.bias": (WIDTH,)}


def write_tensors(path: Path, tensors: dict[str, NDArray[Any]]) -> None:
    """Write tensors of 32 bits as safetensors."""
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    end = 0
    for name, values in tensors.items():
        offsets = [end, end + values.nbytes]
        header[name] = {"dtype": "F32", "shape": values.shape, "data_offsets": offsets}
        end += values.nbytes

    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    data = b"".join(values.tobytes() for values in tensors.values())
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)
