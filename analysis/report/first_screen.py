"""The first screen of a report: the answer in words, the comparisons, and the headline table."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from analysis.evaluation.tallies import ReferenceCount
from analysis.figures.formats import percent_interval, unbroken
from analysis.texts import Text
from analysis.texts import gettext as _

LABELS = {
    "metric_a": _("Metric"),
    "metric_b": _("compared with"),
    "reference_count": _("References per image"),
    "category": _("Category"),
    # xgettext:no-python-format
    "difference": _("Difference in points, with its 95 % interval"),
    "pairs": _("Pairs"),
    "same": _("Choose two different metrics."),
    "missing": _(
        "These two metrics cannot be compared there: one of them does not score every pair."
    ),
}
BANDS = _("Shaded bands are 95 % intervals, drawn for the best metrics only.")
BANDS_AND_CEILING = _(
    # xgettext:no-python-format
    "Shaded bands are 95 % intervals, drawn for the best metrics and for the ceiling, the most "
    "that a perfect metric could reach, because votes on close pairs could have gone either way."
)
LEVEL = 0.05
SHARES = ["accuracy_a", "accuracy_b", "difference", "low", "high"]


@dataclass(frozen=True)
class Cell:
    """An accuracy with its interval, and whether it is the best or does not differ from it."""

    text: str
    is_best: bool


@dataclass(frozen=True)
class HeadlineTable:
    """The headline metrics at a few reference counts, the best metric first.

    Attributes
    ----------
    category : str
        The group of pairs, such as `mean`.
    counts : sequence of int or "all"
        The columns.
    rows : mapping from metric to list of Cell
    """

    category: str
    counts: Sequence[ReferenceCount]
    rows: dict[str, list[Cell]]


def comparisons(answer: pd.DataFrame) -> dict[str, object]:
    """Return what `compare.js` reads: labels, and a row for every comparison, in percent.

    Texts are in the language of the reader.
    """
    percent = (100 * answer[SHARES].astype(float)).round(1)
    rounded = answer.assign(
        **percent,
        p=answer["p"].astype(float).round(4),
        verdict=answer["verdict"].map(str).map(unbroken),
    )
    labels = {name: unbroken(str(text)) for name, text in LABELS.items()}
    return {"labels": labels, "rows": rounded.to_dict("records")}


def caption_of_curves(accuracy: pd.DataFrame, has_ceiling: bool) -> Text:
    """Say what the bands and the ceiling of the main figure are.

    Parameters
    ----------
    accuracy
        The accuracy table of an evaluation.
    has_ceiling
        Whether there are votes from which the ceiling is estimated.

    Returns
    -------
    Text
        Empty where there is one reference count only: then the figure has no curves.
    """
    if accuracy["reference_count"].nunique() == 1:
        return Text("")

    return BANDS_AND_CEILING if has_ceiling else BANDS


def headline_table(
    answer: pd.DataFrame, accuracy: pd.DataFrame
) -> HeadlineTable | None:
    """Tabulate the metrics of the answer in its first group; None if nothing was compared.

    Parameters
    ----------
    answer : DataFrame
        The table of the finding `answer`.
    accuracy : DataFrame
        The accuracy at all counts (`Results.all_counts`).
    """
    if answer.empty:
        return None

    category = answer["category"].iloc[0]
    in_category = answer[answer["category"] == category]
    counts = list(reversed(in_category["reference_count"].unique()))
    last = in_category[in_category["reference_count"] == counts[-1]]
    names = list(dict.fromkeys([*last["metric_a"], *last["metric_b"]]))

    of_category = accuracy[accuracy["category"] == category]
    cells = of_category.set_index(["metric", "reference_count"])
    best = {count: _not_worse(in_category, count) for count in counts}

    rows = {}
    for name in names:
        rows[name] = [
            Cell(_interval(cells.loc[(name, count)]), name in best[count])
            for count in counts
        ]
    return HeadlineTable(category, counts, rows)


def _not_worse(answer: pd.DataFrame, count: ReferenceCount) -> set[str]:
    """Return the best metric at a count, and those that do not differ from it."""
    at_count = answer[answer["reference_count"] == count]
    if at_count.empty:
        return set()

    best = at_count["metric_a"].iloc[0]
    with_best = at_count[at_count["metric_a"] == best]
    alike = with_best[with_best["p_adjusted"] > LEVEL]
    return {best, *alike["metric_b"]}


def _interval(row: "pd.Series[float]") -> str:
    return percent_interval(row["accuracy"], row["low"], row["high"])
