"""Read a report folder for the results page: its findings, tables and plots.

The folder may be missing, of an earlier version or damaged: then there is no report.
"""

import json
import logging
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tercet.analysis.evaluation.curves import main_group
from tercet.analysis.evaluation.selection import NO_PARSER
from tercet.analysis.figures.families import metrics_by_plot
from tercet.analysis.figures.formats import ImageFormat, plot_files, unbroken
from tercet.analysis.report.first_screen import caption_of_curves
from tercet.analysis.report.first_screen import comparisons as compared_on_page
from tercet.analysis.report.plots import formats_in, inlined
from tercet.analysis.report.signature import (
    ANSWER,
    LEADING,
    PAGE,
    REPORT,
    SIGNATURE,
    signature,
)
from tercet.analysis.report.unusual_options import said_of, unusual_options
from tercet.analysis.scoring.tallies import ALL_REFERENCES
from tercet.analysis.tables.schema import ordered_categories
from tercet.analysis.texts import Text
from tercet.annotation.results.report_tables import Table, in_words, read_table
from tercet.annotation.results.report_texts import Templates, on_page, translated
from tercet.annotation.zipfiles import zip_files

STATES = ("B", "C", "tie", "unfinished")
WINNERS = ("winners.csv", "triplets.csv")
_HEADLINE_PLOT = "accuracy"
PLAIN = re.compile(r"[\w-]+(\.(md|tex))?")
_ALT_TEXTS: dict[str, Promise] = {
    "differences": gettext_lazy(
        "The best metric minus each of the others, in points of accuracy, against the "
        "number of references, with bands"
    ),
    "gains": gettext_lazy(
        "What each step to more references gains each metric, in points of accuracy"
    ),
    "systems": gettext_lazy(
        "The share of comparisons that each source wins, by people and by each metric"
    ),
    "humans": gettext_lazy(
        "Accuracy of people and of each metric by category, judged by the same triplets"
    ),
    "inflation": gettext_lazy(
        "How much the references of the judging triplets raise the accuracy of each "
        "metric, against their number"
    ),
    "protocols": gettext_lazy(
        "Accuracy of each metric, judged by triplets and by pairwise votes"
    ),
    "agreement": gettext_lazy(
        "Heat maps of how far every two metrics agree, in preferences and in scores"
    ),
    "reliability": gettext_lazy(
        "How often the majority of some of a pair's votes is the majority of its other "
        "votes, against their number"
    ),
    "ranking": gettext_lazy(
        "The rank of an image's references by one metric against their rank by another"
    ),
    "words": gettext_lazy(
        "Precision against recall of each word when one person's caption predicts the "
        "others', by number of references"
    ),
    "words_parts": gettext_lazy(
        "Precision against recall of nouns, verbs and adjectives when one person's caption "
        "predicts the others'"
    ),
    "profile": gettext_lazy(
        "F1 of predicates, participants and places, their pairs and triplets, of people "
        "and of each source of candidates"
    ),
    "ratings": gettext_lazy(
        "The correlation of each metric with the ratings of people, by coefficient"
    ),
    "humans_curve": gettext_lazy(
        "Accuracy of people and of each metric against the number of references, both "
        "judged by the triplets of the other references"
    ),
    "robustness": gettext_lazy(
        "Accuracy of each metric on each task of a suite of distractors"
    ),
    "margins": gettext_lazy(
        "Accuracy of each metric on pairs that people find contested, and clear"
    ),
}
"""Alternative texts of plots, by their names."""

logger = logging.getLogger(__name__)

Families = Mapping[str, list[str]]
"""Which metrics each plot of accuracies shows (`analysis.figures.families.metrics_by_plot`)."""

_LATEX = "table.tex"
"""The table of accuracies for papers."""


@dataclass(frozen=True)
class Plot:
    """A plot with its alternative text.

    `svg` is a part of the page. `versions` are the metrics of a plot of one family of metrics.
    """

    name: str
    shown: str
    svg: str
    formats: list[ImageFormat]
    versions: str = ""


@dataclass(frozen=True)
class Finding:
    """A finding of `tercet.analysis.findings`, as far as it can be read.

    `reason` says why it is not applicable; it is empty where the finding has been made.
    """

    name: str
    title: str
    source: str
    meaning: str
    sentence: str
    reservations: str
    reason: str
    notes: list[str]
    texts: list[str]
    tables: list[Table]
    plots: list[Plot]


@dataclass(frozen=True)
class Winners:
    """How many pairs of a category are won by B or C, tied or unfinished."""

    category: str
    states: dict[str, int]

    @property
    def pairs(self) -> int:
        return sum(self.states.values())


@dataclass(frozen=True)
class Accuracies:
    """Accuracies with all references of each image, best metric first.

    `count` is how many these are, None where images have different numbers of references.

    `metrics` has a cell for each metric and group, with accuracy, low and high (0..1); `headline`
    has those metrics that the first plot shows.
    """

    count: int | None
    groups: list[str]
    metrics: dict[str, list[dict[str, float]]]
    headline: dict[str, list[dict[str, float]]]


