"""Learned metrics: how much a weighted sum of the metrics gains in predicting winners.

Arrays: P pairs, M metrics, A assignments of images to folds, G images.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tercet.analysis.evaluation.evaluate import without_identical
from tercet.analysis.evaluation.results import Results
from tercet.analysis.evaluation.training_examples import NamedExamples, pair_examples
from tercet.analysis.findings.finding import Content, finding
from tercet.analysis.findings.first_sentence import metrics_in_words, on_what
from tercet.analysis.findings.metrics.learned_models import (
    MEAN_OF_ALL,
    SINGLE,
    JudgedModel,
    chosen_in_words,
    predict_out_of_fold,
    tables_of_models,
    too_few_groups,
)
from tercet.analysis.findings.needs import (
    DECIDED,
    PAIRS,
    PAIRS_TO_LEARN_FROM,
    TWO_METRICS,
)
from tercet.analysis.findings.reservations import TOO_FEW_LEFT, own_candidates
from tercet.analysis.number_texts import fixed, percent
from tercet.analysis.scoring.learned import (
    ASSIGNMENTS,
    LEAST_IMAGES,
    WINNER_MODEL,
    Assignment,
    FoldGroups,
)
from tercet.analysis.scoring.options import LEARNED
from tercet.analysis.scoring.tallies import ReferenceCount
from tercet.analysis.stats.accuracy import Estimate, preference
from tercet.analysis.stats.resampling import by_image, share
from tercet.analysis.stats.scores.weights import (
    INNER_FOLDS,
    PairExamples,
    Weights,
    each_part,
    forward_selection,
    learning_curve,
    resampled_weights,
    shares_of,
    train,
)
from tercet.analysis.stats.shared_captions import crosses_parts
from tercet.analysis.stats.significance import compare_metrics
from tercet.analysis.superlatives import Ranking, listed
from tercet.analysis.tables.rows import where
from tercet.analysis.tables.schema import MEAN
from tercet.analysis.values import p_value, references_in_words
from tercet.metrics import FloatArray, IntArray

_STEPS = 4
"""How many metrics the forward selection adds."""
_SHARES = (0.1, 0.25, 0.5, 1.0)
"""Of the training pairs, in the learning curve."""
_RESAMPLES = 100
_MODELS = (WINNER_MODEL, SINGLE, MEAN_OF_ALL, "single metric, best on these pairs")
"""The models in tables; the last one is chosen in hindsight."""
_TOO_FEW_METRICS = "A model needs two metrics that score every pair."
_MEANING = (
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


@finding(
    title="What a learned metric gains",
    source="After NNEval (Sharif et al., 2018), with winners as the target",
    meaning=_MEANING,
    needs=(PAIRS, DECIDED, TWO_METRICS, PAIRS_TO_LEARN_FROM),
)
def learned(results: Results) -> Content:
    """Compare a model trained on the winners with single metrics, out of fold by image."""
    given = pair_examples(results)
    pairs = results.samples.pairs
    options = results.options
    groups = FoldGroups.of_pairs(pairs, options)
    if reason := _too_few_pairs(given, groups.group[pairs.b]):
        return Content(notes=(reason,))

    made = list(groups.assignments())
    table, spread = _tables_of_pairs(results, given, groups, made)
    own = groups.group[pairs.b]
    first, _generator = made[0]
    described = _described(given, own, first[pairs.b], options.generator(LEARNED))
    reservations: list[str] = []
    for touched in own_candidates(results):
        reservations += [touched, _without_identical(results)]
    return Content(
        tables={"learned": table, "learned_assignments": spread} | described,
        sentence=_sentence(results, table, given.names),
        reservations=tuple(reservations),
        notes=tuple(_shared_pairs(results, groups, made)),
    )


def _learning_count(results: Results) -> ReferenceCount:
    """Return the count with which models learn from pairs, and are judged."""
    count = results.samples.pairs.learning_count(results.options)
    return count or results.every_reference


def _too_few_pairs(given: NamedExamples[PairExamples], group: IntArray) -> str | None:
    """Return why nothing is learned from pairs of these groups (P,) of images; None if it is."""
    if len(given.names) < 2:
        return _TOO_FEW_METRICS
    if len(np.unique(group)) < LEAST_IMAGES:
        return too_few_groups(group)

    return None


def _tables_of_pairs(
    results: Results,
    given: NamedExamples[PairExamples],
    groups: FoldGroups,
    made: Sequence[Assignment],
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Judge each pair by models that were trained without its image."""
    pairs = results.samples.pairs
    group = groups.group[pairs.b]
    examples = replace(given.examples, image=group)
    parts, trained, means = predict_out_of_fold(examples, made, pairs.b)

    def credit(margins: Sequence[FloatArray]) -> FloatArray:
        margin = np.stack(margins, axis=-1)
        preferred = preference(margin, np.zeros_like(margin)).T
        return np.stack(list(map(results.credit, preferred)))

    of_metrics = credit(list(examples.features.T))
    earned = (of_metrics, credit(trained), credit(means))
    judged = {}
    for name in results.groups:
        judged[name] = _models_of_pairs(results, name, given.names, parts, earned)
    signs = results.comparisons.signs
    test = partial(compare_metrics, signs=signs)
    return tables_of_models("category", "accuracy", judged, test)


