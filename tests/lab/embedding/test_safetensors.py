"""Weights are read from files in the format safetensors, and only from sound ones."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from tercet.lab.embedding.safetensors import read_tensors
from tests.lab.embedding.conftest import write_tensors

TENSORS = st.dictionaries(
    st.text(min_size=1, max_size=8).filter(lambda name: name != "__metadata__"),
    arrays(np.float32, array_shapes(max_side=4), elements=st.floats(-9, 9, width=32)),
    min_size=1,
    max_size=4,
)


@given(tensors=TENSORS)
def test_tensors_come_back_as_they_were_written(
    tensors: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("tensors") / "model.safetensors"
    write_tensors(path, tensors)
    found = read_tensors(path)

    assert set(found) == set(tensors)
    for name, values in tensors.items():
        np.testing.assert_array_equal(found[name], values)


def entry(**changed: Any) -> dict[str, Any]:
    sound = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
    return {"a": {**sound, **changed}}


def file(header: object, data: bytes = bytes(8)) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


FAULTY = {
    "its header of 7 bytes is too long": b"\x07" + bytes(7) + b"{}",
    "its header of 18,446,744,073,709,551,615 bytes is too long": b"\xff" * 40,
    "its header of 0 bytes is too long": b"",
    "its header is not JSON": file(b"{"),
    "its header is not an object": file([1]),
    "a has no dtype, shape, and data_offsets": file({"a": 3}),
    "a has the type BF16, not F64": file(entry(dtype="BF16")),
    "a has a shape or data_offsets that are no counts": file(entry(shape=[-2])),
    r"a has 8 bytes, not those of \[3\]": file(entry(shape=[3])),
    "a begins at 4, not 0": file(entry(data_offsets=[4, 12]), bytes(12)),
    "it has 4 bytes of data, not 8": file(entry(), bytes(4)),
    "it has 0 bytes of data, not 0": file({}, b""),
}


@pytest.mark.parametrize("message", FAULTY)
def test_other_files_are_refused(message: str, tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(FAULTY[message])

    with pytest.raises(ValueError, match=f"model.safetensors.*{message}"):
        read_tensors(path)
