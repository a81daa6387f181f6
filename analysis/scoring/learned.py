"""Learned metrics that are judged by the data that they are trained on, without a leak.

Each pair, or rated caption, is scored by a model that has not seen its image.

Arrays: P pairs, K reference counts, C candidates, N ratings, M metrics.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Self

import numpy as np

from tercet.analysis.scoring.options import LEARNED, Options
from tercet.analysis.scoring.pairs import Pairs
from tercet.analysis.stats.scores.ratings import Rated
from tercet.analysis.stats.scores.weights import (
    Choices,
    Numbers,
    fold_of,
    out_of_fold,
    train,
    without_parts,
)
from tercet.analysis.stats.shared_captions import image_groups
from tercet.metrics import FloatArray, IntArray

_FOLDS = 10
LEAST_IMAGES = 2 * _FOLDS
ASSIGNMENTS = 10
"""How often images are assigned to folds where it is told what a learned metric gains."""
WINNER_MODEL, RATING_MODEL = "winner model", "rating model"
"""The names of the metrics; nothing is learned from these again."""


@dataclass(frozen=True)
class Groups:
    """What stays in one fold, and the captions that models are trained on.

    Attributes
    ----------
    image : int array (C,)
        The image of each candidate, 0..G-1.
    text : int array (C,)
        Equal for equal captions.
    group : int array (C,)
        The group of its image: no group is divided by folds.
    """

    image: IntArray
    text: IntArray
    group: IntArray

    @classmethod
    def of(cls, image: IntArray, captions: Sequence[object], options: Options) -> Self:
        """Group candidates by their image, or images that share captions together."""
        text = np.unique(list(map(str, captions)), return_inverse=True)[1]
        group = image
        if options.folds == "captions":
            group = image_groups(image, text)[image]

        return cls(image, text.astype(np.int64), group)

    @classmethod
    def of_pairs(cls, pairs: Pairs, options: Options) -> Self:
        """Group the candidates of pairs: `group[pairs.b]` is that of each pair."""
        captions = pairs.captions
        return cls.of(captions.candidate_image, captions.candidates, options)

    @classmethod
    def of_rated(cls, rated: Rated, options: Options) -> Self:
        """Group rated candidates."""
        image = rated.rows.image[rated.rows.first]
        return cls.of(image, rated.candidates["caption"].tolist(), options)


@dataclass(frozen=True)
class Assignment:
    """One assignment of groups to folds.

    Attributes
    ----------
    part : int array (C,)
        The fold of each candidate.
    generator : numpy.random.Generator
        For the models.
    """

    part: IntArray
    generator: np.random.Generator


def assignments(groups: Groups, options: Options) -> Iterator[Assignment]:
    """Yield assignments of groups to folds; the first is that of the metrics of `learn`."""
    for number in range(ASSIGNMENTS):
        generator = options.generator(LEARNED, number)
        part = fold_of(groups.group, _FOLDS, generator)
        yield Assignment(part, generator)


@dataclass(frozen=True)
class WinnerModel:
    """A weighted sum of metrics, with weights of their own for each pair.

    Attributes
    ----------
    names : sequence of str
        The metrics that are summed.
    weights : float array (P, M)
        Those of a model that was trained without the pair's image.
    """

    names: Sequence[str]
    weights: FloatArray

    def of(self, rows: slice) -> Self:
        """Return the model for some pairs."""
        return replace(self, weights=self.weights[rows])

    def score(self, scores: Mapping[str, FloatArray]) -> FloatArray:
        """Return the scores of one side (P, K), from those of its metrics (P, K)."""
        total: FloatArray = np.zeros(scores[self.names[0]].shape)
        for number, name in enumerate(self.names):
            total += self.weights[:, number, None] * scores[name]

        return total


def training_count(pairs: Pairs, options: Options) -> int | None:
    """Return the number of references that models learn with; None for all of them.

    It is the only one that is evaluated, if every pair has so many.
    """
    if len(options.counts) != 1:
        return None

    [count] = options.counts
    return count if count <= pairs.reference_counts.min() else None


def complete_metrics(
    b: Mapping[str, FloatArray], c: Mapping[str, FloatArray]
) -> list[str]:
    """Return the metrics that score both candidates of every pair: b and c have (P,) each."""
    return [name for name in b if np.isfinite(b[name] + c[name]).all()]


def learn_winners(
    b: Mapping[str, FloatArray],
    c: Mapping[str, FloatArray],
    pairs: Pairs,
    options: Options,
) -> WinnerModel:
    """Train models to predict the winners of pairs.

    Parameters
    ----------
    b, c : mapping of str to float array (P,)
        The scores of both candidates by metric. One that does not score every pair is left out.
    pairs : Pairs
    options : Options
        The seed is taken from here.

    Raises
    ------
    ValueError
        If there are too few images or metrics.
    """
    names = complete_metrics(b, c)
    groups = Groups.of_pairs(pairs, options)
    _check_size(groups.group[pairs.b], len(names), "pairs", options)

    first = next(assignments(groups, options))
    part = first.part[pairs.b]
    examples = Choices(
        np.column_stack([b[name] - c[name] for name in names]),
        pairs.human.winner,
        groups.group[pairs.b],
    )
    fit = partial(train, generator=first.generator)
    models = without_parts(examples, part, fit)

    weights = np.stack([model.weights for model in models])
    return WinnerModel(names, weights[part])


def learn_ratings(
    rated: Rated, scores: Mapping[str, FloatArray], options: Options
) -> FloatArray:
    """Predict the ratings of candidates (C,), each by a model trained without its image.

    Parameters
    ----------
    rated : Rated
    scores : mapping of str to float array (C,)
        By metric.
    options : Options
        The seed is taken from here.

    Raises
    ------
    ValueError
        If there are too few images or metrics.
    """
    rows = rated.rows
    groups = Groups.of_rated(rated, options)
    _check_size(groups.group, len(scores), "ratings", options)

    first = next(assignments(groups, options))
    columns = np.column_stack(list(scores.values()))[rows.candidate]
    examples = Numbers(columns, rows.rating, groups.group[rows.candidate])

    part = first.part[rows.candidate]
    return out_of_fold(examples, part, first.generator)[rows.first]


def made_with(options: Options) -> str:
    """Return what the signature of a result says of learned metrics."""
    kept = (
        ", images that share captions in one fold"
        if options.folds == "captions"
        else ""
    )
    return (
        f"{WINNER_MODEL}, {RATING_MODEL}: trained on other images, {_FOLDS} folds{kept}"
    )


def _check_size(group: IntArray, names: int, what: str, options: Options) -> None:
    images = len(np.unique(group))
    if images >= LEAST_IMAGES and names > 1:
        return

    apart = " that share no caption" if options.folds == "captions" else ""
    raise ValueError(
        f"learn takes two metrics and {what} of {LEAST_IMAGES} images{apart}; there are "
        f"{names} metrics and {images} images{apart}."
    )
