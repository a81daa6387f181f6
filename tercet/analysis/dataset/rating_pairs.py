"""Pairs from ratings: of two captions of an image, the one with the higher mean rating wins."""

from dataclasses import replace

import numpy as np
import pandas as pd

from tercet.analysis.tables import limits
from tercet.analysis.tables.schema import CAPTION, PAIRS, TIE, Dataset

CATEGORY = "ratings"
_DECIMALS = 10
"""Differences of means are rounded, so that one that equals the threshold is a tie."""


def with_pairs_from_ratings(dataset: Dataset, threshold: float) -> Dataset:
    """Add a pair for every two rated captions of an image and every aspect.

    Parameters
    ----------
    dataset : Dataset
        A dataset with ratings and without votes. Its own pairs stay if their winners are published.
    threshold : float
        Means that differ by this or less are a tie.

    Returns
    -------
    Dataset
        The category of the new pairs is `ratings`, with the aspect behind it where there are
        several.

    Raises
    ------
    ValueError
        If the dataset has votes, or too many or no captions of one image with ratings, or if the
        threshold is no number from 0.

    Examples
    --------
    >>> references = pd.DataFrame({"image": ["a"], "caption": ["a black dog"]})
    >>> ratings = pd.DataFrame({"image": "a", "caption": ["dog", "cat"], "rating": [4, 1]})
    >>> made = Dataset.from_frames(references=references, ratings=ratings)
    >>> with_pairs_from_ratings(made, 0.5).pairs[["candidate_b", "candidate_c", "winner"]]
      candidate_b candidate_c winner
    0         cat         dog      C
    """
    if not 0 <= threshold < np.inf:
        raise ValueError(
            "Pairs from ratings need a threshold of 0 or more, such as 0.5."
        )
    if len(dataset.votes):
        raise ValueError(
            "Pairs from ratings cannot stand beside votes: leave votes.csv out, or analyse the "
            "ratings without --pairs-from-ratings."
        )

    made = _compared(_means(dataset.valid_ratings), threshold)
    known = dataset.pairs if dataset.publishes_winners else dataset.pairs.iloc[:0]
    prefix = "ratings-"
    while known["pair"].str.startswith(prefix).any():
        prefix += "-"
    names = [f"{prefix}{number}" for number in range(1, len(made) + 1)]
    pairs = made.assign(pair=names, line=0).reindex(columns=[*PAIRS.columns, "line"])
    return replace(dataset, pairs=pd.concat([known, pairs], ignore_index=True))


def _means(ratings: pd.DataFrame) -> pd.DataFrame:
    """Return the mean rating of each caption and aspect, with the first of its sources."""
    aspects = ratings["aspect"]
    several = aspects.nunique() > 1
    category = (CATEGORY + " " + aspects).str.strip() if several else CATEGORY
    rated = ratings.assign(rating=ratings["rating"].astype(float), category=category)
    captions = rated.groupby(["category", *CAPTION])
    return captions.agg(mean=("rating", "mean"), source=("source", "min")).reset_index()


def _compared(means: pd.DataFrame, threshold: float) -> pd.DataFrame:
    """Return the columns of pairs.csv, but names, for every two captions of an image."""
    together = ["category", "image"]
    sizes = means.groupby(together).size()
    pairs = int((sizes * (sizes - 1) // 2).sum())
    if not pairs:
        raise ValueError(
            "No image has two captions with ratings that count: there are no pairs."
        )
    if pairs > limits.MAX_ROWS:
        raise ValueError(
            f"{pairs:,} pairs of rated captions are more than {limits.MAX_ROWS:,}: split the "
            "dataset by image."
        )
    both = means.merge(means, on=together, suffixes=("_b", "_c"))
    both = both[both["caption_b"] < both["caption_c"]]
    ahead = (both["mean_b"] - both["mean_c"]).round(_DECIMALS)
    better = np.where(ahead > 0, "B", "C")
    winner = pd.Series(better, both.index, dtype="str").where(
        ahead.abs() > threshold, TIE
    )
    named = {f"caption_{side}": f"candidate_{side}" for side in "bc"}
    return both.rename(columns=named).assign(winner=winner)
