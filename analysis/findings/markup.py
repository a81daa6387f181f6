"""Tables as Markdown and as LaTeX."""

from collections.abc import Sequence
from html import escape

import pandas as pd


def markdown(words: pd.DataFrame) -> str:
    """Return the table as Markdown."""
    safe = words.astype(str).map(lambda text: escape(text).replace("|", "\\|"))
    names = list(words.columns)
    lines = [names, ["---"] * len(names), *safe.to_numpy().tolist()]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


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
    styler = named.style.hide(axis="index").format(escape="latex")

    if is_bold is not None:
        weights = is_bold.map({True: "font-weight: bold", False: ""})
        styler = styler.apply(lambda _: weights, subset=list(columns))
    table = str(styler.to_latex(hrules=True, convert_css=True))
    if not note:
        return table

    printed = note.replace("%", "\\%")
    return f"{table}\n\\par\\smallskip\n{{\\footnotesize {printed}\\par}}\n"
