"""Figures that publications print: rows of published.csv, with their sources (sources.json).

Most were transcribed twice and compared. Where a source quotes another, the note says so.
"""

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from tercet.analysis.bench.digits import Digits, PrintedRow, read_digits
from tercet.metrics import COCO_NAMES

_FOLDER = Path(__file__).parent
_UNITS = {"percent": 100.0, "x100": 100.0, "share": 1.0}
_COLUMNS = {
    **dict.fromkeys(("avg", "mean", "all", "total"), "mean"),
    **dict.fromkeys(("pearson", "pearson r"), "Pearson"),
    **dict.fromkeys(("spearman", "spearman rho", "spearman's rho"), "Spearman"),
    **dict.fromkeys(("kendall", "kendall tau", "kendall's tau", "expert", "cf"), "tau"),
    "tau_c mean": "tau_c",
    "1-ref": "1",
    "4-ref": "4",
    "kendall (own run)": "tau",
    "kendall (paper)": "tau",
    "accuracy": "all",
}
"""Names of columns, in lower case, with the names that the bench has for them."""
_METRICS = {
    **{name.lower().replace("_", "-"): own for own, name in COCO_NAMES.items()},
    "bleu": "BLEU-4",
    "rouge": "ROUGE-L",
    "cider-d": "CIDEr-D",
    "length": "length",
    "rouge-1": "ROUGE-1",
    "output-length": "length",
}


class _Publication(NamedTuple):
    """A publication, and what it says about how it counted, in our words."""

    title: str
    authors: list[str]
    year: int | None
    url: str
    protocol: str
    weights: Mapping[str, Mapping[str, int]] = {}
    """How many instances each column has, by set."""
    metrics: Mapping[str, str] = {}
    """Names of metrics that mean something else here; a set may stand before the name."""


class PlaceOfTable(NamedTuple):
    """A table of a source, of one set, in one unit."""

    source: str
    table: str
    set: str
    unit: str


@dataclass(frozen=True)
class PrintedFigure:
    """One printed figure.

    Attributes
    ----------
    place
        The table that it stands in.
    column, metric, references, printed, note
        As in published.csv.
    """

    place: PlaceOfTable
    column: str
    metric: str
    references: str
    printed: str
    note: str

    @property
    def digits(self) -> Digits | None:
        """What is printed, in its unit; None where it is no number."""
        return read_digits(self.printed)

    @property
    def own_column(self) -> str:
        """The name that the bench has for its column."""
        name = self.column.lower()
        return _COLUMNS.get(name, self.column)

    @property
    def own_metric(self) -> str:
        """The name of the metric here, or as it is printed."""
        named = sources()[self.place.source].metrics
        other = named.get(f"{self.place.set} {self.metric}", named.get(self.metric))
        return other or metric_named(self.metric)

    @property
    def row(self) -> tuple[str, str]:
        """What tells its row from others of the table."""
        return self.metric, self.references if self.column == "accuracy" else ""


def metric_named(printed: str) -> str:
    """Return our name of a metric from its name in print, or that name."""
    key = re.sub(r"[ _@]+", "-", printed.strip(" *").lower())
    key = re.sub(r"^bleu(\d)$", r"bleu-\1", key)
    return _METRICS.get(key, printed.strip(" *"))


def scale_of(unit: str) -> float:
    """Return by what shares are multiplied in a unit; NaN where it is of no share."""
    return _UNITS.get(unit, float("nan"))


@cache
def sources() -> Mapping[str, _Publication]:
    """Return the publications by key."""
    read: dict[str, dict[str, Any]] = json.loads(
        (_FOLDER / "sources.json").read_text(encoding="utf-8")
    )
    return {key: _Publication(**each) for key, each in read.items()}


@cache
def published() -> Mapping[PlaceOfTable, list[PrintedFigure]]:
    """Return all printed figures, by table."""
    frame = pd.read_csv(_FOLDER / "published.csv", dtype=str, keep_default_na=False)
    tables: dict[PlaceOfTable, list[PrintedFigure]] = defaultdict(list)
    for row in frame.to_numpy(dtype=object).tolist():
        source, table, name, column, metric, references, printed, unit, note = row
        place = PlaceOfTable(source, table, name, unit)
        figure = PrintedFigure(place, column, metric, references, printed, note)
        tables[place].append(figure)
    return tables


def rows_of(figures: Sequence[PrintedFigure]) -> dict[tuple[str, str], PrintedRow]:
    """Return the figures of a table as rows with the names of our metrics and columns."""
    rows: dict[tuple[str, str], dict[str, Digits]] = defaultdict(dict)
    firsts: dict[tuple[str, str], PrintedFigure] = {}
    for each in figures:
        firsts.setdefault(each.row, each)
        if each.digits:
            rows[each.row][each.column] = each.digits

    return {
        key: PrintedRow(
            name=firsts[key].metric,
            metric=firsts[key].own_metric,
            cells=cells,
            set=firsts[key].place.set,
            references=int(key[1]) if key[1].isdecimal() else None,
        )
        for key, cells in rows.items()
    }
