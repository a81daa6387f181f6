"""References and pairs in one file, several references on a line, and pairs without names."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pandas as pd

from tercet.analysis.dataset.checks import lines_in_words
from tercet.analysis.formats.entries import column_names, has_entries, read_table
from tercet.analysis.formats.wide_tables import read_as_references, read_wide
from tercet.analysis.number_texts import plural
from tercet.analysis.progress import Progress
from tercet.analysis.tables import limits
from tercet.analysis.tables.csv_tables import (
    BYTES_PER_CELL,
    CsvDialect,
    Problem,
    Sheet,
    Table,
)
from tercet.analysis.tables.schema import PAIRS, REFERENCES

NAME = "pair"
CAPTION = "caption"
FLAT = Table("", (*PAIRS.required, CAPTION), (*PAIRS.optional, *REFERENCES.optional))
"""A file with a pair and a reference on each line; either may be empty there."""
SERIES = re.compile(r"(.*?[^\W\d_])[\W_]*(\d+|(?<=[\W_])[a-z])[\W_]*", re.IGNORECASE)
"""A name with a running number or letter: ref1, reference 2, caption_a."""

_LISTED = re.compile(rf"{CAPTION}( \d+)?")
"""The columns of the elements of lists called caption, and of captions that are in none."""


def series_in(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Group names that are one with running numbers or letters, by that name in lower case.

    A name without a number belongs to those that have its numbers, or is alone.
    """
    series: dict[str, tuple[str, ...]] = {}
    for name in names:
        match = SERIES.fullmatch(name)
        stem = (match[1] if match else name).casefold()
        series[stem] = (*series.get(stem, ()), name)

    return series


def series_columns(column: str, count: int) -> list[str]:
    """Return our names of several columns that are one of ours: caption, caption (2), …"""
    more = (f"{column} ({number})" for number in range(2, count + 1))
    return [column, *more]


def caption_columns(columns: Collection[str]) -> list[str]:
    """Return those of our columns that hold references, where a line may have several."""
    return [name for name in columns if name.partition(" ")[0] == CAPTION]


def read_file(
    path: Path,
    table: Table,
    dialect: CsvDialect,
    progress: Progress,
    memory: int,
    *,
    is_flat: bool,
) -> Sheet:
    """Read one table of a file.

    Parameters
    ----------
    path
        The file. One that does not exist has no rows.
    table
        The table, which is `REFERENCES` or `PAIRS` for a flat file.
    dialect, progress, memory
        As for `read_table`.
    is_flat
        Whether the file has references and pairs. Each of them is then read once; the problems
        and warnings of the file are those of its pairs.
    """
    if not path.is_file():
        return Sheet(table.empty())
    if dialect.roles:
        return read_wide(path, table, dialect, progress, memory)
    if table == REFERENCES and has_entries(path):
        dialect = _with_lists(path, dialect)

    whole = replace(FLAT if is_flat else table, file=path.name)
    captions = caption_columns(dialect.columns)
    has_several = table == REFERENCES and len(captions) > 1
    if is_flat or has_several:
        more = [name for name in captions if name != CAPTION]
        whole = replace(whole, optional=(*whole.optional, *more))
    if dialect.numbered:
        required = [name for name in whole.required if name != NAME]
        whole = replace(whole, required=(*required,), optional=(NAME, *whole.optional))

    sheet = read_table(path, whole, progress, dialect, memory)
    if is_flat and table == PAIRS:
        frame = _pairs_in(sheet.frame)
        sheet = replace(sheet, frame=frame)
    elif is_flat:
        sheet = _distinct_references(sheet, path.name, dialect.columns)
    elif has_several:
        sheet = _listed_references(sheet, path.name, dialect.columns)

    if dialect.numbered and table == PAIRS:
        return _numbered(sheet, path.name)
    return sheet


def _with_lists(path: Path, dialect: CsvDialect) -> CsvDialect:
    """Add the columns of references that are lists to a dialect, where none is chosen."""
    if caption_columns(dialect.columns):
        return dialect

    names = column_names(path, dialect.encoding)
    listed = [name for name in names if _LISTED.fullmatch(name)]
    if listed in ([], [CAPTION]):
        return dialect

    ours = series_columns(CAPTION, len(listed))
    columns = dict(zip(ours, listed, strict=True))
    return replace(dialect, columns={**dialect.columns, **columns})