@dataclass(frozen=True)
class Lead:
    """The sentence that leads a report, and what has to be known before it."""

    sentence: str
    reservations: str


@dataclass(frozen=True)
class Report:
    """A report as a page shows it; `provenance` is the content of report.json."""

    provenance: dict[str, Any]
    signature: str
    winners: list[Winners]
    accuracies: Accuracies
    findings: list[Finding]
    headline: Plot | None
    caption: str
    lead: Lead | None
    comparisons: dict[str, object] | None

    @property
    def pairs(self) -> int:
        return sum(row.pairs for row in self.winners)

    @property
    def unusual(self) -> str:
        """Which options are not the usual ones, as a sentence; empty without any."""
        return unbroken(str(said_of(self._unusual)))

    @property
    def is_usual(self) -> bool:
        """Whether computing again cannot change more than the reference counts."""
        return not self._unusual.keys() - {"counts"}

    @property
    def _unusual(self) -> dict[str, Text]:
        return unusual_options(self.provenance.get("options", {}))

    @property
    def latex(self) -> str:
        """The file with the accuracies as a LaTeX table, empty without one."""
        has_table = any(_LATEX in each.texts for each in self.findings)
        return _LATEX if has_table else ""

    @property
    def metrics_left_out(self) -> list[str]:
        """The names of the metrics that could not be computed, those of each package together.

        The report says what to install, which readers of a site cannot do.
        """
        lines: list[str] = self.provenance.get("metrics_left_out", [])
        names = [line.removeprefix("Without ") for line in lines]
        return [each.partition(":")[0].replace(" and ", ", ") for each in names]

    @property
    def not_applicable(self) -> dict[str, list[str]]:
        """The titles of the findings that could not be made, by what was missing."""
        titles: dict[str, list[str]] = {}

        for finding in self.findings:
            if finding.reason:
                titles.setdefault(finding.reason, []).append(finding.title)
        return titles


def report_in(folder: Path) -> Report | None:
    """Return the report in a folder, None if there is none that can be shown."""
    if not files_of(folder):
        return None
    try:
        return read(folder)
    except Exception:  # whatever is wrong, the page offers to compute a new report
        logger.exception("The report in %s cannot be read.", folder)
        return None


def read(folder: Path) -> Report:
    provenance = read_provenance(folder)
    accuracy = pd.read_csv(folder / "accuracy.csv")

    chosen = provenance.get("options", {}).get("headline", ())
    families = metrics_by_plot(list(accuracy["metric"].unique()), chosen)
    shown = accuracies(accuracy, families[_HEADLINE_PLOT])
    listed = {each["name"]: each for each in provenance["findings"]}
    templates = provenance.get("templates", {})
    lead = lead_of(listed, templates)
    comparisons = comparisons_in(folder, listed.pop(ANSWER, None))
    findings = [
        _finding_in(folder, each, families, shown.count, templates)
        for each in listed.values()
    ]
    plots = {plot.name: plot for finding in findings for plot in finding.plots}

    return Report(
        provenance,
        signature(provenance),
        winners_by_category(pd.read_csv(folder / WINNERS[0], keep_default_na=False)),
        shown,
        findings,
        plots.get(_HEADLINE_PLOT),
        _caption(accuracy, listed),
        lead,
        comparisons,
    )


