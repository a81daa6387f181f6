"""Tables as Markdown and as LaTeX."""

from collections.abc import Sequence
from html import escape

import pandas as pd


def markdown(words: pd.DataFrame) -> str:
    """Return the table as Markdown."""
    texts = words.astype(str).map(escape)
    safe = texts.map(lambda text: text.replace("|", "\\|"))
    names = list(words.columns)
    rows = safe.to_numpy().tolist()
    lines = [names, ["---"] * len(names), *rows]
    cells = map(" | ".join, lines)
    return "".join(f"| {line} |\n" for line in cells)


def latex(
    words: pd.DataFrame,
    is_bold: "pd.Series[bool] | None" = None,
    columns: Sequence[str] = (),
    note: str = "",
) -> str:
    """Return the table as LaTeX, for the package booktabs.

    The rows of `is_bold` are in bold in some columns. The note is printed below the table.
    """
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