def _models_of_pairs(
    results: Results,
    group: str,
    names: Sequence[str],
    parts: Sequence[IntArray],
    credit: tuple[FloatArray, FloatArray, FloatArray],
) -> dict[str, JudgedModel]:
    """Judge the models in one group of pairs, by which the best metrics are chosen as well.

    `credit` is that of single metrics (M, P), of trained models (A, P), and of means of all
    metrics (A, P); NaN where a pair does not count.
    """
    of_metrics, trained, means = credit
    masks = _masks(results, group)
    without = [_accuracies_without(of_metrics, masks, part) for part in parts]
    accuracy = _accuracy(of_metrics, masks)
    best = int(accuracy.argmax())
    names_of_best = Ranking.of(dict(zip(names, accuracy.tolist(), strict=True))).first

    single = []
    pair = np.arange(of_metrics.shape[1])
    for accuracies, part in zip(without, parts, strict=True):
        chosen_metric = accuracies.argmax(axis=1)[part]
        single.append(of_metrics[chosen_metric, pair])
    in_hindsight = [of_metrics[best]] * len(parts)
    by_model = np.stack([trained, single, means, in_hindsight])
    estimate, of_image = _mean_over_assignments(results, group, by_model)
    metrics = ("", chosen_in_words(names, without), "", listed(names_of_best))
    models = {}
    for number, name in enumerate(_MODELS):
        models[name] = JudgedModel(
            _accuracy(by_model[number], masks),
            of_image[number],
            float(estimate.accuracy[number]),
            float(estimate.low[number]),
            float(estimate.high[number]),
            metrics[number],
        )
    return models


def _mean_over_assignments(
    results: Results, group: str, credit: FloatArray
) -> tuple[Estimate, FloatArray]:
    """Return the accuracy of the mean credit (4, A, P), and what each image adds to it (4, G)."""
    is_counted = ~np.isnan(credit)
    earned = np.nan_to_num(credit).mean(axis=1)
    counted = is_counted.mean(axis=1)
    sample = results.samples.of_pairs(earned, counted, group)

    masks = _masks(results, group)
    weights = np.sum([mask / mask.sum() / len(masks) for mask in masks], axis=0)
    images = results.samples.weights.shape[1]
    of_image = by_image(earned * weights, results.samples.pairs.image, images)
    estimate = sample.estimate(results.samples.resamples)
    return estimate, of_image.T


def _masks(results: Results, group: str) -> list[NDArray[np.bool_]]:
    """Return the pairs of each category that a group is the mean of."""
    samples = results.samples
    names = samples.categories if group == MEAN else [group]
    return [samples.pairs.groups[name] for name in names]


def _accuracy(credit: FloatArray, masks: Sequence[NDArray[np.bool_]]) -> FloatArray:
    """Return the mean over categories of the mean credit (K, P) of their pairs: (K,)."""
    shares = []
    for mask in masks:
        if mask.any():
            counted = credit[:, mask]
            pairs = (~np.isnan(counted)).sum(axis=1)
            earned = np.nansum(counted, axis=1)
            shares.append(share(earned, pairs))

    mean: FloatArray = np.mean(shares, axis=0)
    return np.nan_to_num(mean)


def _accuracies_without(
    of_metrics: FloatArray, masks: Sequence[NDArray[np.bool_]], part: IntArray
) -> FloatArray:
    """Return the accuracy of each metric outside each fold (K, M)."""
    accuracies = []
    for is_held in each_part(part):
        others = [mask & ~is_held for mask in masks]
        accuracies.append(_accuracy(of_metrics, others))
    return np.array(accuracies)


