"""What was checked of metrics from outside, and how good the best of several variants is."""

from collections.abc import Iterator
from math import nan
from typing import Any

import numpy as np
import pandas as pd

from tercet.analysis.dataset.caption_language import guess_language
from tercet.analysis.evaluation.results import Results
from tercet.analysis.findings.finding import Content, finding
from tercet.analysis.findings.metrics.ratings import rating_tests
from tercet.analysis.findings.needs import OUTSIDE
from tercet.analysis.number_texts import fixed, plural
from tercet.analysis.scoring.options import VARIANTS
from tercet.analysis.scoring.tallies import ALL_TRIPLETS, column_of
from tercet.analysis.stats.best_of_n import BestOfN, best_of_n
from tercet.analysis.stats.resampling import by_image
from tercet.analysis.superlatives import Ranking, listed
from tercet.analysis.tables.schema import MEAN
from tercet.metrics import FloatArray, TextMetric
from tercet.metrics.outside.checks import (
    LENGTH,
    MANY,
    Checks,
    Repeats,
    rank_correlation,
)
from tercet.metrics.text.inputs import text_of

MEANING = (
    "Repeatable: some comparisons are made again, shuffled and in batches of another size; "
    "difference is the largest between two scores. A metric that depends on its neighbours has "
    "other scores in other batches; one that is not repeatable has other scores in each run, whose "
    "correlation is given. Itself: the share of references that score higher with another "
    "caption than with themselves. Length: Spearman's correlation of scores with "
    "the number of words. Training: whether the captions were seen in training, certainly (by "
    "digests of images) or likely (by names of datasets). Variants: how many versions were tried "
    "at least. Of a family whose variants are all evaluated, the best is chosen on nine tenths of "
    "the images and judged on the last, with an interval over resamples that choose anew; of "
    "others, and where ratings are compared, p is multiplied by the number of variants."
)
_REPEATS: dict[Repeats, str] = {
    "yes": "yes",
    "neighbours": "depends on its neighbours",
    "no": "not repeatable",
    "unchecked": "not checked",
}
_TRAINING = {
    "certain": "certain",
    "likely": "likely",
    "undeclared": "undeclared",
    "none": "not these captions",
}


@finding(
    title="Metrics from outside",
    source="Beside the CIDEr paper: repeated comparisons, and bootstrap of the choice",
    meaning=MEANING,
    needs=(OUTSIDE,),
)
def outside(results: Results) -> Content:
    """Tabulate what was checked of each metric, and judge the best of several variants."""
    table = pd.DataFrame(_rows(results))
    return Content(
        tables={
            "outside": table,
            "outside_best_of_n": pd.DataFrame(_best(results)),
            "outside_tests": _pair_tests(results),
            "outside_rating_tests": _rating_tests(results),
        },
        notes=tuple(_notes(table)),
        sentence=_sentence(table),
    )


def _rows(results: Results) -> Iterator[dict[str, Any]]:
    """Yield a row for each metric from outside."""
    checked = {
        each.name: each.checks
        for each in results.sources.measured
        if not isinstance(each, str)
    }
    language = guess_language(results.references["caption"])
    families = results.families

    for name, metric in results.outside.items():
        yield {
            "metric": name,
            "family": metric.family,
            **_in_words(checked[name]),
            "length": _correlation_with_length(results, metric),
            "language": language,
            "declared_language": metric.language,
            "training": _TRAINING[results.training[name]],
            "variants": families[name].variants,
        }


def _in_words(checks: Checks) -> dict[str, Any]:
    """Return what was checked while a metric scored."""
    return {
        "repeatable": _REPEATS[checks.repeats],
        "asked_again": checks.asked_again,
        "difference": checks.difference,
        "correlation": checks.correlation if checks.repeats == "no" else nan,
        "equals": checks.equals,
        "itself": checks.below / checks.equals if checks.equals else nan,
    }


def _correlation_with_length(results: Results, metric: TextMetric) -> float:
    """Correlate the scores of captions, with all references, with their numbers of words."""
    if results.pair_samples:
        pairs = results.samples.pairs
        captions = [text_of(each) for each in pairs.captions.candidates]
        tally = results.samples.tallies.get(metric.name)
        if tally is None:
            return nan
        scores = np.full(len(captions), nan)
        scores[pairs.candidates] = [tally.score_b, tally.score_c]
    else:
        captions = results.ratings.rated.candidates["caption"].tolist()
        scores = results.ratings.scores.get(metric.name, np.full(len(captions), nan))

    words = np.array([len(results.tokenize(caption)) for caption in captions], float)
    return metric.sign * rank_correlation(scores, words)


