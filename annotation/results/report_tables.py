"""Read the most informative rows of a report's tables, formatted for a page."""

import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

import pandas as pd
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tercet.analysis.report.cells import column_cells
from tercet.analysis.scoring.headline import HEADLINE
from tercet.analysis.scoring.tallies import ALL_REFERENCES
from tercet.analysis.tables.csv_tables import shortened
from tercet.analysis.tables.schema import MEAN, PEOPLE
from tercet.analysis.values import in_cell
from tercet.annotation.results.report_texts import Templates, on_page

MAX_ROWS = 28
"""As many as there are pairs of the eight headline metrics."""
MAX_CHARACTERS = 160
LONG = 32
"""Characters from which a text is wrapped."""
_BY_METRIC = ("metric", "metric_a", "metric_b", "rater")
_REASONS = ("reason", "why")
SENTENCES = (*_REASONS, "note", "verdict", "williams")
"""Columns whose cells are texts of the analysis."""
_NO_TEMPLATES: Templates = {}
NUMBER = re.compile(r"-?\d+(\.\d+)?")
EMPTY = pd.DataFrame()

Kind = Literal["number", "text", "word", "none"]


@dataclass(frozen=True)
class Table:
    """Some rows of a table: `chosen` says which, `total` is the number of rows in its file."""

    name: str
    columns: dict[str, Kind]
    rows: list[list[tuple[Kind, str]]]
    chosen: str
    total: int
    size: int

    @property
    def title(self) -> str:
        return in_words(self.name).capitalize()


def read_table(
    folder: Path, name: str, count: int | None, templates: Templates = _NO_TEMPLATES
) -> Table | None:
    """Return the most informative rows of a table; None if it cannot be read."""
    path = folder / f"{name}.csv"
    try:
        size = path.stat().st_size
        whole = (
            pd.read_csv(path, dtype="str", keep_default_na=False) if size > 1 else EMPTY
        )
    except (OSError, ValueError):
        return None

    shown, chosen = _most_informative(whole, count)
    columns = _columns(shown, templates)

    return Table(
        name,
        {in_words(title): kind for title, (kind, _) in columns.items()},
        [
            [(kind, cells[row]) for kind, cells in columns.values()]
            for row in range(len(shown))
        ],
        chosen,
        len(whole),
        size,
    )


def _columns(
    shown: pd.DataFrame, templates: Templates
) -> dict[str, tuple[Kind, list[str]]]:
    """Return the kind and the cells of each column that is not empty."""
    columns: dict[str, tuple[Kind, list[str]]] = {}

    for title in map(str, shown):
        cells = list(shown[title])
        if title in SENTENCES:
            cells = [on_page(cell, templates) for cell in cells]

        kind, texts = _format_column(title, cells)
        if kind != "none":
            columns[title] = (kind, texts)

    return columns


def _most_informative(
    whole: pd.DataFrame, count: int | None
) -> tuple[pd.DataFrame, str]:
    """Return at most MAX_ROWS rows, and in words which rows they are.

    A longer table is narrowed step by step: to the headline metrics, to the mean over categories,
    and to `count` references or as many as there are.
    """
    shown = whole
    chosen: list[str] = []

    for narrow in (_to_headline, _to_mean, partial(_to_count, count=count)):
        fewer, words = narrow(shown)
        if len(shown) > MAX_ROWS and 0 < len(fewer) < len(shown):
            shown, chosen = fewer, [*chosen, words]

    if len(shown) > MAX_ROWS:
        shown, chosen = (
            shown.head(MAX_ROWS),
            [*chosen, _("the first %(rows)s") % {"rows": MAX_ROWS}],
        )

    return shown, ", ".join(chosen)


def _to_headline(rows: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    for name in _BY_METRIC:
        if name in rows:
            rows = rows[rows[name].isin([PEOPLE, *HEADLINE])]
    return rows, _("headline metrics")


def _to_mean(rows: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    narrowed = rows[rows["category"] == MEAN] if "category" in rows else rows
    return narrowed, _("mean over categories")


def _to_count(rows: pd.DataFrame, count: int | None) -> tuple[pd.DataFrame, str]:
    if "reference_count" not in rows or rows.empty:
        return rows, ""

    with_all = rows["reference_count"] == ALL_REFERENCES
    if count is None and with_all.any():
        return rows[with_all], _("with all references")

    counts = pd.to_numeric(rows["reference_count"], errors="coerce").fillna(0)
    at = min(count or int(counts.max()), int(counts.max()))
    words = ngettext("with %(count)s reference", "with %(count)s references", at)
    return rows[counts == at], words % {"count": at}


def _format_column(title: str, cells: list[str]) -> tuple[Kind, list[str]]:
    """Return the kind of a column and its formatted cells; `none` for an empty reason."""
    filled = [cell for cell in cells if cell]
    if title in _REASONS and not filled:
        return "none", cells

    if all(NUMBER.fullmatch(cell) for cell in filled):
        return "number", column_cells(title, [_number(cell) for cell in cells])

    long = any(len(cell) > LONG for cell in filled)
    return "text" if long else "word", [
        shortened(in_cell(cell), MAX_CHARACTERS) for cell in cells
    ]


def _number(cell: str) -> float | str | None:
    """Return a fraction as a number, a count or name as it is, and None for an empty cell."""
    if not cell:
        return None
    return float(cell) if "." in cell else cell


def in_words(name: str) -> str:
    return name.replace("_", " ")
