"""MATLAB files: whatever they declare, reading them is bounded."""

import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from tercet.analysis.layouts import cider_release
from tercet.analysis.layouts.cider_release import read_release, release_files
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


def only_fault(path: Path) -> str:
    [table] = read_release(path, None, limits.MAX_MEMORY)
    [problem] = table.problems
    return str(problem)


@pytest.mark.parametrize("packed", [False, True])
def test_files_are_found_by_their_variables(tmp_path: Path, packed: bool) -> None:
    noise = np.random.default_rng(0).random(1_000)
    savemat(tmp_path / "a.mat", {"new_input": ["a dog"]}, do_compression=packed)
    savemat(tmp_path / "b.mat", {"x": noise, "triplets": 1}, do_compression=packed)

    broken = tmp_path / "broken.mat"
    broken.write_bytes(FILE_HEADER + b"\x0e")
    assert release_files(tmp_path) == (tmp_path / "b.mat", tmp_path / "a.mat")


def test_a_file_that_changes_is_looked_at_anew(tmp_path: Path) -> None:
    savemat(tmp_path / "a.mat", {"other": 1})
    assert release_files(tmp_path) == (None, None)

    savemat(tmp_path / "a.mat", {"triplets": 1})
    assert release_files(tmp_path) == (tmp_path / "a.mat", None)


@pytest.mark.parametrize("kind", [CELLS, STRUCTURES, NUMBERS, TEXT])
@pytest.mark.parametrize("dimensions", [(MANY, 1), (MANY, MANY, MANY)])
def test_a_few_bytes_that_declare_a_large_array_are_refused(
    tmp_path: Path, kind: int, dimensions: tuple[int, ...]
) -> None:
    """A file of 200 bytes took 17 GB."""
    path = matlab_file(tmp_path, matrix(kind, *dimensions, content=EMPTY))
    assert only_fault(path).startswith("consensus.mat: does not have the structure")


def test_a_large_array_that_is_not_packed_is_refused_too(tmp_path: Path) -> None:
    path = tmp_path / "consensus.mat"
    path.write_bytes(FILE_HEADER + matrix(NUMBERS, MANY, MANY, content=EMPTY))
    assert only_fault(path).startswith("consensus.mat: does not have the structure")


def test_many_empty_matrices_take_too_much_memory(tmp_path: Path) -> None:
    """They are eight bytes each, and took 160: a file of 768 KB took 3 GB."""
    many = 5_000_000
    path = matlab_file(tmp_path, matrix(CELLS, many, 1, content=many * EMPTY))
    assert "('takes more than 500 MB of memory')" in only_fault(path)


def test_files_of_many_variables_are_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    savemat(tmp_path / "a.mat", {"triplets": 1, "second": 2})
    monkeypatch.setattr(cider_release, "_MAX_VARIABLES", 1)
    assert release_files(tmp_path) == (None, None)


def test_files_of_matlab_4_are_left_alone(tmp_path: Path) -> None:
    savemat(tmp_path / "a.mat", {"triplets": np.eye(3)}, format="4")
    assert release_files(tmp_path) == (None, None)


def test_broken_files_are_told_wherever_they_are_broken(tmp_path: Path) -> None:
    whole = matlab_file(tmp_path, matrix(CELLS, 2, 1, content=2 * EMPTY)).read_bytes()

    for position in range(120, len(whole)):
        content = bytearray(whole)
        content[position] ^= 0xFF
        (tmp_path / f"{position}.mat").write_bytes(content)

    assert release_files(tmp_path)[0]
    for path in sorted(tmp_path.glob("*.mat"))[::25]:
        assert only_fault(path)
