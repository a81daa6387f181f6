"""Tables for papers: accuracies of chosen metrics at a few reference counts, one column wide."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from math import isnan, nan
from typing import TypeAlias

import pandas as pd

from tercet.analysis.evaluation.verdicts import Comparison, in_bold, with_verdicts
from tercet.analysis.number_texts import percent, written
from tercet.analysis.report.curves import Curves
from tercet.analysis.scoring.contamination import legend, marks_behind
from tercet.analysis.scoring.tallies import ReferenceCount
from tercet.analysis.tables.csv_injection import escaped
from tercet.analysis.tables.csv_tables import csv_text, shortened
from tercet.analysis.tables.markup import (
    in_latex,
    in_markdown,
    latex_note,
    latex_table,
    markdown_table,
)
from tercet.analysis.tables.rows import where
from tercet.analysis.tables.schema import ALL, MEAN

MAX_COUNTS = 6
"""The most columns of numbers that fit into one of two columns of a page."""
COLUMNS = (
    *("metric", "category", "reference_count", "accuracy", "low", "high"),
    "is_best",
)
_LONGEST_NAME = 12
"""Characters of a metric's name that fit beside a number of columns."""
_NOTE = (
    "Accuracy in %, {pairs}, by the number of references per image. Bold: the most accurate "
    "metrics of a column, and those that do not differ from one of them significantly (sign-flip "
    "test over images at 5 %, adjusted for all pairs of main metrics); baselines only where they "
    "are the most accurate."
)
GROUPS = {MEAN: "mean over categories", ALL: "all pairs"}
_PACKAGES = "% Packages: booktabs, siunitx\n"
_BEFORE = "{\\small\\setlength{\\tabcolsep}{3pt}\\sisetup{detect-weight=true}%\n"
_NO_NUMBER = "--"
_NO_VALUE = (nan, nan, nan)
_Cell: TypeAlias = tuple[str, bool]
"""An accuracy in percent, and whether it is bold."""


@dataclass(frozen=True)
class PaperTable:
    """Accuracies in one group of pairs.

    Attributes
    ----------
    group : str
        A category, `mean` or `all`.
    counts : sequence of ReferenceCount
        The columns.
    rows : DataFrame
        The columns `COLUMNS`: a row for each metric and count, the most accurate metric at the
        last count first; accuracy, low and high are 0..1.
    simulated : str
        What the note says of simulated votes.
    """

    group: str
    counts: Sequence[ReferenceCount]
    rows: pd.DataFrame
    simulated: str = ""

    @property
    def note(self) -> str:
        """What the numbers and bold are; English, as papers are."""
        category = f"category {self.group}"
        pairs = GROUPS.get(self.group, category)
        note = _NOTE.format(pairs=pairs)

        behind = marks_behind(self.rows["metric"])
        parts = note, legend(behind), self.simulated
        return " ".join(filter(None, parts))

    @property
    def cells(self) -> dict[str, list[_Cell]]:
        """The cells of each metric, by count."""
        cells: dict[str, list[_Cell]] = {}
        for row in self.rows.to_dict("records"):
            cell = _cell(row["accuracy"], row["is_best"])
            of_metric = cells.setdefault(row["metric"], [])
            of_metric.append(cell)
        return cells


def paper_table(
    curves: Curves,
    compared: Sequence[Comparison],
    counts: Sequence[ReferenceCount],
    metrics: Collection[str],
    simulated: str = "",
) -> PaperTable:
    """Tabulate metrics by reference count, the best in bold by the adjusted test.

    Parameters
    ----------
    curves : Curves
        Of one group of pairs.
    compared : sequence of Comparison
        The comparisons of this group. At a count without comparisons nothing is bold.
    counts : sequence of ReferenceCount
        Of the counts of the curves; `MAX_COUNTS` fit into a column of a page.
    metrics : collection of str
        The names of curves.
    simulated : str
        What is said of simulated votes.
    """
    last = counts[-1]
    names = [curve.metric for curve, _ in curves.at(last) if curve.metric in metrics]
    tests = _tests(compared, metrics)
    parts = [_column(curves, count, names, tests) for count in counts]

    rows = pd.concat(parts, ignore_index=True)
    ordered = rows[list(COLUMNS)]
    return PaperTable(curves.group, counts, ordered, simulated)


