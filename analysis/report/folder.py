"""The report folder: every finding's tables and plots, one page to look at, and what made them.

index.html     all findings on one page, which needs no other file
accuracy.csv   accuracy by metric, category and reference count (0..1, six decimals)
*.csv          the tables of the other findings; table.md and table.tex besides
*.png, *.svg, *.pdf   the plots; *-dark.svg for dark pages
winners.csv    the winner of each pair, and how its votes fell
triplets.csv   the winner of each triplet
report.json    dataset and digest, options, seed, versions, and what each file shows
"""

import json
from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias, get_args

import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from analysis.dataset.csv_tables import csv_text, shortened
from analysis.dataset.schema import MEAN
from analysis.evaluation.results import Evaluation, RatingsEvaluation
from analysis.figures.curves import complete_counts
from analysis.figures.panels import percent_interval
from analysis.figures.style import DARK, LIGHT, ImageFormat, render
from analysis.findings.finding import Finding
from analysis.progress import Progress, part, silent

REPORT, PAGE = "report.json", "index.html"
TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
Result: TypeAlias = Evaluation | RatingsEvaluation
ROWS_SHOWN = 30
"""Of a table on the page; its file holds all."""


class OutputInTheWay(ValueError):
    """The folder for a report holds something else."""


def write_report(
    evaluation: Result, folder: Path, progress: Progress = silent, names: Sequence[str] = ()
) -> None:
    """Write the report wholly or not at all; an earlier report in `folder` is replaced.

    names: of the findings to write, all of them if empty.
    """
    check_folder(folder)
    folder = folder.resolve()
    folder.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as place:
        new, old = Path(place, "new"), Path(place, "old")
        new.mkdir()
        for name, content in report_files(evaluation, progress, names):
            (new / name).write_bytes(content)
        with suppress(FileNotFoundError):
            folder.rename(old)
        new.rename(folder)


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
    """The names of the files of the report in `folder`, as its report.json has them."""
    try:
        told = json.loads((folder / REPORT).read_text(encoding="utf-8"))
        findings = told["findings"]
        for found in findings:
            yield from found["texts"]
            yield from (f"{name}.csv" for name in found["tables"])
            for name in found["plots"]:
                yield from (f"{name}.{kind}" for kind in get_args(ImageFormat))
                yield f"{name}-dark.svg"
    except (OSError, ValueError, TypeError, KeyError):
        return
    yield from (REPORT, PAGE, "winners.csv", "triplets.csv")


def report_files(
    evaluation: Result, progress: Progress, names: Sequence[str]
) -> Iterator[tuple[str, bytes]]:
    """Each file's name and content."""
    found = [each.filled() for each in evaluation.findings(names, part(progress, 0, 0.4))]
    for name, table in evaluation.tables.items():
        yield f"{name}.csv", table_csv(table)
    line = signature(evaluation.provenance)
    plots: dict[str, str] = {}
    for number, finding in enumerate(found):
        progress(0.4 + 0.6 * number / len(found), f"Drawing {finding.name}")
        for name, content in finding_files(finding, line):
            yield name, content
            if name.endswith(".svg"):
                plots[name] = embedded(content)
    described = evaluation.provenance | {"findings": [description(each) for each in found]}
    yield REPORT, provenance_json(described)
    yield PAGE, page(evaluation, found, plots).encode()
    progress(1.0, "Done")


def finding_files(finding: Finding, line: str) -> Iterator[tuple[str, bytes]]:
    """The tables, texts and plots of a finding."""
    for name, table in finding.tables.items():
        yield f"{name}.csv", table_csv(table)
    for name, text in finding.texts.items():
        yield name, f"{text}{signed(name, line)}".encode()
    for name, draw in finding.plots.items():
        figure = draw(line, LIGHT)
        for kind in get_args(ImageFormat):
            yield f"{name}.{kind}", render(figure, kind)
        yield f"{name}-dark.svg", render(draw(line, DARK), "svg")


def signed(name: str, line: str) -> str:
    """The signature below a text, as its kind has it."""
    return f"% {line}\n" if name.endswith(".tex") else f"\n{line}\n"


def description(finding: Finding) -> dict[str, object]:
    """What a finding is, and the names of its tables and plots."""
    return {
        "name": finding.name,
        "title": finding.title,
        "source": finding.source,
        "meaning": finding.meaning,
        "tables": list(finding.tables),
        "plots": list(finding.plots),
        "texts": list(finding.texts),
        "notes": list(finding.notes),
    }


