"""The shape of a finding."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from analysis.figures.style import Theme

Draw = Callable[[str, Theme], Figure]
"""From the line to sign with and a theme to a plot."""


@dataclass(frozen=True)
class Finding:
    """One answer of an evaluation.

    name: begins the names of its files. title: as a heading. source: where in the CIDEr paper, or
    else in the literature. meaning: what its numbers say, in a sentence or two. tables: by file
    name without ending, the one to be shown first. plots: likewise. texts: further files, by name.
    notes: what could not be computed, and why.
    """

    name: str
    title: str
    source: str
    meaning: str
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    plots: Mapping[str, Draw] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def having(self, **found: Any) -> "Finding":
        """With tables, plots, texts or notes."""
        return replace(self, **found)

    def filled(self) -> "Finding":
        """Without the tables that have no rows."""
        return replace(self, tables={name: t for name, t in self.tables.items() if len(t)})

    def without(self, reason: str) -> "Finding":
        """With nothing but why."""
        return replace(self, notes=(reason,))
