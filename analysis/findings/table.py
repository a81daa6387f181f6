"""Accuracy by category at a few reference counts (CIDEr paper, table 1)."""

from itertools import product

import numpy as np
import pandas as pd

from tercet.analysis.evaluation.results import Results
from tercet.analysis.evaluation.verdicts import in_bold, is_difference
from tercet.analysis.findings.finding import Content, finding
from tercet.analysis.findings.first_sentence import (
    NONE,
    best_metric,
    with_ceiling_error,
)
from tercet.analysis.findings.markup import latex, markdown
from tercet.analysis.findings.needs import PAIRS
from tercet.analysis.findings.reference_counts import with_cut_note
from tercet.analysis.number_texts import percent, written
from tercet.analysis.scoring.tallies import ReferenceCount
from tercet.analysis.stats.significance import compact_letters
from tercet.analysis.tables.rows import where
from tercet.analysis.tables.schema import ALL
from tercet.analysis.texts import Text, english
from tercet.analysis.texts import gettext as _
from tercet.analysis.values import p_number, percent_interval

MEANING = _(
    "Accuracy in % with its 95 % interval. Main metrics that share a letter do not differ "
    "significantly from each other, by the sign-flip test at 5 % for all pairs of them together, "
    "in the mean over categories; other versions of a metric are compared with the main one "
    "only, and p_parent is adjusted for all such comparisons. The ceiling is what a perfect "
    "metric could reach."
)
_NOTE = (
    "Accuracy in % with its 95 % interval, for each metric given so many references (reference "
    "count). Bold: the most accurate metric with so many references, and the metrics that do not "
    "differ from it significantly; the baselines length and random only where they are the most "
    "accurate. Metrics that share a letter do not differ significantly (sign-flip test over "
    "images at 5 %, adjusted for all pairs of these metrics). Ties: the pairs on which the metric, "
    "or people, prefer neither candidate."
)
"""What bold and the columns of the LaTeX table mean; English, as the table is."""
_WORST = "Worst: the category in which the metric is the least accurate."
LEFT_OUT = ["se_images", "sd_draws", "vote_accuracy", "vote_ceiling"]
KEYS = ["metric", "category", "reference_count"]


@finding(
    title=_("Accuracy by category"),
    source=_("CIDEr paper, table 1"),
    meaning=MEANING,
    needs=(PAIRS,),
)
def table(results: Results) -> Content:
    """Tabulate metrics from best to worst, with intervals, ties and letters."""
    numbers = _numbers(results)
    words = _in_words(numbers, results)
    texts = {"table.md": markdown(words), "table.tex": _latex(words, results)}
    return Content(
        tables={"table": words, "table_numbers": numbers},
        texts=texts,
        notes=with_cut_note(results),
        sentence=_sentence(results, numbers),
        meaning=with_ceiling_error(MEANING, results),
    )


def _latex(words: pd.DataFrame, results: Results) -> str:
    """Return the headline metrics as LaTeX, in bold the best and those that do not differ."""
    is_shown = words["metric"].isin([*results.headline, "ceiling"])
    shown = words[is_shown].drop(columns="p_parent").reset_index(drop=True)

    bold = bold_metrics(results)
    rows = zip(shown["reference_count"], shown["metric"], strict=True)
    is_bold = [metric in bold.get(count, ()) for count, metric in rows]

    main = results.main_group.replace("_", " ")
    note = f"{_NOTE} {_WORST}" if "worst" in shown else _NOTE
    return latex(shown, pd.Series(is_bold, dtype=bool), ["metric", main], note)


def bold_metrics(results: Results) -> dict[ReferenceCount, set[str]]:
    """Return the best metrics by count, with those that do not differ from one of them.

    They are those of the main group; without pairs there are none.
    """
    if results.pair_samples is None:
        return {}

    group = results.main_group
    return {
        count: in_bold(
            results.compared(group, count)["accuracy"],
            results.comparisons.tests(group, count),
        )
        for count in results.counts
    }


def _numbers(results: Results) -> pd.DataFrame:
    """Return the accuracies at the shown counts, with letters."""
    accuracy = results.all_counts
    at_counts = accuracy[accuracy["reference_count"].isin(results.counts)]

    letters = pd.concat([_letters_at(results, count) for count in results.counts])
    return at_counts.drop(columns=LEFT_OUT).merge(letters, how="left", on=KEYS)


def _letters_at(results: Results, count: ReferenceCount) -> pd.DataFrame:
    """Return the letters of each complete main metric with so many references.

    Other metrics have the p of their comparison with their main one.
    """
    complete = results.comparisons.complete(count)
    letters = pd.Series(_letters(results, count), dtype=object)
    p_parent = pd.Series(_p_of_versions(results, count), dtype=float)
    columns = {
        "metric": complete,
        "letters": letters.reindex(complete, fill_value="").tolist(),
        "p_parent": p_parent.reindex(complete).tolist(),
        "category": results.main_group,
        "reference_count": count,
    }
    return pd.DataFrame(columns)