def _pairs_in(frame: pd.DataFrame) -> pd.DataFrame:
    is_filled = (frame[["candidate_b", "candidate_c"]] != "").any(axis=1)
    distinct = frame[is_filled].drop_duplicates([*PAIRS.columns])
    columns = [*PAIRS.columns, "line"]
    return distinct[columns].reset_index(drop=True)


def _distinct_references(sheet: Sheet, file: str, columns: Mapping[str, str]) -> Sheet:
    """Return the references of a flat file, the first line of each."""
    parts = _references_by_column(sheet.frame, distinct=True)
    together = _one_a_row(sheet, parts, file)
    if not together.readable:
        return together

    frame = together.frame.drop_duplicates(["image", CAPTION])
    note = (
        f"{file}: references and pairs are read from this one file, each of them once"
    )
    return replace(
        together,
        frame=frame.reset_index(drop=True),
        problems=[],
        more=0,
        warnings=[note, *_several(file, columns), *_repeated(sheet.frame, file)],
    )


def _listed_references(sheet: Sheet, file: str, columns: Mapping[str, str]) -> Sheet:
    """Return references that are several on a line, each on a row of its own.

    They are in the order of lines and columns; a line without any keeps an empty one.
    """
    captions = sheet.frame[caption_columns(sheet.frame.columns)]
    is_filled = captions.apply(lambda cells: cells.str.strip() != "")
    is_empty = ~is_filled.any(axis=1)
    empty = sheet.frame.loc[is_empty, [*REFERENCES.columns, "line"]]

    parts = _references_by_column(sheet.frame, distinct=False)
    together = _one_a_row(sheet, [empty, *parts], file)
    return replace(together, warnings=[*together.warnings, *_several(file, columns)])


def _one_a_row(sheet: Sheet, parts: list[pd.DataFrame], file: str) -> Sheet:
    """Return the sheet with the references of all parts, in the order of their lines."""
    if sum(map(len, parts)) > limits.MAX_ROWS:
        what = f"has more than {limits.MAX_ROWS:,} references"
        remedy = "Split the dataset into several"
        problem = Problem(file, what, remedy)
        return REFERENCES.unreadable(problem)

    rows = pd.concat(parts).sort_index(kind="stable")
    size = BYTES_PER_CELL * len(REFERENCES.columns) * len(rows)
    return replace(sheet, frame=rows.reset_index(drop=True), size=sheet.size + size)


def _references_by_column(frame: pd.DataFrame, *, distinct: bool) -> list[pd.DataFrame]:
    """Return the references in each column, up to the column that exceeds the limit.

    Those that are `distinct` are each once in a column.
    """
    parts: list[pd.DataFrame] = []
    others = [name for name in REFERENCES.columns if name != CAPTION]

    for name in caption_columns(frame.columns):
        filled = frame[frame[name].str.strip() != ""]
        part = filled[[*others, "line"]].assign(caption=filled[name])
        parts.append(part.drop_duplicates(["image", CAPTION]) if distinct else part)
        if sum(map(len, parts)) > limits.MAX_ROWS:
            break

    in_order = [*REFERENCES.columns, "line"]
    return [part[in_order] for part in parts]


def _several(file: str, columns: Mapping[str, str]) -> Iterator[str]:
    """Name the columns of references where there are several."""
    names = [columns[name] for name in caption_columns(columns)]

    if len(names) > 1:
        yield read_as_references(file, names)


def _repeated(frame: pd.DataFrame, file: str) -> Iterator[str]:
    """Warn of lines that repeat an earlier one."""
    cells = frame.drop(columns="line")
    again = frame[cells.duplicated()]

    if len(again):
        yield plural(
            len(again),
            f"{file}: {len(again):,} line repeats an earlier one and was left out (line "
            f"{lines_in_words(again)})",
            f"{file}: {len(again):,} lines repeat earlier ones and were left out (line "
            f"{lines_in_words(again)})",
        )


def _numbered(sheet: Sheet, file: str) -> Sheet:
    """Name the pairs of a sheet p1, p2, … in their order."""
    names = [f"p{number}" for number in range(1, len(sheet.frame) + 1)]
    note = (
        f"{file}: pairs are named p1, p2, … in the order of their lines; the name of a line "
        "that is left out for a problem stays unused"
    )
    frame = sheet.frame.assign(**{NAME: names})
    return replace(sheet, frame=frame, warnings=[*sheet.warnings, note])
