"""MATLAB files: what they declare is bounded before anything is loaded."""

import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from tercet.analysis.dataset.folder import read
from tercet.analysis.formats import matlab
from tercet.analysis.tables import limits

FILE_HEADER = b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM"
EMPTY = struct.pack("<II", 14, 0)
CELLS, STRUCTURES, NUMBERS, TEXT = 1, 2, 6, 4
MANY = 2**31 - 1


def element(kind: int, content: bytes) -> bytes:
    return struct.pack("<II", kind, len(content)) + content + bytes(-len(content) % 8)


def matrix(
    kind: int, *dimensions: int, name: str = "triplets", content: bytes = b""
) -> bytes:
    flags = element(6, struct.pack("<II", kind, 0))
    shape = element(5, struct.pack(f"<{len(dimensions)}i", *dimensions))
    return element(14, flags + shape + element(1, name.encode()) + content)


def matlab_file(folder: Path, variable: bytes) -> Path:
    packed = zlib.compress(variable)
    path = folder / "consensus.mat"
    path.write_bytes(FILE_HEADER + struct.pack("<II", 15, len(packed)) + packed)
    return path


@pytest.mark.parametrize("name", ["x", "new_input"])
@pytest.mark.parametrize("packed", [False, True])
def test_variables_are_named_and_loaded(
    tmp_path: Path, name: str, packed: bool
) -> None:
    path = tmp_path / "a.mat"
    noise = np.random.default_rng(0).random(1_000)
    savemat(path, {name: ["a dog"], "other": noise}, do_compression=packed)
    assert matlab.variables(path) == [name, "other"]
    assert matlab.is_small(path)
    loaded = matlab.load(path, name)
    assert str(loaded[name]) == "a dog"
    assert "other" not in loaded


@pytest.mark.parametrize("kind", [CELLS, STRUCTURES, NUMBERS, TEXT])
@pytest.mark.parametrize("dimensions", [(MANY, 1), (MANY, MANY)])
def test_a_few_bytes_that_declare_a_large_array_are_not_loaded(
    tmp_path: Path, kind: int, dimensions: tuple[int, int]
) -> None:
    """A file of 200 bytes took 17 GB."""
    variable = matrix(kind, *dimensions, content=EMPTY)
    path = matlab_file(tmp_path, variable)
    assert not matlab.is_small(path)
    assert "consensus.mat: is larger than" in str(read(tmp_path).problems[0])

    path.write_bytes(FILE_HEADER + variable)
    assert not matlab.is_small(path)


def test_more_than_two_dimensions_are_not_loaded(tmp_path: Path) -> None:
    assert not matlab.is_small(
        matlab_file(tmp_path, matrix(CELLS, 1, 1, 1, content=EMPTY))
    )


def test_many_empty_matrices_are_not_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are eight bytes each, and took 160: a file of 768 KB took 3 GB."""
    path = matlab_file(tmp_path, matrix(CELLS, 50, 1, content=50 * EMPTY))
    assert matlab.is_small(path)
    monkeypatch.setattr(limits, "MAX_MATLAB_VALUES", 100)
    assert not matlab.is_small(path)


def test_files_of_many_variables_are_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.mat"
    savemat(path, {"triplets": 1, "second": 2})
    monkeypatch.setattr(matlab, "MAX_VARIABLES", 1)
    assert matlab.variables(path) == []


def test_files_of_matlab_4_are_left_alone(tmp_path: Path) -> None:
    """They are not packed: a gigabyte of numbers was read, and each number looked at."""
    path = tmp_path / "a.mat"
    savemat(path, {"triplets": np.eye(3)}, format="4")
    assert matlab.variables(path) == []


def test_a_broken_file_is_told_wherever_it_is_broken(tmp_path: Path) -> None:
    path = matlab_file(tmp_path, matrix(CELLS, 2, 1, content=2 * EMPTY))
    whole = path.read_bytes()

    for place in range(120, len(whole)):
        path.write_bytes(
            whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :]
        )
        assert read(tmp_path).problems
