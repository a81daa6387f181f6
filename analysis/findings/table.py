"""Accuracy by category at a few reference counts (CIDEr paper, table 1)."""

import numpy as np
import pandas as pd
from scipy.spatial.distance import squareform

from analysis.dataset.schema import ALL
from analysis.evaluation.headline import BASELINES, parent
from analysis.evaluation.results import Results
from analysis.evaluation.tallies import ReferenceCount
from analysis.figures.formats import percent_interval
from analysis.findings.finding import Content, Definition
from analysis.findings.markup import latex, markdown
from analysis.findings.needs import PAIRS
from analysis.findings.sentences import table_sentence
from analysis.stats.significance import compact_letters
from analysis.texts import gettext as _

MEANING = _(
    "Accuracy in % with its 95 % interval. Main metrics that share a letter do not differ "
    "significantly from each other, by the sign-flip test at 5 % for all pairs of them together, "
    "in the mean over categories; other versions of a metric are compared with the main one "
    "only, and p_parent is adjusted for all such comparisons. The ceiling is what a perfect "
    "metric could reach; in simulations its error was 3 to 5 points."
)
NOTE = (
    "Accuracy in % with its 95 % interval, for each metric given so many references (reference "
    "count). Bold: the most accurate metric with so many references, and the metrics that do not "
    "differ from it significantly; the baselines length and random only where they are the most "
    "accurate. Metrics that share a letter do not differ significantly (sign-flip test over "
    "images at 5 %, adjusted for all pairs of these metrics). Ties: the pairs on which the metric, "
    "or people, prefer neither candidate."
)
"""What bold and the columns of the LaTeX table mean; English, as the table is."""
WORST = "Worst: the category in which the metric is the least accurate."
LEVEL = 0.05
LEFT_OUT = ["se_images", "sd_draws", "vote_accuracy", "vote_ceiling"]
KEYS = ["metric", "category", "reference_count"]


def table(results: Results) -> Content:
    """Tabulate metrics from best to worst, with intervals, ties and letters."""
    numbers = _numbers(results)
    words = _in_words(numbers, results)

    return Content(
        tables={"table": words, "table_numbers": numbers},
        texts={
            "table.md": markdown(words),
            "table.tex": _latex(words, numbers, results),
        },
        notes=results.with_cut_note(),
        sentence=table_sentence(results, numbers),
    )


def _latex(
    words: pd.DataFrame, numbers: pd.DataFrame, results: Results
) -> str:
    """Return the headline metrics as LaTeX, in bold the best and those that do not differ."""
    is_shown = words["metric"].isin([*results.headline, "ceiling"])
    shown = words[is_shown].drop(columns="p_parent").reset_index(drop=True)

    of_main = numbers[numbers["category"] == results.main_group]
    is_bold = bold_rows(
        shown, of_main[of_main["metric"].isin(shown["metric"])]
    )

    main = results.main_group.replace("_", " ")
    note = f"{NOTE} {WORST}" if "worst" in shown else NOTE
    return latex(shown, is_bold, ["metric", main], note)


def bold_rows(shown: pd.DataFrame, numbers: pd.DataFrame) -> "pd.Series[bool]":
    """Return the rows that do not differ from the best; a baseline only where it is the best."""
    keys = ["reference_count", "metric"]
    best = numbers.groupby("reference_count")["accuracy"].transform("max")
    of_best = numbers.loc[numbers["accuracy"] == best, keys]
    is_best = pd.MultiIndex.from_frame(shown[keys]).isin(
        pd.MultiIndex.from_frame(of_best)
    )

    lettered = shown[["reference_count", "letters"]]
    of_best_by_count: dict[object, str] = {}
    for count, letters in lettered[is_best].to_numpy():
        of_best_by_count[count] = of_best_by_count.get(count, "") + letters

    is_alike = [
        not set(letters).isdisjoint(of_best_by_count.get(count, ""))
        for count, letters in lettered.to_numpy()
    ]
    is_rival = ~shown["metric"].isin(BASELINES).to_numpy()
    return pd.Series(
        np.array(is_alike, dtype=bool) & (is_best | is_rival),
        index=shown.index,
    )


def _numbers(results: Results) -> pd.DataFrame:
    """Return the accuracies at the shown counts, with letters."""
    accuracy = results.all_counts
    at_counts = accuracy[accuracy["reference_count"].isin(results.counts)]

    letters = pd.concat(
        [_letters_at(results, count) for count in results.counts]
    )
    return at_counts.drop(columns=LEFT_OUT).merge(letters, how="left", on=KEYS)


