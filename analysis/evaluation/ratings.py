"""The scores of rated captions.

Arrays: C rated candidates.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

import metrics
from analysis.dataset.schema import Dataset
from analysis.evaluation.external_scores import caption_scores
from analysis.evaluation.learned import RATING_MODEL, learn_ratings
from analysis.evaluation.options import Options
from analysis.evaluation.selection import score_captions, to_score
from analysis.stats.ratings import Rated, without_rated_captions
from metrics import FloatArray
from metrics.inputs import check
from metrics.selection import Selection


@dataclass(frozen=True)
class ScoredRatings:
    """Rated captions with the scores of every metric.

    Attributes
    ----------
    rated : Rated
        The candidates and their ratings.
    scores : mapping from metric to a float array (C,)
        The scores with all references.
    selection : Selection
        The metrics, with what they are computed from.
    excluded : int
        How many references were left out because they were rated as candidates.
    """

    rated: Rated
    scores: Mapping[str, FloatArray]
    selection: Selection
    excluded: int = 0


def score_ratings(dataset: Dataset, options: Options) -> ScoredRatings:
    """Score the rated captions of a dataset with all references.

    Parameters
    ----------
    dataset : Dataset
        A dataset that has ratings.
    options : Options
        Which metrics, tokenizer and documents.

    Returns
    -------
    ScoredRatings
        Metrics of `scores.csv` that have not scored every rated candidate are left out.
    """
    ratings = dataset.ratings.assign(
        rating=dataset.ratings["rating"].astype(float)
    )
    references = dataset.references
    if options.exclude_identical:
        references = without_rated_captions(references, ratings)
    excluded = len(dataset.references) - len(references)

    rated = Rated.of(ratings, references)
    if rated.candidates.empty:
        return ScoredRatings(rated, {}, Selection(()), excluded)

    others = caption_scores(dataset.scores, rated.candidates, 1)
    selection = to_score(options, others)
    scores = _built_in_scores(references, rated, options, selection.built_in)

    for name, table in others.items():
        if np.isfinite(table).all():
            scores[name] = table[:, 0]

    selection = selection.available(scores).fitted(scores)
    completed = selection.complete(scores)
    if options.learn:
        completed[RATING_MODEL] = learn_ratings(rated, completed, options)

    return ScoredRatings(rated, completed, selection, excluded)


def _built_in_scores(
    references: pd.DataFrame,
    rated: Rated,
    options: Options,
    names: Sequence[str],
) -> dict[str, FloatArray]:
    """Compute the scores of the rated candidates (C,) by built-in metrics."""
    by_image = references.groupby("image", sort=False)["caption"].agg(list)
    images = by_image.index.get_indexer(pd.Index(rated.candidates["image"]))

    if len(by_image) == 1:  # the document frequencies would be of one document
        names = [name for name in names if not metrics.weighed([name])]

    candidates = rated.candidates["caption"].tolist()
    captions = check(by_image.tolist(), candidates, images)
    return score_captions(captions, names, options)
