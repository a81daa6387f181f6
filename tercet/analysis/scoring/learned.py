"""Learned metrics that are judged by the data that they are trained on, without a leak.

Each pair, or rated caption, is scored by a model that has not seen its image.

Arrays: P pairs, C candidates, M metrics.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Self

import numpy as np

from tercet.analysis.scoring.options import LEARNED, Options
from tercet.analysis.scoring.pairs import Pairs
from tercet.analysis.stats.scores.correlation import dense_ranks
from tercet.analysis.stats.scores.ratings import Rated
from tercet.analysis.stats.scores.weights import (
    Numbers,
    PairExamples,
    fold_of,
    out_of_fold,
    train,
    without_parts,
)
from tercet.analysis.stats.shared_captions import image_groups
from tercet.metrics import FloatArray, IntArray

FOLDS = 10
LEAST_IMAGES = 2 * FOLDS
ASSIGNMENTS = 10
"""How often images are assigned to folds where it is told what a learned metric gains."""
WINNER_MODEL, RATING_MODEL = "winner model", "rating model"
"""The names of the metrics; nothing is learned from these again."""

Assignment = tuple[IntArray, np.random.Generator]
"""The fold of each candidate (C,), and the source of chance of the models."""


@dataclass(frozen=True)
class FoldGroups:
    """What stays in one fold, and the captions that models are trained on.

    Attributes
    ----------
    text : int array (C,)
        Equal for equal captions.
    group : int array (C,)
        The group of each candidate's image: no group is divided by folds.
    options : Options
        The seed, and whether a group is an image or all images that share captions.
    """

    text: IntArray
    group: IntArray
    options: Options

    @classmethod
    def of(cls, image: IntArray, captions: Sequence[object], options: Options) -> Self:
        """Group candidates by their image, or images that share captions together."""
        text = dense_ranks(list(map(str, captions)))
        group = image
        if options.folds == "captions":
            group = image_groups(image, text)[image]

        return cls(text, group, options)

    @classmethod
    def of_pairs(cls, pairs: Pairs, options: Options) -> Self:
        """Group the candidates of pairs: `group[pairs.b]` is the group of each pair."""
        captions = pairs.captions
        return cls.of(captions.candidate_image, captions.candidates, options)

    @classmethod
    def of_rated(cls, rated: Rated, options: Options) -> Self:
        """Group rated candidates."""
        rows = rated.rows
        image = rows.image[rows.first]
        captions = rated.candidates["caption"].tolist()
        return cls.of(image, captions, options)

    def assignments(self) -> Iterator[Assignment]:
        """Yield assignments of groups to folds; the first is used by the metrics of `learn`."""
        for number in range(ASSIGNMENTS):
            generator = self.options.generator(LEARNED, number)
            yield fold_of(self.group, FOLDS, generator), generator

    def check_size(self, group: IntArray, names: int, what: str) -> None:
        """Raise ValueError if there are too few of these groups, or metrics."""
        images = len(np.unique(group))
        if images >= LEAST_IMAGES and names > 1:
            return

        apart = " that share no caption" if self.options.folds == "captions" else ""
        raise ValueError(
            f"learn takes two metrics and {what} of {LEAST_IMAGES} images{apart}; there are "
            f"{names} metrics and {images} images{apart}."
        )


def complete_metrics(scores: Mapping[str, FloatArray]) -> list[str]:
    """Return the metrics that score both candidates of every pair, of their scores (2, P)."""
    return [name for name, (b, c) in scores.items() if np.isfinite(b + c).all()]


def learn_winners(
    scores: Mapping[str, FloatArray], pairs: Pairs, options: Options
) -> dict[str, FloatArray]:
    """Train models to predict the winners of pairs.

    Parameters
    ----------
    scores : mapping of str to float array (2, P)
        The scores of both candidates by metric. One that does not score every pair is left out.
    pairs : Pairs
    options : Options

    Returns
    -------
    dict of str to float array (P,)
        The weight of each metric in a model that was trained without the pair's image.

    Raises
    ------
    ValueError
        If there are too few images or metrics.
    """
    names = complete_metrics(scores)
    groups = FoldGroups.of_pairs(pairs, options)
    group = groups.group[pairs.b]
    groups.check_size(group, len(names), "pairs")

    part, generator = next(groups.assignments())
    differences = np.column_stack([scores[name][0] - scores[name][1] for name in names])
    examples = PairExamples(differences, pairs.human.winner, group)
    fit = partial(train, generator=generator)
    own = part[pairs.b]
    models = without_parts(examples, own, fit)
    weights = np.stack([model.weights for model in models])[own]
    return dict(zip(names, weights.T, strict=True))


def learn_ratings(
    rated: Rated, scores: Mapping[str, FloatArray], options: Options
) -> FloatArray:
    """Predict the ratings of candidates (C,) from their scores, by models without their image.

    Raises ValueError if there are too few images or metrics.
    """
    rows = rated.rows
    groups = FoldGroups.of_rated(rated, options)
    groups.check_size(groups.group, len(scores), "ratings")

    part, generator = next(groups.assignments())
    values = np.column_stack(list(scores.values()))
    columns = values[rows.candidate]
    group = groups.group[rows.candidate]
    examples = Numbers(columns, rows.rating, group)
    predicted = out_of_fold(examples, part[rows.candidate], generator)
    return predicted[rows.first]
