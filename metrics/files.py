"""Captions in files: CSV with the columns image and caption, or COCO's JSON."""

import csv
import json
from array import array
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import NamedTuple, TextIO

import numpy as np

from metrics.arrays import IntArray
from metrics.string_array import Groups, StringArray

SHOWN = 20


class Line(NamedTuple):
    """A caption of an image, from a file."""

    image: str
    caption: str


class InputError(ValueError):
    """A file that cannot be read as captions; says which, where, and what to do."""


def read(path: Path) -> Iterator[Line]:
    """The captions of a CSV or JSON file (by its ending); InputError says what is wrong with it.

    CSV has the columns image and caption, in any order and among others, parted by commas,
    semicolons or tabs. JSON is a list of {"image_id": ..., "caption": ...}, or an object with such
    a list as "annotations".
    """
    line = None
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            for line in _json_lines(file) if path.suffix.lower() == ".json" else _csv_lines(file):
                yield line
    except InputError as error:
        raise InputError(f"{path}, {error}") from error
    except json.JSONDecodeError as error:
        raise InputError(f"{path}, line {error.lineno}: not JSON: {error.msg}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8, save it as UTF-8: {error}") from error
    except (RecursionError, ValueError) as error:
        raise InputError(f"{path}: cannot be read as JSON: {error}") from error
    if line is None:
        raise InputError(f"{path}: there are no captions in it; see --help for the two formats")


@dataclass(frozen=True, eq=False)
class Table:
    """The captions of a file.

    images: their names, and their places in the order in which they come.
    image: (captions,) the place of each caption's image.
    """

    images: dict[str, int]
    image: IntArray
    captions: StringArray

    def by_image(self, places: IntArray) -> Groups:
        """The captions of the images in these places, in the order of the file."""
        return Groups(self.captions, self.image, places)


def load(path: Path) -> Table:
    """All captions of a file; see :func:`read`."""
    images: defaultdict[str, int] = defaultdict(count().__next__)
    places, captions = array("q"), StringArray()
    for line in read(path):
        places.append(images[line.image])
        captions.append(line.caption)
    return Table(dict(images), np.array(places), captions)


def check_images(
    wanted: Table, known: Collection[str], several: bool = False, subset: bool = False
) -> None:
    """Raise InputError with the list of images unless each has exactly one candidate.

    several: an image may have any number of candidates. subset: it may have none.
    """
    counts = np.bincount(wanted.image).tolist()
    unknown = [image for image in wanted.images if image not in known]
    doubled = [image for image, place in wanted.images.items() if counts[place] > 1]
    short = [image for image in known if image not in wanted.images]
    faults = [
        _fault(unknown, "without references", "add references, or leave them out"),
        ""
        if several
        else _fault(doubled, "with more than one candidate", "keep one of each, or give --several"),
        ""
        if several or subset
        else _fault(short, "without a candidate", "add them, or give --subset to leave them out"),
    ]
    if any(faults):
        raise InputError("\n  ".join(filter(None, faults)))


def _fault(images: list[str], what: str, remedy: str) -> str:
    if not images:
        return ""
    more = f" and {len(images) - SHOWN:,} more" if len(images) > SHOWN else ""
    return f"{len(images):,} images {what}: {', '.join(images[:SHOWN])}{more}; {remedy}"


def _json_lines(file: TextIO) -> Iterator[Line]:
    content = json.load(file)
    entries = content.get("annotations") if isinstance(content, dict) else content
    if not isinstance(entries, list):
        raise InputError('top level: give a list, or an object with a list as "annotations"')
    for number, entry in enumerate(entries, start=1):
        yield _json_line(entry, number)


def _json_line(entry: object, number: int) -> Line:
    if not isinstance(entry, dict) or not {"image_id", "caption"} <= entry.keys():
        raise InputError(f'entry {number}: give it an "image_id" and a "caption": {entry!r:.60}')
    image, caption = entry["image_id"], entry["caption"]
    if not isinstance(caption, str):
        raise InputError(f'entry {number}: its "caption" is not a string: {caption!r:.60}')
    if isinstance(image, bool) or not isinstance(image, int | str) or image == "":
        raise InputError(
            f'entry {number}: its "image_id" is not a whole number or a string: {image!r:.60}'
        )
    return Line(str(image), caption)


def _csv_lines(file: TextIO) -> Iterator[Line]:
    header = file.readline()
    delimiter = max(",;\t", key=header.count)
    file.seek(0)
    rows = csv.reader(file, delimiter=delimiter, strict=True)
    try:
        columns = [name.strip() for name in next(rows, [])]
        for row in rows:
            if row:
                yield _csv_line(row, columns, rows.line_num)
    except csv.Error as error:
        raise InputError(f"line {rows.line_num}: not CSV: {error}; check its quotes") from error


def _csv_line(row: list[str], columns: list[str], number: int) -> Line:
    missing = [name for name in Line._fields if name not in columns]
    if missing:
        found = ", ".join(columns)
        raise InputError(
            f"line 1: no column {' and no column '.join(missing)} in {found:.60}; name it there"
        )
    if len(row) != len(columns):
        raise InputError(
            f"line {number}: {len(row)} fields for {len(columns)} columns; quote captions that "
            f"hold the delimiter: {','.join(row):.60}"
        )
    line = Line(row[columns.index("image")], row[columns.index("caption")])
    if not line.image:
        raise InputError(
            f"line {number}: no image; say which image the caption is of: {line.caption:.60}"
        )
    return line
