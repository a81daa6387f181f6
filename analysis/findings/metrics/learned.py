"""Learned metrics: how much weighted sums of the metrics gain, of pairs and of ratings.

Arrays: P pairs, N ratings, M metrics, A assignments of images to folds, G images.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tercet.analysis.evaluation.evaluate import without_identical
from tercet.analysis.evaluation.results import Results
from tercet.analysis.evaluation.training import NamedExamples, pair_examples
from tercet.analysis.evaluation.verdicts import LEVEL
from tercet.analysis.findings.finding import Content, Definition
from tercet.analysis.findings.first_sentence import on_what, references_in_words
from tercet.analysis.findings.needs import (
    PAIRS,
    PAIRS_TO_LEARN_FROM,
    RATED_CANDIDATES,
    RATINGS,
    RATINGS_TO_LEARN_FROM,
    TWO_METRICS,
)
from tercet.analysis.findings.reservations import TOO_FEW_LEFT, own_candidates
from tercet.analysis.number_texts import percent
from tercet.analysis.scoring.learned import (
    ASSIGNMENTS,
    LEAST_IMAGES,
    RATING_MODEL,
    WINNER_MODEL,
    Assignment,
    Groups,
    assignments,
)
from tercet.analysis.scoring.options import LEARNED, Options
from tercet.analysis.stats.accuracy import Estimate
from tercet.analysis.stats.resampling import by_image, share
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
from tercet.analysis.stats.scores.weights import (
    INNER_FOLDS,
    Choices,
    Numbers,
    Weights,
    each_part,
    forward_selection,
    learning_curve,
    mean_of_scaled,
    out_of_fold,
    resampled_weights,
    shares_of,
    train,
)
from tercet.analysis.stats.shared_captions import crosses_parts
from tercet.analysis.stats.significance import compare_metrics, flip_signs
from tercet.analysis.tables.schema import MEAN
from tercet.analysis.texts import Text, enumeration
from tercet.analysis.texts import gettext as _
from tercet.analysis.values import p_value
from tercet.metrics import FloatArray, IntArray

_STEPS = 4
"""How many metrics the forward selection adds."""
_SHARES = (0.1, 0.25, 0.5, 1.0)
"""Of the training pairs, in the learning curve."""
_RESAMPLES = 100
_TAUS = ("tau_c", "tau_b")
"""Coefficients that are always given: they may differ on whether anything is gained."""

_SINGLE, _MEAN_OF_ALL = "best single metric", "mean of all metrics"
_OF_PAIRS = (WINNER_MODEL, _SINGLE, _MEAN_OF_ALL, "single metric, best on these pairs")
_OF_RATINGS = (
    RATING_MODEL,
    _SINGLE,
    _MEAN_OF_ALL,
    "single metric, best on these ratings",
)
"""The models in tables; the last one is chosen in hindsight."""

_TOO_FEW_METRICS = _("A model needs two metrics that score every pair.")
_ONE_SCORE = _("Every metric gives all captions the same score.")
_MEANING = _(
    "A weighted sum of all metrics, trained to predict the winners of pairs (logistic regression "
    "on differences of scores with all references, or with the only number of references that is "
    "evaluated; no weight below 0). Each pair is predicted by a model that has not seen its "
    "image; the best single metric is chosen by its accuracy on the same training pairs, and the "
    "mean of all metrics needs no training. The last row is the metric that is best on these very "
    "pairs, which no fair choice could know. Figures are means over assignments of images to "
    "folds; lowest, highest and difference_sd say how much they depend on it. p is that of a "
    "sign-flip test over images against the best single metric, p_best that against the last row. "
    "The weights are those of a model trained on all pairs, with their range over resampled "
    "images; they add up to 1. The forward selection adds one metric at a time; as each step is "
    "the best of several, its accuracies are a little too high."
)
_MEANING_OF_RATINGS = _(
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


@dataclass(frozen=True)
class _Model:
    """How well a model predicts one group of pairs, or ratings by one coefficient.

    Attributes
    ----------
    values : float array (A,)
        The accuracy or the coefficient, by assignment of images to folds.
    by_image : float array (G,)
        What each image contributes to their mean.
    value, low, high : float
        The mean, with its 95 % interval.
    metric : str
        Which metrics were chosen, where the model is one of them.
    """

    values: FloatArray
    by_image: FloatArray
    value: float
    low: float
    high: float
    metric: str


_ByModel = Mapping[str, _Model]
_Test = Callable[[Sequence[str], FloatArray], pd.DataFrame]
"""Compares every two models by the contributions of images (4, G)."""
_Tests = Mapping[tuple[str, str], Mapping[Hashable, Any]]


def _tables(
    label: str, value: str, judged: Mapping[str, _ByModel], test: _Test
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a row for each group and model, and the values of all assignments.

    `label` is the column of the group, `value` that of the accuracy or the coefficient.
    """
    rows: list[dict[str, object]] = []
    spreads = []

    for group, models in judged.items():
        tests = _both_ways(test, models)
        rows += [
            {"model": name, label: group} | _row(value, models, name, tests)
            for name in models
        ]
        values = {name: model.values for name, model in models.items()}
        numbers = {label: group, "assignment": np.arange(ASSIGNMENTS) + 1}
        spreads.append(pd.DataFrame(numbers | values))

    return pd.DataFrame(rows), pd.concat(spreads, ignore_index=True)


