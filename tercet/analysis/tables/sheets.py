"""One of our tables, of a table of a file or of rows that are made elsewhere."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import pandas as pd

from tercet.analysis.tables import limits
from tercet.analysis.tables.conversion import cell_text
from tercet.analysis.tables.csv_tables import (
    FaultyDataset,
    Problem,
    Problems,
    Sheet,
    Table,
    frame_pieces,
    problem_of,
    problems_of,
    shortened,
)
from tercet.analysis.tables.file_tables import Cells, FileTable, without_faulty_rows
from tercet.metrics.text import limits as text_limits
from tercet.metrics.text.csv_rows import Rows, check_width, header_faults, width_fault
from tercet.metrics.text.faults import Faulty

SURROGATE = re.compile("[\ud800-\udfff]")
NO_COLUMNS: Mapping[str, str] = {}

Entries = Iterator[tuple[int, Mapping[str, Any]]]
"""Entries, each with its number: that of its line, or counted from 1."""


def sheet_of_table(
    found: FileTable, table: Table, columns: Mapping[str, str] = NO_COLUMNS
) -> Sheet:
    """Return one of our tables that a table of a file is.

    Parameters
    ----------
    found
        The table of the file.
    table
        The columns to read. The frame has all of them; optional ones that the file lacks hold "".
    columns
        Names of columns in the file, by our names, where they differ.
    """
    if not found.readable or (found.problems and not found.header):
        return replace(table.unreadable(*found.problems), more=found.more)
    used = {columns.get(name, name) for name in table.columns}
    found = without_faulty_rows(found, used)
    ours = {theirs: name for name, theirs in columns.items()}
    header = [ours.get(name, name) for name in found.header]
    repeated = [name for name in found.repeated if name in table.columns]
    line = found.header_line or (1 if found.delimiter else None)
    required = table.required_of(header)
    faults = header_faults([*header, *repeated], required, table.optional, line)
    missing = [problem_of(fault, table.file) for fault in faults]
    if missing:
        return table.unreadable(*missing)

    frame = found.frame.rename(columns=ours)
    absent = {name: "" for name in table.columns if name not in header}
    whole = frame.assign(**absent)[[*table.columns, "line"]]
    whole = whole.astype(dict.fromkeys(absent, "str"))
    problems = Problems(list(found.problems), found.more)
    if whole.empty and not problems.kept:
        problems.add([empty_problem(table.file)])
    problems.add(_nul_problems(whole, table))
    warnings = [*found.notes, *_warn_of_unknown(header, table)]
    return Sheet(whole, problems.kept, warnings, more=problems.more, size=found.size)


def sheet_of(
    rows: Rows,
    table: Table,
    problems: Problems,
    columns: Mapping[str, str] = NO_COLUMNS,
    memory: int = limits.MAX_MEMORY,
) -> Sheet:
    """Make a sheet of rows of text.

    Parameters
    ----------
    rows
        The header, then the rows, each with the number of its line.
    table, columns
        As for `sheet_of_table`.
    problems
        Those that `rows` meets are added while it is read, and the fault that it raises.
    memory
        How many bytes of memory the table may take.
    """
    rows = _up_to_fault(rows, table.file, problems)
    first, names = next(rows, (1, []))
    if problems.kept:
        return table.unreadable(*problems.kept)

    header = [*map(str.strip, names)]
    distinct = dict.fromkeys(header)
    cells = Cells(table.file, distinct, memory)
    places = [header.index(name) for name in distinct]
    try:
        for line, row in rows:
            if len(row) != len(header):
                fault = width_fault(line, len(row), len(header))
                problems.add([problem_of(fault, table.file)])
            else:
                cells.add(line, [row[place] for place in places])
        frame = cells.frame()
    except FaultyDataset as error:
        return table.unreadable(*error.problems)

    found = FileTable(
        table.file,
        tuple(distinct),
        frame,
        header_line=first,
        repeated=tuple(name for name in distinct if header.count(name) > 1),
        is_entry=not first,
        problems=tuple(problems.kept),
        more=problems.more,
        size=cells.size,
    )
    return sheet_of_table(found, table, columns)


def rows_of(
    names: list[str],
    entries: Entries,
    file: str,
    problems: Problems,
    used: Collection[str],
) -> Rows:
    """Yield the names, then the cells of each entry; used values that are no cells are problems.

    Raises Faulty for too many names.
    """
    check_width(names, None)
    if names:
        yield 0, names

    for number, entry in entries:
        cells: list[str] = []
        faults: list[Problem] = []
        for name in names:
            cell = cell_text(entry.get(name))
            fault = _fault(cell)
            cells.append("" if fault else cell or "")
            if fault and name in used:
                problem = Problem(file, *fault, number, name, is_local=True)
                faults.append(problem)

        problems.add(faults)
        if not faults:
            yield number, cells


def _fault(cell: str | None) -> tuple[str, str] | None:
    """Say what is wrong with a cell, and what to do about it."""
    if cell is None:
        what = "is neither a text nor a number"
        return what, "Write a text, a number, or null"
    if len(cell) > text_limits.MAX_CELL:
        what = f"is longer than {text_limits.MAX_CELL:,} characters"
        return what, "Shorten the text"
    if not cell.isascii() and SURROGATE.search(cell):
        what = "has a character that is not valid Unicode"
        return what, "Write the character in UTF-8"
    return None


def _up_to_fault(rows: Rows, file: str, problems: Problems) -> Rows:
    """Yield rows until one cannot be read, which becomes a problem."""
    try:
        yield from rows
    except Faulty as error:
        problems.add([problem_of(error.fault, file)])


def _warn_of_unknown(header: list[str], table: Table) -> Iterator[str]:
    """Name the columns that are left out."""
    unknown = [name for name in header if name not in table.columns]

    if len(unknown) == 1:
        yield f"{table.file}: column {unknown[0]!r} is not used"
    elif unknown:
        names = shortened(", ".join(map(repr, unknown)), 300)
        yield f"{table.file}: columns {names} are not used"


def _nul_problems(frame: pd.DataFrame, table: Table) -> Iterator[Problem]:
    """Find the cells that have a NUL character."""
    for name in table.columns:
        distinct = (piece[name].unique() for piece in frame_pieces(frame))
        if any("\0" in cell for cell in chain.from_iterable(distinct)):
            bad = frame[frame[name].str.contains("\0", regex=False)]
            what = "has a NUL character"
            yield from problems_of(bad, table.file, name, what, "Remove it")


def stacked(sheets: Sequence[Sheet]) -> tuple[Sheet, list[int]]:
    """Put sheets of one table together.

    Returns
    -------
    sheet
        All rows; their lines, too, are counted from the first sheet to the last.
    before
        The last line before each sheet.
    """
    if len(sheets) == 1:
        return sheets[0], [0]

    before = []
    frames = []
    problems = Problems()
    last = 0
    for sheet in sheets:
        before.append(last)
        frames.append(sheet.frame.assign(line=sheet.frame["line"] + last))
        last += sheet.last_line
        problems.add(sheet.problems)

    whole = Sheet(
        pd.concat(frames, ignore_index=True),
        problems.kept,
        [text for sheet in sheets for text in sheet.warnings],
        all(sheet.readable for sheet in sheets),
        problems.more + sum(sheet.more for sheet in sheets),
        sum(sheet.size for sheet in sheets),
    )
    return whole, before


def empty_problem(file: str) -> Problem:
    what = "has no rows"
    remedy = "Add rows or leave it out"
    return Problem(file, what, remedy)
