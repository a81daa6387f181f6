"""Arrays in one file: written whole or not at all, checked, and mapped into memory.

A file is a line of JSON (format, size, checksum, and for each array its type, shape and place),
then the arrays. It appears under its name only when it is complete, so neither two writers at
once, nor a full disk, nor a kill half-way leave a file that a reader would take.
"""

import json
import os
import tempfile
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from tercet.metrics.core.arrays import AnyArray

_ALIGNMENT = 64
_HEADER_SIZE = 4096
_BLOCK = 1 << 20
_ABANDONED_SECONDS = 24 * 60 * 60


def write(path: Path, arrays: Mapping[str, AnyArray]) -> None:
    """Write the file and put it in place of any before it; OSError leaves the old one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_abandoned(path)

    handle, name = tempfile.mkstemp(
        dir=path.parent, prefix=f".{path.name}.", suffix=".part"
    )
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(_header(arrays))
            for array in arrays.values():
                file.writelines(_blocks(array))

            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def read(path: Path) -> dict[str, AnyArray] | None:
    """The arrays of a file, read only; None if there is none, or if it is not what was written."""
    try:
        with path.open("rb") as file:
            header = json.loads(file.read(_HEADER_SIZE))
            checksum = 0
            while block := file.read(_BLOCK):
                checksum = zlib.crc32(block, checksum)

        if header["checksum"] != checksum:
            return None

        content = np.asarray(np.memmap(path, mode="r", offset=_HEADER_SIZE))
        arrays = {}
        for name, place in header["arrays"].items():
            dtype = np.dtype(place["kind"])
            start = place["start"]
            end = start + place["size"] * dtype.itemsize
            arrays[name] = content[start:end].view(dtype)

        return arrays
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _header(arrays: Mapping[str, AnyArray]) -> bytes:
    places: dict[str, dict[str, Any]] = {}
    start = checksum = 0

    for name, array in arrays.items():
        places[name] = {"start": start, "size": len(array), "kind": array.dtype.str}
        for block in _blocks(array):
            checksum = zlib.crc32(block, checksum)
            start += len(block)

    header = json.dumps({"checksum": checksum, "arrays": places}).encode()

    return header.ljust(_HEADER_SIZE - 1) + b"\n"


def _blocks(array: AnyArray) -> Iterator[bytes]:
    """Yield the bytes of an array, which need not be in memory at once, and those that fill up."""
    for start in range(0, len(array), _BLOCK):
        yield array[start : start + _BLOCK].tobytes()
    yield bytes(-array.nbytes % _ALIGNMENT)


def _remove_abandoned(path: Path) -> None:
    """Remove what writers of this file left that were killed long ago."""
    for left in path.parent.glob(f".{path.name}.*.part"):
        with suppress(OSError):
            age = time.time() - left.stat().st_mtime
            if age > _ABANDONED_SECONDS:
                left.unlink()
