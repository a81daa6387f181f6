"""Learned metrics: how much a weighted sum of the metrics gains in predicting ratings.

Arrays: N ratings, M metrics, A assignments of images to folds, G images.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import compress
from typing import Any

import numpy as np
import pandas as pd

from tercet.analysis.evaluation.results import Results
from tercet.analysis.evaluation.verdicts import LEVEL
from tercet.analysis.findings.finding import Content, finding
from tercet.analysis.findings.first_sentence import metrics_in_words
from tercet.analysis.findings.metrics.learned_models import (
    MEAN_OF_ALL,
    SINGLE,
    JudgedModel,
    chosen_in_words,
    predict_out_of_fold,
    tables_of_models,
    too_few_groups,
)
from tercet.analysis.findings.metrics.ratings import by_aspect
from tercet.analysis.findings.needs import (
    RATED_CANDIDATES,
    RATINGS,
    RATINGS_TO_LEARN_FROM,
    TWO_METRICS,
)
from tercet.analysis.number_texts import fixed, percent
from tercet.analysis.scoring.learned import (
    ASSIGNMENTS,
    LEAST_IMAGES,
    RATING_MODEL,
    Assignment,
    FoldGroups,
)
from tercet.analysis.scoring.options import LEARNED, Options
from tercet.analysis.stats.scores.correlation import (
    COEFFICIENT_NAMES,
    COEFFICIENTS,
    Coefficients,
    coefficients,
    columns_without_parts,
    influence_of,
    interval_over_images,
    standard_error,
)
from tercet.analysis.stats.scores.ratings import (
    MAX_RESAMPLES,
    RATINGS_CONSTANT,
    Rated,
    RatingRows,
    compare_contributions,
)
from tercet.analysis.stats.scores.weights import Numbers
from tercet.analysis.stats.shared_captions import crosses_parts
from tercet.analysis.stats.significance import flip_signs
from tercet.analysis.superlatives import Ranking, listed
from tercet.analysis.values import p_value
from tercet.metrics import FloatArray, IntArray

_TAUS = ("tau_c", "tau_b")
"""Coefficients that are always given: they may differ on whether anything is gained."""
_MODELS = (RATING_MODEL, SINGLE, MEAN_OF_ALL, "single metric, best on these ratings")
"""The models in tables; the last one is chosen in hindsight."""
_ONE_SCORE = "Every metric gives all captions the same score."
_MEANING = (
    "A weighted sum of all metrics, trained to predict ratings (least squares, no weight below "
    "0). Each caption is scored by a model that has not seen its image; the best single metric is "
    "chosen by the same coefficient on the same training ratings, and the mean of all metrics is "
    "standardized on the other images. The last row is the metric that is best on these very "
    "ratings, which no fair choice could know. The table has correlations of the scores with "
    "every rating, by Kendall's tau c and tau b. Figures are means over assignments of images to "
    "folds; lowest, highest and difference_sd say how much they depend on it. p is that of a "
    "permutation test that exchanges the contributions of two models image by image, against the "
    "best single metric; p_best is against the last row."
)


@finding(
    title="What a learned metric of ratings gains",
    source="After NNEval (Sharif et al., 2018), with ratings as the target",
    meaning=_MEANING,
    needs=(RATINGS, RATED_CANDIDATES, TWO_METRICS, RATINGS_TO_LEARN_FROM),
)
def learned_ratings(results: Results) -> Content:
    """Compare a model trained on ratings with single metrics, out of fold by image."""
    options = results.options
    tables: list[pd.DataFrame] = []
    spreads: list[pd.DataFrame] = []
    notes: list[str] = []

    for aspect, rated, scores in results.ratings.by_aspect():
        groups = FoldGroups.of_rated(rated, options)
        own = scores.drop(columns=RATING_MODEL, errors="ignore")
        if reason := _too_few_ratings(rated, groups, own):
            notes.append(reason)
            continue

        made = list(groups.assignments())
        found = _tables_of_ratings(rated.rows, own, groups, made, options)
        for table, all_tables in zip(found, (tables, spreads), strict=True):
            if aspect:
                table.insert(0, "aspect", aspect)
            all_tables.append(table)

        notes += _shared_captions(groups, made)

    unique = tuple(dict.fromkeys(notes))
    if not tables:
        return Content(notes=unique)

    of_models = pd.concat(tables, ignore_index=True)
    names = set(results.ratings.scores) - {RATING_MODEL}
    return Content(
        tables={
            "learned_ratings": of_models,
            "learned_ratings_assignments": pd.concat(spreads, ignore_index=True),
        },
        sentence=learned_ratings_sentence(of_models, metrics_in_words(names, "metric")),
        notes=unique,
    )


def _too_few_ratings(rated: Rated, groups: FoldGroups, scores: pd.DataFrame) -> str:
    """Return why nothing is learned from ratings, or nothing."""
    if rated.rows.images < LEAST_IMAGES:
        return (
            f"A model takes two metrics and ratings of {LEAST_IMAGES} images; there are "
            f"{rated.rows.images} images."
        )
    if len(np.unique(groups.group)) < LEAST_IMAGES:
        return too_few_groups(groups.group)

    if np.ptp(rated.rows.rating) == 0:
        return RATINGS_CONSTANT
    ranges = np.ptp(scores.to_numpy(), axis=0)
    return "" if ranges.any() else _ONE_SCORE


def _shared_captions(groups: FoldGroups, made: Sequence[Assignment]) -> Iterator[str]:
    """Say how many captions an image of another fold has as well."""
    shared = []
    for part, _generator in made:
        is_shared = crosses_parts(groups.text, part)
        shared.append(is_shared.mean())

    if mean := float(np.mean(shared)):
        yield (
            f"{fixed(percent(mean), 1)} % of {len(groups.text):,} rated captions are also rated "
            "with an image in another fold; --folds captions keeps such images in one fold."
        )


def _tables_of_ratings(
    rows: RatingRows,
    scores: pd.DataFrame,
    groups: FoldGroups,
    made: Sequence[Assignment],
    options: Options,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Judge each rating by models that were trained without its image."""
    values = scores.to_numpy(dtype=float)
    given = values[rows.candidate]
    group = groups.group[rows.candidate]
    examples = Numbers(given, rows.rating, group)
    parts, *predicted = predict_out_of_fold(examples, made, rows.candidate)
    judge = partial(_judged, rows)
    trained, means = (list(map(judge, found)) for found in predicted)
    of_metrics = dict(zip(map(str, scores), map(judge, given.T), strict=True))
    judged = (of_metrics, trained, means)
    models = {}
    for name in (options.coefficient, *_TAUS):
        if name not in models:
            models[name] = _models_of_ratings(name, rows, examples, parts, judged)

    flips = min(options.flips, MAX_RESAMPLES)
    generator = options.generator(LEARNED, ASSIGNMENTS)
    signs = flip_signs(flips, rows.images, generator)
    sizes = np.bincount(rows.image)
    test = partial(compare_contributions, rows=sizes, signs=signs)
    table, spread = tables_of_models("coefficient", "value", models, test)

    column = table.pop("coefficient")
    table.insert(0, "coefficient", column)
    table.insert(3, "rows", len(rows.rating))
    table.insert(4, "images", rows.images)
    return table, spread


