"""Metrics against ratings instead of choices."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import combinations

import numpy as np
import pandas as pd

import metrics
from analysis.dataset.schema import Dataset
from analysis.evaluation.external_scores import caption_scores
from analysis.evaluation.headline import headline
from analysis.evaluation.judging import TOKENIZERS, built_in, wanted
from analysis.evaluation.options import RATINGS, Options
from analysis.findings.finding import Finding
from analysis.progress import Progress, part, silent
from analysis.stats.accuracy import Resamples
from analysis.stats.ratings import Rated, compare, correlations, williams
from analysis.stats.significance import SignArray, flip_signs
from metrics import FloatArray

NO_RATINGS = "The dataset has no ratings.csv."
MOST_RESAMPLES = 1_000
"""Of rank correlations, which take long; so many are enough for an interval of 95 %."""


def ratings(dataset: Dataset, options: Options, progress: Progress = silent) -> Finding:
    """How each metric's scores with all references go with the ratings, and which goes better."""
    found = Finding(
        "ratings",
        "Ratings",
        "Beside the CIDEr paper: Kendall, 1938; Williams, 1959; Deutsch, Dror and Roth, 2021",
        "Correlation of each metric's scores, with all references, with the ratings of people: "
        "Kendall's tau b and c, Spearman's rho, Pearson's r, with 95 % intervals over images. "
        "Every rating can be a row, or the mean of a candidate's ratings: published numbers "
        "differ by that alone. Differences of two metrics are tested by swapping their "
        "standardised scores image by image, and by Williams' test. Intervals and tests are of at "
        "most 1,000 resamples and swaps.",
    )
    if dataset.ratings.empty:
        return found.without(NO_RATINGS)
    numbers = dataset.ratings.assign(rating=dataset.ratings["rating"].astype(float))
    rated = Rated.of(numbers, dataset.references)
    if rated.candidates.empty:
        return found.without("Every rated caption is among the references of its image.")
    scores = scores_of(dataset, rated, options)
    size = min(options.resamples, MOST_RESAMPLES)
    generator = options.generator(RATINGS)
    weights = Resamples.make(size, rated.rows.images, 1, generator).images
    table = pd.DataFrame(map(asdict, correlations(rated, scores, weights, part(progress, 0, 0.5))))
    shown = headline(list(scores))
    swaps = flip_signs(min(options.flips, MOST_RESAMPLES), rated.rows.images, generator)
    compared = list(differences(rated, {name: scores[name] for name in shown}, weights, swaps))
    dropped = f"{rated.dropped:,} rated captions are among their own references and left out."
    return found.having(
        tables={"ratings": table, "ratings_differences": pd.DataFrame(compared)},
        notes=(dropped,) if rated.dropped else (),
    )


def scores_of(dataset: Dataset, rated: Rated, options: Options) -> dict[str, FloatArray]:
    """The scores of the rated candidates with all references, by metric.

    Metrics of scores.csv that have not scored every rated candidate are left out.
    """
    others = caption_scores(dataset.scores, rated.candidates, 1)
    asked = wanted(options.metrics, others)
    complete = {
        name: table[:, 0]
        for name, table in others.items()
        if name in asked and np.isfinite(table).all()
    }
    return built_in_scores(dataset, rated, options, built_in(asked, others)) | complete


def built_in_scores(
    dataset: Dataset, rated: Rated, options: Options, names: Sequence[str]
) -> dict[str, FloatArray]:
    references = dataset.references.groupby("image", sort=False)["caption"].agg(list)
    images = references.index.get_indexer(pd.Index(rated.candidates["image"]))
    if len(references) == 1:  # whose documents would be one
        names = [name for name in names if name not in metrics.weighed(names)]
    return metrics.score(
        references.tolist(),
        rated.candidates["caption"].tolist(),
        images.tolist(),
        names,
        TOKENIZERS[options.tokenizer],
        metrics.read_documents(metrics.COCO) if options.documents == metrics.COCO else "pool",
    )


def differences(
    rated: Rated, scores: dict[str, FloatArray], weights: FloatArray, swaps: SignArray
) -> Iterator[dict[str, object]]:
    """A row for every two of the metrics and each coefficient, of mean ratings."""
    rows = rated.rows.averaged()
    for a, b in combinations(scores, 2):
        test = williams(rows, scores[a], scores[b])
        for each in compare((a, b), rows, (scores[a], scores[b]), weights, swaps > 0):
            yield asdict(each) | {
                "t_williams": test.t,
                "p_williams": test.p,
                "williams": test.reason,
            }
