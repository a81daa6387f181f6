"""Rules for the cells of a table; each yields a problem for every row that breaks it."""

from collections.abc import Collection, Iterator
from datetime import UTC, datetime

import numpy as np
import pandas as pd

from tercet.analysis.tables.csv_tables import Problem, Table, printable, problems_of
from tercet.analysis.tables.schema import CONTROLS, LONGEST_NAME, floats
from tercet.analysis.texts import Text
from tercet.analysis.texts import gettext as _

COUNT = r"[1-9][0-9]{0,8}"
"""A whole number from 1, as text."""
_LONGEST_SECONDS = 1e9
_IMAGE_ADDRESS = (
    r"(?:https://[^\s\\]+"
    r"|(?!//)(?![A-Za-z][A-Za-z0-9+.\-]*:)[^\x00-\x20\\][^\x00-\x1f\\]*)?"
)
"""An https address, an address without protocol and host, or nothing."""


def filled(rows: pd.DataFrame, table: Table, column: str) -> Iterator[Problem]:
    """Check that the cells have text."""
    empty = rows[~rows[column].str.contains(r"\S")]
    what, remedy = _("is empty"), _("Fill it in or remove the line")
    yield from problems_of(empty, table.file, column, what, remedy)


def short(
    rows: pd.DataFrame, table: Table, column: str, limit: int = LONGEST_NAME
) -> Iterator[Problem]:
    """Check that the cells have at most `limit` characters."""
    long = rows[rows[column].str.len() > limit]
    what = _("is too long")
    remedy = _("Use at most {limit:,} characters", limit=limit)
    yield from problems_of(long, table.file, column, what, remedy)


def addresses(rows: pd.DataFrame, table: Table, column: str) -> Iterator[Problem]:
    """Check that the cells are empty, https addresses, or addresses relative to the site."""
    is_valid = rows[column].str.fullmatch(_IMAGE_ADDRESS)
    what = _("is neither an https address nor a relative one")
    remedy = _("Begin it with https://, or leave out protocol and host")
    yield from problems_of(
        rows[~is_valid.astype(bool)], table.file, column, what, remedy
    )


def named(rows: pd.DataFrame, table: Table, column: str) -> Iterator[Problem]:
    """Check that the cells are names: filled and short."""
    yield from filled(rows, table, column)
    yield from short(rows, table, column)


def plain(
    rows: pd.DataFrame, table: Table, column: str, remedy: Text
) -> Iterator[Problem]:
    """Check that the cells that are filled can be shown on one line, as they are."""
    values = rows[column]
    odd = {value for value in values.unique() if value.strip() and not _is_plain(value)}
    bad = rows[values.isin(odd)]
    what = _("is not a plain name")
    yield from problems_of(bad, table.file, column, what, remedy)


def _is_plain(name: str) -> bool:
    return (
        name == name.strip()
        and len(name.splitlines()) == 1
        and not CONTROLS.search(name)
    )


def not_reserved(
    rows: pd.DataFrame,
    table: Table,
    column: str,
    reserved: Collection[str],
    remedy: Text,
) -> Iterator[Problem]:
    """Check that the cells are none of the reserved words, whatever their case."""
    taken = rows[rows[column].str.casefold().isin(reserved)]
    what = _("is a reserved name")
    yield from problems_of(taken, table.file, column, what, remedy)


def one_of(
    rows: pd.DataFrame, table: Table, column: str, allowed: tuple[str, ...]
) -> Iterator[Problem]:
    """Check that the cells have allowed values."""
    unknown = rows[~rows[column].isin(allowed)]
    what = _("is not a known {column}", column=column)
    values = ", ".join(filter(None, allowed))
    if "" in allowed:
        remedy = _("Use one of (empty), {values}", values=values)
    else:
        remedy = _("Use one of {values}", values=values)
    yield from problems_of(unknown, table.file, column, what, remedy)


def unique(
    rows: pd.DataFrame, table: Table, column: str, columns: list[str], remedy: Text
) -> Iterator[Problem]:
    """Check that no two rows are equal in `columns`; the problem is shown in one column.

    It is one of the later line alone where that says nothing else than the first.
    """
    again = rows[rows.duplicated(columns)]
    if again.empty:
        return

    cells = [name for name in rows.columns if name != "line"]
    same = rows.duplicated(cells)[again.index]
    for line, first, value, is_same in zip(
        again["line"],
        _first_lines(rows, columns)[again.index],
        again[column],
        same,
        strict=True,
    ):
        what = _("repeats line {line}", line=int(first))
        text = printable(value)
        yield Problem(
            table.file, int(line), column, text, what, remedy, is_local=bool(is_same)
        )


def _first_lines(rows: pd.DataFrame, columns: list[str]) -> "pd.Series[int]":
    """Return, for each row, the line of the first row that is equal in `columns`."""
    return rows.groupby(columns, sort=False)["line"].transform("first")


def number(rows: pd.DataFrame, table: Table, column: str) -> Iterator[Problem]:
    """Check that the cells are finite numbers."""
    bad = rows[~np.isfinite(floats(rows[column]))]
    what = _("is not a finite number")
    remedy = _("Give a number with a decimal point, such as 0.5")
    yield from problems_of(bad, table.file, column, what, remedy)


def seconds(rows: pd.DataFrame, table: Table, column: str) -> Iterator[Problem]:
    """Check that the cells are durations in seconds, or empty."""
    value = pd.to_numeric(rows[column], errors="coerce")
    bad = rows[(rows[column] != "") & ~((value >= 0) & (value < _LONGEST_SECONDS))]
    what = _("is not a time")
    remedy = _("Give seconds, or leave it empty")
    yield from problems_of(bad, table.file, column, what, remedy)


def time(rows: pd.DataFrame, table: Table, column: str) -> Iterator[Problem]:
    """Check that the cells are times with a time zone, or empty."""
    times = rows[column]
    wrong = {text for text in times.unique() if text and not is_time(text)}
    bad = rows[times.isin(wrong)]
    what = _("is not a time")
    remedy = _(
        "Give ISO 8601 with the time zone (2026-05-01T09:30:00+00:00), or leave it empty"
    )
    yield from problems_of(bad, table.file, column, what, remedy)


def is_time(text: str) -> bool:
    """Return whether a text is a time in ISO 8601 with a time zone, which exists in UTC."""
    try:
        moment = datetime.fromisoformat(text)
        moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return False
    return moment.tzinfo is not None


def known_image(
    rows: pd.DataFrame, table: Table, references: pd.DataFrame
) -> Iterator[Problem]:
    """Check that the images of the rows have references."""
    unknown = rows[~rows["image"].isin(references["image"])]
    what = _("is an unknown image")
    remedy = _("Correct its name, or add its references to references.csv")
    yield from problems_of(unknown, table.file, "image", what, remedy)


def known_pair(
    rows: pd.DataFrame, table: Table, pairs: pd.DataFrame
) -> Iterator[Problem]:
    """Check that the pairs of the rows are in pairs.csv."""
    unknown = rows[~rows["pair"].isin(pairs["pair"])]
    what = _("is an unknown pair")
    remedy = _("Correct its name, or add it to pairs.csv")
    yield from problems_of(unknown, table.file, "pair", what, remedy)
