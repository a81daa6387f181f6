"""Precision and recall of the words that people use."""

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tercet.analysis.figures.panels import fit_layout, panel_grid, style_value_axes
from tercet.analysis.figures.style import DEFAULT, HUES, PAPER, Look, figure_settings
from tercet.analysis.number_texts import plural
from tercet.analysis.tables.rows import where
from tercet.lab.words.agreement import model_precision

PART_TITLES = {"noun": "nouns", "verb": "verbs", "adjective": "adjectives"}
_STEPS = 201
"""Points of the curve of the model."""
_NAMED = 8
"""Words that are named in a panel."""
_LETTER, _LINE = 0.025, 0.08
"""The width of a letter, and the height of a name, as shares of a panel's width and height."""


def words_figure(table: pd.DataFrame, look: Look = DEFAULT) -> Figure:
    """Draw precision against recall of each word, a panel for each number of references.

    Parameters
    ----------
    table : DataFrame
        Columns word, references, precision, recall: a row for each word and number of references,
        the most frequent word first.
    look : Look
    """
    panels = {}
    for count in table["references"].unique().tolist():
        title = str(plural(count, f"{count} reference", f"{count} references"))
        panels[title] = where(table, references=count)

    return _figure(panels, [*panels][-1:], look)


def parts_figure(table: pd.DataFrame, look: Look = DEFAULT) -> Figure:
    """Draw precision against recall of each word, a panel for each part of speech.

    Parameters
    ----------
    table : DataFrame
        As in `words_figure`, of one number of references, with the column part_of_speech, which
        is one of `PART_TITLES`.
    look : Look
    """
    present = set(table["part_of_speech"])
    panels = {}
    for part, title in PART_TITLES.items():
        if part in present:
            own = where(table, part_of_speech=part)
            panels[str(title)] = own
    return _figure(panels, panels, look)


@figure_settings()
def _figure(
    panels: Mapping[str, pd.DataFrame], named: Collection[str], look: Look
) -> Figure:
    """Draw panels of words by their titles; in some of them words are named."""
    figure, cells = panel_grid(len(panels), look, min(len(panels), 2))

    for axes, (title, own) in zip(cells, panels.items(), strict=False):
        _draw_words(axes, own)
        style_value_axes(axes, title, "precision, %")
        axes.set_xlabel("recall, %")
        if title in named:
            _name_words(axes, own)

    fit_layout(figure)
    return figure


def _draw_words(axes: Axes, own: pd.DataFrame) -> None:
    """Draw a point for each word, and the curve of the model."""
    recalls = 100 * own["recall"]
    precisions = 100 * own["precision"]
    look: dict[str, Any] = {"marker": "o", "markersize": 1.8, "alpha": 0.5}
    axes.plot(recalls, precisions, color=HUES[0], linestyle="none", **look)

    recall = np.linspace(0, 1, _STEPS)
    count = int(own["references"].iloc[0])
    precision = model_precision(recall, count)
    axes.plot(100 * recall, 100 * precision, linewidth=0.8)
    axes.set_xlim(0, 100)
    axes.set_ylim(0, 103)


def _name_words(axes: Axes, own: pd.DataFrame) -> None:
    """Name the most frequent words, where names do not cover each other or the axis."""
    named: list[_Name] = []
    known = own.dropna(subset=["recall", "precision"])
    columns = (known[name] for name in ("word", "recall", "precision"))

    for name in map(_Name, *columns):
        if name.precision < _LINE or any(map(name.covers, named)):
            continue

        named.append(name)
        axes.annotate(
            name.word,
            (100 * name.recall, 100 * name.precision),
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
    def width(self) -> float:
        """The width of the name, as a share of a panel's width."""
        return _LETTER * (len(self.word) + 2)

    @property
    def middle(self) -> float:
        """The recall (0..1) at which the middle of the name stands."""
        return self.recall + (-0.5 if self.is_left else 0.5) * self.width

    def covers(self, other: "_Name") -> bool:
        """Return whether two names overlap."""
        distance = abs(self.middle - other.middle)
        is_beside = distance < (self.width + other.width) / 2
        return is_beside and abs(self.precision - other.precision) < _LINE
