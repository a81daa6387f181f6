"""Recognise the columns of third-party tables by what their cells hold."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import PurePosixPath

from tercet.analysis.dataset.checks import CHOICES, IMAGE_TYPES, SIDES, STATUSES
from tercet.analysis.tables.rules import COUNT, is_time
from tercet.analysis.tables.schema import CATEGORIES

WORDS = 3
"""Words that captions have at least, on average; names have fewer."""
LONGEST_NAME = 60
NUMBER = re.compile(r"-?\d+([.,]\d+)?(e-?\d+)?", re.IGNORECASE)

_ITEMS = [
    "hitid",
    "hit",
    "id",
    "item",
    "itemid",
    "key",
    "question",
    "questionid",
    "task",
    "taskid",
]
"""What names of pairs are called elsewhere; without case, spaces and underscores."""

Cells = Sequence[str]
_Fits = Callable[[Cells], bool]


def recognise_columns(
    cells: Mapping[str, Cells], columns: Collection[str]
) -> dict[str, str]:
    """Find the columns of a table that the cells of a file suggest.

    Parameters
    ----------
    cells
        Some cells of each column of the file, by its name.
    columns
        Our columns that are looked for.

    Returns
    -------
    dict of str to str
        The file's names by ours: those columns that exactly one of the file fits, the most specific
        first; and B and C where exactly two columns are captions. Of several that may name pairs,
        the first that is called like an item.
    """
    left = {name: [cell for cell in each if cell] for name, each in cells.items()}
    left = {name: each for name, each in left.items() if each}
    found: dict[str, str] = {}

    for column, fits in RULES:
        fitting = [name for name, each in left.items() if fits(each)]
        if column == "pair" and len(fitting) > 1:
            fitting = [*filter(_is_item, fitting)][:1]

        ours = CAPTIONS if column == CAPTIONS[0] else (column,)
        if len(fitting) == len(ours) and {*columns} >= {*ours}:
            found |= dict(zip(ours, fitting, strict=True))
            left = {name: each for name, each in left.items() if name not in fitting}

    return found


def _is_item(name: str) -> bool:
    letters = filter(str.isalnum, name)
    plain = "".join(letters).casefold()
    return plain in _ITEMS


def _all_of(values: Collection[str]) -> _Fits:
    return lambda cells: {*cells} <= {*values}


def _each(test: Callable[[str], object]) -> _Fits:
    return lambda cells: all(map(test, cells))


def _are_pictures(cells: Cells) -> bool:
    suffixes = {PurePosixPath(cell).suffix.lower() for cell in cells}
    return suffixes <= {*IMAGE_TYPES}


def _are_captions(cells: Cells) -> bool:
    words = sum(len(cell.split()) for cell in cells)
    return words >= WORDS * len(cells)


def _are_names(cells: Cells) -> bool:
    return not _are_captions(cells) and all(
        len(cell) <= LONGEST_NAME and not _is_fraction(cell) for cell in cells
    )


def _is_fraction(cell: str) -> bool:
    return NUMBER.fullmatch(cell) is not None and not cell.isdigit()


def _are_names_once(cells: Cells) -> bool:
    return _are_names(cells) and len({*cells}) == len(cells) > 1


CAPTIONS = ("candidate_b", "candidate_c")
RULES: tuple[tuple[str, _Fits], ...] = (
    ("choice", _all_of(CHOICES)),
    ("winner", _all_of(CHOICES[:2])),
    ("b_side", _all_of(SIDES)),
    ("status", _all_of(STATUSES)),
    ("category", _all_of(CATEGORIES)),
    ("created_at", _each(is_time)),
    ("url", _each(re.compile("https://.*").fullmatch)),
    ("file", _are_pictures),
    ("candidate_b", _are_captions),
    ("caption", _are_captions),
    ("reference", _each(re.compile(COUNT).fullmatch)),
    ("rating", _each(NUMBER.fullmatch)),
    ("pair", _are_names_once),
    ("image", _are_names),
)
"""What fits each column, the most specific first."""