def _models_of_ratings(
    coefficient: str,
    rows: RatingRows,
    examples: Numbers,
    parts: Sequence[IntArray],
    judged: tuple[
        Mapping[str, Coefficients], Sequence[Coefficients], Sequence[Coefficients]
    ],
) -> dict[str, JudgedModel]:
    """Judge the models by one coefficient, by which the best metrics are chosen as well.

    `judged` are single metrics, trained models, and means of all metrics. Scores of different
    metrics are made comparable by standardizing each over all captions, which needs no rating.
    """
    of_metrics, trained, means = judged
    given = examples.features
    rating = examples.target
    without = [
        columns_without_parts(coefficient, given, rating, part) for part in parts
    ]

    scaled = examples.scaled(given)
    number = np.arange(len(given))
    single = []
    for values, part in zip(without, parts, strict=True):
        chosen_metric = values.argmax(axis=1)[part]
        single.append(_judged(rows, scaled[number, chosen_metric]))

    position = COEFFICIENTS.index(coefficient)
    varied = list(compress(of_metrics, np.ptp(given, axis=0)))
    best = max(varied, key=lambda name: of_metrics[name].value[position])

    by_name = {name: of_metrics[name].value[position] for name in varied}
    names = Ranking.of(by_name).first

    in_hindsight = [of_metrics[best]] * len(parts)
    found = (trained, single, means, in_hindsight)
    metrics = ("", chosen_in_words(list(of_metrics), without), "", listed(names))

    models = {}
    for name, each, words in zip(_MODELS, found, metrics, strict=True):
        models[name] = _model_of_ratings(each, position, rows, words)
    return models


