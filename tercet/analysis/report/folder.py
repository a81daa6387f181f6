"""The report folder: every finding's tables and plots, one page to look at, and what made them.

index.html     all findings on one page, which needs no other file
accuracy.csv   accuracy by metric, category and reference count (0..1, unrounded); where images
               have different numbers of references, `all` gives each pair all of its image's
*.csv          the tables of the other findings; table.md and table.tex besides
*.svg          the plots, in the colours of the page that they are in; *-narrow.svg for phones
*.png, *.pdf   the main plot; the others where they are asked for
*-paper.pdf    accuracies in the letters of a paper: all groups two columns wide, each one column
winners.csv    the winner of each pair, and how its votes fell
triplets.csv   the winner of each triplet
signature.txt  in one line what made the tables and plots; the files of plots have it as metadata
report.json    dataset and digest, options, seed, versions, and what each file shows
view.json      what the page shows, for the page of the site
"""

import json
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from tercet.analysis.evaluation.curves import main_group
from tercet.analysis.evaluation.pair_scores import DOCUMENTS, SCORES
from tercet.analysis.evaluation.results import Results
from tercet.analysis.figures.formats import (
    FOR_PAPERS,
    FOR_PHONES,
    FORMATS,
    unbroken,
    with_whole_names,
)
from tercet.analysis.figures.style import DEFAULT, Look, paper_settings, render
from tercet.analysis.findings import choose, definitions
from tercet.analysis.findings.finding import Draw, Finding, Plot
from tercet.analysis.number_texts import counted, stored_text
from tercet.analysis.progress import Progress, silent
from tercet.analysis.report.files import (
    MAIN_PLOT,
    PAGE,
    REPORT,
    SIGNATURE,
    VIEW,
    files_of,
)
from tercet.analysis.report.first_screen import panel
from tercet.analysis.report.plots import inlined
from tercet.analysis.report.remarks import made_of, remarks
from tercet.analysis.report.signature import signature
from tercet.analysis.report.view import ReportView
from tercet.analysis.scoring.contamination import marked
from tercet.analysis.scoring.workers import make_parts, one_thread
from tercet.analysis.tables.csv_tables import csv_text
from tercet.analysis.tables.rows import where
from tercet.analysis.tables.schema import ALL
from tercet.analysis.values import percent_interval
from tercet.metrics.text.tokenizers import whole_captions_said

