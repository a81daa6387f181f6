"""A few rows of a table of a report, as a page has room for them: the most telling, well set."""

import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

import pandas as pd
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analysis.dataset.csv_tables import shortened
from analysis.dataset.schema import MEAN, PEOPLE
from analysis.evaluation.headline import HEADLINE
from analysis.evaluation.tallies import ALL_REFERENCES

ROWS_SHOWN = 28
"""Every two of the eight headline metrics."""
LETTERS_SHOWN = 160
LONG = 32
"""Letters from which on a text is wrapped."""
LEAST = 0.0001
"""Below it a p is not told more closely."""
BY_METRIC = ("metric", "metric_a", "metric_b", "rater")
REASONS = ("reason", "why")
NUMBER = re.compile(r"-?\d+(\.\d+)?")
EMPTY = pd.DataFrame()

Kind = Literal["number", "text", "word", "none"]


@dataclass(frozen=True)
class Table:
    """Some rows of a table. chosen: which, in words. total: the rows that its file has."""

    name: str
    columns: dict[str, Kind]
    rows: list[list[tuple[Kind, str]]]
    chosen: str
    total: int
    size: int

    @property
    def title(self) -> str:
        return in_words(self.name).capitalize()


def read_table(folder: Path, name: str, count: int | None) -> Table | None:
    """The most telling rows of a table; None if there is no such table, or none to be read."""
    path = folder / f"{name}.csv"
    try:
        size = path.stat().st_size
        whole = pd.read_csv(path, dtype="str", keep_default_na=False) if size > 1 else EMPTY
    except (OSError, ValueError):
        return None
    shown, chosen = telling(whole, count)
    columns = {title: column(title, list(shown[title])) for title in map(str, shown)}
    columns = {title: (kind, cells) for title, (kind, cells) in columns.items() if kind != "none"}
    return Table(
        name,
        {in_words(title): kind for title, (kind, _) in columns.items()},
        [[(kind, cells[row]) for kind, cells in columns.values()] for row in range(len(shown))],
        chosen,
        len(whole),
        size,
    )


def telling(whole: pd.DataFrame, count: int | None) -> tuple[pd.DataFrame, str]:
    """So many rows as a page has room for, and which they are, in words.

    Where there are more, those of the headline metrics, then of the mean over categories, then
    with `count` references, or as many as there are: until the rest has room.
    """
    shown = whole
    chosen: list[str] = []
    for narrow in (to_headline, to_mean, partial(to_count, count=count)):
        fewer, words = narrow(shown)
        if len(shown) > ROWS_SHOWN and 0 < len(fewer) < len(shown):
            shown, chosen = fewer, [*chosen, words]
    if len(shown) > ROWS_SHOWN:
        shown, chosen = (
            shown.head(ROWS_SHOWN),
            [*chosen, _("the first %(rows)s") % {"rows": ROWS_SHOWN}],
        )
    return shown, ", ".join(chosen)


def to_headline(rows: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    for name in BY_METRIC:
        if name in rows:
            rows = rows[rows[name].isin([PEOPLE, *HEADLINE])]
    return rows, _("headline metrics")


def to_mean(rows: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    narrowed = rows[rows["category"] == MEAN] if "category" in rows else rows
    return narrowed, _("mean over categories")


def to_count(rows: pd.DataFrame, count: int | None) -> tuple[pd.DataFrame, str]:
    if "reference_count" not in rows or rows.empty:
        return rows, ""
    with_all = rows["reference_count"] == ALL_REFERENCES
    if count is None and with_all.any():
        return rows[with_all], _("with all references")

    counts = pd.to_numeric(rows["reference_count"], errors="coerce").fillna(0)
    at = min(count or int(counts.max()), int(counts.max()))
    words = ngettext("with %(count)s reference", "with %(count)s references", at)
    return rows[counts == at], words % {"count": at}


def column(title: str, cells: list[str]) -> tuple[Kind, list[str]]:
    """The kind of a column, and its cells as a page shows them; `none` where no reason is given."""
    filled = [cell for cell in cells if cell]
    if title in REASONS and not filled:
        return "none", cells
    if all(NUMBER.fullmatch(cell) for cell in filled):
        least = LEAST if title == "p" or title.startswith("p_") else 0.0
        return "number", [number(cell, are_whole(filled), least) for cell in cells]
    long = any(len(cell) > LONG for cell in filled)
    return "text" if long else "word", [shortened(cell, LETTERS_SHOWN) for cell in cells]


def are_whole(numbers: list[str]) -> bool:
    """Whether these are counts, though a missing one among them made them fractions."""
    values = [float(cell) for cell in numbers]
    whole = all(value.is_integer() for value in values)
    return whole and not all(0 <= value <= 1 for value in values)


def number(cell: str, whole: bool, least: float) -> str:
    """Four decimals of a fraction, a count as it is, a dash for what does not exist."""
    if not cell:
        return "–"  # noqa: RUF001
    if "." in cell and 0 <= float(cell) < least:
        return f"<{least}"
    if "." in cell:
        cell = f"{float(cell):.0f}" if whole else f"{float(cell):.4f}"
    return cell.replace("-", "−")  # noqa: RUF001


def in_words(name: str) -> str:
    return name.replace("_", " ")