def _best(results: Results) -> Iterator[dict[str, Any]]:
    """Yield a row for each family of several variants, judged if all are evaluated."""
    if results.pair_samples is None:
        return

    for family in dict.fromkeys(results.families.values()):
        members = [each for each in family.members if each in results.metrics]
        if family.variants > 1 and len(members) == family.variants:
            best = _judged(results, members)
            ranking = Ranking.of(dict(zip(members, best.naive, strict=True)))
            yield {
                "family": family.name,
                "metric": listed(ranking.first),
                "category": results.main_group,
                "reference_count": results.last_count,
                "variants": family.variants,
                "accuracy_chosen": ranking.highest,
                "accuracy": best.accuracy,
                "low": best.low,
                "high": best.high,
            }


def _judged(results: Results, names: list[str]) -> BestOfN:
    """Judge the best of some metrics in the main group, with the most references of tables."""
    samples = results.samples
    group = results.main_group
    groups = samples.categories if group == MEAN else [group]
    credit = [_credit(results, names, each) for each in groups]
    earned, counted = np.stack(credit, axis=1)
    generator = results.options.generator(VARIANTS)

    return best_of_n(earned, counted, generator)


def _credit(results: Results, names: list[str], group: str) -> FloatArray:
    """Return what metrics earned and counted, by image: (2, G, M)."""
    samples = results.samples
    column = column_of(results.last_count)
    in_group = samples.pairs.groups[group][samples.pairs.first_of_cell]
    images = samples.weights.shape[1]

    cells = [
        samples.tallies[name].cells[ALL_TRIPLETS][:, column, in_group] for name in names
    ]
    both = np.stack(cells, axis=1).astype(float)
    return np.stack([by_image(each, samples.images[group], images) for each in both])


def _pair_tests(results: Results) -> pd.DataFrame:
    """Return the tests of metrics of which variants are missing, with p for the best of them."""
    if results.pair_samples is None:
        return pd.DataFrame()

    tests = results.comparisons.tests(results.main_group, results.last_count)
    return _of_variants(tests)


def _rating_tests(results: Results) -> pd.DataFrame:
    """Return the tests of metrics with several variants, with p for the best of them."""
    rated = results.scored_ratings
    if rated is None or rated.rated.candidates.empty:
        return pd.DataFrame()

    return _of_variants(rating_tests(results))


def _of_variants(tests: pd.DataFrame) -> pd.DataFrame:
    """Return the tests with a p that is adjusted for the variants of a metric."""
    if "variants" not in tests:
        return pd.DataFrame()

    columns = ("aspect", "metric_a", "metric_b", "difference", "variants", "p_adjusted")
    shown = tests[[name for name in columns if name in tests]]
    chosen = shown[shown["variants"] > 1]
    return chosen.rename(columns={"p_adjusted": "p_best_of_n"})


def _notes(table: pd.DataFrame) -> Iterator[str]:
    """Warn of scores that follow length, and of captions in another language than declared."""
    for row in table.to_dict("records"):
        if row["itself"] >= MANY:
            yield (
                f"{row['metric']} scores copies of references worse than other captions: declare "
                "whether higher is better, or repair it."
            )
        if abs(row["length"]) >= LENGTH:
            yield (
                f"Scores of {row['metric']} follow the number of words: Spearman's rho is "
                f"{fixed(row['length'], 2)}."
            )
        declared = row["declared_language"].lower().split("-")[0]
        if declared and row["language"] and declared != row["language"]:
            yield (
                f"{row['metric']} is declared for the language {declared}; the references seem "
                f"to be in {row['language']}."
            )


def _sentence(table: pd.DataFrame) -> str:
    """Say how many metrics repeat their scores, and what is known of their training."""
    trained = table["training"].value_counts()
    certain, likely, undeclared = (
        int(trained.get(_TRAINING[known], 0))
        for known in ("certain", "likely", "undeclared")
    )
    repeatable = int((table["repeatable"] == _REPEATS["yes"]).sum())
    unchecked = int((table["repeatable"] == _REPEATS["unchecked"]).sum())
    were = plural(unchecked, "was", "were")
    others = f"; {unchecked:,} {were} not checked" if unchecked else ""
    parts = [
        plural(
            len(table),
            f"{repeatable:,} of {len(table):,} metric from outside repeats its scores{others}.",
            f"{repeatable:,} of {len(table):,} metrics from outside repeat their scores{others}.",
        ),
        f"Trained on these captions, certainly: {certain:,}, likely: {likely:,}; training data "
        f"undeclared: {undeclared:,}.",
    ]
    return " ".join(parts)
