"""Tables as Markdown and as LaTeX."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

import pandas as pd

from tercet.analysis.scoring.contamination import legend, marked
from tercet.analysis.tables.column_titles import title_of
from tercet.analysis.tables.markup import (
    in_latex,
    in_markdown,
    latex_note,
    latex_table,
    markdown_table,
)
from tercet.analysis.values import in_cell

_Marks: TypeAlias = Mapping[str, str]
"""What is written behind the names of metrics."""
_NO_MARKS: _Marks = MappingProxyType({})


def markdown(words: pd.DataFrame, marks: _Marks = _NO_MARKS) -> str:
    """Return the table as Markdown, and below it what the marks of metrics mean."""
    words, meaning = _with_marks(words, marks)
    header = [in_markdown(title_of(str(name))) for name in words]
    cells = words.astype(str).map(in_cell).map(_in_markdown_cell)
    written = markdown_table(header, cells.to_numpy().tolist())
    return f"{written}\n{meaning}\n" if meaning else written


def latex(
    words: pd.DataFrame,
    is_bold: "pd.Series[bool] | None" = None,
    columns: Sequence[str] = (),
    note: str = "",
    marks: _Marks = _NO_MARKS,
) -> str:
    """Return the table as LaTeX, for the package booktabs.

    The rows of `is_bold` are in bold in some columns. The note is printed below the table, and
    what the marks of metrics mean.
    """
    words, meaning = _with_marks(words, marks)
    note = f"{note} {meaning}".strip()
    header = [in_latex(title_of(str(name))) for name in words]
    texts = words.astype(str).map(in_cell)
    cells = texts.map(in_latex)

    if is_bold is not None:
        for name in columns:
            bold = r"\bfseries " + cells[name]
            cells[name] = bold.where(is_bold, cells[name])

    rows = cells.to_numpy().tolist()
    narrow = r"@{\hspace{4pt}}"
    layout = f"@{{}}{narrow.join('l' * len(header))}@{{}}"
    table = latex_table(header, rows, layout)
    return f"{table}\n{latex_note(note)}" if note else table


def _in_markdown_cell(text: str) -> str:
    """Write the text of a cell, in which brackets hold intervals."""
    return in_markdown(text).replace(r"\[", "[").replace(r"\]", "]")


def _with_marks(words: pd.DataFrame, marks: _Marks) -> tuple[pd.DataFrame, str]:
    """Return a table with marks behind the names of metrics, and what these mean."""
    if not marks or "metric" not in words:
        return words, ""

    names = [marked(name, marks) for name in words["metric"]]
    return words.assign(metric=names), legend(marks.values())
