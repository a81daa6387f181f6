"""The pairs that have a winner, and the captions that metrics are to score for them.

Arrays: P pairs, N rows, K reference counts, C cells. A cell holds the pairs of one image and one
category: nothing that is resampled is finer than that.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tercet.analysis.dataset.winners import SIDE, pair_winners, sides, triplet_winners
from tercet.analysis.scoring.options import Options
from tercet.analysis.scoring.tallies import ALL_REFERENCES, ReferenceCount
from tercet.analysis.stats.accuracy import HumanWinners
from tercet.analysis.stats.draws import numbers_of_names
from tercet.analysis.stats.resampling import group_numbers
from tercet.analysis.stats.scores.correlation import dense_ranks
from tercet.analysis.tables.rows import are_among
from tercet.analysis.tables.schema import (
    ALL,
    CAPTION,
    NO_CATEGORY,
    TIE,
    Dataset,
    have_equal_candidates,
    ordered_categories,
    shown_captions,
)
from tercet.metrics import FloatArray, Inputs, IntArray
from tercet.metrics.text.inputs import check

RowNumbers: TypeAlias = slice | IntArray
"""Some of the rows."""


@dataclass(frozen=True, eq=False)
class Decided:
    """The winners of a dataset, and what of it is evaluated.

    Attributes
    ----------
    winners, triplets : DataFrame
        The winner of each pair and of each triplet (`tercet.analysis.dataset.winners`).
    references : DataFrame
        The references that metrics are given.
    is_identical : bool array (R,)
        Which references of the dataset equal a candidate of a pair of their image.
    is_evaluated : Series of bool (P,)
        Which pairs have a winner and references, and are not left out.
    """

    winners: pd.DataFrame
    triplets: pd.DataFrame
    references: pd.DataFrame
    is_identical: NDArray[np.bool_]
    is_evaluated: "pd.Series[bool]"


@dataclass(frozen=True)
class Arranged:
    """Candidates in rows as people judge them, with the references of their images.

    Attributes
    ----------
    captions : Inputs
        References and candidates, each candidate of an image once.
    candidates : int array (N,) or (2, P)
        The number in `captions` of the candidate of each row, or of both candidates of each pair.
    """

    captions: Inputs
    candidates: IntArray

    @classmethod
    def of_captions(cls, captions: Inputs) -> "Arranged":
        """Arrange each candidate as a row of its own."""
        return Arranged(captions, np.arange(len(captions.candidates)))

    @property
    def each_once(self) -> "Arranged":
        """Each candidate in a row of its own."""
        return Arranged.of_captions(self.captions)

    @property
    def most_references(self) -> int:
        """The largest reference count, K."""
        return int(self.captions.reference_counts.max())

    @property
    def available(self) -> IntArray:
        """How many references the image of each candidate has, in the shape of `candidates`."""
        image = self.captions.candidate_image[self.candidates]
        return self.captions.reference_counts[image]

    def batches(
        self, parts: Iterable[Inputs]
    ) -> Iterator[tuple[RowNumbers, "Arranged"]]:
        """Yield the rows of each part of the captions, by their numbers and as arranged."""
        for part in parts:
            yield part.candidate_number, Arranged.of_captions(part)


@dataclass(frozen=True)
class Pairs(Arranged):
    """The pairs that have a winner, ordered by image and category, with their captions.

    Attributes
    ----------
    table : DataFrame
        One row per pair; the columns of `tercet.analysis.dataset.winners.pair_winners`.
    human : HumanWinners
        The winners and the tie policies.
    groups : dict of str to bool array (P,)
        Which pairs are in each category that counts any, in the order of the tables, and in all.
        Pairs without a category are a group of their own, where others have one.
    image, cell : int array (P,)
        The numbers of the pair's image, among the images that have pairs, and of its cell;
        ascending.
    sides : float array (P, K)
        The winner of the triplet with each reference (+1, -1 or 0); NaN without a triplet.
    names : uint64 array (references,)
        A number made of each reference and the name of its image: references are shuffled by it.
    """

    table: pd.DataFrame
    human: HumanWinners
    groups: dict[str, NDArray[np.bool_]]
    image: IntArray
    cell: IntArray
    sides: FloatArray
    names: NDArray[np.uint64]

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

    @cached_property
    def first_of_cell(self) -> IntArray:
        """The first pair (C,) of each cell."""
        return np.flatnonzero(np.diff(self.cell, prepend=-1))

    @cached_property
    def is_counted(self) -> NDArray[np.bool_]:
        """Which pairs (P,) count: all, or where ties of people are dropped, those decided."""
        return self.human.is_counted

    @property
    def most_references(self) -> int:
        return int(self.sides.shape[1])

    @property
    def reference_counts(self) -> IntArray:
        """How many references (P,) each pair's image has."""
        counts: IntArray = self.available[0]
        return counts

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

        It is the only count that is evaluated, if every pair has that many references.
        """
        if len(options.counts) != 1:
            return None

        [count] = options.counts
        return count if count <= self.reference_counts.min() else None

    def with_references(self, count: ReferenceCount) -> NDArray[np.bool_]:
        """Which pairs (P,) have an image with at least `count` references."""
        least = 0 if count == ALL_REFERENCES else count
        return self.reference_counts >= least

    def mask(self, group: str) -> NDArray[np.bool_]:
        """Which pairs (P,) are in a group; all of them for the mean over categories."""
        every = self.groups[ALL]
        return self.groups.get(group, every)

    def counted_in(
        self, group: str, count: ReferenceCount = ALL_REFERENCES
    ) -> NDArray[np.bool_]:
        """Which pairs (P,) of a group count and have at least `count` references."""
        return self.mask(group) & self.is_counted & self.with_references(count)

    def decided_in(self, group: str) -> int:
        """Count the pairs of a group that have a winner and no tie."""
        is_decided = self.human.winner != 0
        return int((self.mask(group) & is_decided).sum())

    def batches(self, parts: Iterable[Inputs]) -> Iterator[tuple[slice, "Pairs"]]:
        """Yield the pairs of each part of the captions that has pairs."""
        image = self.captions.candidate_image[self.b]
        ends = np.cumsum([0, *self.captions.reference_counts])
        number = np.empty(len(self.captions.candidates), np.int64)

        for part in parts:
            first = part.first_image
            last = first + len(part.references)
            rows = slice(*np.searchsorted(image, (first, last)).tolist())
            if rows.start == rows.stop:
                continue

            number[part.candidate_number] = np.arange(len(part.candidates))
            batch = replace(
                self,
                table=self.table[rows],
                human=self.human.of(rows),
                groups={name: mask[rows] for name, mask in self.groups.items()},
                image=self.image[rows],
                cell=self.cell[rows] - self.cell[rows.start],
                sides=self.sides[rows],
                captions=part,
                candidates=number[self.candidates[:, rows]],
                names=self.names[ends[first] : ends[last]],
            )
            yield rows, batch


def decide(dataset: Dataset, options: Options) -> Decided:
    """Decide the winners of a dataset, and which references and pairs are evaluated."""
    winners = pair_winners(dataset, options.winners, options.margin)
    shown = shown_captions(dataset.pairs)
    is_identical = are_among(dataset.references, shown, CAPTION).to_numpy()
    references = dataset.references[~(is_identical & options.exclude_identical)]

    has_references = winners["image"].isin(references["image"])
    is_evaluated = (winners["winner"] != "") & has_references
    if options.exclude_equal_candidates:
        have_equal = have_equal_candidates(dataset.pairs)
        is_evaluated &= ~have_equal.to_numpy()
    has_credit = (winners["winner"] != TIE) | (options.human_ties != "drop")
    is_evaluated &= bool((is_evaluated & has_credit).any())

    triplets = triplet_winners(dataset)
    return Decided(winners, triplets, references, is_identical, is_evaluated)


def arrange_pairs(dataset: Dataset, decided: Decided, options: Options) -> Pairs:
    """Arrange the evaluated pairs of a dataset and their captions as arrays.

    Parameters
    ----------
    dataset : Dataset
        The dataset that has the pairs.
    decided : Decided
        What `decide` returns for it.
    options : Options
        The tie policies are taken from here.

    Returns
    -------
    Pairs
        Ordered by image, as in `references`, then by category.
    """
    winners = decided.winners[decided.is_evaluated]
    references = decided.references
    of_triplets = _sides_of_triplets(decided.triplets, winners, references)
    human = _human_winners(winners, options)
    references_of = references.groupby("image", sort=False)["caption"].agg(list)
    named = winners["category"]
    category_of = named.replace("", NO_CATEGORY) if named.any() else named
    categories = ordered_categories(category_of[human.is_counted])

    image = references_of.index.get_indexer(pd.Index(winners["image"]))
    category = pd.Index(categories, dtype=object).get_indexer(pd.Index(category_of))
    order = np.lexsort((category, image))

    winners = winners.iloc[order].reset_index(drop=True)
    image = dense_ranks(image[order])
    code = image * (len(categories) + 1) + category[order]

    shown = dataset.pairs.set_index("pair").loc[winners["pair"]].reset_index()
    captions, candidates = _arrange_captions(shown, references_of)
    names = category_of.to_numpy(dtype=object)[order]
    groups = {name: names == name for name in categories}
    pairs = Pairs(
        table=winners,
        human=human.of(order),
        groups=groups | {ALL: np.ones(len(winners), dtype=bool)},
        image=image,
        cell=dense_ranks(code),
        sides=of_triplets[order],
        captions=captions,
        candidates=candidates,
        names=_names_of(references_of),
    )
    _check_counts(pairs, options)
    return pairs


def _names_of(references_of: "pd.Series[Any]") -> NDArray[np.uint64]:
    """Return a number for each reference, made of its image's name, the caption, and its copy.

    Copies of a caption are told apart by how many come before.
    """
    names = []
    for image, captions in references_of.items():
        copies: Counter[str] = Counter()
        for caption in captions:
            names.append(f"{image}\0{caption}" + "\0" * copies[caption])
            copies[caption] += 1
    return numbers_of_names(names)


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
    """Return the distinct captions of images that pairs show, and the numbers of B and C (2, P)."""
    both = shown_captions(shown)
    number = group_numbers(both, CAPTION)
    candidates = both.drop_duplicates()

    images = references_of.index.get_indexer(pd.Index(candidates["image"]))
    captions = candidates["caption"].tolist()
    inputs = check(references_of.tolist(), captions, images)
    return inputs, number.reshape(2, -1)


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
