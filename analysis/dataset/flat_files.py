"""References and pairs in one file, and pairs without names."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

import pandas as pd

from analysis.dataset import limits
from analysis.dataset.checks import lines_in_words
from analysis.dataset.csv_tables import (
    BYTES_PER_CELL,
    Problem,
    Sheet,
    Table,
    shortened,
)
from analysis.dataset.schema import PAIRS, REFERENCES
from analysis.texts import Text, ngettext
from analysis.texts import gettext as _

NAME = "pair"
CAPTION = "caption"
FLAT = Table(
    "",
    (*PAIRS.required, CAPTION),
    (*PAIRS.optional, *REFERENCES.optional),
)
"""A file with a pair and a reference on each line; either may be empty there."""
SERIES = re.compile(
    r"(.*?[^\W\d_])[\W_]*(\d+|(?<=[\W_])[a-z])[\W_]*", re.IGNORECASE
)
"""A name with a running number or letter: ref1, reference 2, caption_a."""


def series_in(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The names that are one name with running numbers or letters, by that name in lower case.

    A name without a number belongs to those that have its numbers, or is alone.
    """
    series: dict[str, tuple[str, ...]] = {}
    for name in names:
        match = SERIES.fullmatch(name)
        stem = (match[1] if match else name).casefold()
        series[stem] = (*series.get(stem, ()), name)

    return series


def series_columns(column: str, count: int) -> list[str]:
    """Our names of several columns of a file that are one of ours: caption, caption (2), …"""
    more = (f"{column} ({number})" for number in range(2, count + 1))
    return [column, *more]


def caption_columns(columns: Collection[str]) -> list[str]:
    """Those of our columns that hold references in a flat file."""
    return [name for name in columns if name.partition(" ")[0] == CAPTION]


def flat_table(columns: Mapping[str, str]) -> Table:
    """The table `FLAT` with each column of references in `columns`, as in `CsvDialect`."""
    more = [name for name in caption_columns(columns) if name != CAPTION]
    return replace(FLAT, optional=(*FLAT.optional, *more))


def table_in(
    sheet: Sheet, table: Table, file: str, columns: Mapping[str, str]
) -> Sheet:
    """One of the two tables of a flat file, each reference and each pair once.

    Parameters
    ----------
    sheet
        The file, read as `flat_table`.
    table
        `REFERENCES` or `PAIRS`. The problems and warnings of the file are those of its pairs.
    file
        The name of the file.
    columns
        The file's column names by ours, as in `CsvDialect`.

    Returns
    -------
    Sheet
        The first line of each reference or pair, with the columns of the table.
    """
    if table == PAIRS:
        return replace(sheet, frame=_pairs_in(sheet.frame))

    parts = _references_by_column(sheet.frame)
    if sum(map(len, parts)) > limits.MAX_ROWS:
        return _with_too_many_references(file)

    rows = pd.concat(parts).sort_index(kind="stable")
    frame = rows.drop_duplicates(["image", CAPTION]).reset_index(drop=True)
    size = BYTES_PER_CELL * len(REFERENCES.columns) * len(frame)

    return replace(
        sheet,
        frame=frame,
        problems=[],
        more=0,
        warnings=[*_notes(file, columns), *_repeated(sheet.frame, file)],
        size=sheet.size + size,
    )


def _pairs_in(frame: pd.DataFrame) -> pd.DataFrame:
    is_filled = (frame[["candidate_b", "candidate_c"]] != "").any(axis=1)
    distinct = frame[is_filled].drop_duplicates([*PAIRS.columns])
    return distinct[[*PAIRS.columns, "line"]].reset_index(drop=True)


def _references_by_column(frame: pd.DataFrame) -> list[pd.DataFrame]:
    """The references in each column, each once, up to the column that exceeds the limit."""
    parts: list[pd.DataFrame] = []
    others = [name for name in REFERENCES.columns if name != CAPTION]

    for name in caption_columns(frame.columns):
        filled = frame[frame[name].str.strip() != ""]
        part = filled[[*others, "line"]].assign(caption=filled[name])
        parts.append(part.drop_duplicates(["image", CAPTION]))
        if sum(map(len, parts)) > limits.MAX_ROWS:
            break

    in_order = [*REFERENCES.columns, "line"]
    return [part[in_order] for part in parts]


def _with_too_many_references(file: str) -> Sheet:
    what = _("has more than {limit:,} references", limit=limits.MAX_ROWS)
    remedy = _("Split the dataset into several")
    problem = Problem(file, None, "", "", what, remedy)
    return Sheet(REFERENCES.empty(), [problem], readable=False)


def _notes(file: str, columns: Mapping[str, str]) -> list[Text]:
    """How references are read from a flat file."""
    note = _(
        "{file}: references and pairs are read from this one file, each of them once",
        file=file,
    )
    names = [columns[name] for name in caption_columns(columns)]
    if len(names) < 2:
        return [note]

    several = _(
        "{file}: columns {names} are read as references",
        file=file,
        names=shortened(", ".join(names), 300),
    )
    return [note, several]


def _repeated(frame: pd.DataFrame, file: str) -> Iterator[Text]:
    """Warn of lines that repeat an earlier one."""
    again = frame[frame.drop(columns="line").duplicated()]

    if len(again):
        yield ngettext(
            "{file}: {count:,} line repeats an earlier one and was left out (line {lines})",
            "{file}: {count:,} lines repeat earlier ones and were left out (line {lines})",
            len(again),
            file=file,
            lines=lines_in_words(again),
        )


def without_names(table: Table) -> Table:
    """The table where pairs need no names."""
    required = tuple(name for name in table.required if name != NAME)
    return replace(table, required=required, optional=(NAME, *table.optional))


def numbered(sheet: Sheet, file: str) -> Sheet:
    """Name the pairs of a sheet p1, p2, … in their order."""
    names = [f"p{number}" for number in range(1, len(sheet.frame) + 1)]
    note = _(
        "{file}: pairs are named p1, p2, … in the order of their lines",
        file=file,
    )
    return replace(
        sheet,
        frame=sheet.frame.assign(**{NAME: names}),
        warnings=[*sheet.warnings, note],
    )