def _row(value: str, models: _ByModel, name: str, tests: _Tests) -> dict[str, object]:
    """Return what is known of a model, and its tests against the best single metrics."""
    model = models[name]
    _model, single, _mean, hindsight = models

    return {
        "metric": model.metric,
        value: model.value,
        "low": model.low,
        "high": model.high,
        "lowest": model.values.min(),
        "highest": model.values.max(),
        **_against(tests, models, name, single, ""),
        **_against(tests, models, name, hindsight, "_best"),
    }


def _both_ways(test: _Test, models: _ByModel) -> _Tests:
    """Compare every two models, in either order."""
    by_image = np.stack([model.by_image for model in models.values()])
    table = test(list(models), by_image)
    limits = table.columns.intersection(["difference", "low", "high"])

    other = {"metric_a": "metric_b", "metric_b": "metric_a", "low": "high"}
    turned = table.rename(columns=other | {"high": "low"})
    turned[limits] = -turned[limits]

    rows = pd.concat([table, turned]).to_dict("records")
    return {(row["metric_a"], row["metric_b"]): row for row in rows}


def _against(
    tests: _Tests, models: _ByModel, name: str, other: str, ending: str
) -> dict[str, float]:
    """Return how far a model is ahead of another one, and how much that depends on the folds."""
    if name == other:
        return {}

    test = tests[name, other]
    limits = {
        f"difference_{each}": test[each] for each in ("low", "high") if each in test
    }
    spread = (models[name].values - models[other].values).std(ddof=1)
    found = {"difference": test["difference"], **limits, "difference_sd": spread}
    return {key + ending: number for key, number in (found | {"p": test["p"]}).items()}


def _chosen_in_words(names: Sequence[str], chosen: Sequence[IntArray]) -> str:
    """Return how often each metric was the best on training data, the most frequent first."""
    times = np.bincount(np.concatenate(chosen), minlength=len(names))
    order = np.argsort(-times, kind="stable")
    total = int(times.sum())

    return ", ".join(
        f"{names[each]} ({times[each]} of {total})" for each in order if times[each]
    )


def _too_few_groups(group: IntArray) -> Text:
    """Say that images that share captions cannot be divided."""
    return _(
        "A model takes {least} images that share no caption with others; there are {groups} "
        "groups of images that share captions.",
        least=LEAST_IMAGES,
        groups=len(np.unique(group)),
    )


def learned(results: Results) -> Content:
    """Compare a model trained on the winners with single metrics, out of fold by image."""
    given = pair_examples(results)
    pairs, options = results.scored.pairs, results.options
    groups = Groups.of_pairs(pairs, options)
    if reason := _too_few_pairs(given, groups.group[pairs.b]):
        return Content(notes=(reason,))

    made = list(assignments(groups, options))
    table, spread = _tables_of_pairs(results, given, groups, made)
    own, first = groups.group[pairs.b], made[0].part[pairs.b]

    return Content(
        tables={"learned": table, "learned_assignments": spread}
        | _described(given, own, first, options.generator(LEARNED)),
        sentence=_sentence(results, table),
        reservations=tuple(_reservations(results)),
        notes=tuple(_shared_pairs(results, groups, made)),
    )


