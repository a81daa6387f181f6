"""Accuracy by category at a few reference counts (CIDEr paper, table 1)."""

from itertools import product
from math import nan

import numpy as np
import pandas as pd

from tercet.analysis.evaluation.results import Results
from tercet.analysis.evaluation.simulated import simulated_votes
from tercet.analysis.evaluation.verdicts import in_bold, is_difference
from tercet.analysis.findings.ceilings import ceiling_cells, ceiling_in_words
from tercet.analysis.findings.finding import Content, finding
from tercet.analysis.findings.first_sentence import (
    NONE,
    best_in_words,
    best_metric,
    category_in_words,
    why_undecided,
)
from tercet.analysis.findings.markup import latex, markdown
from tercet.analysis.findings.needs import PAIRS
from tercet.analysis.findings.reference_counts import with_cut_note
from tercet.analysis.number_texts import counted, fixed, percent, written
from tercet.analysis.scoring.tallies import ReferenceCount
from tercet.analysis.stats.significance import compact_letters
from tercet.analysis.superlatives import AND, Ranking, Wording, joined
from tercet.analysis.tables.rows import where
from tercet.analysis.tables.schema import ALL
from tercet.analysis.values import p_number, percent_interval

MEANING = (
    "Accuracy in % with its 95 % interval. Main metrics that share a letter do not differ "
    "significantly from each other, by the sign-flip test at 5 % for all pairs of them together, "
    "in the mean over categories; other versions of a metric are compared with the main one "
    "only, and p_parent is adjusted for all such comparisons."
)
_NOTE = (
    "Accuracy in %{intervals}, for each metric given k references. Bold: the most accurate metrics "
    "with k references, and those that do not differ from one of them significantly; the baselines "
    "length and random only where they are the most accurate. Metrics that share a letter do not "
    "differ significantly (sign-flip test over images at 5 %, adjusted for all pairs of these "
    "metrics)."
)
"""What bold and the columns of the LaTeX table mean."""
_ON_CATEGORIES = (
    "{best} agrees with people most often on pairs of {first} ({high} %), and least often on pairs "
    "of {last} ({low} %)."
)
_BY_CATEGORY = Wording(
    one=_ON_CATEGORIES,
    several=_ON_CATEGORIES,
    level="{best} agrees with people equally often on pairs of {first} ({high} %).",
)
LEFT_OUT = ["se_images", "sd_draws", "vote_accuracy", "vote_ceiling"]
KEYS = ["metric", "category", "reference_count"]


@finding(
    title="Accuracy by category",
    source="CIDEr paper, table 1",
    meaning=MEANING,
    needs=(PAIRS,),
)
def table(results: Results) -> Content:
    """Tabulate metrics from best to worst, with intervals, ties and letters."""
    numbers = _numbers(results)
    words = _in_words(numbers, results)
    tables = {"table": words, "table_numbers": numbers}
    in_markdown = markdown(words, results.marks)
    texts = {"table.md": in_markdown, "table.tex": _latex(words, numbers, results)}
    return Content(
        tables,
        texts=texts,
        notes=with_cut_note(results),
        sentence=_sentence(results, numbers),
        meaning=f"{MEANING} {ceiling_in_words(results)}",
    )


def _latex(words: pd.DataFrame, numbers: pd.DataFrame, results: Results) -> str:
    """Return the headline metrics as LaTeX that fits a column, in bold the best.

    Those that do not differ from the best are in bold, too. Intervals and numbers of pairs are
    there where they are wanted.
    """
    names = [*results.headline, "ceiling"]
    adds = results.options.table_adds
    main = results.main_group
    groups = [name for name in results.groups if name in words]
    shown = where(words, metric=names)[
        ["reference_count", "metric", *groups, "letters"]
    ]
    if "intervals" not in adds:
        shown[groups] = shown[groups].map(lambda cell: cell.partition(" [")[0])
    if "pairs" in adds:
        of_main = where(numbers, category=main)
        counted = of_main[["reference_count", "metric", "pairs"]].astype(object)
        shown = shown.merge(counted, how="left", on=["reference_count", "metric"])
        shown = shown.assign(pairs=shown["pairs"].fillna(""))

    bold = bold_metrics(results)
    keys = zip(shown["reference_count"], shown["metric"], strict=True)
    weights = pd.Series(
        [metric in bold.get(count, ()) for count, metric in keys], dtype=bool
    )
    told = " with its 95 % interval" if "intervals" in adds else ""
    note = (
        f"{_NOTE.format(intervals=told)} {simulated_votes(results.provenance)}".strip()
    )
    titled = shown.reset_index(drop=True).rename(columns={"reference_count": "k"})
    return latex(titled, weights, ["metric", main], note, results.marks)


def bold_metrics(results: Results) -> dict[ReferenceCount, set[str]]:
    """Return the best metrics by count, with those that do not differ from one of them.

    They are those of the main group; without pairs there are none.
    """
    if results.pair_samples is None:
        return {}

    group = results.main_group
    bold = {}
    for count in results.counts:
        accuracy = results.compared(group, count)["accuracy"]
        tests = results.comparisons.tests(group, count)
        bold[count] = in_bold(accuracy, tests)
    return bold


def _numbers(results: Results) -> pd.DataFrame:
    """Return the accuracies at the shown counts, with letters."""
    at_counts = where(results.all_counts, reference_count=results.counts)
    shown = at_counts.drop(columns=LEFT_OUT)
    letters = pd.concat([_letters_at(results, count) for count in results.counts])
    return shown.merge(letters, how="left", on=KEYS)


