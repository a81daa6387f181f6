"""Read captions from files: CSV with the columns image and caption, JSON Lines, or COCO JSON.

Where a dataset folder or a zip of one is given, the captions are those of one of its tables.
"""

import sys
import zlib
from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
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
from tercet.metrics.text import coco, jsonl_rows
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
JSON_LINES = ".jsonl"
"""The ending of files of JSON Lines."""
_NOT_READ = (".parquet", ".xlsx", ".mat")
_READ = (
    "Captions are read from CSV, JSON Lines (.jsonl) and COCO JSON; tercet analyse reads other "
    "formats, too"
)
_SHOWN = 20
_ENCODING = "utf-8-sig"
_BAD_ZIP = (BadZipFile, EOFError, NotImplementedError, RuntimeError, zlib.error)


class CaptionLine(NamedTuple):
    """A caption of an image, from a file."""

    image: str
    caption: str


class InputError(ValueError):
    """A file that cannot be read as captions; says which, where, and what to do."""


def read(path: Path, table: str) -> Iterator[CaptionLine]:
    """Read the captions of a file; InputError if there are none, or one cannot be read.

    Parameters
    ----------
    path : Path
        A file of JSON or JSON Lines (by its ending), a CSV file, a dataset folder, or a zip of
        one, in which a table is CSV or JSON Lines; or `STANDARD`
        for CSV or JSON (by its first character) from standard input. CSV has the columns image and
        caption, in any order and among others, separated by commas, semicolons, tabs or bars. JSON
        is a list of ``{"image_id": ..., "caption": ...}``, or an object with such "annotations".
    table : str
        The file to read in a dataset folder: ``references.csv`` or ``candidates.csv``.
    """
    path = _in_folder(path, table) if path.is_dir() else path
    if path.suffix.lower() in _NOT_READ:
        raise InputError(f"{path}: is not read here. {_READ}")
    line = None

    try:
        with _opened(path, table) as (name, file):
            for line in _reader(name, file)(file):
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


def _in_folder(folder: Path, table: str) -> Path:
    """Return the file of a table in a folder: CSV, or else JSON Lines."""
    for name in _names(table):
        if (folder / name).is_file():
            return folder / name

    neither = " nor ".join(_names(table))
    raise FileNotFoundError(f"{folder}: has neither {neither}. {_READ}")


def _names(table: str) -> tuple[str, str]:
    return table, table.removesuffix(".csv") + JSON_LINES


@contextmanager
def _opened(path: Path, table: str) -> Iterator[tuple[str, TextIO]]:
    """Open a file, a table inside a zip, or standard input; return its name, too."""
    if path == STANDARD:
        content = sys.stdin.buffer.read().decode(_ENCODING)
        yield path.name, StringIO(content, newline="")
        return

    if not is_zipfile(path):
        with path.open(encoding=_ENCODING, newline="") as file:
            yield path.name, file
        return

    with ZipFile(path) as archive:
        member = _member(archive, table)
        with TextIOWrapper(
            archive.open(member), encoding=_ENCODING, newline=""
        ) as file:
            yield member, file


def _reader(name: str, file: TextIO) -> Callable[[TextIO], Iterator["CaptionLine"]]:
    """Tell the format by the ending of a name, or by the first character in standard input."""
    ending = PurePosixPath(name).suffix.lower()
    if name == STANDARD.name:
        ending = ".json" if file.read(1) in ("[", "{") else ""
        file.seek(0)

    return {".json": _json_lines, JSON_LINES: _jsonl_lines}.get(ending, _csv_lines)


def _member(archive: ZipFile, table: str) -> str:
    """The name of a table in a zip, in the highest folder that has it."""
    names = _names(table)
    found = [name for name in archive.namelist() if PurePosixPath(name).name in names]
    if not found:
        raise InputError(f"no {table} in it: pack a dataset folder that has one")

    def rank(name: str) -> tuple[int, int]:
        parts = PurePosixPath(name).parts
        return len(parts), names.index(parts[-1])

    return min(found, key=rank)


@dataclass(frozen=True, eq=False)
class CaptionFile:
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


def load(path: Path, table: str) -> CaptionFile:
    """Read all captions of a file; see :func:`read`."""
    images: defaultdict[str, int] = defaultdict(count().__next__)
    numbers = array("q")
    captions = StringBuffer()

    for line in read(path, table):
        numbers.append(images[line.image])
        captions.append(line.caption)

    return CaptionFile(dict(images), np.array(numbers), captions.strings())


def check_images(
    candidates: CaptionFile,
    references: Collection[str],
    several: bool = False,
    subset: bool = False,
) -> None:
    """Check that each image has exactly one candidate; InputError with the list of others.

    Parameters
    ----------
    candidates : CaptionFile
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


def _json_lines(file: TextIO) -> Iterator[CaptionLine]:
    for number, entry in coco.entries(JsonStream(file, WITH_NUMBERS)):
        yield CaptionLine(*coco.caption_in(entry, number))


def _jsonl_lines(file: TextIO) -> Iterator[CaptionLine]:
    for image, caption in jsonl_rows.captions(file):
        yield CaptionLine(image, caption)


def _csv_lines(file: TextIO) -> Iterator[CaptionLine]:
    rows = csv_rows(bounded_lines(file))
    _number, names = next(rows, (1, []))
    columns = [name.strip() for name in names]
    for fault in header_faults(columns, CaptionLine._fields) if names else ():
        raise Faulty(fault)

    width = len(columns)
    of_line = itemgetter(*map(columns.index, CaptionLine._fields)) if names else tuple
    for number, row in rows:
        if len(row) != width:
            raise Faulty(width_fault(number, len(row), width))

        line = CaptionLine(*of_line(row))
        if not line.image:
            raise Faulty(empty_cell(number, "image"))
        yield line
