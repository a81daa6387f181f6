"""Read weights from a file in the format safetensors, without running any code from it.

The file has the size of its header (8 bytes, little-endian), the header (JSON: the type, shape and
bytes of each tensor by name), and the bytes of the tensors, one tensor after the other.
"""

import json
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tercet.metrics.core.arrays import AnyArray

_SIZE = 8
"""Bytes of the header's size."""
_MAX_HEADER = 1 << 24
_METADATA = "__metadata__"
_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4"}


class _Tensor(NamedTuple):
    """Where a tensor lies in the data: bytes ``start`` to ``end``."""

    name: str
    start: int
    end: int
    type: np.dtype[Any]
    shape: tuple[int, ...]


def read_tensors(path: Path) -> dict[str, AnyArray]:
    """Map the tensors of a file into memory, by name, read-only.

    Parameters
    ----------
    path : Path
        A file of floating-point numbers of 16 to 64 bits and integers of 32 or 64 bits.

    Raises
    ------
    ValueError
        If the file is not of the format, is cut off, or has numbers of another type.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        header_size = int.from_bytes(file.read(_SIZE), "little")
        if size < _SIZE or header_size > min(size - _SIZE, _MAX_HEADER):
            raise _refusal(path, f"its header of {header_size:,} bytes is too long")
        header = file.read(header_size)

    entries = _entries(path, header)
    start = _SIZE + header_size
    _check_extent(path, entries, size - start)

    data = np.memmap(path, np.uint8, "r", start)

    return {
        entry.name: np.asarray(data[entry.start : entry.end])
        .view(entry.type)
        .reshape(entry.shape)
        for entry in entries
    }


def _entries(path: Path, header: bytes) -> list[_Tensor]:
    """Return the entries of a header in the order of their data."""
    try:
        found = json.loads(header)
    except (ValueError, RecursionError) as error:
        raise _refusal(path, f"its header is not JSON ({error})") from error

    if not isinstance(found, dict):
        raise _refusal(path, "its header is not an object")

    found.pop(_METADATA, None)
    entries = [_entry(path, name, described) for name, described in found.items()]

    return sorted(entries, key=lambda entry: entry.end)


def _entry(path: Path, name: str, described: object) -> _Tensor:
    match described:
        case {"dtype": str(kind), "shape": [*shape], "data_offsets": [start, end]}:
            pass
        case _:
            raise _refusal(path, f"{name} has no dtype, shape, and data_offsets")

    if kind not in _TYPES:
        raise _refusal(path, f"{name} has the type {kind}, not {', '.join(_TYPES)}")

    if not all(type(number) is int and number >= 0 for number in (*shape, start, end)):
        raise _refusal(path, f"{name} has a shape or data_offsets that are no counts")

    number_type = np.dtype(_TYPES[kind])
    if end - start != prod(shape) * number_type.itemsize:
        raise _refusal(path, f"{name} has {end - start:,} bytes, not those of {shape}")

    return _Tensor(name, start, end, number_type, tuple(shape))


def _check_extent(path: Path, entries: list[_Tensor], size: int) -> None:
    """Raise ValueError if the tensors are not exactly the data, one after the other."""
    end = 0

    for entry in entries:
        if entry.start != end:
            raise _refusal(path, f"{entry.name} begins at {entry.start:,}, not {end:,}")
        end = entry.end

    if end != size or not entries:
        raise _refusal(path, f"it has {size:,} bytes of data, not {end:,}")


def _refusal(path: Path, what: str) -> ValueError:
    return ValueError(f"{path}: not usable as safetensors: {what}; get the file anew")
