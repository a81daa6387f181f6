"""Load variables of MATLAB 5 files with a bound on memory.

What scipy takes follows from what a file declares: 200 bytes that declare a large array took 17 GB.
So the headers of all matrices are read first. See "MAT-File Format" (MathWorks) for the layout.
"""

import struct
import zlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import scipy

from tercet.analysis.tables import limits

HEADER, TAG = 128, 8
"""Bytes of the header of a file, and of the tag of an element."""
_BYTE_ORDERS = {b"\x00\x01IM": "<", b"\x01\x00MI": ">"}
"""The byte order by the end of the header of a file."""
MATRIX, COMPRESSED = 14, 15
"""Types of elements."""
CHARACTERS = 4
"""The class of matrices of text."""
_DIMENSIONS = (5, 8)
"""The tag of two dimensions."""
PARTS = 5
"""Blocks of eight bytes in the header of a matrix: tag, two of flags, tag of dimensions, these."""
_NAME_AT = PARTS * TAG
"""Where the name of a matrix begins."""
START = 1 << 12
"""Bytes of a variable, packed or not, that include its name."""
MAX_VARIABLES = 100


class Size(NamedTuple):
    """Bytes, matrices with their values, and characters."""

    bytes: float
    values: float
    characters: float


def variables(path: Path) -> list[str]:
    """The names of the variables of a MATLAB 5 file; none of another file, or if there are many."""
    try:
        with path.open("rb") as file:
            found = list(islice(_contents(file, START), MAX_VARIABLES + 1))
        names = [_name(content, order) for content, order in found]
    except (KeyError, struct.error, zlib.error):
        return []

    return names if len(names) <= MAX_VARIABLES else []


def load(path: Path, *names: str) -> dict[str, Any]:
    """Some variables of a file that is small enough; raises what scipy does."""
    found: dict[str, Any] = scipy.io.loadmat(
        path, squeeze_me=True, variable_names=names
    )
    return found


def is_small(path: Path) -> bool:
    """Whether a MATLAB 5 file is within the limits, so that its variables can be loaded."""
    remaining = Size(
        limits.MAX_MATLAB, limits.MAX_MATLAB_VALUES, limits.MAX_MATLAB_CHARACTERS
    )

    with path.open("rb") as file:
        for content, order in _contents(file, limits.MAX_MATLAB):
            taken = _size(content, order)
            pairs = zip(remaining, taken, strict=True)
            remaining = Size(*(left - each for left, each in pairs))
            if min(remaining) < 0:
                return False

    return True


def _contents(file: BinaryIO, most: int) -> Iterator[tuple[bytes, str]]:
    """Each variable of a file, or its beginning if it is longer, unpacked, and the byte order.

    Raises KeyError for other files, and zlib.error.
    """
    order = _BYTE_ORDERS[file.read(HEADER)[-4:]]

    while len(tag := file.read(TAG)) == TAG:
        kind, size = struct.unpack(f"{order}II", tag)
        end = file.tell() + size
        content = file.read(min(size, most + 1))

        if kind == COMPRESSED:
            yield zlib.decompressobj().decompress(content, most + 1), order
        else:
            yield tag + content, order
        file.seek(end)


def _name(content: bytes, order: str) -> str:
    """The name of a variable. One of up to four characters follows its size at once."""
    size, length = struct.unpack_from(f"{order}II", content, _NAME_AT)
    start = _NAME_AT + TAG
    if size >> 16:
        start, length = _NAME_AT + TAG // 2, size >> 16

    return content[start : start + length].decode("latin-1")


def _size(content: bytes, order: str) -> Size:
    """The size of a variable, by the headers of all matrices in it; their tags are aligned.

    That of a matrix without two dimensions is infinite.
    """
    parts = np.frombuffer(content[: len(content) // TAG * TAG], f"{order}u4")
    parts = parts.reshape(-1, 2)
    is_tag = parts[:, 0] == MATRIX
    count = np.count_nonzero(is_tag)
    if count > limits.MAX_MATLAB_VALUES:
        return Size(len(content), int(count), 0)

    tags = np.flatnonzero(is_tag)
    starts = tags[(parts[tags, 1] > 0) & (tags + PARTS <= len(parts))]

    dimensions = parts[starts + PARTS - 1].astype("float64")
    counts = dimensions[:, 0] * dimensions[:, 1]
    counts[(parts[starts + PARTS - 2] != _DIMENSIONS).any(axis=1)] = np.inf
    is_text = parts[starts + 2, 0] & 0xFF == CHARACTERS

    values = count + counts[~is_text].sum()
    return Size(len(content), float(values), float(counts[is_text].sum()))
