"""What a perfect metric could reach against the winners, in each group of pairs.

Arrays: P pairs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import pandas as pd

from tercet.analysis.scoring.options import CEILING, Options
from tercet.analysis.scoring.pairs import Pairs
from tercet.analysis.stats.ceilings import (
    MIN_IMAGES,
    Bounds,
    JudgedPairs,
    bounds,
    ceiling,
    deal,
)
from tercet.analysis.tables.schema import ALL, MEAN
from tercet.metrics import IntArray

Obstacle = Literal["", "no votes", "one vote", "few images", "early", "decisions"]
"""Why the votes say nothing of a ceiling; empty where they say something."""

_WIDEST_INTERVAL = 0.1
"""Of a ceiling that is a number; a wider one has bounds only."""
COLUMNS = ("category", "accuracy", "low", "high", "fewest_votes", "most_votes", "pairs")
_NO_CATEGORY = ""


@dataclass(frozen=True)
class Ceilings:
    """The votes that decided the winners, and the ceilings that they allow.

    Attributes
    ----------
    judged : dict from category to JudgedPairs
        The pairs with votes; those without a category have the empty name.
    unit : str
        What decides a pair: `votes`, or `triplets` where their winners do.
    ties : float
        The share of votes, or of triplets, that are for neither candidate.
    obstacle : Obstacle
        One that all categories have.
    """

    judged: dict[str, JudgedPairs]
    unit: str
    ties: float
    obstacle: Obstacle

    @classmethod
    def of(
        cls,
        pairs: Pairs,
        counts: IntArray,
        unit: str,
        options: Options,
        obstacle: Obstacle,
    ) -> "Ceilings":
        """Sort the judged pairs by category, and deal their images to folds.

        Parameters
        ----------
        pairs : Pairs
        counts : ndarray
            What decides each pair: for B, for C, and for neither: shape (P, 3).
        unit : str
        options : Options
            The seed.
        obstacle : Obstacle
        """
        is_judged = counts.any(axis=1)
        judged_counts = counts[is_judged]
        names = pairs.table["image"].to_numpy()[is_judged]
        distinct, image = np.unique(names, return_inverse=True)
        fold = deal(len(distinct), options.generator(CEILING))

        of_category = {
            name: mask[is_judged] for name, mask in pairs.groups.items() if name != ALL
        }
        has_none = np.ones(len(image), dtype=bool)
        for mask in of_category.values():
            has_none &= ~mask
        judged = {}
        for name, mask in {**of_category, _NO_CATEGORY: has_none}.items():
            judged[name] = JudgedPairs(judged_counts[mask], image[mask], fold)

        ties = judged_counts[:, 2].sum() / max(judged_counts.sum(), 1)
        return cls(judged, unit, float(ties), obstacle)

    def members(self, group: str) -> list[str]:
        """Return the categories of a group."""
        if group not in (MEAN, ALL):
            return [group]
        named = [name for name in self.judged if name != _NO_CATEGORY]
        has_others = len(self.judged[_NO_CATEGORY].counts) > 0 or not named
        return [*named, _NO_CATEGORY] if group == ALL and has_others else named

    def obstacle_of(self, category: str) -> Obstacle:
        """Return why the votes say nothing of the ceiling of a category."""
        pairs = self.judged[category]
        if self.obstacle or not len(pairs.counts):
            return self.obstacle or "no votes"
        if pairs.counts.sum(axis=1).max() < 2:
            return "one vote"
        return "few images" if pairs.images < MIN_IMAGES else ""

    @cached_property
    def table(self) -> pd.DataFrame:
        """The ceiling of each group of which the votes say something (0..1).

        accuracy is NaN where the bounds are more than 10 points apart; fewest_votes and
        most_votes are of a pair, and pairs those with votes. `mean` is the mean over categories,
        `all` weighs them by their pairs; neither is there without one of its categories.
        """
        categories = [name for name in self.judged if name != _NO_CATEGORY]
        mean = [MEAN] if len(categories) > 1 else []
        rows = []
        for group in [*categories, *mean, ALL]:
            members = self.members(group)
            if not any(map(self.obstacle_of, members)):
                parts = [self._bounds[name] for name in members]
                rows.append([group, *_row(parts, is_mean=group == MEAN)])
        return pd.DataFrame(rows, columns=list(COLUMNS))

    @cached_property
    def _bounds(self) -> dict[str, Bounds]:
        return {
            name: bounds(pairs)
            for name, pairs in self.judged.items()
            if not self.obstacle_of(name)
        }


def _row(parts: Sequence[Bounds], is_mean: bool) -> list[float]:
    """Return the columns of a group after its name."""
    sizes = np.array([len(part.pairs.counts) for part in parts])
    weights = np.ones(len(parts)) if is_mean else sizes
    found = ceiling(parts, weights / weights.sum())
    is_close = found.high - found.low <= _WIDEST_INTERVAL

    votes = np.concatenate([part.pairs.counts.sum(axis=1) for part in parts])
    value = found.fitted if is_close else np.nan
    return [value, found.low, found.high, votes.min(), votes.max(), sizes.sum()]
