"""Learned metrics that are judged by the data that they are trained on, without a leak.

Each pair, or rated caption, is scored by a model that has not seen its image.

Arrays: P pairs, K reference counts, C rated candidates, M metrics.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from analysis.evaluation.options import LEARNED, Options
from analysis.evaluation.pairs import Pairs
from analysis.stats.rating_model import ratings_out_of_fold
from analysis.stats.ratings import Rated
from analysis.stats.winner_model import fold_of, weights_out_of_fold
from metrics import FloatArray

FOLDS = 10
LEAST_IMAGES = 2 * FOLDS
WINNER_MODEL, RATING_MODEL = "winner model", "rating model"
"""The names of the metrics; nothing is learned from these again."""
MADE_WITH = (
    f"{WINNER_MODEL}, {RATING_MODEL}: trained on other images, {FOLDS} folds"
)
"""What the signature of a result says of them."""


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
    _check_size(len(np.unique(pairs.image)), len(names), "pairs")

    generator = options.generator(LEARNED)
    weights = weights_out_of_fold(
        np.column_stack([b[name] - c[name] for name in names]),
        pairs.human.by_all_triplets,
        pairs.image,
        fold_of(pairs.image, FOLDS, generator),
        generator,
    )
    return WinnerModel(names, weights)


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
    rows, generator = rated.rows, options.generator(LEARNED)
    _check_size(rows.images, len(scores), "ratings")

    columns = np.column_stack(list(scores.values()))[rows.candidate]
    part = fold_of(rows.image, FOLDS, generator)
    predicted = ratings_out_of_fold(
        columns, rows.rating, rows.image, part, generator
    )

    return predicted[rows.first]


def _check_size(images: int, names: int, what: str) -> None:
    if images < LEAST_IMAGES or names < 2:
        raise ValueError(
            f"learn takes two metrics and {what} of {LEAST_IMAGES} images; there are "
            f"{names} metrics and {images} images."
        )
