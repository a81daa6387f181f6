"""The report folder: every finding's tables and plots, one page to look at, and what made them.

index.html     all findings on one page, which needs no other file
accuracy.csv   accuracy by metric, category and reference count (0..1, unrounded); where images
               have different numbers of references, `all` gives each pair all of its image's
*.csv          the tables of the other findings; table.md and table.tex besides
*.svg          the plots, in the colours of the page that they are in; *-narrow.svg for phones
*.png, *.pdf   the main plot; the others where they are asked for
winners.csv    the winner of each pair, and how its votes fell
triplets.csv   the winner of each triplet
signature.txt  in one line what made the tables and plots; the files of plots have it as metadata
report.json    dataset and digest, options, seed, versions, and what each file shows
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from tercet.analysis.evaluation.curves import main_group
from tercet.analysis.evaluation.pair_scores import DOCUMENTS, SCORES
from tercet.analysis.evaluation.results import Results
from tercet.analysis.figures.formats import (
    FOR_PHONES,
    FORMATS,
    plot_files,
    unbroken,
    with_whole_names,
)
from tercet.analysis.figures.style import DEFAULT, Look, render
from tercet.analysis.findings import find
from tercet.analysis.findings.finding import Draw, Finding
from tercet.analysis.findings.table import bold_metrics
from tercet.analysis.number_texts import stored_text
from tercet.analysis.progress import Progress, part, silent
from tercet.analysis.report.cells import rows_of
from tercet.analysis.report.first_screen import (
    caption_of_curves,
    comparisons,
    headline_table,
)
from tercet.analysis.report.plots import inlined
from tercet.analysis.report.signature import (
    ANSWER,
    LEADING,
    MAIN_PLOT,
    PAGE,
    REPORT,
    SIGNATURE,
    signature,
)
from tercet.analysis.report.unusual_options import said_of, unusual_options
from tercet.analysis.scoring.tallies import ReferenceCount
from tercet.analysis.tables.csv_tables import csv_text
from tercet.analysis.tables.schema import ALL, TIE
from tercet.analysis.texts import Text, english, enumeration
from tercet.analysis.texts import gettext as _
from tercet.analysis.values import percent_interval

FOLDER = Path(__file__).parent
TEMPLATES = Environment(
    loader=FileSystemLoader(FOLDER),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
ROWS_SHOWN = 120
"""Of a table on the page; its file holds all."""
_PHONE_WIDTH = 3.6
"""Of a plot where the page is narrow, in inches."""
_WIDEST_ON_PHONES = 5.0
"""Inches of a plot that is legible on a phone: nothing in it stands side by side."""


class OutputInTheWay(ValueError):
    """The folder for a report holds something else."""


def write_report(
    results: Results,
    folder: Path | str,
    progress: Progress = silent,
    names: Collection[str] = (),
    look: Look = DEFAULT,
) -> list[Finding]:
    """Write the report wholly or not at all; an earlier report in `folder` is replaced.

    Parameters
    ----------
    results : Results
        What `analysis.evaluate` returned.
    folder : Path or str
        A new or empty folder, or one that holds an earlier report and nothing else.
    progress : Progress
        Called with the share done (0..1) and what is being done.
    names : collection of str
        The findings to write; all of them if empty.
    look : Look
        Width, category and formats of the plots.

    Returns
    -------
    list of Finding
        The findings of the report. One that could not be made has an `error`; the report says so.

    Raises
    ------
    OutputInTheWay
        If the folder holds something else.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from tercet.analysis import Options, evaluate, load, write_report
    >>> results = evaluate(load("examples/demo"), Options(metrics=("CIDEr",), draws=2))
    >>> with TemporaryDirectory() as folder:
    ...     findings = write_report(results, f"{folder}/report", names=["table"])
    >>> [finding.name for finding in findings]
    ['table']
    """
    folder = Path(folder)
    check_folder(folder)

    folder = folder.resolve()
    folder.parent.mkdir(parents=True, exist_ok=True)

    with TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as temporary:
        new, old = Path(temporary, "new"), Path(temporary, "old")
        new.mkdir()
        findings = _write_files(results, new, progress, names, look)

        with suppress(FileNotFoundError):
            folder.rename(old)
        new.rename(folder)

    return findings


def check_folder(folder: Path) -> None:
    """Raise OutputInTheWay unless `folder` is new, empty or an earlier report and nothing else."""
    if folder.exists() and not folder.is_dir():
        raise OutputInTheWay(f"{folder} is a file: name a folder for the report.")
    if not folder.is_dir():
        return
    foreign = sorted({path.name for path in folder.iterdir()} - set(files_of(folder)))
    if foreign:
        raise OutputInTheWay(
            f"{folder} holds something else than a report, such as {foreign[0]}: "
            "name another folder."
        )


def files_of(folder: Path) -> Iterator[str]:
    """The names of the files of the report in `folder`, as its report.json has them.

    The scores of pairs may have been written beside them.
    """
    try:
        report = json.loads((folder / REPORT).read_text(encoding="utf-8"))
        for finding in report["findings"]:
            yield from finding["texts"]
            yield from (f"{name}.csv" for name in finding["tables"])
            for name in finding["plots"]:
                yield from plot_files(name)
    except (OSError, ValueError, TypeError, KeyError):
        return
    yield from (REPORT, PAGE, SIGNATURE, "winners.csv", "triplets.csv")
    yield from (SCORES, DOCUMENTS)


def _write_files(
    results: Results,
    folder: Path,
    progress: Progress,
    names: Collection[str],
    look: Look,
) -> list[Finding]:
    """Write all files into `folder`."""
    found = find(results, names, part(progress, 0, 0.4))
    line = signature(results.provenance)
    findings: list[Finding] = []

    for name, table in _human_tables(results).items():
        (folder / f"{name}.csv").write_bytes(table_csv(table))

    for number, finding in enumerate(found):
        progress(0.4 + 0.6 * number / len(found), f"Writing: {finding.title}")
        finding, files = _drawn(finding, line, look)
        findings.append(finding)

        for name, content in files.items():
            (folder / name).write_bytes(content)

    described = results.provenance | {
        "findings": [description(each) for each in findings],
        "templates": templates(findings),
    }
    (folder / SIGNATURE).write_text(f"{line}\n", encoding="utf-8")
    (folder / REPORT).write_bytes(_provenance_json(described))
    (folder / PAGE).write_text(page(results, findings, folder), encoding="utf-8")
    progress(1.0, "Done")
    return findings


def _human_tables(results: Results) -> dict[str, pd.DataFrame]:
    """Return the winners of pairs and triplets, by file name; none if there are no pairs."""
    if results.winners.empty:
        return {}
    return {"winners": results.winners, "triplets": results.triplets}


def _drawn(finding: Finding, line: str, look: Look) -> tuple[Finding, dict[str, bytes]]:
    """Return the finding with its files; where a plot cannot be drawn, the finding failed."""
    try:
        return finding, dict(_finding_files(finding, line, look))
    except Exception as error:  # one finding must not take the others down
        return finding.failed(error), {}


def _finding_files(
    finding: Finding, line: str, look: Look
) -> Iterator[tuple[str, bytes]]:
    """Yield the name and content of the tables, texts and plots of a finding."""
    for name, table in finding.tables.items():
        yield f"{name}.csv", table_csv(table)

    for name, text in finding.texts.items():
        yield name, f"{text}{signed(name, line)}".encode()

    for name, plot in finding.plots.items():
        yield from _pictures(name, plot.draw, line, look)


def _pictures(
    name: str, draw: Draw, line: str, look: Look
) -> Iterator[tuple[str, bytes]]:
    """Yield the name and content of each file of a plot."""
    figure = draw(look)
    further = FORMATS if name == MAIN_PLOT else look.formats

    for kind in dict.fromkeys(("svg", *further)):
        yield f"{name}.{kind}", render(figure, kind, line, name)

    if figure.get_figwidth() > _WIDEST_ON_PHONES:
        narrow = draw(replace(look, width=_PHONE_WIDTH))
        yield (
            FOR_PHONES.format(name=name),
            render(narrow, "svg", line, f"{name}-narrow"),
        )


def signed(name: str, line: str) -> str:
    """The signature below a text, as its kind has it."""
    return f"% {line}\n" if name.endswith(".tex") else f"\n{line}\n"


def description(finding: Finding) -> dict[str, object]:
    """What a finding is, and the names of its tables and plots."""
    return {
        "name": finding.name,
        "title": english(finding.title),
        "source": english(finding.source),
        "meaning": english(finding.meaning),
        "sentence": english(finding.sentence),
        "reservations": [english(each) for each in finding.reservations],
        "tables": list(finding.tables),
        "plots": list(finding.plots),
        "texts": list(finding.texts),
        "notes": [english(note) for note in finding.notes],
        "reason": english(finding.reason),
        "error": finding.error,
    }


def page(results: Results, found: Sequence[Finding], folder: Path) -> str:
    """Return all findings on one page that needs no other file."""
    by_name = {finding.name: finding for finding in found}
    lead = leading(by_name)
    answer = by_name.pop(ANSWER, None)
    compared = answer.tables.get(ANSWER) if answer else None

    written = TEMPLATES.get_template("page.html").render(
        title=" ".join(str(results.provenance["dataset"]).split())
        or _("Untitled dataset"),
        summary=in_words(results, bool(lead and lead.name == ANSWER)),
        unusual=said_of(unusual_options(vars(results.options))),
        lead=lead,
        answer=answer,
        bold=bold_metrics(results),
        comparisons=None if compared is None else comparisons(compared),
        headline=None
        if compared is None
        else headline_table(compared, results.all_counts),
        main_plot=MAIN_PLOT if inlined(folder, MAIN_PLOT) else "",
        caption=_caption(by_name.get(MAIN_PLOT)),
        script=_static("compare.js"),
        plot_style=_static("plots.css"),
        winners=winners_by_category(results.winners),
        findings=[finding for finding in by_name.values() if not finding.reason],
        not_applicable=titles_by_reason(found),
        metrics_left_out=results.provenance["metrics_left_out"],
        inlined=partial(inlined, folder),
        rows=ROWS_SHOWN,
        signature=signature(results.provenance),
    )

    return unbroken(written)


def _static(name: str) -> Markup:
    return Markup((FOLDER / "static" / name).read_text(encoding="utf-8"))


def leading(found: Mapping[str, Finding]) -> Finding | None:
    """Return the finding whose sentence leads the report, if one has a sentence."""
    named = (found[name] for name in LEADING if name in found)
    return next((each for each in named if each.sentence), None)


def _caption(main: Finding | None) -> Text:
    """Return the caption of the main figure; empty where it is not drawn."""
    if main is None or not main.plots:
        return Text("")

    return caption_of_curves(main.tables["accuracy"], "ceiling" in main.tables)


def winners_by_category(winners: pd.DataFrame) -> pd.DataFrame:
    """Count the pairs of each category by winner."""
    winner = winners["winner"].replace("", str(_("no votes")))
    category = winners["category"].replace("", str(_("no category")))
    return pd.crosstab(category, winner)


def titles_by_reason(found: Sequence[Finding]) -> dict[str, list[str]]:
    """Return the titles of the findings that could not be made, by what was missing."""
    titles: dict[str, list[str]] = {}

    for finding in found:
        if finding.reason:
            titles.setdefault(str(finding.reason), []).append(str(finding.title))
    return titles


def without_empty_columns(table: pd.DataFrame) -> pd.DataFrame:
    """Return the columns that hold a value in some row; the file has all."""
    has_value = table.notna() & (table != "")
    return table.loc[:, has_value.any()]


def filled(text: Text, **values: object) -> Text:
    """Return the text with these values."""
    return replace(text, values=values)


TEMPLATES.globals |= {
    "_": _,
    "rows_of": rows_of,
    "without_empty_columns": without_empty_columns,
}
TEMPLATES.filters["filled"] = filled
TEMPLATES.filters["with_whole_names"] = lambda text: Markup(
    with_whole_names(str(escape(text)))
)


def table_csv(table: pd.DataFrame) -> bytes:
    """Return a table as CSV, its texts in English."""
    words = {
        name: [english(cell) for cell in cells]
        for name, cells in _columns_with_texts(table).items()
    }
    return csv_text(table.assign(**words), tuple(table.columns), stored_text).encode()


def _columns_with_texts(table: pd.DataFrame) -> dict[str, list[Any]]:
    """Return the cells of the columns in which there are translatable texts."""
    columns = {
        str(name): table[name].tolist() for name in table if table[name].dtype == object
    }
    return {
        name: cells
        for name, cells in columns.items()
        if any(isinstance(cell, Text) for cell in cells)
    }


def templates(findings: Sequence[Finding]) -> dict[str, object]:
    """Return how to translate the texts with values in findings, by the texts in English."""
    found: list[object] = []
    for finding in findings:
        found += [finding.title, finding.source, finding.meaning]
        found += [finding.sentence, finding.reason, *finding.notes]
        found += finding.reservations

        for table in finding.tables.values():
            for cells in _columns_with_texts(table).values():
                found += cells

    texts = [each for each in found if isinstance(each, Text)]
    return {text.english: text.as_json() for text in texts if text.values}


def _provenance_json(provenance: dict[str, object]) -> bytes:
    return (json.dumps(provenance, indent=2, ensure_ascii=False) + "\n").encode()


def summary(results: Results) -> str:
    """Return the result in a few lines for a terminal: winners, and accuracy at some counts."""
    line = signature(results.provenance)
    if results.pair_samples is None:
        return f"{in_words(results)}\n{line}"

    table = results.accuracy
    group = main_group(table)
    of_group = _("all pairs") if group == ALL else _("mean over categories")
    table = table[table["category"] == group]
    table = table[table["reference_count"].isin(_shown_counts(results))]

    shares = table[["accuracy", "low", "high"]].to_numpy(dtype=float)
    cells = [str(percent_interval(*row)) for row in shares.tolist()]
    wide = table.assign(cell=cells).pivot(
        index="metric", columns="reference_count", values="cell"
    )
    wide = wide.loc[table["metric"].unique()].rename_axis(
        index=None, columns=str(_("references"))
    )
    heading = _("Accuracy in %, {group}, with its 95 % interval:", group=of_group)
    return f"{in_words(results)}\n{heading}\n{wide.to_string()}\n{line}"


def in_words(results: Results, is_warned: bool = False) -> str:
    """Return how the pairs were decided, and how many ratings there are.

    `is_warned`: whether it is said elsewhere that pairs are unfinished.
    """
    sentences = []
    if len(results.winners):
        sentences.append(_winners_in_words(results, is_warned))
    if ratings := len(results.dataset.ratings):
        sentences.append(str(_("{ratings:,} ratings of captions.", ratings=ratings)))
    if whole := results.provenance["whole_captions"]:
        sentences.append(str(_whole_in_words(whole)))
    return " ".join(sentences)


def _whole_in_words(captions: object) -> Text:
    return _(
        "Captions that are not split into words: {captions:,}. Their script has no spaces.",
        captions=captions,
    )


def _winners_in_words(results: Results, is_warned: bool) -> str:
    names = {"": _("without votes"), TIE: _("tie")}
    winners = results.winners["winner"].value_counts()
    decided = [
        Text(
            "{winner} {pairs:,}",
            {"winner": names.get(str(winner), winner), "pairs": int(count)},
        )
        for winner, count in winners.items()
    ]
    sentence = _(
        "Winners of {pairs:,} pairs: {winners}.",
        pairs=len(results.winners),
        winners=enumeration(decided),
    )

    return "\n".join(map(str, [sentence, *_remarks(results, is_warned)]))


def _remarks(results: Results, is_warned: bool) -> Iterator[Text]:
    """Say of which pairs and votes a reader has to be warned."""
    yield from _remarks_on_pairs(results)
    unfinished = results.provenance["pairs_unfinished"]
    if unfinished and not is_warned:
        yield _(
            "Unfinished pairs: {pairs:,}. They count with their current winner.",
            pairs=unfinished,
        )
    if adjudicated := results.provenance.get("pairs_adjudicated"):
        yield _(
            "Adjudicated pairs: {pairs:,}. Their winner is the decision of one person.",
            pairs=adjudicated,
        )
    if simulated := results.provenance["simulated_votes"]:
        yield _(
            "Simulated votes: {votes:,}. They are not from people.", votes=simulated
        )


def _remarks_on_pairs(results: Results) -> Iterator[Text]:
    """Say how many pairs have two equal candidates, and how many repeat an earlier pair."""
    is_left_out = results.options.exclude_equal_candidates
    if (equal := results.provenance["equal_candidates"]) and not is_left_out:
        yield _(
            "Pairs of two equal candidates: {pairs:,}. They are ties for every metric.",
            pairs=equal,
        )
    if repeated := results.provenance["repeated_pairs"]:
        yield _(
            "Pairs that repeat an earlier pair: {pairs:,}. They count as pairs of their own.",
            pairs=repeated,
        )


def _shown_counts(results: Results) -> set[ReferenceCount]:
    """Return a handful of the counts: 1, 5, 10, 24, 48 where there are so many, and the last."""
    usual = {*results.usual_counts, results.counts[-1]}
    return usual & set(results.counts)
