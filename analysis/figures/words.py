"""Precision and recall of the words that people use."""

from collections.abc import Collection, Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures.panels import (
    fit_layout,
    panel_grid,
    rows_where,
    style_value_axes,
)
from analysis.figures.style import DEFAULT, Look, Theme, figure_settings
from analysis.texts import gettext as _
from analysis.texts import ngettext

PART_TITLES = {
    "noun": _("nouns"),
    "verb": _("verbs"),
    "adjective": _("adjectives"),
}
COLUMNS = 2
NAMED = 8
"""Words that are named in a panel."""
CLEARANCE = 0.08
"""Least distance in recall between two named words."""


def words_figure(table: pd.DataFrame, look: Look = DEFAULT) -> Figure:
    """Draw precision against recall of each word, a panel for each number of references.

    Parameters
    ----------
    table
        Columns word, references, precision, recall, model: a row for each word and number of
        references, the most frequent word first.
    look
        Theme and width.
    """
    panels = {
        str(
            ngettext("{count} reference", "{count} references", count)
        ): rows_where(table, "references", count)
        for count in table["references"].unique().tolist()
    }
    return _figure(panels, [*panels][-1:], min(len(panels), COLUMNS), look)


def parts_figure(table: pd.DataFrame, look: Look = DEFAULT) -> Figure:
    """Draw precision against recall of each word, a panel for each part of speech.

    Parameters
    ----------
    table
        As in `words_figure`, of one number of references, with the column part_of_speech, which
        is one of `PART_TITLES`.
    look
        Theme and width.
    """
    panels = {
        str(title): rows_where(table, "part_of_speech", part)
        for part, title in PART_TITLES.items()
        if part in set(table["part_of_speech"])
    }
    return _figure(panels, [*panels], len(panels), look)


def _figure(
    panels: Mapping[str, pd.DataFrame],
    named: Collection[str],
    columns: int,
    look: Look,
) -> Figure:
    """Draw panels of words by their titles; in some of them words are named."""
    theme = look.theme

    with figure_settings():
        figure, cells = panel_grid(len(panels), look, columns)

        for axes, (title, own) in zip(cells, panels.items(), strict=False):
            _draw_words(axes, own, theme)
            style_value_axes(axes, theme, title, str(_("precision (%)")))
            axes.set_xlabel(str(_("recall (%)")), color=theme.text)
            if title in named:
                _name_words(axes, own, theme)

        fit_layout(figure)

    return figure


def _draw_words(axes: Axes, own: pd.DataFrame, theme: Theme) -> None:
    """Draw a point for each word, and the curve of the model."""
    axes.plot(
        100 * own["recall"],
        100 * own["precision"],
        color=theme.hues[0],
        linestyle="none",
        marker="o",
        markersize=1.8,
        alpha=0.5,
    )

    model = own.sort_values("recall", kind="stable")
    axes.plot(
        100 * model["recall"],
        100 * model["model"],
        color=theme.text,
        linewidth=0.8,
    )
    axes.set_xlim(0, 100)
    axes.set_ylim(0, 103)


def _name_words(axes: Axes, own: pd.DataFrame, theme: Theme) -> None:
    """Name the most frequent words, those that stand apart from each other."""
    named: list[float] = []

    for row in own.itertuples():
        recall = float(row.recall)  # type: ignore[arg-type]
        if np.isnan(recall) or any(abs(recall - x) < CLEARANCE for x in named):
            continue

        named.append(recall)
        is_right = recall > 0.5
        axes.annotate(
            str(row.word),
            (100 * recall, 100 * float(row.precision)),  # type: ignore[arg-type]
            xytext=(-3 if is_right else 4, -7),
            textcoords="offset points",
            ha="right" if is_right else "left",
            fontsize=6.5,
            bbox={
                "facecolor": theme.background,
                "edgecolor": "none",
                "alpha": 0.7,
                "pad": 0.5,
            },
            color=theme.text,
        )
        if len(named) == NAMED:
            return
