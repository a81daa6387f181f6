"""Tables as pages show them: their most informative rows, each column with its decimals."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Integral, Real
from types import MappingProxyType
from typing import Any

import pandas as pd

from tercet.analysis.number_texts import MINUS, plural, written
from tercet.analysis.scoring.contamination import marked
from tercet.analysis.scoring.tallies import ALL_REFERENCES, ReferenceCount
from tercet.analysis.tables.column_titles import title_of
from tercet.analysis.tables.csv_tables import shortened
from tercet.analysis.tables.rows import where
from tercet.analysis.tables.schema import MEAN, PEOPLE
from tercet.analysis.values import in_cell, p_number

MAX_ROWS = 28
"""As many as there are pairs of the eight headline metrics."""
MISSING = "\N{EN DASH}"
_DECIMALS = 4
_MAX_CHARACTERS = 160
_LONG = 32
"""Characters from which a text is wrapped."""
_BY_METRIC = ("metric", "metric_a", "metric_b", "rater")
_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_TITLES = {
    "ratings_sources": "mean rating of each source",
    "ratings_raters": "agreement of raters",
    "ratings_table": "correlation of metrics with the ratings",
}
_OF_P = "p"
"""The style of p values."""

Value = float | int | str | str | None


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    name : str
    kind : {"number", "text", "word"}
        How its cells are set; `text` is long.
    style : str
        The format of its fractions (`number_texts.written`).
    values : sequence
        Numbers, texts, and None where there is nothing.
    """

    name: str
    kind: str
    style: str
    values: Sequence[Value]

    @classmethod
    def of(cls, name: str, values: Sequence[Any]) -> "Column":
        """Return a column with as many decimals as say something, none for counts and ranks."""
        plain = [_plain(value) for value in values]
        is_of_p = name == "p" or name.startswith("p_")
        style = _OF_P if is_of_p else f".{_decimals(plain)}f"

        kind = _kind(plain)
        return cls(name, kind, style, plain)

    @property
    def title(self) -> str:
        return title_of(self.name)

    @property
    def cells(self) -> list[str]:
        """The cells in the language of the reader."""
        return [self._cell(value) for value in self.values]

    def _cell(self, value: Value) -> str:
        if value is None or (value == "" and self.kind == "number"):
            return MISSING
        if not isinstance(value, float):
            text = in_cell(str(value))
            return shortened(text, _MAX_CHARACTERS)
        if self.style == _OF_P:
            return str(p_number(value))
        text = written(value, self.style)
        return text.replace("-", MINUS)


@dataclass(frozen=True)
class Table:
    """Some rows of a table.

    Attributes
    ----------
    name : str
        The name of its file, without ending.
    columns : sequence of Column
        Those that hold a value.
    chosen : str
        Which rows these are; empty where they are all.
    total : int
        The number of rows in the file.
    size : int
        The bytes of the file.
    best : sequence of bool
        Whether each row is of the best metric, or of one that does not differ from it.
    """

    name: str
    columns: Sequence[Column]
    chosen: str
    total: int
    size: int
    best: Sequence[bool]

    @property
    def title(self) -> str:
        words = _TITLES.get(self.name, self.name).replace("_", " ")
        return words.capitalize()

    @property
    def rows(self) -> list[tuple[bool, list[tuple[str, str]]]]:
        """For each row whether it is the best, and the kind and text of its cells."""
        kinds = [column.kind for column in self.columns]
        cells = zip(*(column.cells for column in self.columns), strict=True)

        return [
            (is_best, list(zip(kinds, row, strict=True)))
            for is_best, row in zip(self.best, cells, strict=True)
        ]


