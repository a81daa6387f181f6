"""What a report shows: its own page and the site's results page render the same `ReportView`.

A view is stored as JSON, so that the site shows it and computes nothing.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd

from tercet import metrics
from tercet.analysis.evaluation.simulated import simulated_votes
from tercet.analysis.evaluation.verdicts import Comparison, comparisons_of
from tercet.analysis.report.accuracies import (
    Accuracies,
    Cell,
    accuracies_by_category,
    accuracies_by_count,
    caption_of_curves,
)
from tercet.analysis.report.curves import Curve, Curves, curves_of
from tercet.analysis.report.files import ANSWER, EVIDENCE, LEADING, MAIN_PLOT
from tercet.analysis.report.plots import formats_in
from tercet.analysis.report.remarks import made_of, remarks
from tercet.analysis.report.signature import signature
from tercet.analysis.report.tables import Column, Table, cut
from tercet.analysis.report.unusual_options import are_usual, said_of, unusual_options
from tercet.analysis.scoring.contamination import marked
from tercet.analysis.scoring.options import STRENGTH, Options
from tercet.analysis.scoring.tallies import ALL_REFERENCES
from tercet.analysis.stats.resampling import (
    Resamples,
    group_count,
    group_numbers,
    mean_and_interval,
)
from tercet.analysis.tables.schema import listed_categories
from tercet.analysis.values import with_interval

if TYPE_CHECKING:
    from tercet.analysis.evaluation.results import Results
    from tercet.analysis.findings.finding import Finding

STATES = ("B", "C", "tie", "unfinished")
_LATEX = "table.tex"
"""The table of accuracies for papers."""
_SAME = (
    *("name", "title", "source", "meaning", "sentence", "headline"),
    *("reservations", "notes", "error"),
)
"""What a view has of a finding as it is."""
_CLASS = "class"
"""The key that names the class of an object of JSON. A metric of this name has no text there."""


@dataclass(frozen=True)
class PlotView:
    """A plot with its alternative text.

    Attributes
    ----------
    name : str
        The name of its files, without ending.
    shows : str
        What is to be seen in it.
    family : str
        The metrics of a plot of one family of them; empty in other plots.
    formats : sequence of str
        In which there are files of it.
    """

    name: str
    shows: str
    family: str
    formats: Sequence[str]


@dataclass(frozen=True)
class FindingView:
    """A finding (`analysis.findings.finding.Finding`), with its tables cut and formatted."""

    name: str
    title: str
    source: str
    meaning: str
    sentence: str
    headline: str
    reservations: Sequence[str]
    notes: Sequence[str]
    error: str
    tables: Sequence[Table]
    plots: Sequence[PlotView]
    texts: Sequence[str]


@dataclass(frozen=True)
class LeftOut:
    """What could not be made, and why.

    Attributes
    ----------
    names : sequence of str
        The titles of findings, or the names of metrics.
    reason : str
    takes_package : bool
        Whether a package would have to be installed.
    """

    names: Sequence[str]
    reason: str
    takes_package: bool


@dataclass(frozen=True)
class Winners:
    """How many pairs of a category have each of the `STATES`.

    `strength` is the mean of the votes' strengths, positive for B, with its interval by images.
    """

    category: str
    states: Mapping[str, int]
    strength: str = ""

    @property
    def pairs(self) -> int:
        return sum(self.states.values())


@dataclass(frozen=True)
class ReportView:
    """What a report shows.

    Attributes
    ----------
    title : str
        Of the dataset.
    options : mapping from name to value
        The fields of `Options`.
    made_of, remarks : sequence of str
        What the result is made of, and what a reader has to be warned of.
    answer : FindingView, optional
        The finding `answer`; None if no metrics are compared.
    comparisons : sequence of Comparison
        Its comparisons.
    by_count, by_category, main_by_category : Accuracies, optional
        Of the metrics of the answer, of all metrics, and of the main metrics.
    caption : str
        Of the main figure.
    findings : sequence of FindingView
        The other findings that could be made.
    left_out : sequence of LeftOut
    winners : sequence of Winners
    signature : str
        What the report is made of, in one line.
    other_study : str
        The name of the study of the other protocol, on a site; empty without one.
    curves : sequence of Curves
        What the first figure shows of each group of pairs, the main group first. Empty without
        pairs, and in reports that were stored before there were any.
    simulated : str
        How many votes are simulated, as a sentence; empty without any.
    """

    title: str
    options: Mapping[str, Any]
    made_of: Sequence[str]
    remarks: Sequence[str]
    answer: FindingView | None
    comparisons: Sequence[Comparison]
    by_count: Accuracies | None
    by_category: Accuracies | None
    main_by_category: Accuracies | None
    caption: str
    findings: Sequence[FindingView]
    left_out: Sequence[LeftOut]
    winners: Sequence[Winners]
    signature: str
    other_study: str
    curves: Sequence[Curves] = ()
    simulated: str = ""

    @classmethod
    def of(
        cls, results: "Results", findings: Sequence["Finding"], folder: Path
    ) -> "ReportView":
        """Gather what a report shows.

        Parameters
        ----------
        results : Results
        findings : sequence of Finding
        folder : Path
            The report, with the files of the findings.
        """
        by_name = {finding.name: finding for finding in findings}
        compared = by_name[ANSWER].tables.get(ANSWER) if ANSWER in by_name else None
        has_pairs = results.pair_samples is not None
        by_category = accuracies_by_category(results.accuracy) if has_pairs else None
        marks = results.marks
        shown = _shown(results, findings, folder, by_category)
        lead = _leading(shown)
        answer = shown.pop(ANSWER, None)
        provenance = results.provenance
        name = str(provenance["dataset"])
        title = " ".join(name.split())
        comparisons: Sequence[Comparison] = []
        by_count = None
        if compared is not None:
            comparisons = [each.marked(marks) for each in comparisons_of(compared)]
            by_count = accuracies_by_count(compared, results.all_counts).marked(marks)
        main = by_category and by_category.only(results.headline)

        return cls(
            title=title or "Untitled dataset",
            options=vars(results.options.named),
            made_of=list(made_of(results)),
            remarks=list(remarks(results, lead.name if lead else "")),
            answer=answer,
            comparisons=comparisons,
            by_count=by_count,
            by_category=by_category and by_category.marked(marks),
            main_by_category=main and main.marked(marks),
            caption=_caption(by_name.get(MAIN_PLOT)),
            findings=list(shown.values()),
            left_out=list(_left_out(results, findings)),
            winners=_winners_by_category(results),
            signature=signature(provenance),
            other_study=str(provenance.get("other_study", "")),
            curves=curves_of(results, _group_plots(findings)) if has_pairs else [],
            simulated=simulated_votes(provenance),
        )

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the view that `as_json` wrote; raises ValueError for other JSON.

        Views of other versions may have other parts.
        """
        try:
            view = json.loads(text, object_hook=_restored)
        except (KeyError, TypeError) as error:
            raise ValueError("This is no report of this version.") from error
        if not isinstance(view, cls):
            raise ValueError("This is no report.")
        return view

    def as_json(self) -> str:
        return json.dumps(self, default=_described, ensure_ascii=False)

    @property
    def lead(self) -> FindingView | None:
        """The finding whose sentence leads the report, if one has a sentence."""
        return _leading({finding.name: finding for finding in self._all})

    @property
    def _all(self) -> list[FindingView]:
        """All findings, the answer first."""
        return [*([self.answer] if self.answer else []), *self.findings]

    @property
    def sentence(self) -> str:
        """The sentence that leads the report, after its reservations; empty without one."""
        lead = self.lead
        return " ".join([*lead.reservations, lead.sentence]) if lead else ""

    @property
    def files(self) -> Iterator[str]:
        """The files of its tables, texts and plots."""
        for finding in self._all:
            yield from (f"{table.name}.csv" for table in finding.tables)
            yield from finding.texts
            for plot in finding.plots:
                yield from (f"{plot.name}.{kind}" for kind in plot.formats)
        yield from (f"{each.plot}.svg" for each in self.curves if each.plot)

    @property
    def main_plot(self) -> PlotView | None:
        """The plot of the main metrics."""
        plots = (plot for finding in self.findings for plot in finding.plots)
        return next((plot for plot in plots if plot.name == MAIN_PLOT), None)

    @property
    def first_plot(self) -> PlotView | None:
        """The plot of the main metrics, or the first one of the finding that leads."""
        leading = self.lead.plots if self.lead else []
        return self.main_plot or next(iter(leading), None)

    @property
    def evidence(self) -> list[Table]:
        """The tables beside the first figure of a report that ratings lead."""
        if self.lead is None or self.lead == self.answer:
            return []
        named = {table.name: table for each in self.findings for table in each.tables}
        return [named[name] for name in EVIDENCE if name in named]

    @property
    def unusual(self) -> str:
        """Which options are not the usual ones, as a sentence; empty without any."""
        return said_of(unusual_options(self.options))

    @property
    def is_usual(self) -> bool:
        """Whether computing again changes no more than what people choose."""
        return are_usual(self.options)

    @property
    def latex(self) -> str:
        """The file with the accuracies as a LaTeX table; empty without one."""
        has_table = any(_LATEX in finding.texts for finding in self.findings)
        return _LATEX if has_table else ""