def _tests(compared: Sequence[Comparison], metrics: Collection[str]) -> pd.DataFrame:
    """Return the comparisons of two of these metrics as a table with verdicts."""
    chosen = []
    for each in compared:
        if each.metric_a in metrics and each.metric_b in metrics:
            row = asdict(each)
            chosen.append(row)

    columns = pd.Index(Comparison.__match_args__)
    tests = pd.DataFrame(chosen, columns=columns)
    return with_verdicts(tests)


def _column(
    curves: Curves, count: ReferenceCount, names: Sequence[str], tests: pd.DataFrame
) -> pd.DataFrame:
    """Return the rows of one count, with which metrics are the best there."""
    known = {curve.metric: value for curve, value in curves.at(count)}
    values = [known[name] or _NO_VALUE for name in names]
    rows = pd.DataFrame(values, columns=["accuracy", "low", "high"])
    rows["metric"] = names
    rows["category"] = curves.group
    rows["reference_count"] = count

    accuracy = rows.set_index("metric")["accuracy"]
    there = where(tests, reference_count=count)
    best = in_bold(accuracy, there)
    rows["is_best"] = rows["metric"].isin(best)
    return rows


def _cell(accuracy: float, is_best: bool) -> _Cell:
    if isnan(accuracy):
        return _NO_NUMBER, False
    value = percent(accuracy)
    text = written(value, ".1f")
    return text, is_best


def paper_latex(table: PaperTable, signature: str) -> str:
    """Write the table as LaTeX, its numbers aligned on the decimal point (siunitx)."""
    counts = [f"{{{count}}}" for count in table.counts]
    rows = []
    for name, cells in table.cells.items():
        short = shortened(name, _LONGEST_NAME)
        escaped_name = in_latex(short)
        numbers = [_latex_cell(*cell) for cell in cells]
        rows.append([escaped_name, *numbers])

    columns = zip(*table.cells.values(), strict=True)
    layout = "".join(map(_latex_column, columns))
    source = latex_table(["metric", *counts], rows, f"@{{}}l{layout}@{{}}")
    note = latex_note(table.note)
    return f"{_PACKAGES}{_BEFORE}{source}{note}}}\n% {signature}\n"


def _latex_column(cells: Sequence[_Cell]) -> str:
    """Return a column with as many digits before the point as it has; two at least."""
    whole = [text.partition(".")[0] for text, _ in cells]
    width = max(2, *map(len, whole))
    return f"S[table-format={width}.1]"


def _latex_cell(text: str, is_best: bool) -> str:
    if text == _NO_NUMBER:
        return f"{{{text}}}"
    return f"\\bfseries {text}" if is_best else text


def paper_markdown(table: PaperTable, signature: str) -> str:
    """Write the table as Markdown."""
    header = ["metric", *map(str, table.counts)]
    rows = []
    for name, cells in table.cells.items():
        numbers = [f"**{text}**" if is_best else text for text, is_best in cells]
        escaped_name = in_markdown(name)
        rows.append([escaped_name, *numbers])

    numbers_of_row = len(table.counts)
    source = markdown_table(header, rows, numbers_of_row)
    note = in_markdown(table.note)
    signed = in_markdown(signature)
    return f"{source}\n{note}\n\n{signed}\n"


def paper_csv(table: PaperTable, signature: str) -> str:
    """Write the table as CSV, a row for each metric and count, unrounded."""
    counts = table.rows["reference_count"].map(str)
    signed = table.rows.assign(reference_count=counts, signature=signature)
    return csv_text(escaped(signed), (*COLUMNS, "signature"))