def _letters_at(results: Results, count: ReferenceCount) -> pd.DataFrame:
    """Return the letters of each complete main metric at one reference count.

    Other metrics have the p of their comparison with their main one.
    """
    complete = results.comparisons.complete(count)
    letters_of = _letters(results, count)
    p_of = _p_of_versions(results, count)
    columns = {
        "metric": complete,
        "letters": [letters_of.get(name, "") for name in complete],
        "p_parent": [p_of.get(name, nan) for name in complete],
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
    metrics = len(accuracy)
    differs = np.zeros((metrics, metrics), dtype=bool)

    found = tests[is_difference(tests)]
    for each in found.to_dict("records"):
        a = place[each["metric_a"]]
        b = place[each["metric_b"]]
        differs[a, b] = differs[b, a] = True

    values = accuracy.to_numpy(dtype=float)
    letters = compact_letters(values, differs)
    return dict(zip(place, letters, strict=True))


def _p_of_versions(results: Results, count: ReferenceCount) -> dict[str, float]:
    """Return the adjusted p of each version of a metric, compared with the main one."""
    comparisons = results.comparisons
    tests = comparisons.tests_of_versions(results.main_group, count)
    p_of = {}
    for a, b, p in tests[["metric_a", "metric_b", "p_adjusted"]].to_numpy():
        p_of[a] = p_of[b] = p
    return {name: p for name, p in p_of.items() if name not in results.headline}


def _in_words(numbers: pd.DataFrame, results: Results) -> pd.DataFrame:
    """Return a row per metric and count, a column per category; the largest count first."""
    keys = ["reference_count", "metric"]
    named = numbers.assign(cell=_cells(numbers))
    cells = named.set_index([*keys, "category"])["cell"]
    groups = results.groups
    shown = [name for name in groups if name != ALL or len(groups) == 1]
    wide = cells.unstack(sort=False)
    wide = wide.reindex(columns=shown)
    if len(results.samples.categories) > 1:
        wide["worst"] = _worst_category(numbers, results)

    of_all = where(numbers, category=ALL).set_index(keys)
    of_main = where(numbers, category=results.main_group).set_index(keys)
    wide["letters"] = of_main["letters"]
    wide["p_parent"] = of_main["p_parent"].map(p_number, na_action="ignore")
    wide["metric_ties"] = of_all["metric_ties"].map(_one_decimal)
    wide["human_ties"] = of_all["human_ties"]

    best_first = product(reversed(results.counts), results.ranked)
    known = [row for row in best_first if row in wide.index]
    ordered = wide.loc[known].reset_index()
    rows = [ordered.astype(object), _limits(results)]
    words = pd.concat(rows, ignore_index=True).rename_axis(columns=None)
    words = words.astype(object)
    return words.where(words.notna(), "")


def _cells(table: pd.DataFrame) -> list[str]:
    """Return the accuracies of a table with their intervals."""
    shares = table[["accuracy", "low", "high"]]
    rows = shares.to_numpy(dtype=float).tolist()
    return [percent_interval(*row) for row in rows]


def _one_decimal(value: float) -> str:
    return written(value, ".1f")


def _worst_category(numbers: pd.DataFrame, results: Results) -> "pd.Series[str]":
    """Return the category of lowest accuracy, with that accuracy, by count and metric."""
    of_category = where(numbers, category=results.samples.categories)
    of_category = of_category.dropna(subset="accuracy")
    by_metric = of_category.groupby(["reference_count", "metric"], sort=False)
    return by_metric.apply(
        lambda rows: worst_in_words(rows.set_index("category")["accuracy"])
    )


def worst_in_words(accuracy: "pd.Series[float]") -> str:
    """Name what has the lowest accuracy (all of it, if several tie), with that accuracy."""
    ranking = Ranking.of(accuracy)
    return f"{joined(ranking.last, AND)} {_one_decimal(percent(ranking.lowest))}"


def _limits(results: Results) -> pd.DataFrame:
    """Return the ceiling as a row of the table; no row if there is none."""
    ceiling = results.people.ceiling
    cells = ceiling.assign(cell=ceiling_cells(ceiling), metric="ceiling")
    wide = cells.pivot(index="metric", columns="category", values="cell")
    rows: pd.DataFrame = wide.drop(columns=ALL, errors="ignore")
    return rows.reset_index()


def _sentence(results: Results, numbers: pd.DataFrame) -> str:
    """Name the categories in which the best headline metric is best and worst."""
    last = results.last_count
    of_best = where(numbers, metric=best_metric(results), reference_count=last)
    accuracy = of_best.set_index("category")["accuracy"].dropna()
    if why_undecided(results) or results.main_group not in accuracy:
        return NONE

    best = best_in_words(results)
    is_category = accuracy.index.isin(results.samples.categories)
    by_category = Ranking.of(accuracy[is_category])
    if len(by_category.values) < 2:
        share = fixed(percent(accuracy[results.main_group]), 1)
        pairs = counted(int(of_best["pairs"].max()), "pair")
        return f"{best} agrees with people on {share} % of {pairs}, which are of one group."

    return _BY_CATEGORY.said(
        by_category,
        category_in_words,
        best=best,
        high=fixed(percent(by_category.highest), 1),
        low=fixed(percent(by_category.lowest), 1),
    )
