"""A learned metric: how much a weighted sum of the metrics gains (after NNEval)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tercet.analysis.evaluation.evaluate import without_identical
from tercet.analysis.evaluation.learned import (
    ASSIGNMENTS,
    LEAST_IMAGES,
    WINNER_MODEL,
    Assignment,
    Groups,
    assignments,
)
from tercet.analysis.evaluation.results import Results
from tercet.analysis.evaluation.training import PairExamples, pair_examples
from tercet.analysis.findings.finding import Content, Definition
from tercet.analysis.findings.first_sentence import on_what, references_in_words
from tercet.analysis.findings.needs import PAIRS, PAIRS_TO_LEARN_FROM, TWO_METRICS
from tercet.analysis.findings.reservations import TOO_FEW_LEFT, own_candidates
from tercet.analysis.number_texts import percent
from tercet.analysis.scoring.options import LEARNED
from tercet.analysis.stats.resampling import by_image, share
from tercet.analysis.stats.scores.weights import (
    INNER_FOLDS,
    Choices,
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
from tercet.analysis.stats.significance import compare_metrics
from tercet.analysis.tables.schema import MEAN
from tercet.analysis.texts import Text, enumeration
from tercet.analysis.texts import gettext as _
from tercet.analysis.values import p_value
from tercet.metrics import FloatArray, IntArray

STEPS = 4
"""How many metrics the forward selection adds."""
SHARES = (0.1, 0.25, 0.5, 1.0)
"""Of the training pairs, in the learning curve."""
RESAMPLES = 100
SINGLE, MEAN_OF_ALL = "best single metric", "mean of all metrics"
HINDSIGHT = "single metric, best on these pairs"
MODELS = (WINNER_MODEL, SINGLE, MEAN_OF_ALL, HINDSIGHT)
_TOO_FEW_METRICS = _("A model needs two metrics that score every pair.")
MEANING = _(
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


def learned(results: Results) -> Content:
    """Compare a model trained on the winners with single metrics, out of fold by image."""
    examples = pair_examples(results)
    pairs, options = results.scored.pairs, results.options
    groups = Groups.of_pairs(pairs, options)
    own = groups.group[pairs.b]
    if reason := _why_not(examples, own):
        return Content(notes=(reason,))

    made = list(assignments(groups, options))
    judged = _judged_by_group(results, examples, own, made)
    first = made[0].part[pairs.b]
    table = _table(results, judged)

    return Content(
        tables={"learned": table, "learned_assignments": _spread(judged)}
        | _described(examples, own, first, options.generator(LEARNED)),
        sentence=_sentence(results, table),
        reservations=tuple(_reservations(results)),
        notes=tuple(_shared(results, groups, made)),
    )


def _why_not(examples: PairExamples, group: IntArray) -> Text | None:
    """Return why nothing is learned from pairs of these groups (P,) of images; None if it is."""
    if len(examples.names) < 2:
        return _TOO_FEW_METRICS
    if len(np.unique(group)) < LEAST_IMAGES:
        return too_few_groups(group)

    return None


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

    examples = pair_examples(without)
    groups = Groups.of_pairs(without.scored.pairs, without.options)
    own = groups.group[without.scored.pairs.b]
    if reason := _why_not(examples, own):
        return _(
            "Without these references, nothing can be learned. {reason}", reason=reason
        )

    made = list(assignments(groups, without.options))
    judged = _judged_by_group(without, examples, own, made)
    return _without_identical_sentence(
        without, _table(without, judged), len(examples.names)
    )


def too_few_groups(group: IntArray) -> Text:
    """Say that images that share captions cannot be divided."""
    return _(
        "A model takes {least} images that share no caption with others; there are {groups} "
        "groups of images that share captions.",
        least=LEAST_IMAGES,
        groups=len(np.unique(group)),
    )


def _shared(
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


@dataclass(frozen=True)
class _Credit:
    """The credit of pairs with one assignment of images to folds.

    Attributes
    ----------
    part : int array (P,)
        The fold of each pair.
    models : float array (2, P)
        The credit of the trained model and of the mean of all metrics; NaN where a pair does not
        count.
    """

    part: IntArray
    models: FloatArray


def _credit(
    results: Results, given: PairExamples, group: IntArray, assignment: Assignment
) -> _Credit:
    """Judge each pair by models that were trained without its image."""
    part = assignment.part[results.scored.pairs.b]
    examples = Choices(given.differences, given.winner, group)
    margins = (
        out_of_fold(examples, part, assignment.generator),
        mean_of_scaled(examples, part),
    )
    return _Credit(part, np.stack([results.credit(np.sign(each)) for each in margins]))


def _judged_by_group(
    results: Results, examples: PairExamples, own: IntArray, made: Sequence[Assignment]
) -> "dict[str, _Judged]":
    """Judge the models in each group of pairs; `own` (P,) are the groups of their images."""
    credit = [_credit(results, examples, own, each) for each in made]
    of_metrics = np.stack(
        [results.credit(np.sign(each)) for each in examples.differences.T]
    )
    return {
        group: _judged(results, examples.names, group, of_metrics, credit)
        for group in results.groups
    }


@dataclass(frozen=True)
class _Judged:
    """The models in one group of pairs.

    Attributes
    ----------
    credit : float array (4, A, P)
        By `MODELS` and assignment; NaN where a pair does not count.
    accuracy : float array (4, A)
    metric : tuple of str
        Which metrics were chosen, by `MODELS`.
    """

    credit: FloatArray
    accuracy: FloatArray
    metric: tuple[str, ...]


def _judged(
    results: Results,
    names: Sequence[str],
    group: str,
    of_metrics: FloatArray,
    credit: Sequence[_Credit],
) -> _Judged:
    """Judge the models in one group, by which the best single metrics are chosen as well.

    `of_metrics` is the credit of single metrics: shape (M, P).
    """
    masks = _masks(results, group)
    best = int(np.argmax(_accuracy(of_metrics, masks)))
    chosen = [_best_without(of_metrics, masks, each.part) for each in credit]

    pairs = np.arange(of_metrics.shape[1])
    single = [
        of_metrics[metric[each.part], pairs]
        for metric, each in zip(chosen, credit, strict=True)
    ]
    by_model = np.stack(
        [
            [each.models[0] for each in credit],
            single,
            [each.models[1] for each in credit],
            [of_metrics[best]] * len(credit),
        ]
    )
    return _Judged(
        by_model,
        np.stack([_accuracy(each, masks) for each in by_model]),
        ("", chosen_in_words(names, chosen), "", names[best]),
    )


def _best_without(
    of_metrics: FloatArray, masks: Sequence[NDArray[np.bool_]], part: IntArray
) -> IntArray:
    """Return the metric with the highest accuracy outside each fold."""
    best = [
        np.argmax(_accuracy(of_metrics, [mask & ~is_held for mask in masks]))
        for is_held in each_part(part)
    ]
    return np.array(best, dtype=np.int64)


def chosen_in_words(names: Sequence[str], chosen: Sequence[IntArray]) -> str:
    """Return how often each metric was the best on training data, the most frequent first."""
    times = np.bincount(np.concatenate(chosen), minlength=len(names))
    order = np.argsort(-times, kind="stable")
    total = int(times.sum())

    return ", ".join(
        f"{names[each]} ({times[each]} of {total})" for each in order if times[each]
    )


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


def _table(results: Results, judged: Mapping[str, _Judged]) -> pd.DataFrame:
    """Return accuracy, and the tests against the best single metrics, by model and group."""
    rows = []

    for group, found in judged.items():
        earned = np.nan_to_num(found.credit).mean(axis=1)
        counted = (~np.isnan(found.credit)).mean(axis=1)
        tests = _tests(results, earned, group)

        for number, name in enumerate(MODELS):
            sample = results.samples.of_pairs(
                earned[[number]], counted[[number]], group
            )
            estimate = sample.estimate(results.samples.resamples)
            rows.append(
                {
                    "model": name,
                    "category": group,
                    "metric": found.metric[number],
                    "accuracy": float(sample.value[0]),
                    "low": float(estimate.low[0]),
                    "high": float(estimate.high[0]),
                    "lowest": found.accuracy[number].min(),
                    "highest": found.accuracy[number].max(),
                    **_against(tests, found, name, SINGLE, ""),
                    **_against(tests, found, name, HINDSIGHT, "_best"),
                }
            )

    return pd.DataFrame(rows)


def _tests(
    results: Results, earned: FloatArray, group: str
) -> dict[tuple[str, str], dict[str, float]]:
    """Compare the mean credit (4, P) of every two models, in either order."""
    weights = _pair_weights(results, group)
    images = results.weights.shape[1]
    contributions = by_image(earned * weights, results.scored.pairs.image, images).T
    table = compare_metrics(MODELS, contributions, results.comparisons.signs)

    found = {}
    for row in table.to_dict("records"):
        a, b, difference = row["metric_a"], row["metric_b"], row["difference"]
        found[a, b] = {"difference": difference, "p": row["p"]}
        found[b, a] = {"difference": -difference, "p": row["p"]}

    return found


def _against(
    tests: Mapping[tuple[str, str], Mapping[str, float]],
    found: _Judged,
    name: str,
    other: str,
    ending: str,
) -> dict[str, float]:
    """Return how far a model is ahead of another one, and how much that depends on the folds."""
    if name == other:
        return {}

    test = tests[name, other]
    by_model = dict(zip(MODELS, found.accuracy, strict=True))
    spread = (by_model[name] - by_model[other]).std(ddof=1)
    return {
        f"difference{ending}": test["difference"],
        f"difference_sd{ending}": spread,
        f"p{ending}": test["p"],
    }


def _spread(judged: Mapping[str, _Judged]) -> pd.DataFrame:
    """Return the accuracy of each model with each assignment of images to folds."""
    tables = [
        pd.DataFrame(found.accuracy.T, columns=list(MODELS)).assign(
            category=group, assignment=np.arange(ASSIGNMENTS) + 1
        )
        for group, found in judged.items()
    ]
    return pd.concat(tables, ignore_index=True)[["category", "assignment", *MODELS]]


def _described(
    given: PairExamples, group: IntArray, part: IntArray, generator: np.random.Generator
) -> dict[str, pd.DataFrame]:
    """Return the weights of a model of all pairs, and what metrics and pairs add to it."""
    model = train(Choices(given.differences, given.winner, group), generator)
    penalty = model.penalty

    examples = Choices(given.differences, given.winner, given.image)
    resampled = resampled_weights(examples, penalty, RESAMPLES, generator)
    selected = forward_selection(
        examples, part % INNER_FOLDS, given.names, STEPS, penalty
    )
    curve = learning_curve(examples, part, penalty, SHARES, generator)

    return {
        "learned_weights": weights_table(given.names, model.scaled, resampled),
        "learned_selection": pd.DataFrame(
            selected, columns=["metric_added", "accuracy"]
        ),
        "learned_curve": pd.DataFrame(curve, columns=["training_pairs", "accuracy"]),
    }


def _pair_weights(results: Results, group: str) -> FloatArray:
    """Return what each pair counts in the accuracy of a group: (P,), adding up to 1."""
    groups = results.scored.pairs.groups
    names: Sequence[str] = results.samples.categories if group == MEAN else [group]
    weights = np.zeros(len(results.scored.pairs))

    for name in names:
        weights[groups[name]] += 1 / groups[name].sum() / len(names)

    return weights


def weights_table(
    names: Sequence[str], weights: FloatArray, resampled: FloatArray
) -> pd.DataFrame:
    """Return the weight of each metric with its range, the largest first."""
    table = pd.DataFrame(
        {
            "metric": names,
            "weight": shares_of(weights),
            "low": np.percentile(resampled, 2.5, axis=0),
            "high": np.percentile(resampled, 97.5, axis=0),
        }
    )
    return table.sort_values(
        "weight", ascending=False, kind="stable", ignore_index=True
    )


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


DEFINITION = Definition(
    name="learned",
    title=_("What a learned metric gains"),
    source=_("After NNEval (Sharif et al., 2018), with winners as the target"),
    meaning=MEANING,
    needs=(PAIRS, TWO_METRICS, PAIRS_TO_LEARN_FROM),
    make=learned,
)