def cut(
    name: str,
    whole: pd.DataFrame,
    size: int,
    headline: Collection[str],
    count: ReferenceCount,
    bold: Collection[tuple[str, ReferenceCount]] = (),
    marks: Mapping[str, str] = MappingProxyType({}),
) -> Table:
    """Return the most informative rows of a table.

    Parameters
    ----------
    name : str
    whole : DataFrame
        All rows. More than `MAX_ROWS` are narrowed step by step: to the headline metrics, to the
        mean over categories, and to `count` references or as many as there are.
    size : int
        The bytes of its file.
    headline : collection of str
        The headline metrics.
    count : int or "all"
    bold : collection of metric and count
        The best metrics.
    marks : mapping from metric to str
        What is written behind their names.
    """
    shown, chosen = _most_informative(whole, headline, count)
    columns = _columns(shown, marks)
    best = [False] * len(shown)
    if bold and {"metric", "reference_count"} <= set(shown):
        rows = zip(shown["metric"], shown["reference_count"], strict=True)
        best = [row in bold for row in rows]

    filled = [column for column in columns if {*column.values} - {None, ""}]
    return Table(name, filled or columns, chosen, len(whole), size, best)


def _columns(shown: pd.DataFrame, marks: Mapping[str, str]) -> list[Column]:
    """Return the columns of a table, with marks behind the names of metrics."""
    columns = []
    for name in shown:
        values = shown[name].tolist()
        if marks and name in _BY_METRIC:
            values = [marked(value, marks) for value in values]
        column = Column.of(marked(str(name), marks), values)
        columns.append(column)

    return columns


def _most_informative(
    whole: pd.DataFrame, headline: Collection[str], count: ReferenceCount
) -> tuple[pd.DataFrame, str]:
    """Return at most MAX_ROWS rows, and in words which rows they are."""
    shown = whole
    chosen: list[str] = []
    steps = (
        partial(_to_headline, headline=headline),
        _to_mean,
        partial(_to_count, count=count),
    )
    for narrow in steps:
        fewer, words = narrow(shown)
        if len(shown) > MAX_ROWS and 0 < len(fewer) < len(shown):
            shown = fewer
            chosen.append(words)

    if len(shown) > MAX_ROWS:
        shown = shown.head(MAX_ROWS)
        chosen.append(f"the first {MAX_ROWS}")

    return shown, ", ".join(chosen) if chosen else ""


def _to_headline(
    rows: pd.DataFrame, headline: Collection[str]
) -> tuple[pd.DataFrame, str]:
    for name in _BY_METRIC:
        if name in rows:
            rows = rows[rows[name].isin([PEOPLE, *headline])]
    return rows, "main metrics and baselines"


def _to_mean(rows: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    narrowed = where(rows, category=MEAN) if "category" in rows else rows
    return narrowed, "mean over categories"


def _to_count(rows: pd.DataFrame, count: ReferenceCount) -> tuple[pd.DataFrame, str]:
    if "reference_count" not in rows or rows.empty:
        return rows, ""

    with_all = rows["reference_count"] == ALL_REFERENCES
    if count == ALL_REFERENCES and with_all.any():
        return rows[with_all], "with all references"

    counts = pd.to_numeric(rows["reference_count"], errors="coerce").fillna(0)
    most = int(counts.max())
    at = most if count == ALL_REFERENCES else min(int(count), most)
    shown = rows[counts == at]
    words = plural(at, f"with {at} reference", f"with {at} references")
    return shown, words


def _plain(value: Any) -> Value:
    """Return the value of a cell as a file of JSON can hold it."""
    if isinstance(value, str):
        return value or ""
    if pd.isna(value):
        return None
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, Integral):
        return int(value)
    return float(value) if isinstance(value, Real) else str(value)


def _kind(values: Sequence[Value]) -> str:
    texts = [each for each in values if isinstance(each, str)]
    if all(_NUMBER.fullmatch(text) for text in texts if text):
        return "number"
    return "text" if any(len(text) > _LONG for text in texts) else "word"


def _decimals(values: Sequence[Value]) -> int:
    """Return with how many decimals a column is shown: none or one for ranks and counts."""
    numbers = [each for each in values if isinstance(each, float)]
    if all(0 <= each <= 1 for each in numbers):
        return _DECIMALS
    if all(each % 1 == 0 for each in numbers):
        return 0

    is_of_ranks = all(each % 0.5 == 0 for each in numbers)
    return 1 if is_of_ranks and max(map(abs, numbers)) > 1 else _DECIMALS
