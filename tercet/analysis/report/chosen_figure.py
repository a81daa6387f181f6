"""The first figure of a report with some of its metrics, as a file."""

from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import pandas as pd

from tercet.analysis.figures.curves import accuracy_figure, group_figure
from tercet.analysis.figures.formats import ImageFormat
from tercet.analysis.figures.points import single_count_figure
from tercet.analysis.figures.style import Look, draw_marked, paper_settings, render
from tercet.analysis.report.curves import Curves
from tercet.analysis.scoring.contamination import unmarked

_CEILING = ("category", "accuracy", "low", "high")
_COLUMNS = ("metric", "category", "reference_count", "pairs", "accuracy", "low", "high")
_NO_PEOPLE = pd.DataFrame(
    columns=["category", "triplets", "accuracy", "low", "high"], dtype=float
)
_PAPER_WIDTHS = {"figure-one-column.pdf": 3.3, "figure-two-columns.pdf": 6.9}
"""Inches of the files for papers; the second has a panel for each group."""
FIGURES = ("figure.pdf", "figure.svg", "figure.png", *_PAPER_WIDTHS)


def chosen_figure(
    groups: Sequence[Curves], folder: Path, file: str, signature: str
) -> bytes:
    """Draw the accuracies of metrics against the number of references.

    Parameters
    ----------
    groups : sequence of Curves
        Of the metrics that are drawn; the first is the group of figures of one group.
    folder : Path
        The report, whose ceiling is drawn.
    file : str
        One of `FIGURES`.
    signature : str
        What the figure is made of, for the metadata of the file.
    """
    shown = groups if file == "figure-two-columns.pdf" else groups[:1]
    table = pd.concat(map(_table, shown))
    metrics = [each.metric for curves in shown for each in curves.metrics]
    marks = {unmarked(name): name.removeprefix(unmarked(name)) for name in metrics}

    ceiling = _ceiling_in(folder)
    draw = partial(group_figure, table, ceiling)
    if table["reference_count"].nunique() == 1:
        draw = partial(single_count_figure, table, ceiling)
    elif len(shown) > 1:
        draw = partial(accuracy_figure, table, _NO_PEOPLE, ceiling)

    width = _PAPER_WIDTHS.get(file)
    look = Look(width=width, is_printed=True)
    ending: ImageFormat = file.rpartition(".")[2]  # type: ignore[assignment]
    with paper_settings() if width else nullcontext():
        figure = draw_marked(draw, marks, look)
        return render(figure, ending, signature, "figure")


def _table(curves: Curves) -> pd.DataFrame:
    """Return the values of curves as an accuracy table, all over the same pairs."""
    rows = []
    for curve in curves.metrics:
        for count, value in zip(curves.counts, curve.values, strict=True):
            if value:
                name = unmarked(curve.metric)
                rows.append((name, curves.group, count, 1, *value))
    return pd.DataFrame(rows, columns=list(_COLUMNS))


def _ceiling_in(folder: Path) -> pd.DataFrame:
    """Return the ceiling of a report; no rows where it has none."""
    file = folder / "ceiling.csv"
    if not file.is_file():
        return pd.DataFrame(columns=list(_CEILING))

    empty = dict.fromkeys(_CEILING[1:], "")
    return pd.read_csv(file, keep_default_na=False, na_values=empty)