_CLASSES = (
    *(Accuracies, Cell, Column, Comparison, Curve, Curves, FindingView, LeftOut),
    *(PlotView, ReportView, Table, Winners),
)
_PARTS = {each.__name__: each for each in _CLASSES}
"""The classes that a view is made of, by name."""


def _described(part: Any) -> Any:
    """Return a part of a view, or a number of numpy, as a value of JSON."""
    if not is_dataclass(part):
        return part.item()

    values = {field.name: getattr(part, field.name) for field in fields(part)}
    return {_CLASS: type(part).__name__} | values


def _restored(described: dict[str, Any]) -> Any:
    if not isinstance(described.get(_CLASS), str):
        return described
    name = described.pop(_CLASS)
    return _PARTS[name](**described)


def _leading(shown: Mapping[str, FindingView]) -> FindingView | None:
    named = (shown[name] for name in LEADING if name in shown)
    return next((each for each in named if each.sentence), None)


def _shown(
    results: "Results",
    findings: Sequence["Finding"],
    folder: Path,
    accuracies: Accuracies | None,
) -> dict[str, FindingView]:
    """Return the findings that could be made, by name; the best metrics of the table are bold."""
    # matplotlib comes with the findings: who only reads a view does without
    from tercet.analysis.findings.table import bold_metrics

    best = bold_metrics(results).items()
    bold = {"table": {(name, count) for count, names in best for name in names}}
    count: Any = accuracies.of if accuracies else ALL_REFERENCES
    shown = {}

    for finding in findings:
        if finding.reason:
            continue

        tables = []
        for name, table in finding.tables.items():
            size = (folder / f"{name}.csv").stat().st_size
            best_rows = bold.get(name, set())
            view = cut(
                name, table, size, results.headline, count, best_rows, results.marks
            )
            tables.append(view)

        plots = []
        for name, plot in finding.plots.items():
            if plot.group:  # on the first screen
                continue
            formats = formats_in(folder, name)
            family = ", ".join(marked(each, results.marks) for each in plot.family)
            plots.append(PlotView(name, plot.shows, family, formats))

        same = {name: getattr(finding, name) for name in _SAME}
        shown[finding.name] = FindingView(
            **same, tables=tables, plots=plots, texts=list(finding.texts)
        )
    return shown


