"""One of our tables, of a table of a file."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

import pandas as pd

from tercet.analysis.tables.csv_tables import (
    Problem,
    Problems,
    Sheet,
    Table,
    frame_pieces,
    problem_of,
    problems_of,
    shortened,
)
from tercet.analysis.tables.file_tables import FileTable, without_faulty_rows
from tercet.metrics.text.csv_rows import header_faults

NO_COLUMNS: Mapping[str, str] = {}


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
