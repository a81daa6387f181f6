"""Read files of entries as tables: JSON lines and Parquet.

An entry has named values, which are the cells of a row: texts, numbers, truth values, times, or
nothing. The names of all entries are the columns.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

from analysis.dataset import limits
from analysis.dataset.csv_tables import (
    BYTE_ORDER_MARK,
    PLAIN,
    CsvDialect,
    LinesExceedLimit,
    Problem,
    Problems,
    Rows,
    Sheet,
    Table,
    bounded_lines,
    line_problem,
    not_in,
    open_text,
    reporting,
    sheet_of,
    with_encoding_problems,
)
from analysis.dataset.encodings import UTF_8, utf_16
from analysis.dataset.parquet import FaultyParquet, cell_text, converted
from analysis.progress import Progress, silent
from analysis.texts import Text
from analysis.texts import gettext as _

JSON_LINES, PARQUET = ".jsonl", ".parquet"
ENTRY_SUFFIXES = (JSON_LINES, PARQUET)
INSTALL = "pip install 'tercet[parquet]'"
"""What installs the reader of Parquet."""
MOST_NAMES = 1_000
"""Names of values that are columns; others are left out."""

DECODER = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str)
"""Reads numbers as texts, as they are written."""
SURROGATE = re.compile("[\ud800-\udfff]")

Entries = Iterator[tuple[int, Mapping[str, Any]]]
"""Entries, each with its number: that of its line, or counted from 1."""


def has_entries(path: Path) -> bool:
    """Whether the name of a file says that it is one of entries."""
    return path.suffix.lower() in ENTRY_SUFFIXES


def read_entries(
    path: Path,
    table: Table,
    progress: Progress = silent,
    dialect: CsvDialect = PLAIN,
    memory: int = limits.MAX_MEMORY,
) -> Sheet:
    """Read a file of entries; parameters and result as of `csv_tables.read_table`.

    The lines of problems in a Parquet file are the numbers of its rows, from 1.
    """
    is_parquet = path.suffix.lower() == PARQUET
    if not is_parquet and dialect.encoding == UTF_8 and utf_16(path):
        return Sheet(table.empty(), [not_in(path, UTF_8)], readable=False)

    problems = Problems()
    rows = entry_rows(path, problems, dialect.encoding, progress)
    sheet = sheet_of(rows, table, problems, dialect.columns, memory)

    if is_parquet:
        return counting_entries(sheet)
    return with_encoding_problems(sheet, path, table, dialect.encoding)


def counting_entries(sheet: Sheet) -> Sheet:
    """The sheet of a file without lines: its problems have numbers of entries."""
    marked = [replace(each, is_entry=True) for each in sheet.problems]
    return replace(sheet, problems=marked)


def entry_rows(
    path: Path, problems: Problems, encoding: str, progress: Progress = silent
) -> Rows:
    """The header and the rows of a file of entries; problems are added while they are read."""
    if path.suffix.lower() == PARQUET:
        return _parquet_rows(path, problems)

    names = _names(_json_lines(path, encoding, Problems()))
    entries = _json_lines(path, encoding, problems, progress)
    return rows_of(names, entries, path.name, problems)


def rows_of(
    names: list[str], entries: Entries, file: str, problems: Problems
) -> Rows:
    """The names, then the cells of each entry; values that are no cells become problems."""
    if names:
        yield 0, names

    for number, entry in entries:
        cells = [cell_text(entry.get(name)) for name in names]
        faults = list(_faults(names, cells, file, number))

        problems.add(faults)
        if not faults:
            yield number, [text or "" for text in cells]


def as_object(value: Any, file: str, number: int) -> dict[str, Any] | Problem:
    """The value if it is a JSON object, or what is wrong with it."""
    if isinstance(value, dict):
        return value

    what, remedy = _("is not a JSON object"), _("Write one object: {{…}}")
    return Problem(file, number, "", "", what, remedy, is_local=True)


def not_json(file: str, number: int, error: str) -> Problem:
    """The problem of an entry that is not JSON."""
    what, remedy = _("is not valid JSON"), _("Correct the JSON there")
    return Problem(file, number, "", error, what, remedy, is_local=True)


def _faults(
    names: Iterable[str],
    cells: Iterable[str | None],
    file: str,
    number: int,
) -> Iterator[Problem]:
    """The problems of the cells of an entry."""
    for name, cell in zip(names, cells, strict=True):
        if fault := _fault(cell):
            yield Problem(file, number, name, "", *fault, is_local=True)


def _fault(cell: str | None) -> tuple[Text, Text] | None:
    """What is wrong with a cell, and what to do about it."""
    if cell is None:
        what = _("is neither a text nor a number")
        return what, _("Write a text, a number, or null")

    if len(cell) > limits.MAX_CELL:
        what = _("is longer than {limit:,} characters", limit=limits.MAX_CELL)
        return what, _("Shorten the text")

    if not cell.isascii() and SURROGATE.search(cell):
        what = _("has a character that is not valid Unicode")
        return what, _("Write the character in UTF-8")

    return None


def _names(entries: Entries) -> list[str]:
    """The names of all values, in the order in which they first occur."""
    names: dict[str, None] = {}
    for _number, entry in entries:
        names.update(dict.fromkeys(entry))
        if len(names) > MOST_NAMES:
            break

    return list(islice(names, MOST_NAMES))


def _json_lines(
    path: Path, encoding: str, problems: Problems, progress: Progress = silent
) -> Entries:
    """The objects of a file that has one on each line."""
    number = 0

    with open_text(path, encoding) as file:
        try:
            for number, line in enumerate(reporting(file, path, progress), 1):
                text = line.removeprefix(BYTE_ORDER_MARK).strip()
                entry = _parsed(text or "{}", path.name, number)

                if isinstance(entry, Problem):
                    problems.add([entry])
                elif text:
                    yield number, entry
        except LinesExceedLimit as error:
            problems.add([line_problem(path.name, number + 1, error)])


def _parsed(text: str, file: str, number: int) -> dict[str, Any] | Problem:
    """The object on a line, its numbers as they are written, or what is wrong."""
    try:
        value = DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        return not_json(file, number, str(error))

    return as_object(value, file, number)


def reads_parquet() -> bool:
    """Whether the package is installed that reads Parquet, and writes it."""
    return find_spec("arro3") is not None


def _parquet_rows(path: Path, problems: Problems) -> Rows:
    """The rows of a Parquet file, counted from 1."""
    if not reads_parquet():
        what = _("cannot be read: no reader of Parquet is installed")
        remedy = _(
            "Install one ({command}), or save it as CSV", command=INSTALL
        )
        problems.add([Problem(path.name, None, "", "", what, remedy)])
        return

    try:
        with converted(str(path), limits.MAX_ROWS + 1) as file:
            lines = bounded_lines(file)
            names = json.loads(next(lines, "[]"))
            entries = _parquet_entries(names, enumerate(lines, 1))
            yield from rows_of(names, entries, path.name, problems)
    except (FaultyParquet, LinesExceedLimit) as error:
        what = _("is not a Parquet file that can be read")
        remedy = _("Write the file again, or save it as CSV")
        problems.add([Problem(path.name, None, "", str(error), what, remedy)])


def _parquet_entries(
    names: list[str], rows: Iterable[tuple[int, str]]
) -> Entries:
    for number, row in rows:
        yield number, dict(zip(names, json.loads(row), strict=True))