def _too_few_pairs(given: NamedExamples[Choices], group: IntArray) -> Text | None:
    """Return why nothing is learned from pairs of these groups (P,) of images; None if it is."""
    if len(given.names) < 2:
        return _TOO_FEW_METRICS
    if len(np.unique(group)) < LEAST_IMAGES:
        return _too_few_groups(group)

    return None


def _tables_of_pairs(
    results: Results,
    given: NamedExamples[Choices],
    groups: Groups,
    made: Sequence[Assignment],
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Judge each pair by models that were trained without its image."""
    pairs = results.scored.pairs
    examples = replace(given.examples, image=groups.group[pairs.b])
    parts = [each.part[pairs.b] for each in made]

    def credit(margins: Sequence[FloatArray]) -> FloatArray:
        return np.stack([results.credit(np.sign(margin)) for margin in margins])

    trained = credit(
        [
            out_of_fold(examples, part, each.generator)
            for part, each in zip(parts, made, strict=True)
        ]
    )
    means = credit([mean_of_scaled(examples, part) for part in parts])
    of_metrics = credit(list(examples.features.T))

    judged = {
        group: _models_of_pairs(
            results, group, given.names, parts, (of_metrics, trained, means)
        )
        for group in results.groups
    }
    signs = results.comparisons.signs
    test: _Test = partial(compare_metrics, signs=signs)
    return _tables("category", "accuracy", judged, test)


def _models_of_pairs(
    results: Results,
    group: str,
    names: Sequence[str],
    parts: Sequence[IntArray],
    credit: tuple[FloatArray, FloatArray, FloatArray],
) -> dict[str, _Model]:
    """Judge the models in one group of pairs, by which the best metrics are chosen as well.

    `credit` is that of single metrics (M, P), of trained models (A, P), and of means of all
    metrics (A, P); NaN where a pair does not count.
    """
    of_metrics, trained, means = credit
    masks = _masks(results, group)
    chosen = [_best_without(of_metrics, masks, part) for part in parts]
    best = int(np.argmax(_accuracy(of_metrics, masks)))

    pair = np.arange(of_metrics.shape[1])
    single = [
        of_metrics[metric[part], pair]
        for metric, part in zip(chosen, parts, strict=True)
    ]
    by_model = np.stack([trained, single, means, [of_metrics[best]] * len(parts)])
    estimate, of_image = _mean_over_assignments(results, group, by_model)
    metric = ("", _chosen_in_words(names, chosen), "", names[best])

    return {
        name: _Model(
            _accuracy(by_model[number], masks),
            of_image[number],
            float(estimate.accuracy[number]),
            float(estimate.low[number]),
            float(estimate.high[number]),
            metric[number],
        )
        for number, name in enumerate(_OF_PAIRS)
    }


def _mean_over_assignments(
    results: Results, group: str, credit: FloatArray
) -> tuple[Estimate, FloatArray]:
    """Return the accuracy of the mean credit (4, A, P), and what each image adds to it (4, G)."""
    earned = np.nan_to_num(credit).mean(axis=1)
    counted = (~np.isnan(credit)).mean(axis=1)
    sample = results.samples.of_pairs(earned, counted, group)

    masks, images = _masks(results, group), results.weights.shape[1]
    weights = np.sum([mask / mask.sum() / len(masks) for mask in masks], axis=0)
    of_image = by_image(earned * weights, results.scored.pairs.image, images).T
    return sample.estimate(results.samples.resamples), of_image


def _masks(results: Results, group: str) -> list[NDArray[np.bool_]]:
    """Return the pairs of each category that a group is the mean of."""
    names = results.samples.categories if group == MEAN else [group]
    return [results.scored.pairs.groups[name] for name in names]


def _accuracy(credit: FloatArray, masks: Sequence[NDArray[np.bool_]]) -> FloatArray:
    """Return the mean over categories of the mean credit (K, P) of their pairs: (K,)."""
    shares = [
        share(
            np.nansum(credit[:, mask], axis=1), (~np.isnan(credit[:, mask])).sum(axis=1)
        )
        for mask in masks
        if mask.any()
    ]
    mean: FloatArray = np.nan_to_num(np.mean(shares, axis=0))
    return mean


def _best_without(
    of_metrics: FloatArray, masks: Sequence[NDArray[np.bool_]], part: IntArray
) -> IntArray:
    """Return the metric with the highest accuracy outside each fold."""
    best = [
        np.argmax(_accuracy(of_metrics, [mask & ~is_held for mask in masks]))
        for is_held in each_part(part)
    ]
    return np.array(best, dtype=np.int64)


def _described(
    given: NamedExamples[Choices],
    group: IntArray,
    part: IntArray,
    generator: np.random.Generator,
) -> dict[str, pd.DataFrame]:
    """Return the weights of a model of all pairs, and what metrics and pairs add to it."""
    examples = given.examples
    model = train(replace(examples, image=group), generator)
    weights = weight_table(given.names, examples, model, generator)

    penalty = model.penalty
    selected = forward_selection(
        examples, part % INNER_FOLDS, given.names, _STEPS, penalty
    )
    curve = learning_curve(examples, part, penalty, _SHARES, generator)

    return {
        "learned_weights": weights,
        "learned_selection": pd.DataFrame(
            selected, columns=["metric_added", "accuracy"]
        ),
        "learned_curve": pd.DataFrame(curve, columns=["training_pairs", "accuracy"]),
    }


def weight_table(
    names: Sequence[str],
    examples: Choices,
    model: Weights,
    generator: np.random.Generator,
) -> pd.DataFrame:
    """Return the weight of each metric with its range over resamples, the largest first."""
    resampled = resampled_weights(examples, model.penalty, _RESAMPLES, generator)
    table = pd.DataFrame(
        {
            "metric": names,
            "weight": shares_of(model.scaled),
            "low": np.percentile(resampled, 2.5, axis=0),
            "high": np.percentile(resampled, 97.5, axis=0),
        }
    )
    return table.sort_values(
        "weight", ascending=False, kind="stable", ignore_index=True
    )


def _shared_pairs(
    results: Results, groups: Groups, made: Sequence[Assignment]
) -> Iterator[Text]:
    """Say how many pairs show a caption that an image of another fold has as well."""
    pairs = results.scored.pairs
    crossing = [crosses_parts(groups.text, each.part) for each in made]
    shared = [(each[pairs.b] | each[pairs.c]).mean() for each in crossing]

    if mean := float(np.mean(shared)):
        yield _(
            # xgettext:no-python-format
            "In {share:.1f} % of {pairs:,} pairs, a candidate also belongs to an image in another "
            "fold; --folds captions keeps such images in one fold.",
            share=percent(mean),
            pairs=len(pairs),
        )


def _reservations(results: Results) -> Iterator[Text]:
    """Say how many pairs have a candidate among their references, and what is learned without."""
    for touched in own_candidates(results):
        yield touched
        yield _without_identical(results)


def _without_identical(results: Results) -> Text:
    """Say what the main metrics gain together if such references are left out."""
    try:
        without = results.once(without_identical)
    except ValueError:
        return TOO_FEW_LEFT

    given, pairs = pair_examples(without), without.scored.pairs
    groups = Groups.of_pairs(pairs, without.options)
    if reason := _too_few_pairs(given, groups.group[pairs.b]):
        return _(
            "Without these references, nothing can be learned. {reason}", reason=reason
        )

    made = list(assignments(groups, without.options))
    table, _spread = _tables_of_pairs(without, given, groups, made)
    return _without_identical_sentence(without, table, len(given.names))


def _sentence(results: Results, table: pd.DataFrame) -> Text:
    """Say how often the trained model is right, beside the best single metric."""
    group, learned_with = results.main_group, results.learning_count
    rows = table[table["category"] == group].to_dict("records")
    model, single, _mean, hindsight = rows
    first = _(
        "{on}, a weighted sum of all metrics agrees with people in {model:.1f} % of cases with "
        "{references} (mean over {assignments} assignments of images to folds, {lowest:.1f} to "
        "{highest:.1f}), and the best single metric in {single:.1f} % ({p}), each chosen without "
        "the images it is judged by.",
        on=on_what(results, group, learned_with),
        references=references_in_words(learned_with),
        model=percent(model["accuracy"]),
        assignments=ASSIGNMENTS,
        lowest=percent(model["lowest"]),
        highest=percent(model["highest"]),
        single=percent(single["accuracy"]),
        p=p_value(model["p"]),
    )
    second = _(
        "{metric}, the best in hindsight, has {accuracy:.1f} % ({p}).",
        metric=hindsight["metric"],
        accuracy=percent(hindsight["accuracy"]),
        p=p_value(model["p_best"]),
    )
    return enumeration([first, second], " ")


def _without_identical_sentence(
    results: Results, table: pd.DataFrame, metrics: int
) -> Text:
    """Say how often a model of the main metrics is right without references that are candidates."""
    group, count = results.main_group, results.learning_count
    rows = table[table["category"] == group].to_dict("records")
    model, single, _mean, _hindsight = rows
    return _(
        "{on}, without these references, a weighted sum of the {metrics} main metrics agrees with "
        "people in {model:.1f} % of cases, and the best single metric in {single:.1f} % ({p}).",
        metrics=metrics,
        on=on_what(results, group, count),
        model=percent(model["accuracy"]),
        single=percent(single["accuracy"]),
        p=p_value(model["p"]),
    )


def learned_ratings(results: Results) -> Content:
    """Compare a model trained on ratings with single metrics, out of fold by image."""
    rated, options = results.ratings.rated, results.options
    scores = pd.DataFrame(
        dict(results.ratings.scores), index=pd.MultiIndex.from_frame(rated.candidates)
    ).drop(columns=RATING_MODEL, errors="ignore")
    tables: list[pd.DataFrame] = []
    spreads: list[pd.DataFrame] = []
    notes: list[Text | str] = []

    for aspect, of_aspect in rated.by_aspect():
        groups = Groups.of_rated(of_aspect, options)
        own = scores.loc[pd.MultiIndex.from_frame(of_aspect.candidates)]
        if reason := _too_few_ratings(of_aspect, groups, own):
            notes.append(reason)
            continue

        made = list(assignments(groups, options))
        found = _tables_of_ratings(of_aspect.rows, own, groups, made, options)
        for table, all_tables in zip(found, (tables, spreads), strict=True):
            if aspect:
                table.insert(0, "aspect", aspect)
            all_tables.append(table)

        notes += _shared_captions(groups, made)

    unique = tuple(dict.fromkeys(notes))
    if not tables:
        return Content(notes=unique)
    return Content(
        tables={
            "learned_ratings": pd.concat(tables, ignore_index=True),
            "learned_ratings_assignments": pd.concat(spreads, ignore_index=True),
        },
        sentence=learned_ratings_sentence(tables[0]),
        notes=unique,
    )


def _too_few_ratings(rated: Rated, groups: Groups, scores: pd.DataFrame) -> Text | str:
    """Return why nothing is learned from ratings, or nothing."""
    if rated.rows.images < LEAST_IMAGES:
        return _(
            "A model takes two metrics and ratings of {least} images; there are {images} images.",
            least=LEAST_IMAGES,
            images=rated.rows.images,
        )
    if len(np.unique(groups.group)) < LEAST_IMAGES:
        return _too_few_groups(groups.group)

    if np.ptp(rated.rows.rating) == 0:
        return RATINGS_CONSTANT
    return _ONE_SCORE if (np.ptp(scores.to_numpy(), axis=0) == 0).all() else ""


def _shared_captions(groups: Groups, made: Sequence[Assignment]) -> Iterator[Text]:
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


def _tables_of_ratings(
    rows: Rows,
    scores: pd.DataFrame,
    groups: Groups,
    made: Sequence[Assignment],
    options: Options,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Judge each rating by models that were trained without its image."""
    given = scores.to_numpy(dtype=float)[rows.candidate]
    examples = Numbers(given, rows.rating, groups.group[rows.candidate])
    parts = [each.part[rows.candidate] for each in made]

    trained = [
        _judged(rows, out_of_fold(examples, part, each.generator))
        for part, each in zip(parts, made, strict=True)
    ]
    means = [_judged(rows, mean_of_scaled(examples, part)) for part in parts]
    of_metrics = {
        str(name): _judged(rows, column)
        for name, column in zip(scores, given.T, strict=True)
    }
    models = {
        name: _models_of_ratings(
            name, rows, examples, parts, (of_metrics, trained, means)
        )
        for name in dict.fromkeys((options.coefficient, *_TAUS))
    }

    flips = min(options.flips, MAX_RESAMPLES)
    signs = flip_signs(flips, rows.images, options.generator(LEARNED, ASSIGNMENTS))
    sizes = np.bincount(rows.image)
    test: _Test = partial(compare_contributions, rows=sizes, signs=signs)
    table, spread = _tables("coefficient", "value", models, test)

    table.insert(0, "coefficient", table.pop("coefficient"))
    table.insert(3, "rows", len(rows.rating))
    table.insert(4, "images", rows.images)
    return table, spread


def _models_of_ratings(
    coefficient: str,
    rows: Rows,
    examples: Numbers,
    parts: Sequence[IntArray],
    judged: tuple[
        Mapping[str, Coefficients], Sequence[Coefficients], Sequence[Coefficients]
    ],
) -> dict[str, _Model]:
    """Judge the models by one coefficient, by which the best metrics are chosen as well.

    `judged` are single metrics, trained models, and means of all metrics. Scores of different
    metrics are made comparable by standardizing each over all captions, which needs no rating.
    """
    of_metrics, trained, means = judged
    given, rating = examples.features, examples.target
    chosen = [best_without_part(coefficient, given, rating, part) for part in parts]

    scaled, number = examples.scaled(given), np.arange(len(given))
    single = [
        _judged(rows, scaled[number, metric[part]])
        for metric, part in zip(chosen, parts, strict=True)
    ]

    position = COEFFICIENTS.index(coefficient)
    varied = [
        name for name, column in zip(of_metrics, given.T, strict=True) if np.ptp(column)
    ]
    best = max(varied, key=lambda name: of_metrics[name].value[position])

    found = (trained, single, means, [of_metrics[best]] * len(parts))
    metrics = ("", _chosen_in_words(list(of_metrics), chosen), "", best)
    return {
        name: _model_of_ratings(each, position, rows, metric)
        for name, each, metric in zip(_OF_RATINGS, found, metrics, strict=True)
    }


def _model_of_ratings(
    found: Sequence[Coefficients], position: int, rows: Rows, metric: str
) -> _Model:
    """Take one coefficient of each assignment."""
    values = np.array([each.value[position] for each in found])
    by_image = np.mean([each.by_image[position] for each in found], axis=0)

    value = float(values.mean())
    error = standard_error(influence_of(by_image, np.bincount(rows.image)))
    low, high = fisher_interval(value, float(error), rows.images)
    return _Model(values, by_image, value, low, high, metric)


def _judged(rows: Rows, scores: FloatArray) -> Coefficients:
    if np.ptp(scores) == 0:
        size = np.bincount(rows.image)
        return Coefficients(np.zeros(4), np.zeros((4, len(size))), size)
    return coefficients(scores, rows.rating, rows.image)


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
    name="learned",
    title=_("What a learned metric gains"),
    source=_("After NNEval (Sharif et al., 2018), with winners as the target"),
    meaning=_MEANING,
    needs=(PAIRS, TWO_METRICS, PAIRS_TO_LEARN_FROM),
    make=learned,
)

OF_RATINGS = Definition(
    name="learned_ratings",
    title=_("What a learned metric of ratings gains"),
    source=_("After NNEval (Sharif et al., 2018), with ratings as the target"),
    meaning=_MEANING_OF_RATINGS,
    needs=(RATINGS, RATED_CANDIDATES, TWO_METRICS, RATINGS_TO_LEARN_FROM),
    make=learned_ratings,
)
