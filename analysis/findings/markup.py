"""Tables as Markdown and as LaTeX."""

from collections.abc import Mapping, Sequence
from html import escape
from types import MappingProxyType
from typing import TypeAlias

import pandas as pd

from tercet.analysis.scoring.contamination import legend, marked

_Marks: TypeAlias = Mapping[str, str]
"""What is written behind the names of metrics."""
_NO_MARKS: _Marks = MappingProxyType({})


def markdown(words: pd.DataFrame, marks: _Marks = _NO_MARKS) -> str:
    """Return the table as Markdown, and below it what the marks of metrics mean."""
    words, meaning = _with_marks(words, marks)
    texts = words.astype(str).map(escape)
    safe = texts.map(lambda text: text.replace("|", "\\|"))
    names = list(words.columns)
    rows = safe.to_numpy().tolist()
    lines = [names, ["---"] * len(names), *rows]
    cells = map(" | ".join, lines)
    written = "".join(f"| {line} |\n" for line in cells)
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
    named = words.rename(columns=lambda name: name.replace("_", " "))
    styler = named.style.hide(axis="index")
    styler = styler.format(escape="latex")

    if is_bold is not None:
        weights = is_bold.map({True: "font-weight: bold", False: ""})
        styler = styler.apply(lambda _: weights, subset=list(columns))
    source = styler.to_latex(hrules=True, convert_css=True)
    table = str(source)
    if not note:
        return table

    printed = note.replace("%", "\\%")
    return f"{table}\n\\par\\smallskip\n{{\\footnotesize {printed}\\par}}\n"


def _with_marks(words: pd.DataFrame, marks: _Marks) -> tuple[pd.DataFrame, str]:
    """Return a table with marks behind the names of metrics, and what these mean."""
    if not marks or "metric" not in words:
        return words, ""

    names = [marked(name, marks) for name in words["metric"]]
    return words.assign(metric=names), legend(marks.values()).english
