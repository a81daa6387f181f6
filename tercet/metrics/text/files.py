"""Read captions from files: CSV with the columns image and caption, or JSON as COCO has it.

Where a dataset folder or a zip of one is given, the captions are those of one of its tables.
"""

import sys
import zlib
from array import array
from collections import defaultdict
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO, TextIOWrapper
from itertools import count
from operator import itemgetter
from pathlib import Path, PurePosixPath
from typing import NamedTuple, TextIO
from zipfile import BadZipFile, ZipFile, is_zipfile

import numpy as np

from tercet.metrics.core.arrays import IntArray
from tercet.metrics.core.string_array import Groups, StringArray, StringBuffer
from tercet.metrics.text import coco
from tercet.metrics.text.csv_rows import (
    bounded_lines,
    csv_rows,
    header_faults,
    width_fault,
)
from tercet.metrics.text.faults import Faulty, empty_cell, not_utf_8, not_zip
from tercet.metrics.text.json_stream import WITH_NUMBERS, JsonStream

REFERENCES, CANDIDATES = "references.csv", "candidates.csv"
"""The tables of a dataset folder that hold captions."""
STANDARD = Path("-")
"""In the place of a file: standard input or output."""
_SHOWN = 20
_ENCODING = "utf-8-sig"
_BAD_ZIP = (BadZipFile, EOFError, NotImplementedError, RuntimeError, zlib.error)


class Line(NamedTuple):
    """A caption of an image, from a file."""

    image: str
    caption: str


class InputError(ValueError):
    """A file that cannot be read as captions; says which, where, and what to do."""


def read(path: Path, table: str) -> Iterator[Line]:
    """Read the captions of a file; InputError if there are none, or one cannot be read.

    Parameters
    ----------
    path : Path
        A JSON file (by its ending), a CSV file, a dataset folder, or a zip of one; or `STANDARD`
        for CSV or JSON (by its first character) from standard input. CSV has the columns image and
        caption, in any order and among others, separated by commas, semicolons, tabs or bars. JSON
        is a list of ``{"image_id": ..., "caption": ...}``, or an object with such "annotations".
    table : str
        The file to read in a dataset folder: ``references.csv`` or ``candidates.csv``.
    """
    path = path / table if path.is_dir() else path
    line = None

    try:
        with _opened(path, table) as file:
            lines = _json_lines if _is_json(path, file) else _csv_lines
            for line in lines(file):
                yield line
    except InputError as error:
        raise InputError(f"{path}, {error}") from error
    except Faulty as error:
        raise InputError(f"{path}{error}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}{not_utf_8(error)}") from error
    except _BAD_ZIP as error:
        raise InputError(f"{path}{not_zip(str(error))}") from error

    if line is None:
        raise InputError(
            f"{path}: there are no captions in it; see --help for the formats"
        )


@contextmanager
def _opened(path: Path, table: str) -> Iterator[TextIO]:
    """Open a file, that of a table inside a zip, or standard input."""
    if path == STANDARD:
        yield StringIO(sys.stdin.buffer.read().decode(_ENCODING), newline="")
        return

    if not is_zipfile(path):
        with path.open(encoding=_ENCODING, newline="") as file:
            yield file
        return

    with ZipFile(path) as archive:
        member = _member(archive, table)
        with TextIOWrapper(
            archive.open(member), encoding=_ENCODING, newline=""
        ) as file:
            yield file


def _is_json(path: Path, file: TextIO) -> bool:
    """Tell JSON by the ending of its name, or by its first character in standard input."""
    if path != STANDARD:
        return path.suffix.lower() == ".json"

    first = file.read(1)
    file.seek(0)
    return first in ("[", "{")


def _member(archive: ZipFile, table: str) -> str:
    """The name of a table in a zip: that of the highest folder that has it."""
    found = [name for name in archive.namelist() if PurePosixPath(name).name == table]
    if not found:
        raise InputError(f"no {table} in it: pack a dataset folder that has one")

    return min(found, key=lambda name: len(PurePosixPath(name).parts))


@dataclass(frozen=True, eq=False)
class Table:
    """The captions of a file, in its order.

    images: the numbers of the images by name, in the order in which they first occur.
    image: (captions,) the number of each caption's image.
    """

    images: dict[str, int]
    image: IntArray
    captions: StringArray

    def by_image(self, images: IntArray) -> Groups:
        """The captions of the images with these numbers, in the order of the file."""
        return Groups.of(self.captions, self.image, images)


def load(path: Path, table: str) -> Table:
    """Read all captions of a file; see :func:`read`."""
    images: defaultdict[str, int] = defaultdict(count().__next__)
    numbers = array("q")
    captions = StringBuffer()

    for line in read(path, table):
        numbers.append(images[line.image])
        captions.append(line.caption)

    return Table(dict(images), np.array(numbers), captions.strings())


def check_images(
    candidates: Table,
    references: Collection[str],
    several: bool = False,
    subset: bool = False,
) -> None:
    """Check that each image has exactly one candidate; InputError with the list of others.

    Parameters
    ----------
    candidates : Table
    references : collection of str
        The images that have references.
    several, subset : bool
        Whether an image may have any number of candidates, and whether it may have none.
    """
    unknown = [image for image in candidates.images if image not in references]
    remedy = "add references, or leave them out"
    faults = [_fault(unknown, "without references", remedy)]

    if not several:
        counts = np.bincount(candidates.image)
        doubled = [
            name for name, number in candidates.images.items() if counts[number] > 1
        ]
        remedy = "keep one of each, or give --several"
        faults.append(_fault(doubled, "with more than one candidate", remedy))
    if not (several or subset):
        missing = [image for image in references if image not in candidates.images]
        remedy = "add them, or give --subset to leave them out"
        faults.append(_fault(missing, "without a candidate", remedy))

    if any(faults):
        raise InputError("\n  ".join(filter(None, faults)))


def _fault(images: list[str], what: str, remedy: str) -> str:
    if not images:
        return ""

    more = f" and {len(images) - _SHOWN:,} more" if len(images) > _SHOWN else ""

    return (
        f"{len(images):,} images {what}: {', '.join(images[:_SHOWN])}{more}; {remedy}"
    )


def _json_lines(file: TextIO) -> Iterator[Line]:
    for number, entry in coco.entries(JsonStream(file, WITH_NUMBERS)):
        yield Line(*coco.caption_in(entry, number))


def _csv_lines(file: TextIO) -> Iterator[Line]:
    rows = csv_rows(bounded_lines(file))
    _number, names = next(rows, (1, []))
    columns = [name.strip() for name in names]
    for fault in header_faults(columns, Line._fields) if names else ():
        raise Faulty(fault)

    width = len(columns)
    of_line = itemgetter(*map(columns.index, Line._fields)) if names else tuple
    for number, row in rows:
        if len(row) != width:
            raise Faulty(width_fault(number, len(row), width))

        line = Line(*of_line(row))
        if not line.image:
            raise Faulty(empty_cell(number, "image"))
        yield line
