"""A learned metric: how much a weighted sum of the metrics gains (after NNEval)."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from analysis.dataset.schema import MEAN
from analysis.evaluation.learned import (
    FOLDS,
    WINNER_MODEL,
)
from analysis.evaluation.options import LEARNED
from analysis.evaluation.results import Results
from analysis.evaluation.training import PairExamples, pair_examples
from analysis.findings.finding import Content, Definition
from analysis.findings.needs import PAIRS, PAIRS_TO_LEARN_FROM, TWO_METRICS
from analysis.findings.sentences import learned_sentence
from analysis.stats.resampling import by_image
from analysis.stats.significance import compare_metrics
from analysis.stats.winner_model import (
    INNER_FOLDS,
    best_single,
    fold_of,
    forward_selection,
    learning_curve,
    mean_of_scaled,
    out_of_fold,
    resampled_weights,
    train,
)
from analysis.texts import gettext as _
from metrics import FloatArray, IntArray

STEPS = 4
"""How many metrics the forward selection adds."""
SHARES = (0.1, 0.25, 0.5, 1.0)
"""Of the training pairs, in the learning curve."""
RESAMPLES = 100
SEEN, BEST = ", best on these pairs", "best"
"""How the metric that is best on all pairs is marked, and the columns of the test against it."""
SINGLE, MEAN_OF_ALL = "best single metric", "mean of all metrics"

TOO_FEW_METRICS = _("A model needs two metrics that score every pair.")
MEANING = _(
    "A weighted sum of all metrics, trained to predict the winners of pairs (logistic regression "
    "on differences of scores with all references, or with the only number of references that is "
    "evaluated; no weight below 0). Each pair is predicted by a model that has not seen its "
    "image; the best single metric is chosen in the same way, and the mean of all metrics needs "
    "no training. The last row is the metric that is best on these very pairs, which no fair "
    "choice could know. p is that of a sign-flip test over images against the best single metric,"
    " p_best that against the last row. The weights are those of a model trained on all pairs, "
    "with their range over resampled images; they add up to 1. The forward selection adds one "
    "metric at a time; as each step is the best of several, its accuracies are a little too high."
)


def learned(results: Results) -> Content:
    """Compare a model trained on the winners with single metrics, out of fold by image."""
    examples = pair_examples(results)
    if len(examples.names) < 2:
        return Content(notes=(TOO_FEW_METRICS,))

    generator = results.options.generator(LEARNED)
    part = fold_of(examples.image, FOLDS, generator)
    table = _accuracies(results, _margins(examples, part, generator))

    return Content(
        tables={"learned": table} | _described(examples, part, generator),
        sentence=learned_sentence(table, results.main_group),
    )


def _margins(
    given: PairExamples, part: IntArray, generator: np.random.Generator
) -> dict[str, FloatArray]:
    """Return how much each model prefers candidate B of each pair, without its image."""
    examples = given.differences, given.winner

    right = np.sign(given.differences) * given.winner[:, None]
    best = int(np.argmax(right.mean(axis=0)))

    return {
        WINNER_MODEL: out_of_fold(*examples, given.image, part, generator),
        SINGLE: best_single(*examples, part),
        MEAN_OF_ALL: mean_of_scaled(given.differences, part),
        f"{given.names[best]}{SEEN}": given.differences[:, best],
    }


def _described(
    given: PairExamples, part: IntArray, generator: np.random.Generator
) -> dict[str, pd.DataFrame]:
    """Return the weights of a model of all pairs, and what metrics and pairs add to it."""
    examples = given.differences, given.winner
    model = train(*examples, given.image, generator)
    penalty = model.penalty

    resampled = resampled_weights(
        *examples, given.image, penalty, RESAMPLES, generator
    )
    selected = forward_selection(
        *examples, part % INNER_FOLDS, given.names, STEPS, penalty
    )
    curve = learning_curve(*examples, part, penalty, SHARES, generator)

    return {
        "learned_weights": weights_table(
            given.names, model.weights, resampled
        ),
        "learned_selection": pd.DataFrame(
            selected, columns=["metric_added", "accuracy"]
        ),
        "learned_curve": pd.DataFrame(
            curve, columns=["training_pairs", "accuracy"]
        ),
    }


def _accuracies(
    results: Results, margins: dict[str, FloatArray]
) -> pd.DataFrame:
    """Return accuracy, and the tests against the best single metrics, by model and group."""
    credit = {
        name: results.credit(np.sign(margin))
        for name, margin in margins.items()
    }
    seen = next(name for name in margins if name.endswith(SEEN))
    rows = []

    for group in results.groups:
        tests = _tests(results, credit, group, SINGLE)
        tests_seen = _tests(results, credit, group, seen)
        for name, earned in credit.items():
            known = ~np.isnan(earned)
            sample = results.samples.of_pairs(
                np.nan_to_num(earned)[None], known[None].astype(float), group
            )
            estimate = sample.estimate(results.samples.resamples)
            rows.append(
                {
                    "model": name,
                    "category": group,
                    "accuracy": float(sample.value[0]),
                    "low": float(estimate.low[0]),
                    "high": float(estimate.high[0]),
                    **tests.get(name, {}),
                    **{
                        f"{figure}_{BEST}": value
                        for figure, value in tests_seen.get(name, {}).items()
                    },
                }
            )

    return pd.DataFrame(rows)


def _tests(
    results: Results,
    credit: dict[str, FloatArray],
    group: str,
    reference: str,
) -> dict[str, dict[str, float]]:
    """Return each model's difference from a reference among them, and its p."""
    pairs = results.scored.pairs
    weights = _pair_weights(results, group)
    images = results.weights.shape[1]

    contributions = by_image(
        np.stack([np.nan_to_num(each) * weights for each in credit.values()]),
        pairs.image,
        images,
    ).T
    table = compare_metrics(
        list(credit), contributions, results.comparisons.signs
    )

    found = {}
    for row in table.to_dict("records"):
        if reference not in (row["metric_a"], row["metric_b"]):
            continue

        sign = 1 if row["metric_b"] == reference else -1
        other = row["metric_a"] if sign == 1 else row["metric_b"]
        found[other] = {"difference": sign * row["difference"], "p": row["p"]}

    return found


def _pair_weights(results: Results, group: str) -> FloatArray:
    """Return what each pair counts in the accuracy of a group: (P,), adding up to 1."""
    groups = results.scored.pairs.groups
    names: Sequence[str] = (
        results.samples.categories if group == MEAN else [group]
    )
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
            "weight": weights / max(weights.sum(), np.finfo(float).tiny),
            "low": np.percentile(resampled, 2.5, axis=0),
            "high": np.percentile(resampled, 97.5, axis=0),
        }
    )
    return table.sort_values(
        "weight", ascending=False, kind="stable", ignore_index=True
    )


DEFINITION = Definition(
    name="learned",
    title=_("What a learned metric gains"),
    source=_("After NNEval (Sharif et al., 2018), with winners as the target"),
    meaning=MEANING,
    needs=(PAIRS, TWO_METRICS, PAIRS_TO_LEARN_FROM),
    make=learned,
)