def embedded(svg: bytes) -> str:
    """A picture as part of the page itself."""
    return f"data:image/svg+xml;base64,{b64encode(svg).decode()}"


def page(evaluation: Result, found: Sequence[Finding], plots: dict[str, str]) -> str:
    """All findings on one page that needs no other file."""
    return TEMPLATES.get_template("page.html").render(
        title=" ".join(str(evaluation.provenance["dataset"]).split()) or "Untitled dataset",
        summary=in_words(evaluation),
        findings=found,
        plots=plots,
        rows=ROWS_SHOWN,
        cell=cell,
        signature=signature(evaluation.provenance),
    )


def cell(value: Any) -> str:
    """A table's value as text: four decimals, and a dash for what does not exist."""
    if pd.isna(value):
        return "-"
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def table_csv(table: pd.DataFrame) -> bytes:
    return csv_text(table, tuple(table.columns), "%.6f").encode()


def provenance_json(provenance: dict[str, object]) -> bytes:
    return (json.dumps(provenance, indent=2, ensure_ascii=False) + "\n").encode()


def signature(provenance: dict[str, object]) -> str:
    """One line with all that made a table or plot."""
    options = provenance["options"]
    assert isinstance(options, dict)
    draws = options["draws"]
    random = "1 random order" if draws == 1 else f"{draws} random orders"
    orders = "file order" if options["order"] == "file" else random
    title = " ".join(str(provenance["dataset"]).split())
    parts = (
        shortened(title, 100) or "untitled",
        f"sha256 {str(provenance['sha256'])[:12]}",
        provenance["protocol"],
        *judgments(provenance),
        f"{orders}, seed {options['seed']}",
        f"ties: human {options['human_ties']}, metric {options['metric_ties']}",
        f"document frequencies: {options['documents']}",
        *(["identical references excluded"] if options["exclude_identical"] else []),
        f"tokens: {options['tokenizer']}",
        f"95 % bootstrap over images and orders, {options['resamples']:,}",
        f"{options['flips']:,} sign flips",
        f"Tercet {provenance['versions']['tercet']}",  # type: ignore[index]
    )
    return " · ".join(str(part) for part in parts)


def judgments(provenance: dict[str, object]) -> Iterator[str]:
    """How many judgments of people a result is made of."""
    if "ratings" in provenance:
        yield f"{provenance['ratings']:,} ratings"
        return
    yield counted(provenance, "votes", "simulated_votes", "simulated")
    yield counted(provenance, "pairs", "pairs_unfinished", "unfinished")


def counted(provenance: dict[str, object], what: str, part: str, name: str) -> str:
    """Such as `96 pairs (8 unfinished)`."""
    some = f" ({provenance[part]:,} {name})" if provenance[part] else ""
    return f"{provenance[what]:,} {what}{some}"


def summary(evaluation: Result) -> str:
    """The result in a few lines for a terminal: winners, and accuracy at some counts."""
    if isinstance(evaluation, RatingsEvaluation):
        return f"{in_words(evaluation)}\n{signature(evaluation.provenance)}"
    table = complete_counts(evaluation.accuracy)
    table = table[table["category"] == MEAN]
    table = table[table["reference_count"].isin(shown_counts(table["reference_count"]))]
    cells = list(map(percent_interval, table["accuracy"], table["low"], table["high"]))
    wide = table.assign(cell=cells).pivot(index="metric", columns="reference_count", values="cell")
    wide = wide.loc[table["metric"].unique()].rename_axis(index=None, columns="references")
    return (
        f"{in_words(evaluation)}\n"
        f"Accuracy in %, mean over categories, with its 95 % interval:\n{wide.to_string()}\n"
        f"{signature(evaluation.provenance)}"
    )


def in_words(evaluation: Result) -> str:
    """How the pairs were decided, or how much was rated."""
    if isinstance(evaluation, RatingsEvaluation):
        return f"{len(evaluation.dataset.ratings):,} ratings of captions."
    winners = evaluation.winners["winner"].replace("", "without votes").value_counts()
    decided = ", ".join(f"{name} {count:,}" for name, count in winners.items())
    return f"Winners of {len(evaluation.winners):,} pairs: {decided}.{unfinished(evaluation)}"


def unfinished(evaluation: Evaluation) -> str:
    count = evaluation.provenance["pairs_unfinished"]
    return f"\n{count:,} of them are unfinished: winners as they stand." if count else ""


def shown_counts(counts: "pd.Series[int]") -> set[int]:
    """A handful of the counts: 1, 5, 10, 24, 48 where there are so many."""
    return {1, 5, 10, 24, 48, int(counts.max())} & set(counts)