def _group_plots(findings: Sequence["Finding"]) -> dict[str, str]:
    """Return the names of the plots of groups of pairs."""
    plots = [item for finding in findings for item in finding.plots.items()]
    return {plot.group: name for name, plot in plots if plot.group}


def _caption(main: "Finding | None") -> str:
    """Return the caption of the main figure; empty where it is not drawn."""
    if main is None or not main.plots:
        return ""

    return caption_of_curves(main.tables["accuracy"], "ceiling" in main.tables)


def _left_out(results: "Results", findings: Sequence["Finding"]) -> Iterator[LeftOut]:
    """Yield the findings that lack the same thing, then the metrics that lack a package."""
    needs = dict.fromkeys(each.unmet for each in findings if each.unmet)
    for need in needs:
        titles = [each.title for each in findings if each.unmet == need]
        yield LeftOut(titles, str(need.reason), need.takes_package)

    if results.provenance["metrics_left_out"]:
        for reason, names in metrics.missing_metrics().items():
            yield LeftOut(names, reason, True)


def _winners_by_category(results: "Results") -> list[Winners]:
    """Count the pairs of each category by winner."""
    winners = results.winners
    if not (winners["winner"] != "").any():
        return []

    is_finished = (winners["state"] != "unfinished") & (winners["winner"] != "")
    state = winners["winner"].where(is_finished, "unfinished")
    counted = pd.crosstab(winners["category"], state)
    by_state = counted.reindex(columns=list(STATES), fill_value=0)
    counts: dict[Any, dict[str, int]] = by_state.T.to_dict()
    names = listed_categories(counts)
    strengths = _strengths_by_category(winners, names, results.options)
    return [
        Winners(name or "no category", counts[name], strengths.get(name, ""))
        for name in names
    ]


def _strengths_by_category(
    winners: pd.DataFrame, names: Sequence[str], options: Options
) -> dict[str, str]:
    """Return the mean strength of each category with its interval over images, in words."""
    if "strength" not in winners:
        return {}

    image = group_numbers(winners, ["image"])
    generator = options.generator(STRENGTH)
    weights = Resamples.make(options.resamples, group_count(image), 1, generator).images
    is_named = winners["category"].to_numpy()[:, None] == np.array(names, dtype=object)
    strengths = np.where(is_named, winners[["strength"]].to_numpy(dtype=float), np.nan)
    estimates = mean_and_interval(strengths, image, weights).T
    return {
        name: with_interval(mean, low, high, 2)
        for name, (mean, low, high) in zip(names, estimates.tolist(), strict=True)
    }