def _described(
    given: NamedExamples[PairExamples],
    group: IntArray,
    part: IntArray,
    generator: np.random.Generator,
) -> dict[str, pd.DataFrame]:
    """Return the weights of a model of all pairs, and what metrics and pairs add to it."""
    examples = given.examples
    own = replace(examples, image=group)
    model = train(own, generator)
    weights = weight_table(given.names, examples, model, generator)

    penalty = model.penalty
    inner = part % INNER_FOLDS
    selected = forward_selection(examples, inner, given.names, _STEPS, penalty)
    curve = learning_curve(examples, part, penalty, _SHARES, generator)

    selection_columns = ["metric_added", "accuracy"]
    curve_columns = ["training_pairs", "accuracy"]
    return {
        "learned_weights": weights,
        "learned_selection": pd.DataFrame(selected, columns=selection_columns),
        "learned_curve": pd.DataFrame(curve, columns=curve_columns),
    }


def weight_table(
    names: Sequence[str],
    examples: PairExamples,
    model: Weights,
    generator: np.random.Generator,
) -> pd.DataFrame:
    """Return the weight of each metric with its range over resamples, the largest first."""
    penalty = model.penalty
    resampled = resampled_weights(examples, penalty, _RESAMPLES, generator)
    low, high = np.percentile(resampled, [2.5, 97.5], axis=0)
    columns = {
        "metric": names,
        "weight": shares_of(model.scaled),
        "low": low,
        "high": high,
    }
    table = pd.DataFrame(columns)
    return table.sort_values(
        "weight", ascending=False, kind="stable", ignore_index=True
    )


def _shared_pairs(
    results: Results, groups: FoldGroups, made: Sequence[Assignment]
) -> Iterator[str]:
    """Say how many pairs show a caption that an image of another fold has as well."""
    pairs = results.samples.pairs
    shared = []
    for part, _generator in made:
        crossing = crosses_parts(groups.text, part)
        is_shared = crossing[pairs.b] | crossing[pairs.c]
        shared.append(is_shared.mean())

    if mean := float(np.mean(shared)):
        yield (
            f"In {fixed(percent(mean), 1)} % of {len(pairs):,} pairs, a candidate also belongs "
            "to an image in another fold; --folds captions keeps such images in one fold."
        )


def _without_identical(results: Results) -> str:
    """Say what the main metrics gain together if such references are left out."""
    try:
        without = results.once(without_identical)
    except ValueError:
        return TOO_FEW_LEFT

    given = pair_examples(without)
    pairs = without.samples.pairs
    groups = FoldGroups.of_pairs(pairs, without.options)
    if reason := _too_few_pairs(given, groups.group[pairs.b]):
        return f"Without these references, nothing can be learned. {reason}"

    made = list(groups.assignments())
    table, _spread = _tables_of_pairs(without, given, groups, made)
    group = without.main_group
    count = _learning_count(without)
    rows = where(table, category=group).to_dict("records")
    model, single, _mean, _hindsight = rows
    return (
        f"{on_what(without, group, count)}, without these references, a weighted sum of "
        f"{metrics_in_words(given.names, 'metric')} agrees with people in "
        f"{fixed(percent(model['accuracy']), 1)} % of cases, and the best single metric in "
        f"{fixed(percent(single['accuracy']), 1)} % ({p_value(model['p'])})."
    )


def _sentence(results: Results, table: pd.DataFrame, names: Sequence[str]) -> str:
    """Say how often the trained model is right, beside the best single metric."""
    group = results.main_group
    count = _learning_count(results)
    rows = where(table, category=group).to_dict("records")
    model, single, _mean, hindsight = rows
    first = (
        f"{on_what(results, group, count)}, a weighted sum of "
        f"{metrics_in_words(names, 'metric')} agrees with people in "
        f"{fixed(percent(model['accuracy']), 1)} % of cases with {references_in_words(count)} "
        f"(mean over {ASSIGNMENTS} assignments of images to folds, "
        f"{fixed(percent(model['lowest']), 1)} to {fixed(percent(model['highest']), 1)}), and "
        f"the best single metric in {fixed(percent(single['accuracy']), 1)} % "
        f"({p_value(model['p'])}), each chosen without the images it is judged by."
    )
    accuracy = percent(hindsight["accuracy"])
    second = (
        f"Best in hindsight: {hindsight['metric']}, {fixed(accuracy, 1)} % "
        f"({p_value(model['p_best'])})."
    )
    return " ".join([first, second])
