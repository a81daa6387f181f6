"""The human column: how often people chose each system's captions, and how far metrics agree."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan

import numpy as np
import pandas as pd
from numpy.random import Generator

from tercet.analysis.dataset.winners import sides
from tercet.analysis.stats.resampling import Resamples
from tercet.analysis.stats.scores.system_correlations import (
    FRACTION,
    PEARSON,
    SPEARMAN,
    SystemCorrelation,
    correlation,
)
from tercet.analysis.stats.systems import SystemPairs, win_fractions

RESAMPLES = 1_000


@dataclass(frozen=True)
class WinFraction:
    """How often people chose a system's captions.

    Attributes
    ----------
    pairs, images
        How many pairs with a winner, and on how many images.
    fraction, low, high
        The share of them that it won, with a half for each tie, 0..1, and its 95 % interval over
        resampled images; None for a system that was compared on one image.
    """

    pairs: int
    images: int
    fraction: float
    low: float | None
    high: float | None


def human_column(winners: pd.DataFrame, generator: Generator) -> dict[str, WinFraction]:
    """Compute the win fractions of sources.

    Parameters
    ----------
    winners
        Columns image, source_b, source_c, winner: as `pair_winners` gives them.
    generator
        Draws the resamples.

    Returns
    -------
    dict of str to WinFraction
        By source, `human` among them where people compared with human captions. Pairs without a
        winner, or with an unknown source, do not count.
    """
    images, image = np.unique(winners["image"].to_numpy(dtype=str), return_inverse=True)
    sources = winners["source_b"], winners["source_c"]
    pairs = SystemPairs.of(sources, sides(winners["winner"]), {}, image)
    if not pairs.sources:
        return {}

    weights = Resamples.make(RESAMPLES, len(images), 1, generator).images
    fractions = {}

    for row in win_fractions(pairs, weights).to_dict("records"):
        low, high = (
            None if isnan(row[name]) else row[name] for name in ("low", "high")
        )
        counts = int(row["pairs"]), int(row["images"])
        fractions[row["source"]] = WinFraction(*counts, row["fraction"], low, high)

    return fractions


def correlations_with(
    people: Mapping[str, WinFraction], figures: Mapping[str, float], metric: str
) -> list[SystemCorrelation]:
    """Correlate the figures of a metric with the win fractions, over systems that have both.

    The coefficients are Pearson's and Spearman's, with their 95 % intervals. With fewer than four
    systems there is no value, but a reason.
    """
    shared = [name for name in figures if name in people]
    fractions = np.array([people[name].fraction for name in shared])
    values = np.array([figures[name] for name in shared])
    pairs = sum(people[name].pairs for name in shared)

    found = []
    for coefficient in (PEARSON, SPEARMAN):
        blank = SystemCorrelation(metric, FRACTION, coefficient, len(shared), pairs)
        known = correlation(fractions, values, blank)
        found.append(known)

    return found
