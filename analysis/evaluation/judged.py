"""All pairs judged by all metrics: what every figure is made of."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import joblib
import numpy as np
import pandas as pd
from numpy.typing import NDArray

import metrics
from analysis.dataset.schema import ALL, CATEGORIES, PEOPLE, Dataset
from analysis.dataset.winners import SIDE, sides, triplet_winners
from analysis.evaluation.external_scores import scores_of
from analysis.evaluation.judging import TOKENIZERS, Both, Tally, Work, built_in, joined, judge_part
from analysis.evaluation.options import Options
from analysis.progress import Progress, part
from analysis.stats.accuracy import HumanWinners
from metrics import FloatArray, Inputs, IntArray
from metrics.batches import documents_of, split
from metrics.inputs import check

PART = 1 << 16
"""Comparisons of a candidate with a reference that are one piece of work, about."""


@dataclass(frozen=True)
class Pairs:
    """The pairs that have a winner, by image and category, and the captions that show them.

    table: the columns of `analysis.dataset.winners.pair_winners`, a row a pair. image (P,): the
    number of the pair's image among those that have pairs, ascending. b, c (P,): its candidates.
    sides (P, K): the winner of the triplet with each reference, NaN without one. scores: those of
    metrics computed elsewhere, of b and c, (P, K) each.
    """

    table: pd.DataFrame
    judge: HumanWinners
    image: IntArray
    b: IntArray
    c: IntArray
    sides: FloatArray
    captions: Inputs
    scores: Mapping[str, Both] = field(default_factory=dict)

    @cached_property
    def category(self) -> NDArray[np.object_]:
        """The category (P,) of each pair."""
        return self.table["category"].to_numpy(dtype=object)

    @cached_property
    def groups(self) -> dict[str, NDArray[np.bool_]]:
        """Which pairs (P,) are in each category that has any, and in all."""
        masks = {name: self.category == name for name in CATEGORIES}
        present = {name: mask for name, mask in masks.items() if mask.any()}
        return present | {ALL: np.ones(len(self.category), dtype=bool)}

    @cached_property
    def cell(self) -> IntArray:
        """The cell (P,) of each pair: those of one image and one category, ascending."""
        code = self.image * len(CATEGORIES) + pd.Categorical(self.category, CATEGORIES).codes
        return np.unique(code, return_inverse=True)[1].astype(np.int64)

    @cached_property
    def first_of_cell(self) -> IntArray:
        """The first pair (C,) of each cell."""
        return np.flatnonzero(np.diff(self.cell, prepend=-1))

    @property
    def reference_counts(self) -> IntArray:
        """How many references (P,) each pair's image has."""
        return self.captions.reference_counts[self.captions.candidate_image[self.b]]


@dataclass(frozen=True)
class Judged:
    """The pairs and the tally of every metric; draws: how many orders were averaged."""

    pairs: Pairs
    tallies: dict[str, Tally]
    people: Tally
    draws: int

    @property
    def names(self) -> list[str]:
        """The metrics, in the order of the tables."""
        return list(self.tallies)


def gather(
    dataset: Dataset, winners: pd.DataFrame, references: pd.DataFrame, options: Options
) -> Pairs:
    """The pairs of `winners`; a caption that stands in several pairs of an image is compared once.

    references: those of the dataset that metrics are given.
    """
    by_image = references.groupby("image", sort=False)["caption"].agg(list)
    place = by_image.index.get_indexer(pd.Index(winners["image"]))
    category = pd.Categorical(winners["category"], CATEGORIES).codes
    winners = winners.iloc[np.lexsort((category, place))]
    shown = dataset.pairs.set_index("pair").loc[winners["pair"]]
    both = pd.concat(
        [
            shown[["image", f"candidate_{side}"]].set_axis(["image", "caption"], axis=1)
            for side in "bc"
        ]
    )
    number = both.groupby(["image", "caption"], sort=False).ngroup().to_numpy().astype(np.int64)
    candidates = both.drop_duplicates()
    b, c = number.reshape(2, -1)
    triplets = triplet_sides(dataset, winners, references)
    return Pairs(
        table=winners.reset_index(drop=True),
        judge=HumanWinners(
            sides(winners["winner"]),
            winners["vote_share"].to_numpy(dtype=float),
            options.human_ties,
            options.metric_ties,
        ),
        image=np.unique(np.sort(place), return_inverse=True)[1].astype(np.int64),
        b=b,
        c=c,
        sides=triplets,
        captions=check(
            by_image.tolist(),
            candidates["caption"].tolist(),
            by_image.index.get_indexer(pd.Index(candidates["image"])),
        ),
        scores=scores_of(dataset.scores, shown.reset_index(), triplets.shape[1]),
    )