def _letters(results: Results, count: ReferenceCount) -> dict[str, str]:
    """Return the letters of the main metrics; none where they cannot be compared."""
    group = results.main_group
    tests = results.comparisons.tests(group, count)
    if tests.empty:
        return {}

    accuracy = results.compared(group, count)["accuracy"]
    place = {name: number for number, name in enumerate(accuracy.index)}
    differs = np.zeros((len(place), len(place)), dtype=bool)

    for each in tests[is_difference(tests)].to_dict("records"):
        a, b = place[each["metric_a"]], place[each["metric_b"]]
        differs[a, b] = differs[b, a] = True

    letters = compact_letters(accuracy.to_numpy(dtype=float), differs)
    return dict(zip(place, letters, strict=True))


def _p_of_versions(results: Results, count: ReferenceCount) -> dict[str, float]:
    """Return the adjusted p of each version of a metric, compared with the main one."""
    tests = results.comparisons.tests_of_versions(results.main_group, count)
    p_of: dict[str, float] = {}
    for a, b, p in tests[["metric_a", "metric_b", "p_adjusted"]].to_numpy():
        p_of |= {a: p, b: p}
    return {name: p for name, p in p_of.items() if name not in results.headline}


def _in_words(numbers: pd.DataFrame, results: Results) -> pd.DataFrame:
    """Return a row per metric and count, a column per category; the largest count first."""
    keys = ["reference_count", "metric"]
    cells = numbers.assign(cell=_cells(numbers)).set_index([*keys, "category"])["cell"]
    groups = results.groups
    shown = [name for name in groups if name != ALL or len(groups) == 1]
    wide = cells.unstack(sort=False).reindex(columns=shown)
    if len(results.samples.categories) > 1:
        wide = wide.assign(worst=_worst_category(numbers, results))

    of_all = where(numbers, category=ALL).set_index(keys)
    of_main = where(numbers, category=results.main_group).set_index(keys)
    wide = wide.assign(
        letters=of_main["letters"],
        p_parent=of_main["p_parent"].map(p_number, na_action="ignore").map(english),
        metric_ties=of_all["metric_ties"].map(_one_decimal),
        human_ties=of_all["human_ties"],
    )

    ordered = _best_first(wide, results).reset_index()
    words = pd.concat([ordered.astype(object), _limits(results)], ignore_index=True)
    words = words.rename_axis(columns=None).astype(object)
    return words.where(words.notna(), "")


def _cells(table: pd.DataFrame) -> list[str]:
    """Return the accuracies of a table with their intervals; English, as its files are."""
    shares = table[["accuracy", "low", "high"]].to_numpy(dtype=float)
    return [percent_interval(*row).english for row in shares.tolist()]


def _one_decimal(value: float) -> str:
    return written(value, ".1f")


def _best_first(wide: pd.DataFrame, results: Results) -> pd.DataFrame:
    """Order the rows: the largest count first, and the best metric first."""
    rows = product(reversed(results.counts), results.ranked)
    return wide.loc[[row for row in rows if row in wide.index]]


def _worst_category(numbers: pd.DataFrame, results: Results) -> "pd.Series[str]":
    """Return the category of lowest accuracy, with that accuracy, by count and metric."""
    of_category = numbers[numbers["category"].isin(results.samples.categories)]
    ascending = of_category.sort_values("accuracy", kind="stable")
    worst = ascending.groupby(["reference_count", "metric"], sort=False).first()

    percents = worst["accuracy"].map(percent).map(_one_decimal)
    return worst["category"] + " " + percents


def _limits(results: Results) -> pd.DataFrame:
    """Return the ceiling as a row of the table; no row if there is none."""
    ceiling = results.people.ceiling.dropna(subset="accuracy")
    cells = ceiling.assign(cell=_cells(ceiling), metric="ceiling")
    wide = cells.pivot(index="metric", columns="category", values="cell")
    rows: pd.DataFrame = wide.drop(columns=ALL, errors="ignore").reset_index()
    return rows


def _sentence(results: Results, numbers: pd.DataFrame) -> Text:
    """Name the category in which the best headline metric is worst."""
    best = best_metric(results)
    of_best = where(numbers, metric=best, reference_count=results.last_count)
    accuracy = of_best.set_index("category")["accuracy"].dropna()

    is_category = accuracy.index.isin(results.samples.categories)
    by_accuracy = accuracy[is_category].sort_values(kind="stable")
    if len(by_accuracy) < 2 and results.main_group in accuracy:
        return _(
            "{metric} agrees with people on {accuracy:.1f} % of pairs, which are of one group.",
            metric=best,
            accuracy=percent(accuracy[results.main_group]),
        )
    if len(by_accuracy) < 2 or by_accuracy.iloc[0] == by_accuracy.iloc[-1]:
        return NONE

    return _(
        "{metric} agrees with people most often on {best} pairs ({high:.1f} %), and least often "
        "on {worst} pairs ({low:.1f} %).",
        metric=best,
        best=by_accuracy.index[-1],
        high=percent(by_accuracy.iloc[-1]),
        worst=by_accuracy.index[0],
        low=percent(by_accuracy.iloc[0]),
    )
