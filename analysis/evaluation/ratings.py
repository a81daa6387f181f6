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
from analysis.evaluation.options import Options
from analysis.evaluation.scoring import TOKENIZERS, built_in, to_score
from analysis.stats.ratings import Rated, without_rated_captions
from metrics import FloatArray


@dataclass(frozen=True)
class ScoredRatings:
    """Rated captions with the scores of every metric.

    Attributes
    ----------
    rated : Rated
        The candidates and their ratings.
    scores : mapping from metric to a float array (C,)
        The scores with all references.
    excluded : int
        How many references were left out because they were rated as candidates.
    """

    rated: Rated
    scores: Mapping[str, FloatArray]
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
        return ScoredRatings(rated, {}, excluded)

    others = caption_scores(dataset.scores, rated.candidates, 1)
    names = to_score(options.metrics, others)
    scores = _built_in_scores(
        references, rated, options, built_in(names, others)
    )

    for name, table in others.items():
        if name in names and np.isfinite(table).all():
            scores[name] = table[:, 0]

    return ScoredRatings(rated, scores, excluded)


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
        names = [name for name in names if name not in metrics.weighed(names)]

    scores = metrics.score(
        references=by_image.tolist(),
        candidates=rated.candidates["caption"].tolist(),
        images=images.tolist(),
        metrics=names,
        tokenize=TOKENIZERS[options.tokenizer],
        documents=documents_of_all(options),
    )
    return dict(scores.captions)


def documents_of_all(options: Options) -> metrics.Documents:
    """Return where document frequencies are counted with all references at once."""
    if options.documents == metrics.COCO:
        return metrics.read_documents(metrics.COCO)

    return "rows" if options.documents == "rows" else "pool"
