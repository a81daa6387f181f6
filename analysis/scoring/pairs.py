"""The pairs that have a winner, and the captions that metrics are to score for them.

Arrays: P pairs, K reference counts, C cells. A cell holds the pairs of one image and one category:
nothing that is resampled is finer than that.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from tercet.analysis.dataset.winners import SIDE, sides
from tercet.analysis.scoring.options import Options
from tercet.analysis.scoring.supplied import scores_of_pairs
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


@dataclass(frozen=True)
class Pairs:
    """The pairs that have a winner, ordered by image and category, with their captions.

    Attributes
    ----------
    table : DataFrame
        One row per pair; the columns of `tercet.analysis.dataset.winners.pair_winners`.
    human : HumanWinners
        The winners and the tie policies.
    groups : dict of str to bool array (P,)
        Which pairs are in each category, in the order of the tables, and in all.
    image, cell : int array (P,)
        The numbers of the pair's image, among the images that have pairs, and of its cell;
        ascending.
    sides : float array (P, K)
        The winner of the triplet with each reference (+1, -1 or 0); NaN without a triplet.
    captions : Inputs
        References and candidates; a caption in several pairs of an image is one candidate.
    candidates : int array (2, P)
        The numbers of candidates B and C of each pair in `captions`.
    scores : mapping of str to float array (2, P, K)
        The scores from `scores.csv`, by metric.
    first_reference, references : int
        How many references come before these, and how many all pairs have, of which these may be
        a batch.
    """

    table: pd.DataFrame
    human: HumanWinners
    groups: dict[str, NDArray[np.bool_]]
    image: IntArray
    cell: IntArray
    sides: FloatArray
    captions: Inputs
    candidates: IntArray
    scores: Mapping[str, FloatArray]
    first_reference: int
    references: int

    def __len__(self) -> int:
        return len(self.table)

    @property
    def b(self) -> IntArray:
        """The number of candidate B (P,) of each pair."""
        number: IntArray = self.candidates[0]
        return number

    @property
    def c(self) -> IntArray:
        """The number of candidate C (P,) of each pair."""
        number: IntArray = self.candidates[1]
        return number

    @property
    def category(self) -> NDArray[np.object_]:
        """The category (P,) of each pair."""
        names = self.table["category"]
        return names.to_numpy(dtype=object)

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
        counts = np.unique(self.reference_counts)
        return len(counts) > 1

    @property
    def largest_count(self) -> int:
        """The largest reference count that pairs of every category have."""
        available = self.reference_counts
        return min(int(available[mask].max()) for mask in self.groups.values())

    def learning_count(self, options: Options) -> int | None:
        """Return the number of references that models learn with; None for all of them.

        It is the only one that is evaluated, if every pair has so many.
        """
        if len(options.counts) != 1:
            return None

        [count] = options.counts
        return count if count <= self.reference_counts.min() else None

    def with_references(self, count: ReferenceCount) -> NDArray[np.bool_]:
        """Which pairs (P,) have an image with at least so many references."""
        least = 0 if count == ALL_REFERENCES else count
        return self.reference_counts >= least

    def mask(self, group: str) -> NDArray[np.bool_]:
        """Which pairs (P,) are in a group; all of them for the mean over categories."""
        every = self.groups[ALL]
        return self.groups.get(group, every)

    def of(self, rows: slice, captions: Inputs, first_reference: int) -> "Pairs":
        """Return some pairs: those of a batch of images."""
        number = np.empty(len(self.captions.candidates), np.int64)
        number[captions.candidate_number] = np.arange(len(captions.candidates))

        return replace(
            self,
            table=self.table[rows],
            human=self.human.of(rows),
            groups={name: mask[rows] for name, mask in self.groups.items()},
            image=self.image[rows],
            cell=self.cell[rows] - self.cell[rows.start],
            sides=self.sides[rows],
            captions=captions,
            candidates=number[self.candidates[:, rows]],
            scores={name: each[:, rows] for name, each in self.scores.items()},
            first_reference=first_reference,
        )


def arrange_pairs(
    dataset: Dataset,
    winners: pd.DataFrame,
    triplets: pd.DataFrame,
    references: pd.DataFrame,
    options: Options,
) -> Pairs:
    """Arrange some pairs of a dataset and their captions as arrays.

    Parameters
    ----------
    dataset : Dataset
        The dataset that has the pairs.
    winners : DataFrame
        Rows of `tercet.analysis.dataset.winners.pair_winners`: the pairs to arrange.
    triplets : DataFrame
        The `triplet_winners` of the dataset.
    references : DataFrame
        The references of the dataset that metrics are given.
    options : Options
        The tie policies are taken from here.

    Returns
    -------
    Pairs
        Ordered by image, as in `references`, then by category.
    """
    of_triplets = _sides_of_triplets(triplets, winners, references)
    references_of = references.groupby("image", sort=False)["caption"].agg(list)
    categories = ordered_categories(winners["category"])

    image = references_of.index.get_indexer(pd.Index(winners["image"]))
    category = pd.Index(categories, dtype=object).get_indexer(
        pd.Index(winners["category"])
    )
    order = np.lexsort((category, image))

    winners = winners.iloc[order].reset_index(drop=True)
    image = numbered(image[order])
    code = image * (len(categories) + 1) + category[order]

    shown = dataset.pairs.set_index("pair").loc[winners["pair"]].reset_index()
    captions, candidates = _arrange_captions(shown, references_of)
    names = winners["category"].to_numpy(dtype=object)
    groups = {name: names == name for name in categories}
    pairs = Pairs(
        table=winners,
        human=_human_winners(winners, options),
        groups=groups | {ALL: np.ones(len(winners), dtype=bool)},
        image=image,
        cell=numbered(code),
        sides=of_triplets[order],
        captions=captions,
        candidates=candidates,
        scores=scores_of_pairs(dataset.scores, shown, of_triplets.shape[1]),
        first_reference=0,
        references=int(captions.reference_counts.sum()),
    )
    _check_counts(pairs, options)
    return pairs


def numbered(values: ArrayLike) -> IntArray:
    """Number the different values in their order."""
    _different, number = np.unique(values, return_inverse=True)
    return number.astype(np.int64)


def _check_counts(pairs: Pairs, options: Options) -> None:
    """Raise ValueError where a category has no pairs with any of the wanted reference counts."""
    largest = pairs.largest_count
    smallest_wanted = min(options.counts, default=1)

    if smallest_wanted > largest:
        raise ValueError(
            f"Not every category has pairs with {smallest_wanted:,} references: "
            f"begin at {largest:,} or below."
        )


def _human_winners(winners: pd.DataFrame, options: Options) -> HumanWinners:
    """Turn the winners into sides, with the tie policies."""
    return HumanWinners(
        winner=sides(winners["winner"]),
        vote_share=winners["vote_share"].to_numpy(dtype=float),
        human_ties=options.human_ties,
        metric_ties=options.metric_ties,
    )


def _arrange_captions(
    shown: pd.DataFrame, references_of: "pd.Series[Any]"
) -> tuple[Inputs, IntArray]:
    """Return the captions that pairs show, each of an image once, and those of B and C (2, P)."""
    both = shown_captions(shown)
    number = both.groupby(["image", "caption"], sort=False).ngroup().to_numpy()
    candidates = both.drop_duplicates()

    images = references_of.index.get_indexer(pd.Index(candidates["image"]))
    captions = candidates["caption"].tolist()
    inputs = check(references_of.tolist(), captions, images)
    return inputs, number.astype(np.int64).reshape(2, -1)


def _sides_of_triplets(
    triplets: pd.DataFrame, winners: pd.DataFrame, references: pd.DataFrame
) -> FloatArray:
    """Return the winner of each pair's triplet with each reference of its image: (P, K).

    In the order of the references; NaN without a triplet.
    """
    columns = references[["image"]].assign(
        number=references["number"].astype(str),
        column=references.groupby("image").cumcount(),
    )
    columns = columns[columns["image"].isin(winners["image"])]
    rows = winners[["pair", "image"]].assign(row=np.arange(len(winners)))

    triplets = triplets.merge(rows, on="pair").merge(
        columns, left_on=["image", "reference"], right_on=["image", "number"]
    )
    counts = int(columns["column"].max()) + 1
    table = np.full((len(winners), counts), np.nan)
    table[triplets["row"], triplets["column"]] = triplets["winner"].map(SIDE)
    return table
