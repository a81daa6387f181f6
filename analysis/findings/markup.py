"""Tables as Markdown and as LaTeX."""

from html import escape

import pandas as pd


def markdown(words: pd.DataFrame) -> str:
    """Return the table as Markdown."""
    safe = words.astype(str).map(lambda text: escape(text).replace("|", "\\|"))
    lines = [
        list(words.columns),
        ["---"] * len(words.columns),
        *safe.to_numpy().tolist(),
    ]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def latex(words: pd.DataFrame) -> str:
    """Return the table as LaTeX, for the package booktabs."""
    named = words.rename(columns=lambda name: name.replace("_", " "))
    styler = named.style.hide(axis="index").format(escape="latex")
    return str(styler.to_latex(hrules=True))
