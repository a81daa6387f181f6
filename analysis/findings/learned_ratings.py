"""A learned metric of ratings: how much a weighted sum of the metrics gains."""

import numpy as np
import pandas as pd

from analysis.evaluation.learned import FOLDS, LEAST_IMAGES, RATING_MODEL
from analysis.evaluation.options import LEARNED, Options
from analysis.evaluation.results import Results
from analysis.findings.finding import Content, Definition
from analysis.findings.learned import MEAN_OF_ALL, SINGLE
from analysis.findings.needs import (
    RATED_CANDIDATES,
    RATINGS,
    RATINGS_TO_LEARN_FROM,
    TWO_METRICS,
)
from analysis.findings.sentences import learned_ratings_sentence
from analysis.stats.rating_model import (
    best_rating_metric,
    mean_of_standardized,
    ratings_out_of_fold,
)
from analysis.stats.ratings import (
    MAX_RESAMPLES,
    Rated,
    correlations,
    differences,
)
from analysis.stats.significance import flip_signs
from analysis.stats.winner_model import fold_of
from analysis.texts import Text
from analysis.texts import gettext as _
from metrics import FloatArray

COEFFICIENT = "tau_c"

MEANING = _(
    "A weighted sum of all metrics, trained to predict ratings (least squares, no weight below "
    "0). Each caption is scored by a model that has not seen its image; the best single metric "
    "(by Spearman's rho) is chosen in the same way, and the mean of all metrics is standardized "
    "on the other images. The table has Kendall's tau c of the scores with every rating, and the "
    "difference from the best single metric. p is that of a permutation test that exchanges the "
    "contributions of two metrics image by image."
)


def learned_ratings(results: Results) -> Content:
    """Compare a model trained on ratings with single metrics, out of fold by image."""
    rated = results.ratings.rated
    scores = pd.DataFrame(
        dict(results.ratings.scores),
        index=pd.MultiIndex.from_frame(rated.candidates),
    ).drop(columns=RATING_MODEL, errors="ignore")
    tables, notes = [], []

    for aspect, of_aspect in rated.by_aspect():
        if of_aspect.rows.images < LEAST_IMAGES:
            notes.append(_too_few(of_aspect.rows.images))
            continue

        own = scores.loc[pd.MultiIndex.from_frame(of_aspect.candidates)]
        table = _table(of_aspect, own.to_numpy(dtype=float), results.options)
        if aspect:
            table.insert(0, "aspect", aspect)
        tables.append(table)

    return Content(
        tables={"learned_ratings": pd.concat(tables, ignore_index=True)},
        sentence=learned_ratings_sentence(tables[0]),
        notes=tuple(dict.fromkeys(notes)),
    )


def _table(rated: Rated, scores: FloatArray, options: Options) -> pd.DataFrame:
    """Return a row for each model, from the scores of the candidates (C, M)."""
    made = _out_of_fold(rated, scores, options.generator(LEARNED))
    rows = [
        each
        for name, own in made.items()
        for each in correlations(name, rated.rows, own)
        if each.coefficient == COEFFICIENT
    ]
    table = pd.DataFrame(map(vars, rows)).rename(
        columns={"metric": "model", "value": COEFFICIENT}
    )
    tests = _tests(rated, made, options)
    columns = ["model", "rows", "images", COEFFICIENT, "low", "high"]

    return table[columns].merge(tests, on="model", how="left")


def _out_of_fold(
    rated: Rated, scores: FloatArray, generator: np.random.Generator
) -> dict[str, FloatArray]:
    """Return the scores of the candidates (C,) by each model, without their images."""
    rows = rated.rows
    given = scores[rows.candidate]
    part = fold_of(rows.image, FOLDS, generator)

    by_row = {
        RATING_MODEL: ratings_out_of_fold(
            given, rows.rating, rows.image, part, generator
        ),
        SINGLE: best_rating_metric(given, rows.rating, part),
        MEAN_OF_ALL: mean_of_standardized(given, part),
    }
    return {name: each[rows.first] for name, each in by_row.items()}


def _tests(
    rated: Rated, made: dict[str, FloatArray], options: Options
) -> pd.DataFrame:
    """Return each model's difference from the best single metric, with its interval and p."""
    flips = min(options.flips, MAX_RESAMPLES)
    signs = flip_signs(flips, rated.rows.images, options.generator(LEARNED, 1))
    found = []

    for name in (RATING_MODEL, MEAN_OF_ALL):
        both = {name: made[name], SINGLE: made[SINGLE]}
        table = differences(rated.rows, both, signs)
        if len(table):
            own = table[table["coefficient"] == COEFFICIENT]
            found.append(own.assign(model=name))

    columns = ["model", "difference", "difference_low", "difference_high", "p"]
    if not found:
        return pd.DataFrame(columns=columns)

    named = {"low": "difference_low", "high": "difference_high"}
    return pd.concat(found).rename(columns=named)[columns]


def _too_few(images: int) -> Text:
    return _(
        "A model takes two metrics and ratings of {least} images; there are {images} images.",
        least=LEAST_IMAGES,
        images=images,
    )


DEFINITION = Definition(
    name="learned_ratings",
    title=_("What a learned metric of ratings gains"),
    source=_("After NNEval (Sharif et al., 2018), with ratings as the target"),
    meaning=MEANING,
    needs=(RATINGS, RATED_CANDIDATES, TWO_METRICS, RATINGS_TO_LEARN_FROM),
    make=learned_ratings,
)
