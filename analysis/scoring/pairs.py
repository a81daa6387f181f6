"""The pairs that have a winner, and the captions that metrics are to score for them.

Arrays: P pairs, K reference counts, C cells. A cell holds the pairs of one image and one category:
nothing that is resampled is finer than that.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tercet.analysis.dataset.winners import SIDE, sides, triplet_winners
from tercet.analysis.scoring.external_scores import scores_of
from tercet.analysis.scoring.options import Options
from tercet.analysis.scoring.tallies import ALL_REFERENCES, ReferenceCount
from tercet.analysis.stats.accuracy import HumanWinners
from tercet.analysis.tables.schema import (
    ALL,
    Dataset,
    ordered_categories,
    shown_captions,
)
from tercet.metrics import FloatArray, Inputs, IntArray
from tercet.metrics.text.inputs import check

ScoresOfBoth: TypeAlias = tuple[FloatArray, FloatArray]
"""The scores of candidate B and those of candidate C, (P, K) each."""


@dataclass(frozen=True)
class Pairs:
    """The pairs that have a winner, ordered by image and category, with their captions.

    Attributes
    ----------
    table : DataFrame
        One row per pair; the columns of `tercet.analysis.dataset.winners.pair_winners`.
    human : HumanWinners
        The winners and the tie policies.
    image : int array (P,)
        The number of the pair's image among the images that have pairs, ascending.
    b, c : int array (P,)
        The numbers of the pair's candidates in `captions`.
    sides : float array (P, K)
        The winner of the triplet with each reference (+1, -1 or 0); NaN without a triplet.
    captions : Inputs
        References and candidates; a caption in several pairs of an image is one candidate.
    scores : mapping from metric to a pair of float arrays (P, K)
        The scores from `scores.csv`.
    """

    table: pd.DataFrame
    human: HumanWinners
    image: IntArray
    b: IntArray
    c: IntArray
    sides: FloatArray
    captions: Inputs
    scores: Mapping[str, ScoresOfBoth] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.table)

    @cached_property
    def category(self) -> NDArray[np.object_]:
        """The category (P,) of each pair."""
        return self.table["category"].to_numpy(dtype=object)

    @cached_property
    def groups(self) -> dict[str, NDArray[np.bool_]]:
        """Which pairs (P,) are in each category, in the order of the tables, and in all."""
        categories = ordered_categories(self.category)
        masks = {name: self.category == name for name in categories}

        return masks | {ALL: np.ones(len(self), dtype=bool)}

    @cached_property
    def cell(self) -> IntArray:
        """The number of each pair's cell (P,), ascending from 0."""
        number = _category_numbers(self.table)
        code = self.image * (number.max() + 1) + number

        return np.unique(code, return_inverse=True)[1].astype(np.int64)

    @cached_property
    def first_of_cell(self) -> IntArray:
        """The first pair (C,) of each cell."""
        return np.flatnonzero(np.diff(self.cell, prepend=-1))

    @property
    def reference_counts(self) -> IntArray:
        """How many references (P,) each pair's image has."""
        image = self.captions.candidate_image[self.b]
        return self.captions.reference_counts[image]

    @property
    def is_ragged(self) -> bool:
        """Whether the pairs' images have different numbers of references."""
        return len(np.unique(self.reference_counts)) > 1

    @property
    def largest_count(self) -> int:
        """The largest reference count that pairs of every category have."""
        available = self.reference_counts
        return min(int(available[mask].max()) for mask in self.groups.values())

    def with_references(self, count: ReferenceCount) -> NDArray[np.bool_]:
        """Which pairs (P,) have an image with at least so many references."""
        least = 0 if count == ALL_REFERENCES else count
        return self.reference_counts >= least

    def mask(self, group: str) -> NDArray[np.bool_]:
        """Which pairs (P,) are in a group; all of them for the mean over categories."""
        return self.groups.get(group, self.groups[ALL])


def gather_pairs(
    dataset: Dataset, winners: pd.DataFrame, references: pd.DataFrame, options: Options
) -> Pairs:
    """Gather some pairs of a dataset and their captions.

    Parameters
    ----------
    dataset : Dataset
        The dataset that has the pairs.
    winners : DataFrame
        Rows of `tercet.analysis.dataset.winners.pair_winners`: the pairs to gather.
    references : DataFrame
        The references of the dataset that metrics are given.
    options : Options
        The tie policies are taken from here.

    Returns
    -------
    Pairs
        Ordered by image, as in `references`, then by category.
    """
    references_of = references.groupby("image", sort=False)["caption"].agg(list)
    image = references_of.index.get_indexer(pd.Index(winners["image"]))
    category = _category_numbers(winners)

    order = np.lexsort((category, image))
    winners = winners.iloc[order]
    image = image[order]

    shown = dataset.pairs.set_index("pair").loc[winners["pair"]].reset_index()
    candidates, b, c = _number_candidates(shown)
    triplets = triplet_sides(dataset, winners, references)

    captions = check(
        references_of.tolist(),
        candidates["caption"].tolist(),
        references_of.index.get_indexer(pd.Index(candidates["image"])),
    )
    return Pairs(
        table=winners.reset_index(drop=True),
        human=_human_winners(winners, options),
        image=np.unique(image, return_inverse=True)[1].astype(np.int64),
        b=b,
        c=c,
        sides=triplets,
        captions=captions,
        scores=scores_of(dataset.scores, shown, triplets.shape[1]),
    )


def _category_numbers(pairs: pd.DataFrame) -> IntArray:
    """Number the category of each pair (P,) in the order of the tables; 0 without a category."""
    categories = ordered_categories(pairs["category"])
    number = pd.Index(categories, dtype=object).get_indexer(pd.Index(pairs["category"]))
    return number.astype(np.int64) + 1


def _human_winners(winners: pd.DataFrame, options: Options) -> HumanWinners:
    """Turn the winners into sides, with the tie policies."""
    return HumanWinners(
        winner=sides(winners["winner"]),
        vote_share=winners["vote_share"].to_numpy(dtype=float),
        human_ties=options.human_ties,
        metric_ties=options.metric_ties,
    )


def _number_candidates(pairs: pd.DataFrame) -> tuple[pd.DataFrame, IntArray, IntArray]:
    """Number the captions that pairs show, each caption of an image once.

    Returns the captions (image, caption), and the number of candidate B and C of each pair (P,).
    """
    captions = shown_captions(pairs)
    group = captions.groupby(["image", "caption"], sort=False)

    number = group.ngroup().to_numpy().astype(np.int64)
    b, c = number.reshape(2, -1)
    return captions.drop_duplicates(), b, c


def triplet_sides(
    dataset: Dataset, winners: pd.DataFrame, references: pd.DataFrame
) -> FloatArray:
    """Find the winner of each pair's triplet with each reference of its image.

    Returns sides (P, K), in the order of the references; NaN without a triplet.
    """
    columns = references[["image"]].assign(
        number=references["number"].astype(str),
        column=references.groupby("image").cumcount(),
    )
    columns = columns[columns["image"].isin(winners["image"])]
    rows = winners[["pair", "image"]].assign(row=np.arange(len(winners)))

    triplets = triplet_winners(dataset).merge(rows, on="pair")
    triplets = triplets.merge(
        columns, left_on=["image", "reference"], right_on=["image", "number"]
    )

    counts = int(columns["column"].max()) + 1
    table = np.full((len(winners), counts), np.nan)
    table[triplets["row"], triplets["column"]] = triplets["winner"].map(SIDE)
    return table