def _model_of_ratings(
    found: Sequence[Coefficients], position: int, rows: RatingRows, metric: str
) -> JudgedModel:
    """Take one coefficient of each assignment."""
    values = np.array([each.value[position] for each in found])
    by_image = np.mean([each.by_image[position] for each in found], axis=0)

    value = float(values.mean())
    influence = influence_of(by_image, np.bincount(rows.image))
    error = standard_error(influence)
    low, high = interval_over_images(value, float(error), rows.images)
    return JudgedModel(values, by_image, value, low, high, metric)


def _judged(rows: RatingRows, scores: FloatArray) -> Coefficients:
    if np.ptp(scores) == 0:
        size = np.bincount(rows.image)
        by_image = np.zeros((4, len(size)))
        return Coefficients(np.zeros(4), by_image, size)
    return coefficients(scores, rows.rating, rows.image)


def learned_ratings_sentence(table: pd.DataFrame, metrics: str) -> str:
    """Say how far the trained model correlates with ratings, beside the best single metric.

    Parameters
    ----------
    table : DataFrame
        Of the finding; some may have several aspects.
    metrics : str
        What the model is a sum of, such as `8 metrics`.
    """
    parts = []
    for aspect, of_aspect in by_aspect(table):
        by = f"For “{aspect}”, by" if aspect else "By"
        for coefficient, rows in of_aspect.groupby("coefficient", sort=False):
            name = COEFFICIENT_NAMES[str(coefficient)]
            begin = f"{by} {name} (times 100), a weighted sum of {metrics}"
            parts.append(_learned_by(begin, rows.to_dict("records")))
        parts += _disagreement(of_aspect)

    end = "Each is chosen without the images it is judged by, but for the best in hindsight."
    return " ".join([*parts, end])


def _disagreement(table: pd.DataFrame) -> Iterator[str]:
    """Say that a model gains by some coefficients and loses by others."""
    first_rows = table.groupby("coefficient", sort=False).head(1)
    is_significant = first_rows["p"] <= LEVEL
    significant = first_rows[is_significant]
    names = significant["coefficient"].map(COEFFICIENT_NAMES)
    gains = names[significant["difference"] > 0]
    losses = names[significant["difference"] < 0]

    if len(gains) and len(losses):
        yield (
            f"So it is better than the best single metric by {', '.join(list(gains))}, and "
            f"worse by {', '.join(list(losses))}."
        )


def _learned_by(begin: str, rows: list[dict[Any, Any]]) -> str:
    """Compare models by one coefficient."""
    model, single, _mean, hindsight = rows
    return (
        f"{begin} has {fixed(percent(model['value']), 1)} (mean over {ASSIGNMENTS} assignments of "
        f"images to folds, {fixed(percent(model['lowest']), 1)} to "
        f"{fixed(percent(model['highest']), 1)}), the best single metric "
        f"{fixed(percent(single['value']), 1)} ({p_value(model['p'])}), and "
        f"{hindsight['metric']}, the best in hindsight, {fixed(percent(hindsight['value']), 1)} "
        f"({p_value(model['p_best'])})."
    )
