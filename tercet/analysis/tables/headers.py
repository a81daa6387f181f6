"""Find the row with the names of the columns, and the rows about it that are no data."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from tercet.analysis.number_texts import plural
from tercet.analysis.tables.csv_tables import shortened
from tercet.analysis.tables.schema import ALL_TABLES

NumberedRow = tuple[int, Sequence[str]]

NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?(e[+-]?\d+)?", re.IGNORECASE)
_FILE = re.compile(r"\S+\.[a-z][a-z0-9]{2,3}(#\d+)?|\S+#\d+", re.IGNORECASE)
_IMPORT_ID = '{"ImportId"'
_SENTENCE = 4
"""Words of a cell that is a sentence."""
_LOOKED_AT = 12
"""Rows among which the header is."""
_MOST_EXPLAINING = 3


@dataclass(frozen=True)
class Header:
    """The names of the columns, and where the data begin.

    `line` is 0 where the file has no names, which are then numbers. `asks` says what is doubtful:
    "header" or "second header".
    """

    names: Sequence[str]
    line: int = 0
    rows_before: int = 0
    above: list[NumberedRow] = field(default_factory=list)
    asks: str = ""

    def notes(self, where: str) -> Iterator[str]:
        """Say where the names of the columns are, where it is not the first row."""
        before = [row for line, row in self.above if line < self.line]
        after = len(self.above) - len(before)
        if before:
            text = " ".join(filter(None, map(str.strip, chain(*before))))
            yield (
                f"{where}: the names of the columns are in row {self.line}; above it is no data: "
                f"{shortened(text, 100)}"
            )
        if after:
            yield plural(
                after,
                f"{where}: {after} row below the names explains the columns and is left out",
                f"{where}: {after} rows below the names explain the columns and are left out",
            )


def find_header(
    rows: Sequence[NumberedRow], header: int | None = None, first: int | None = None
) -> Header:
    """Find the header among the first rows of a table.

    Parameters
    ----------
    rows
        The first rows that are not empty, with their numbers.
    header, first
        The numbers of the row with the names (0: none) and of the first row of data, where people
        have said so.
    """
    if not rows:
        return Header(())
    if header == 0:
        return _without_names(rows, first)

    place = _likely_place(rows)
    if header is not None:
        place = next((n for n, (line, _) in enumerate(rows) if line >= header), place)
    line, names = rows[place]
    if header is None and _looks_like_data(rows, place):
        found = _without_names(rows, first)
        return Header(found.names, 0, found.rows_before, found.above, "header")

    names = _trimmed(names)
    asks = ""
    if first is not None:
        start = next((n for n, (own, _) in enumerate(rows) if own >= first), len(rows))
    else:
        start, asks = _start_of_data(rows, place)
    start = max(start, place + 1)
    above = [*rows[:place], *rows[place + 1 : start]]
    return Header(names, line, start, above, asks)


def _without_names(rows: Sequence[NumberedRow], first: int | None) -> Header:
    start = next((n for n, (line, _) in enumerate(rows) if line >= (first or 0)), 0)
    width = len(_trimmed(rows[start][1]))
    names = [f"column {number}" for number in range(1, width + 1)]
    return Header(names, 0, start, list(rows[:start]))


def _trimmed(cells: Sequence[str]) -> Sequence[str]:
    """Return the cells up to the last that is filled."""
    width = max((n for n, cell in enumerate(cells, 1) if cell.strip()), default=0)
    return cells[:width]


def _likely_place(rows: Sequence[NumberedRow]) -> int:
    """Return the place of the first row whose cells are filled, texts, and distinct."""
    widths = Counter(len(_trimmed(cells)) for _line, cells in rows)
    usual = max(widths, key=lambda width: (widths[width], width))

    for place, (_line, cells) in enumerate(rows[:_LOOKED_AT]):
        filled = [cell.strip() for cell in cells if cell.strip()]
        is_wide = len(filled) * 10 >= 7 * usual
        if is_wide and 2 * len({*filled}) > len(filled):
            return place
    return 0


def _looks_like_data(rows: Sequence[NumberedRow], place: int) -> bool:
    """Return whether a row has the shape of the rows below it, or values that recur in them."""
    names = _trimmed(rows[place][1])
    below = [cells for _line, cells in rows[place + 1 :]]
    if not below:
        return False
    is_word = any(re.fullmatch(r"[^\W\d]\w*", name.strip()) for name in names)
    if any(map(NUMBER.fullmatch, names)) and not is_word:
        return True

    alike = 0
    for column, name in enumerate(names):
        others = [cells[column] for cells in below if column < len(cells)]
        is_file = bool(_FILE.fullmatch(name)) and any(map(_FILE.fullmatch, others))
        is_sentence = len(name.split()) >= _SENTENCE and _are_sentences(others)
        alike += is_file or is_sentence or (bool(name) and name in others)
    return alike * 2 >= len(names)


def _are_sentences(cells: Sequence[str]) -> bool:
    filled = [cell for cell in cells if cell]
    return sum(len(cell.split()) >= _SENTENCE for cell in filled) * 2 > len(filled)


def _start_of_data(rows: Sequence[NumberedRow], place: int) -> tuple[int, str]:
    """Return the place of the first row of data, and whether it is doubtful."""
    near = rows[place + 1 : place + 1 + _MOST_EXPLAINING]
    for number, (_line, cells) in enumerate(near, place + 1):
        if any(cell.startswith(_IMPORT_ID) for cell in cells):
            return number + 1, ""

    start = place + 1
    names = {*map(str.strip, rows[place][1])}
    if any(names <= {*table.columns} for table in ALL_TABLES):
        return start, ""  # nobody explains the columns of our own tables
    while start - place <= 2 and _explains(rows, start):
        start += 1
    return start, "second header" if start > place + 1 else ""


def _explains(rows: Sequence[NumberedRow], place: int) -> bool:
    """Return whether a row is a text where the rows below it are numbers, or few values."""
    if len(rows) < place + 3:
        return False

    cells = rows[place][1]
    below = [row for _line, row in rows[place + 1 :]]
    odd_numbers = odd_names = short_texts = fitting = 0
    for column, cell in enumerate(cells):
        others = [row[column] for row in below if column < len(row) and row[column]]
        if not cell or len(others) < 2:
            continue
        has_few = len({*others}) * 2 <= len(others) and len(others) > 2
        if all(map(NUMBER.fullmatch, others)):
            odd_numbers += NUMBER.fullmatch(cell) is None
            fitting += NUMBER.fullmatch(cell) is not None
        elif _are_sentences(others):
            short_texts += len(cell.split()) < _SENTENCE - 1
        elif has_few:
            odd_names += cell not in others
            fitting += cell in others
    is_text = odd_names > 1 and short_texts > 0
    return not fitting and bool(odd_numbers or is_text)
