"""The tables of accuracies that lead a report, by reference count and by category."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from tercet.analysis.evaluation.curves import main_group
from tercet.analysis.evaluation.verdicts import in_bold
from tercet.analysis.scoring.contamination import marked
from tercet.analysis.scoring.headline import BASELINES
from tercet.analysis.scoring.tallies import ReferenceCount
from tercet.analysis.tables.rows import where
from tercet.analysis.values import percent_interval

_BANDS = (
    "The shaded band is the 95 % interval of the most accurate metric but baselines; of several "
    "that are equally accurate, the first has one."
)
_BANDS_AND_CEILING = (
    f"{_BANDS} The hatched one holds the ceiling, which a perfect metric reaches: votes on close "
    "pairs could have gone either way."
)


@dataclass(frozen=True)
class Cell:
    """An accuracy with its interval, and whether it is the best or does not differ from it."""

    text: str
    is_best: bool = False


@dataclass(frozen=True)
class Accuracies:
    """Accuracies in percent with their intervals, the best metric first.

    Attributes
    ----------
    of : str or int
        What all are of: a category, or a reference count.
    columns : sequence
        The reference counts, or the categories.
    rows : mapping from metric to sequence of Cell
    """

    of: ReferenceCount | str
    columns: Sequence[ReferenceCount | str]
    rows: Mapping[str, Sequence[Cell]]

    @property
    def baselines(self) -> list[str]:
        """The rows of baselines."""
        return [name for name in self.rows if name in BASELINES]

    @property
    def metrics(self) -> int:
        """How many rows are not of baselines."""
        return len(self.rows) - len(self.baselines)

    def marked(self, marks: Mapping[str, str]) -> "Accuracies":
        """Return the rows with the marks of metrics behind their names."""
        rows = {marked(name, marks): row for name, row in self.rows.items()}
        return Accuracies(self.of, self.columns, rows)

    def only(self, names: Collection[str]) -> "Accuracies":
        """Return the rows of some metrics."""
        kept = {name: cells for name, cells in self.rows.items() if name in names}
        return Accuracies(self.of, self.columns, kept)


def caption_of_curves(accuracy: pd.DataFrame, has_ceiling: bool) -> str:
    """Say what the bands and the ceiling of the main figure are.

    Parameters
    ----------
    accuracy : DataFrame
        The accuracy table of an evaluation. Of one reference count only, the figure has no curves
        and the caption is empty.
    has_ceiling : bool
        Whether the votes say something of the ceiling.
    """
    if accuracy["reference_count"].nunique() == 1:
        return ""
    return _BANDS_AND_CEILING if has_ceiling else _BANDS


def accuracies_by_count(answer: pd.DataFrame, accuracy: pd.DataFrame) -> Accuracies:
    """Tabulate the metrics of the answer in its first category, by reference count.

    Parameters
    ----------
    answer : DataFrame
        The table of the finding `answer`.
    accuracy : DataFrame
        The accuracy at all counts (`Results.all_counts`).
    """
    category = answer["category"].iloc[0]
    in_category = where(answer, category=category)
    ascending = in_category["reference_count"].unique()
    counts = ascending[::-1].tolist()
    last = where(in_category, reference_count=counts[-1])
    names = list(dict.fromkeys([*last["metric_a"], *last["metric_b"]]))
    of_category = where(accuracy, category=category)
    rows: dict[str, list[Cell]] = {name: [] for name in names}

    for count in counts:
        of_count = where(of_category, reference_count=count)
        cells = of_count.set_index("metric").reindex(names)
        tests = where(in_category, reference_count=count)
        bold = in_bold(cells["accuracy"], tests)
        for name in names:
            rows[name].append(Cell(_interval(cells.loc[name]), name in bold))

    return Accuracies(category, counts, rows)


def accuracies_by_category(accuracy: pd.DataFrame) -> Accuracies:
    """Tabulate all metrics with as many references as every pair has, by category.

    Parameters
    ----------
    accuracy : DataFrame
        The accuracy at the wanted counts (`Results.accuracy`).
    """
    main = main_group(accuracy)
    of_main = where(accuracy, category=main)
    of_all_pairs = where(of_main, pairs=of_main["pairs"].max())
    last = of_all_pairs["reference_count"].tolist()[-1]

    at_last = where(accuracy, reference_count=last)
    groups = at_last["category"].unique().tolist()
    in_main = where(at_last, category=main)
    best_first = in_main.sort_values("accuracy", ascending=False)
    cells = at_last.set_index(["metric", "category"])
    rows = {
        name: [Cell(_interval(cells.loc[(name, group)])) for group in groups]
        for name in best_first["metric"]
    }
    return Accuracies(last, groups, rows)


def _interval(row: "pd.Series[float]") -> str:
    return percent_interval(row["accuracy"], row["low"], row["high"])
