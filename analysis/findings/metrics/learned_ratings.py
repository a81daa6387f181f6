"""A learned metric of ratings: how much a weighted sum of the metrics gains."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd

from tercet.analysis.evaluation.learned import (
    ASSIGNMENTS,
    LEAST_IMAGES,
    RATING_MODEL,
    Assignment,
    Groups,
    assignments,
)
from tercet.analysis.evaluation.results import Results
from tercet.analysis.evaluation.verdicts import LEVEL
from tercet.analysis.findings.finding import Content, Definition
from tercet.analysis.findings.metrics.learned import (
    MEAN_OF_ALL,
    SINGLE,
    chosen_in_words,
    too_few_groups,
)
from tercet.analysis.findings.needs import (
    RATED_CANDIDATES,
    RATINGS,
    RATINGS_TO_LEARN_FROM,
    TWO_METRICS,
)
from tercet.analysis.number_texts import percent
from tercet.analysis.scoring.options import LEARNED, Options
from tercet.analysis.stats.scores.correlation import (
    COEFFICIENT_NAMES,
    COEFFICIENTS,
    Coefficients,
    best_without_part,
    coefficients,
    fisher_interval,
    influence_of,
    standard_error,
)
from tercet.analysis.stats.scores.ratings import (
    MAX_RESAMPLES,
    RATINGS_CONSTANT,
    Rated,
    Rows,
    compare_contributions,
)
from tercet.analysis.stats.scores.weights import Numbers, mean_of_scaled, out_of_fold
from tercet.analysis.stats.shared_captions import crosses_parts
from tercet.analysis.stats.significance import flip_signs
from tercet.analysis.texts import Text, enumeration
from tercet.analysis.texts import gettext as _
from tercet.analysis.values import p_value
from tercet.metrics import FloatArray, IntArray

_TAUS = ("tau_c", "tau_b")
"""Coefficients that are always given: they may differ on whether anything is gained."""
HINDSIGHT = "single metric, best on these ratings"
MODELS = (RATING_MODEL, SINGLE, MEAN_OF_ALL, HINDSIGHT)

MEANING = _(
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

_ONE_SCORE = _("Every metric gives all captions the same score.")


def learned_ratings(results: Results) -> Content:
    """Compare a model trained on ratings with single metrics, out of fold by image."""
    rated, options = results.ratings.rated, results.options
    scores = pd.DataFrame(
        dict(results.ratings.scores), index=pd.MultiIndex.from_frame(rated.candidates)
    ).drop(columns=RATING_MODEL, errors="ignore")
    tables, spreads, notes = [], [], []

    for aspect, of_aspect in rated.by_aspect():
        groups = Groups.of_rated(of_aspect, options)
        own = scores.loc[pd.MultiIndex.from_frame(of_aspect.candidates)]
        reason = _why_not(of_aspect, groups, own)
        if reason:
            notes.append(reason)
            continue

        made = list(assignments(groups, options))
        models = _out_of_fold(of_aspect, own, groups, made, options)
        table = _table(of_aspect, models, options)
        spread = _spread(models)
        if aspect:
            table.insert(0, "aspect", aspect)
            spread.insert(0, "aspect", aspect)

        tables.append(table)
        spreads.append(spread)
        notes += _shared(groups, made)

    if not tables:
        return Content(notes=tuple(dict.fromkeys(notes)))
    return Content(
        tables={
            "learned_ratings": pd.concat(tables, ignore_index=True),
            "learned_ratings_assignments": pd.concat(spreads, ignore_index=True),
        },
        sentence=learned_ratings_sentence(tables[0]),
        notes=tuple(dict.fromkeys(notes)),
    )


def _why_not(rated: Rated, groups: Groups, scores: pd.DataFrame) -> Text | str:
    """Return why nothing is learned from ratings, or nothing."""
    if rated.rows.images < LEAST_IMAGES:
        return _too_few(rated.rows.images)
    if len(np.unique(groups.group)) < LEAST_IMAGES:
        return too_few_groups(groups.group)

    if np.ptp(rated.rows.rating) == 0:
        return RATINGS_CONSTANT
    return _ONE_SCORE if (np.ptp(scores.to_numpy(), axis=0) == 0).all() else ""


def _shared(groups: Groups, made: Sequence[Assignment]) -> Iterator[Text]:
    """Say how many captions an image of another fold has as well."""
    shared = [crosses_parts(groups.text, each.part).mean() for each in made]

    if mean := float(np.mean(shared)):
        yield _(
            # xgettext:no-python-format
            "{share:.1f} % of {captions:,} rated captions are also rated with an image in another "
            "fold; --folds captions keeps such images in one fold.",
            share=percent(mean),
            captions=len(groups.text),
        )


@dataclass(frozen=True)
class _Model:
    """A coefficient of the scores of one model.

    Attributes
    ----------
    values : float array (A,)
        By assignment of images to folds.
    by_image : float array (G,)
        What each image contributes to their mean.
    metric : str
        Which metrics were chosen, where the model is one of them.
    """

    values: FloatArray
    by_image: FloatArray
    metric: str = ""

    @classmethod
    def of(cls, found: Sequence[Coefficients], name: str, metric: str = "") -> Self:
        """Take one coefficient of each assignment."""
        number = COEFFICIENTS.index(name)
        return cls(
            np.array([each.value[number] for each in found]),
            np.mean([each.by_image[number] for each in found], axis=0),
            metric,
        )


def _out_of_fold(
    rated: Rated,
    scores: pd.DataFrame,
    groups: Groups,
    made: Sequence[Assignment],
    options: Options,
) -> dict[str, dict[str, _Model]]:
    """Judge each model, without the images it is judged by: by coefficient and model."""
    rows = rated.rows
    given = scores.to_numpy(dtype=float)[rows.candidate]
    examples = Numbers(given, rows.rating, groups.group[rows.candidate])
    parts = [each.part[rows.candidate] for each in made]

    trained = [
        _judged(rows, out_of_fold(examples, part, assignment.generator))
        for part, assignment in zip(parts, made, strict=True)
    ]
    means = [_judged(rows, mean_of_scaled(examples, part)) for part in parts]
    names = list(map(str, scores))

    return {
        name: {
            RATING_MODEL: _Model.of(trained, name),
            SINGLE: _single(rows, given, parts, names, name),
            MEAN_OF_ALL: _Model.of(means, name),
            HINDSIGHT: _hindsight(rows, given, len(made), names, name),
        }
        for name in dict.fromkeys((options.coefficient, *_TAUS))
    }


def _judged(rows: Rows, scores: FloatArray) -> Coefficients:
    if np.ptp(scores) == 0:
        size = np.bincount(rows.image)
        return Coefficients(np.zeros(4), np.zeros((4, len(size))), size)
    return coefficients(scores, rows.rating, rows.image)


def _single(
    rows: Rows,
    given: FloatArray,
    parts: Sequence[IntArray],
    names: Sequence[str],
    coefficient: str,
) -> _Model:
    """Choose the best metric without each fold, and judge its scores of the fold's images.

    Scores of different metrics are made comparable by standardizing each over all captions, which
    needs no rating.
    """
    chosen = [
        best_without_part(coefficient, given, rows.rating, part) for part in parts
    ]
    spread = given.std(axis=0)
    scaled = (given - given.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    number = np.arange(len(given))

    found = [
        _judged(rows, scaled[number, metric[part]])
        for metric, part in zip(chosen, parts, strict=True)
    ]
    return _Model.of(found, coefficient, chosen_in_words(names, chosen))


def _hindsight(
    rows: Rows, given: FloatArray, times: int, names: Sequence[str], coefficient: str
) -> _Model:
    """Judge the metric that is best on all ratings."""
    number = COEFFICIENTS.index(coefficient)
    found = {
        name: _judged(rows, column)
        for name, column in zip(names, given.T, strict=True)
        if np.ptp(column)
    }
    best = max(found, key=lambda name: found[name].value[number])

    return _Model.of([found[best]] * times, coefficient, best)


def _table(
    rated: Rated, models: Mapping[str, Mapping[str, _Model]], options: Options
) -> pd.DataFrame:
    """Return a row for each coefficient and model."""
    rows = rated.rows
    size = np.bincount(rows.image)
    flips = min(options.flips, MAX_RESAMPLES)
    generator = options.generator(LEARNED, ASSIGNMENTS)
    signs = flip_signs(flips, rows.images, generator)
    table = []

    for coefficient, by_name in models.items():
        contributions = np.stack([each.by_image for each in by_name.values()])
        tests = _tests(compare_contributions(MODELS, contributions, size, signs))
        for name, model in by_name.items():
            value = float(model.values.mean())
            error = standard_error(influence_of(model.by_image, size))
            low, high = fisher_interval(value, float(error), rows.images)
            table.append(
                {
                    "coefficient": coefficient,
                    "model": name,
                    "metric": model.metric,
                    "rows": len(rows.rating),
                    "images": rows.images,
                    "value": value,
                    "low": low,
                    "high": high,
                    "lowest": model.values.min(),
                    "highest": model.values.max(),
                    **_against(tests, by_name, name, SINGLE, ""),
                    **_against(tests, by_name, name, HINDSIGHT, "_best"),
                }
            )

    return pd.DataFrame(table)


def _tests(table: pd.DataFrame) -> dict[tuple[str, str], dict[str, float]]:
    """Return the comparison of every two models, in either order."""
    found = {}

    for row in table.to_dict("records"):
        a, b = row["metric_a"], row["metric_b"]
        found[a, b] = {name: row[name] for name in ("difference", "low", "high", "p")}
        found[b, a] = {
            "difference": -row["difference"],
            "low": -row["high"],
            "high": -row["low"],
            "p": row["p"],
        }

    return found


def _against(
    tests: Mapping[tuple[str, str], Mapping[str, float]],
    models: Mapping[str, _Model],
    name: str,
    other: str,
    ending: str,
) -> dict[str, float]:
    """Return how far a model is ahead of another one, and how much that depends on the folds."""
    if name == other:
        return {}

    test = tests[name, other]
    spread = (models[name].values - models[other].values).std(ddof=1)
    return {
        f"difference{ending}": test["difference"],
        f"difference_low{ending}": test["low"],
        f"difference_high{ending}": test["high"],
        f"difference_sd{ending}": spread,
        f"p{ending}": test["p"],
    }


def _spread(models: Mapping[str, Mapping[str, _Model]]) -> pd.DataFrame:
    """Return each coefficient of each model with each assignment of images to folds."""
    tables = [
        pd.DataFrame({name: model.values for name, model in by_name.items()}).assign(
            coefficient=coefficient, assignment=np.arange(ASSIGNMENTS) + 1
        )
        for coefficient, by_name in models.items()
    ]
    table = pd.concat(tables, ignore_index=True)
    return table[["coefficient", "assignment", *MODELS]]


def _too_few(images: int) -> Text:
    return _(
        "A model takes two metrics and ratings of {least} images; there are {images} images.",
        least=LEAST_IMAGES,
        images=images,
    )


def learned_ratings_sentence(table: pd.DataFrame) -> Text:
    """Say how far the trained model correlates with ratings, beside the best single metric."""
    parts = [
        _learned_by(coefficient, rows.to_dict("records"))
        for coefficient, rows in table.groupby("coefficient", sort=False)
    ]
    end = _(
        "Each is chosen without the images it is judged by, but for the best in hindsight."
    )
    return enumeration([*parts, *_disagreement(table), end], " ")


def _disagreement(table: pd.DataFrame) -> Iterator[Text]:
    """Say that a model gains by some coefficients and loses by others."""
    told = table.groupby("coefficient", sort=False).head(1)
    told = told[told["p"] <= LEVEL]
    names = told["coefficient"].map(COEFFICIENT_NAMES)
    gains, losses = (names[told["difference"] > 0], names[told["difference"] < 0])

    if len(gains) and len(losses):
        yield _(
            "So it is better than the best single metric by {gains}, and worse by {losses}.",
            gains=enumeration(list(gains)),
            losses=enumeration(list(losses)),
        )


def _learned_by(coefficient: object, rows: list[dict[Any, Any]]) -> Text:
    """Compare models by one coefficient."""
    model, single, _mean, hindsight = rows
    return _(
        "By {coefficient} (times 100), a weighted sum of all metrics has {model:.1f} (mean over "
        "{assignments} assignments of images to folds, {lowest:.1f} to {highest:.1f}), the best "
        "single metric {single:.1f} ({p}), and {metric}, the best in hindsight, {best:.1f} "
        "({p_best}).",
        coefficient=COEFFICIENT_NAMES[str(coefficient)],
        model=percent(model["value"]),
        assignments=ASSIGNMENTS,
        lowest=percent(model["lowest"]),
        highest=percent(model["highest"]),
        single=percent(single["value"]),
        p=p_value(model["p"]),
        metric=hindsight["metric"],
        best=percent(hindsight["value"]),
        p_best=p_value(model["p_best"]),
    )


DEFINITION = Definition(
    name="learned_ratings",
    title=_("What a learned metric of ratings gains"),
    source=_("After NNEval (Sharif et al., 2018), with ratings as the target"),
    meaning=MEANING,
    needs=(RATINGS, RATED_CANDIDATES, TWO_METRICS, RATINGS_TO_LEARN_FROM),
    make=learned_ratings,
)