def _letters_at(results: Results, count: ReferenceCount) -> pd.DataFrame:
    """Return the letters of each complete main metric with so many references.

    Other metrics have the p of their comparison with their parent.
    """
    group, comparisons = results.main_group, results.comparisons
    complete = comparisons.complete(count)
    names = [name for name in complete if name in results.headline]
    letters = pd.Series("", index=complete)
    p_parent = pd.Series(np.nan, index=complete)

    if len(complete) > 1 and comparisons.images_of(group, count) > 1:
        tests = comparisons.tests(group, count)
        letters.loc[names] = np.array(_letters(results, names, tests, count))

        for name in set(complete).difference(names):
            is_pair = tests["metric_a"].isin([name, parent(name, names)])
            is_pair &= tests["metric_b"].isin([name, parent(name, names)])
            p_parent[name] = tests.loc[is_pair, "p_adjusted"].max()

    columns = {"category": group, "reference_count": count}
    table = pd.DataFrame(
        {"metric": complete, "letters": letters, "p_parent": p_parent}
    )
    return table.assign(**columns)


def _letters(
    results: Results,
    names: list[str],
    tests: pd.DataFrame,
    count: ReferenceCount,
) -> list[str]:
    """Return the letters of the main metrics from the tests of all metrics."""
    is_main = tests["metric_a"].isin(names) & tests["metric_b"].isin(names)
    differs = squareform(tests.loc[is_main, "p_adjusted"].to_numpy() <= LEVEL)
    contributions = results.comparisons.contributions(
        names, results.main_group, count
    )

    return compact_letters(
        contributions.sum(axis=1), differs.reshape(len(names), len(names))
    )


def _in_words(numbers: pd.DataFrame, results: Results) -> pd.DataFrame:
    """Return a row per metric and count, a column per category; the largest count first."""
    keys = ["reference_count", "metric"]
    cells = list(
        map(
            percent_interval,
            numbers["accuracy"],
            numbers["low"],
            numbers["high"],
        )
    )
    wide = (
        numbers.assign(cell=cells)
        .set_index([*keys, "category"])["cell"]
        .unstack(sort=False)
    )

    groups = results.groups
    shown = [name for name in groups if name != ALL or len(groups) == 1]
    wide = wide.reindex(columns=shown)
    if len(results.samples.categories) > 1:
        wide = wide.assign(worst=_worst_category(numbers, results))

    of_all = numbers[numbers["category"] == ALL].set_index(keys)
    of_main = numbers[numbers["category"] == results.main_group].set_index(
        keys
    )
    wide = wide.assign(
        letters=of_main["letters"],
        p_parent=of_main["p_parent"].map("{:.3f}".format, na_action="ignore"),
        metric_ties=of_all["metric_ties"].map("{:.1f}".format),
        human_ties=of_all["human_ties"],
    )

    ordered = _best_first(wide, results).reset_index()
    words = pd.concat(
        [ordered.astype(object), _limits(results)], ignore_index=True
    )
    words = words.rename_axis(columns=None).astype(object)
    return words.where(words.notna(), "")


def _best_first(wide: pd.DataFrame, results: Results) -> pd.DataFrame:
    """Order the rows: the largest count first, and the best metric first."""
    rows = []
    for count in reversed(results.counts):
        rows += [(count, name) for name in results.ranked]

    return wide.loc[[row for row in rows if row in wide.index]]


def _worst_category(
    numbers: pd.DataFrame, results: Results
) -> "pd.Series[str]":
    """Return the category of lowest accuracy, with that accuracy, by count and metric."""
    of_category = numbers[numbers["category"].isin(results.samples.categories)]
    ascending = of_category.sort_values("accuracy", kind="stable")
    worst = ascending.groupby(
        ["reference_count", "metric"], sort=False
    ).first()

    percent = (100 * worst["accuracy"]).map("{:.1f}".format)
    return worst["category"] + " " + percent


def _limits(results: Results) -> pd.DataFrame:
    """Return the ceiling as a row of the table; no row if there is none."""
    ceiling = results.people.ceiling.dropna(subset="accuracy")
    cells = list(
        map(
            percent_interval,
            ceiling["accuracy"],
            ceiling["low"],
            ceiling["high"],
        )
    )

    wide = ceiling.assign(cell=cells, metric="ceiling").pivot(
        index="metric", columns="category", values="cell"
    )
    rows: pd.DataFrame = wide.drop(columns=ALL, errors="ignore").reset_index()
    return rows


DEFINITION = Definition(
    name="table",
    title=_("Accuracy by category"),
    source=_("CIDEr paper, table 1"),
    meaning=MEANING,
    needs=(PAIRS,),
    make=table,
)