def _caption(accuracy: pd.DataFrame, listed: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the caption of the main figure."""
    tables = listed.get(_HEADLINE_PLOT, {}).get("tables", [])
    return unbroken(str(caption_of_curves(accuracy, "ceiling" in tables)))


def lead_of(
    listed: Mapping[str, Mapping[str, Any]], templates: Templates
) -> Lead | None:
    """Return what leads a report; None where no finding answers."""
    answering = (listed[name] for name in LEADING if name in listed)
    finding = next((each for each in answering if each.get("sentence")), None)
    if finding is None:
        return None

    reservations = finding.get("reservations", [])
    return Lead(
        translated(finding["sentence"], templates),
        " ".join(translated(each, templates) for each in reservations),
    )


def comparisons_in(
    folder: Path, listed: Mapping[str, Any] | None
) -> dict[str, object] | None:
    """Return what the panel of comparisons reads; None if no metrics are compared."""
    if listed is None or ANSWER not in listed["tables"]:
        return None

    empty = dict.fromkeys(("low", "high", "more_pairs"), "")
    table = pd.read_csv(
        folder / f"{ANSWER}.csv", keep_default_na=False, na_values=empty
    )
    return compared_on_page(table)


def read_provenance(folder: Path) -> dict[str, Any]:
    """Return the content of report.json; raises ValueError if it lists no findings."""
    provenance = json.loads((folder / REPORT).read_text(encoding="utf-8"))
    if not isinstance(provenance, dict) or "findings" not in provenance:
        raise ValueError("The report lists no findings.")

    return provenance


def files_of(folder: Path) -> set[str]:
    """Return the names of the files of a report; empty if it cannot be read."""
    try:
        findings = read_provenance(folder)["findings"]
        named = {name for each in findings for name in _file_names(each)}
    except (OSError, ValueError, LookupError, TypeError):
        return set()

    listed = {REPORT, PAGE, SIGNATURE, *WINNERS} | named
    return {name for name in listed if (folder / name).is_file()}


def _file_names(listed: Mapping[str, list[str]]) -> Iterator[str]:
    """Yield the file names of a finding; names with a path are left out."""
    yield from plain(listed["texts"])
    yield from (f"{name}.csv" for name in plain(listed["tables"]))
    for name in plain(listed["plots"]):
        yield from plot_files(name)


def plain(names: list[str]) -> list[str]:
    return [name for name in names if PLAIN.fullmatch(name)]


def zipped(folder: Path, name: str) -> Iterator[bytes]:
    """Stream the files of a report as a zip."""
    files = sorted(files_of(folder))
    return zip_files({f"{name}/{file}": folder / file for file in files})


def _finding_in(
    folder: Path,
    listed: Mapping[str, Any],
    families: Families,
    count: int | None,
    templates: Templates,
) -> Finding:
    """Read one finding; a note says which tables and plots cannot be read."""
    title, source, meaning, sentence = (
        on_page(listed.get(key, ""), templates)
        for key in ("title", "source", "meaning", "sentence")
    )
    tables = {
        name: read_table(folder, name, count, templates)
        for name in plain(listed["tables"])
    }
    plots = {
        name: _read_plot(folder, name, title, families)
        for name in plain(listed["plots"])
    }

    reservations = listed.get("reservations", [])
    notes = [on_page(note, templates) for note in listed["notes"]]
    if error := listed.get("error"):
        notes.append(error)
    notes += _unreadable(tables, plots)

    return Finding(
        listed["name"],
        title,
        source,
        meaning,
        sentence,
        " ".join(on_page(each, templates) for each in reservations),
        _reason(listed.get("reason", ""), templates),
        notes,
        plain(listed["texts"]),
        [table for table in tables.values() if table and table.columns],
        [plot for plot in plots.values() if plot],
    )


def _reason(reason: str, templates: Templates) -> str:
    """Say why there is no finding, to readers of a site, who cannot install anything."""
    if reason == NO_PARSER.english:
        return _(
            "Captions cannot be parsed on this site, as the parser is not installed. An "
            "administrator can add it."
        )
    return on_page(reason, templates)


def _unreadable(
    tables: Mapping[str, Table | None], plots: Mapping[str, Plot | None]
) -> Iterator[str]:
    """Say which tables and plots of a finding cannot be read."""
    lost = [f"{name}.csv" for name, table in tables.items() if table is None]
    lost += [
        _("The plot %(name)s") % {"name": name}
        for name, plot in plots.items()
        if plot is None
    ]

    for name in lost:
        words = _("%(name)s cannot be read: compute the results again.")
        yield words % {"name": name}


def _read_plot(folder: Path, name: str, title: str, families: Families) -> Plot | None:
    """Return a plot; None without its file."""
    svg = inlined(folder, name)
    if not svg:
        return None
    formats = formats_in(folder, name)

    if name in families:
        metrics = ", ".join(families[name])
        words = _("Accuracy by category against the number of references: %(metrics)s")
        versions = metrics if name != _HEADLINE_PLOT else ""
        shown = words % {"metrics": metrics}
        return Plot(name, shown, svg, formats, versions)

    shown = str(_ALT_TEXTS.get(name, f"{title}: {in_words(name)}"))
    return Plot(name, shown, svg, formats)


def winners_by_category(winners: pd.DataFrame) -> list[Winners]:
    shown = winners["winner"].where(winners["state"] != "unfinished", "unfinished")
    table = pd.crosstab(winners["category"], shown).reindex(
        columns=list(STATES), fill_value=0
    )

    counts = {category: [int(n) for n in row] for category, *row in table.itertuples()}
    return [
        Winners(
            category or _("no category"),
            dict(zip(STATES, counts[category], strict=True)),
        )
        for category in [*ordered_categories(counts), *([""] if "" in counts else [])]
    ]


def accuracies(accuracy: pd.DataFrame, headline: Collection[str]) -> Accuracies:
    """Return the accuracies with all references of each image; `headline`: the main metrics."""
    main = main_group(accuracy)
    whole = accuracy[accuracy["category"] == main]
    whole = whole[whole["pairs"] == whole["pairs"].max()]
    last = whole["reference_count"].iloc[-1]

    table = accuracy[accuracy["reference_count"] == last]
    count = None if last == ALL_REFERENCES else int(last)
    groups = list(table["category"].unique())
    cells: Any = table.set_index(["metric", "category"]).to_dict("index")
    means = table[table["category"] == main].sort_values("accuracy", ascending=False)
    ranked = {
        name: [cells[name, group] for group in groups] for name in means["metric"]
    }

    main_metrics = {name: row for name, row in ranked.items() if name in headline}
    return Accuracies(count, groups, ranked, main_metrics)
