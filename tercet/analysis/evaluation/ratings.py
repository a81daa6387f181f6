"""The scores of rated captions.

Arrays: C rated candidates.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from tercet import metrics
from tercet.analysis.scoring.learned import RATING_MODEL, learn_ratings
from tercet.analysis.scoring.options import Options
from tercet.analysis.scoring.pairs import Arranged
from tercet.analysis.scoring.sources import (
    Sources,
    fitted,
    score_once,
    sources_of_ratings,
)
from tercet.analysis.stats.scores.ratings import Rated, without_rated
from tercet.analysis.tables.schema import Dataset
from tercet.metrics import FloatArray
from tercet.metrics.selection import Selection
from tercet.metrics.text.inputs import check


@dataclass(frozen=True)
class ScoredRatings:
    """Rated captions with the scores of every metric.

    Attributes
    ----------
    rated : Rated
        The candidates and their ratings.
    scores : mapping from metric to a float array (C,)
        The scores with all references.
    sources : Sources
        The metrics, with what scored them.
    """

    rated: Rated
    scores: Mapping[str, FloatArray]
    sources: Sources

    def by_aspect(self) -> Iterator[tuple[str, Rated, pd.DataFrame]]:
        """Yield each aspect with its ratings, and the scores of their candidates by metric."""
        index = pd.MultiIndex.from_frame(self.rated.candidates)
        scores = pd.DataFrame(dict(self.scores), index=index)

        for aspect, rated in self.rated.by_aspect():
            candidates = pd.MultiIndex.from_frame(rated.candidates)
            yield aspect, rated, scores.loc[candidates]


def score_ratings(dataset: Dataset, options: Options) -> ScoredRatings:
    """Score the rated captions of a dataset with all references.

    Metrics of `scores.csv` that have not scored every rated candidate are left out.
    """
    ratings = dataset.valid_ratings
    ratings = ratings.assign(rating=ratings["rating"].astype(float))
    references, for_all = dataset.references, options.exclude_rated
    rated = Rated.of(ratings, references, options.exclude_identical, for_all)
    if rated.candidates.empty:
        return ScoredRatings(rated, {}, Sources(Selection(())))

    if for_all:
        references = without_rated(references, ratings)
    of_images = references.groupby("image", sort=False)["caption"].agg(list)
    arranged = _arrange(rated, of_images)

    documents = None
    if rated.is_own.any() and options.documents in ("pool", "k"):
        tokenize = options.tokenize
        documents = metrics.count_documents(of_images.tolist(), tokenize)

    sources = sources_of_ratings(dataset, rated.candidates, arranged, options)
    sources = fitted(sources, arranged, options, documents)
    scores = score_once(arranged, sources, options, documents)
    if options.learn:
        learned = learn_ratings(rated, scores, options)
        scores[RATING_MODEL] = learned
    return ScoredRatings(rated, scores, sources)


def _arrange(rated: Rated, references: "pd.Series[Any]") -> Arranged:
    """Arrange the rated candidates (C,) with their references, lists by image.

    A candidate that is among its references is given the others alone.
    """
    images = references.index.get_indexer(pd.Index(rated.candidates["image"]))
    captions = rated.candidates["caption"].tolist()
    given = references.tolist()

    for own in np.flatnonzero(rated.is_own):
        caption = captions[own]
        others = [each for each in given[images[own]] if each != caption]
        given.append(others)
        images[own] = len(given) - 1
    return Arranged.of_captions(check(given, captions, images))