FOLDER = Path(__file__).parent
TEMPLATES = Environment(
    loader=FileSystemLoader(FOLDER),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_MADE_HERE = ("answer", "learned", "profile", "words")
"""Findings of one process: two evaluate again without some references, two may have to parse."""
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
        new = Path(temporary, "new")
        old = Path(temporary, "old")
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

    known = files_of(folder)
    if known:  # the scores of pairs may have been written beside a report
        known |= {SCORES, DOCUMENTS}
    names = {path.name for path in folder.iterdir()}
    foreign = sorted(names - known)
    if foreign:
        raise OutputInTheWay(
            f"{folder} holds something else than a report, such as {foreign[0]}: "
            "name another folder."
        )


def _write_files(
    results: Results,
    folder: Path,
    progress: Progress,
    names: Collection[str],
    look: Look,
) -> list[Finding]:
    """Write all files into `folder`."""
    line = signature(results.provenance)
    findings = _findings_in(results, folder, progress, names, look)

    if len(results.winners):
        (folder / "winners.csv").write_bytes(table_csv(results.winners))
        (folder / "triplets.csv").write_bytes(table_csv(results.decided.triplets))

    described = {"findings": [description(each) for each in findings]}
    provenance = results.provenance | described
    written = json.dumps(provenance, indent=2, ensure_ascii=False)
    view = ReportView.of(results, findings, folder)
    (folder / SIGNATURE).write_text(f"{line}\n", encoding="utf-8")
    (folder / REPORT).write_text(f"{written}\n", encoding="utf-8")
    (folder / VIEW).write_text(view.as_json(), encoding="utf-8")
    (folder / PAGE).write_text(page(view, folder), encoding="utf-8")
    progress(1.0, "Done")
    return findings


@one_thread
@whole_captions_said()
def _findings_in(
    results: Results,
    folder: Path,
    progress: Progress,
    names: Collection[str],
    look: Look,
) -> list[Finding]:
    """Make the findings and write their files into `folder`; return them in their order."""
    wanted = choose(names)
    chosen = [each for each in definitions().values() if each in wanted]
    order = sorted(chosen, key=lambda each: each.name not in _MADE_HERE)
    line = signature(results.provenance)
    if results.pair_samples:
        _ = results.all_counts  # once, before there are two processes

    def make(number: int) -> Finding:
        found = order[number].find(results)
        finding, files = _drawn(found, line, look)
        for name, content in files.items():
            (folder / name).write_bytes(content)
        return finding

    def tell(number: int, share: float) -> None:
        progress(share, f"Writing: {order[number].title}")

    # programs of others answer one process
    made = make_parts(make, len(order), tell, may_help=not results.outside)
    by_name = {finding.name: finding for finding in made}
    findings = [by_name[definition.name] for definition in chosen]
    return [finding for finding in findings if names or not finding.lacks_what_is_rare]


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
        of_plot = DEFAULT if plot.group else look  # pages alone show those of groups
        yield from _pictures(name, plot.draw, line, of_plot)
        if plot.paper_width:
            file = FOR_PAPERS.format(name=name)
            yield file, _for_a_paper(plot, line)


def _pictures(
    name: str, draw: Draw, line: str, look: Look
) -> Iterator[tuple[str, bytes]]:
    """Yield the name and content of each file of a plot."""
    figure = draw(look)
    further = FORMATS if name == MAIN_PLOT else look.formats

    for kind in dict.fromkeys(("svg", *further)):
        yield f"{name}.{kind}", render(figure, kind, line, name)

    if figure.get_figwidth() > _WIDEST_ON_PHONES:
        for_phones = replace(look, width=_PHONE_WIDTH)
        narrow = draw(for_phones)
        svg = render(narrow, "svg", line, f"{name}-narrow")
        yield FOR_PHONES.format(name=name), svg


def _for_a_paper(plot: Plot, line: str) -> bytes:
    """Draw a plot in the width and the letters of a paper."""
    look = Look(width=plot.paper_width, is_printed=True)
    with paper_settings():
        return render(plot.draw(look), "pdf", line)


def signed(name: str, line: str) -> str:
    """The signature below a text, as its kind has it."""
    return f"% {line}\n" if name.endswith(".tex") else f"\n{line}\n"


def description(finding: Finding) -> dict[str, object]:
    """What a finding is, and the names of its tables and plots."""
    one = ("name", "title", "source", "meaning", "sentence", "reason", "error")
    several = ("reservations", "tables", "plots", "texts", "notes")
    words: dict[str, object] = {name: getattr(finding, name) for name in one}
    lists = {name: [*getattr(finding, name)] for name in several}
    return words | lists


def page(view: ReportView, folder: Path) -> str:
    """Return all findings on one page that needs no other file."""
    static = FOLDER / "static"
    written = TEMPLATES.get_template("page.html").render(
        report=view,
        panel=panel(view.comparisons),
        inlined=partial(inlined, folder),
        script=Markup((static / "compare.js").read_text(encoding="utf-8")),
        plot_style=Markup((static / "plots.css").read_text(encoding="utf-8")),
    )
    return unbroken(written)


TEMPLATES.filters["counted"] = counted
TEMPLATES.filters["with_whole_names"] = lambda text: Markup(
    with_whole_names(str(escape(text)))
)


def table_csv(table: pd.DataFrame) -> bytes:
    """Return a table as CSV."""
    return csv_text(table, tuple(table.columns), stored_text).encode()


def summary(results: Results) -> str:
    """Return the result in a few lines for a terminal: winners, and accuracy at some counts."""
    line = signature(results.provenance)
    told = "\n".join([*made_of(results), *remarks(results)])
    if results.pair_samples is None:
        return f"{told}\n{line}"

    group = main_group(results.accuracy)
    shown = {*results.usual_counts, results.last_count} & set(results.counts)
    table = where(results.accuracy, reference_count=shown, category=group)

    shares = table[["accuracy", "low", "high"]].to_numpy(dtype=float)
    cells = [str(percent_interval(*row)) for row in shares.tolist()]
    named = table.assign(cell=cells)
    wide = named.pivot(index="metric", columns="reference_count", values="cell")
    metrics = table["metric"].unique()
    best_first = wide.loc[metrics].rename(partial(marked, marks=results.marks))
    title = "references"
    printed = best_first.rename_axis(index=None, columns=title).to_string()

    of_group = "all pairs" if group == ALL else "mean over categories"
    heading = f"Accuracy in %, {of_group}, with its 95 % interval:"
    return f"{told}\n{heading}\n{printed}\n{line}"
