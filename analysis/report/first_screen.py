"""The first screen of a report: the answer in words, the comparisons, and the headline table."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from tercet.analysis.evaluation.verdicts import Comparison, comparisons_of, in_bold
from tercet.analysis.figures.formats import unbroken
from tercet.analysis.scoring.tallies import ReferenceCount
from tercet.analysis.texts import Text
from tercet.analysis.texts import gettext as _
from tercet.analysis.values import p_number, percent_interval, points, share

LABELS = {
    "metric_a": _("Metric"),
    "metric_b": _("compared with"),
    "reference_count": _("References per image"),
    "category": _("Category"),
    # xgettext:no-python-format
    "difference": _("Difference in points, with its 95 % interval"),
    "p": _("p, adjusted for all comparisons"),
    "p_alone": _("p, unadjusted"),
    "pairs": _("Pairs"),
    "same": _("Choose two different metrics."),
    "missing": _(
        "These two metrics cannot be compared there: one of them does not score every pair."
    ),
}
_BANDS = _(
    # xgettext:no-python-format
    "Shaded bands are 95 % intervals, drawn for the best metrics only."
)
_BANDS_AND_CEILING = _(
    # xgettext:no-python-format
    "Shaded bands are 95 % intervals, drawn for the best metrics and for the ceiling, the most "
    "that a perfect metric could reach, because votes on close pairs could have gone either way."
)


@dataclass(frozen=True)
class Cell:
    """An accuracy with its interval, and whether it is the best or does not differ from it."""

    text: Text
    is_best: bool


@dataclass(frozen=True)
class _HeadlineTable:
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
    """Return what `compare.js` shows: labels, and texts for every comparison from both sides.

    Texts are in the language of the reader.

    Parameters
    ----------
    answer : DataFrame
        The table of the finding `answer`. Tables of reports before 0.3 do not say for how many
        comparisons p is adjusted: for all in the same category and with the same count.
    """
    if "comparisons" not in answer:
        same = answer.groupby(["category", "reference_count"], sort=False)
        answer = answer.assign(comparisons=same["pairs"].transform("size"))

    labels = {name: unbroken(str(text)) for name, text in LABELS.items()}
    rows = [
        _panel_texts(side)
        for each in comparisons_of(answer)
        for side in (each, each.turned)
    ]
    return {"labels": labels, "rows": rows}


def _panel_texts(compared: Comparison) -> dict[str, str]:
    """Return the texts of a comparison in the panel."""
    texts: dict[str, str | Text] = {
        "metric_a": compared.metric_a,
        "metric_b": compared.metric_b,
        "category": compared.category,
        "reference_count": str(compared.reference_count),
        "accuracy_a": share(compared.accuracy_a),
        "accuracy_b": share(compared.accuracy_b),
        "difference": _(
            "{difference} ({low} to {high})",
            difference=points(compared.difference),
            low=points(compared.low),
            high=points(compared.high),
        ),
        "p": p_number(compared.p_adjusted),
        "p_alone": p_number(compared.p),
        "pairs": Text("{pairs:,}", {"pairs": compared.pairs}),
        "verdict": compared.in_words,
    }
    return {name: unbroken(str(text)) for name, text in texts.items()}


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

    return _BANDS_AND_CEILING if has_ceiling else _BANDS


def headline_table(
    answer: pd.DataFrame, accuracy: pd.DataFrame
) -> _HeadlineTable | None:
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
    bold = {
        count: in_bold(
            cells.xs(count, level="reference_count")["accuracy"].reindex(names),
            in_category[in_category["reference_count"] == count],
        )
        for count in counts
    }

    rows = {}
    for name in names:
        rows[name] = [
            Cell(_interval(cells.loc[(name, count)]), name in bold[count])
            for count in counts
        ]
    return _HeadlineTable(category, counts, rows)


def _interval(row: "pd.Series[float]") -> Text:
    return percent_interval(row["accuracy"], row["low"], row["high"])
