"""Precision and recall of the words that people use."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tercet.analysis.figures.panels import (
    fit_layout,
    panel_grid,
    rows_where,
    style_value_axes,
)
from tercet.analysis.figures.style import DEFAULT, HUES, PAPER, Look, figure_settings
from tercet.analysis.stats.people.word_agreement import model_precision
from tercet.analysis.texts import gettext as _
from tercet.analysis.texts import ngettext

PART_TITLES = {"noun": _("nouns"), "verb": _("verbs"), "adjective": _("adjectives")}
COLUMNS = 2
_STEPS = 201
"""Points of the curve of the model."""
_NAMED = 8
"""Words that are named in a panel."""
LETTER = 0.025
"""The width of a letter, as a share of that of a panel."""
LINE = 0.08
"""The height of a name, as a share of that of a panel."""


def words_figure(table: pd.DataFrame, look: Look = DEFAULT) -> Figure:
    """Draw precision against recall of each word, a panel for each number of references.

    Parameters
    ----------
    table
        Columns word, references, precision, recall: a row for each word and number of references,
        the most frequent word first.
    look
        Width.
    """
    panels = {
        str(ngettext("{count} reference", "{count} references", count)): rows_where(
            table, "references", count
        )
        for count in table["references"].unique().tolist()
    }
    return _figure(panels, [*panels][-1:], look)


def parts_figure(table: pd.DataFrame, look: Look = DEFAULT) -> Figure:
    """Draw precision against recall of each word, a panel for each part of speech.

    Parameters
    ----------
    table
        As in `words_figure`, of one number of references, with the column part_of_speech, which
        is one of `PART_TITLES`.
    look
        Width.
    """
    panels = {
        str(title): rows_where(table, "part_of_speech", part)
        for part, title in PART_TITLES.items()
        if part in set(table["part_of_speech"])
    }
    return _figure(panels, [*panels], look)


def _figure(
    panels: Mapping[str, pd.DataFrame], named: Collection[str], look: Look
) -> Figure:
    """Draw panels of words by their titles; in some of them words are named."""
    columns = min(len(panels), COLUMNS)

    with figure_settings():
        figure, cells = panel_grid(len(panels), look, columns)

        for axes, (title, own) in zip(cells, panels.items(), strict=False):
            _draw_words(axes, own)
            style_value_axes(axes, title, str(_("precision (%)")))
            axes.set_xlabel(str(_("recall (%)")))
            if title in named:
                _name_words(axes, own)

        fit_layout(figure)

    return figure


def _draw_words(axes: Axes, own: pd.DataFrame) -> None:
    """Draw a point for each word, and the curve of the model."""
    axes.plot(
        100 * own["recall"],
        100 * own["precision"],
        color=HUES[0],
        linestyle="none",
        marker="o",
        markersize=1.8,
        alpha=0.5,
    )

    recall = np.linspace(0, 1, _STEPS)
    count = int(own["references"].iloc[0])
    axes.plot(100 * recall, 100 * model_precision(recall, count), linewidth=0.8)
    axes.set_xlim(0, 100)
    axes.set_ylim(0, 103)


def _name_words(axes: Axes, own: pd.DataFrame) -> None:
    """Name the most frequent words, where names do not cover each other or the axis."""
    named: list[_Name] = []
    known = own.dropna(subset=["recall", "precision"])
    columns = (known[name] for name in ("word", "recall", "precision"))

    for word, recall, precision in zip(*columns, strict=True):
        name = _Name(word, recall, precision)
        if precision < LINE or any(map(name.covers, named)):
            continue

        named.append(name)
        axes.annotate(
            word,
            (100 * recall, 100 * precision),
            xytext=(-3 if name.is_left else 4, -7),
            textcoords="offset points",
            ha="right" if name.is_left else "left",
            fontsize=6.5,
            bbox={"facecolor": PAPER, "edgecolor": "none", "alpha": 0.7, "pad": 0.5},
        )
        if len(named) == _NAMED:
            return


class _Name(NamedTuple):
    """The name of a word in a plot, at its recall and precision (0..1)."""

    word: str
    recall: float
    precision: float

    @property
    def is_left(self) -> bool:
        """Whether the name stands to the left of its point, so that it fits into the panel."""
        return self.recall > 0.5

    @property
    def middle(self) -> float:
        """The recall (0..1) at which the middle of the name stands."""
        return self.recall + (-0.5 if self.is_left else 0.5) * self.width

    @property
    def width(self) -> float:
        """The width of the name, as a share of that of a panel."""
        return LETTER * (len(self.word) + 2)

    def covers(self, other: "_Name") -> bool:
        """Return whether two names overlap."""
        is_beside = abs(self.middle - other.middle) < ((self.width + other.width) / 2)
        return is_beside and abs(self.precision - other.precision) < LINE