def triplet_sides(dataset: Dataset, winners: pd.DataFrame, references: pd.DataFrame) -> FloatArray:
    """The winner of each pair's triplet with each reference of its image (P, K), NaN without."""
    column = references.groupby("image").cumcount().rename("column")
    kept = pd.concat([references["image"], references["number"].astype(str), column], axis=1)
    kept = kept[kept["image"].isin(winners["image"])]
    rows = winners[["pair", "image"]].assign(row=np.arange(len(winners)))
    found = triplet_winners(dataset).merge(rows, on="pair")
    found = found.merge(kept, left_on=["image", "reference"], right_on=["image", "number"])
    table = np.full((len(winners), int(kept["column"].max()) + 1), np.nan)
    table[found["row"], found["column"]] = found["winner"].map(SIDE)
    return table


def judge(pairs: Pairs, options: Options, progress: Progress) -> Judged:
    """Every pair judged by every metric, on all processors or where `joblib` is told to work."""
    progress(0.0, "Counting document frequencies")
    tokenize, wanted = TOKENIZERS[options.tokenizer], built_in(options.metrics, pairs.scores)
    chosen = options.documents
    table = metrics.read_documents(chosen) if chosen == "coco-val2014" else chosen
    parts = split(pairs.captions, table, PART)
    documents = documents_of(parts, wanted, tokenize, table)
    work = works(pairs, parts, documents)
    done = judged_parts(work, len(parts), options, part(progress, 0.05, 1))
    tallies = joined(done, len(pairs.first_of_cell), len(pairs.table))
    people = tallies.pop(PEOPLE)
    draws = 1 if options.order == "file" else options.draws
    return Judged(pairs, tallies, people, draws)


def judged_parts(
    work: Iterator[Work], parts: int, options: Options, progress: Progress
) -> Iterator[dict[str, Tally]]:
    """The tallies of each part. One part alone is not worth another process."""
    if parts == 1:
        yield judge_part(next(work), options, progress)
        return
    judging = joblib.Parallel(return_as="generator")(
        joblib.delayed(judge_part)(each, options) for each in work
    )
    for number, tallies in enumerate(judging, start=1):
        progress(number / parts, f"Judged part {number} of {parts}")
        yield tallies


def works(pairs: Pairs, parts: Sequence[Inputs], documents: metrics.Documents) -> Iterator[Work]:
    """The work on each part of the images that has pairs."""
    image = pairs.captions.candidate_image[pairs.b]
    starts = np.concatenate(([0], np.cumsum(pairs.captions.reference_counts)))
    place = np.empty(len(pairs.captions.candidates), np.int64)
    for given in parts:
        place[given.candidate_number] = np.arange(len(given.candidates))
        ends = given.first_image, given.first_image + len(given.references)
        rows = slice(*np.searchsorted(image, ends))
        if rows.start < rows.stop:
            yield Work(
                captions=given,
                b=place[pairs.b[rows]],
                c=place[pairs.c[rows]],
                judge=pairs.judge.of(rows),
                sides=pairs.sides[rows],
                cell=pairs.cell[rows] - pairs.cell[rows.start],
                groups=np.array([mask[rows] for mask in pairs.groups.values()], dtype=float),
                scores={name: (b[rows], c[rows]) for name, (b, c) in pairs.scores.items()},
                first_reference=int(starts[given.first_image]),
                references=int(starts[-1]),
                documents=documents,
            )
