"""The report folder: tables, the curve plot, and all that made them.

accuracy.csv   accuracy by metric, category and reference count (0..1, six decimals)
winners.csv    the winner of each pair, and how its votes fell
triplets.csv   the winner of each triplet
accuracy.png, .svg, .pdf   the curve plot, and accuracy-cider.* … where versions were asked for
report.json    dataset and digest, options, seed, versions
"""

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import get_args

import pandas as pd

from analysis.dataset import MEAN
from analysis.evaluation import Evaluation
from analysis.plots import Format, accuracy_figure, in_percent, plotted, render, whole_counts
from analysis.progress import Progress, silent
from analysis.tables import csv_text, shortened

REPORT = "report.json"


class OutputInTheWay(ValueError):
    """The folder for a report holds something else."""


def write_report(evaluation: Evaluation, folder: Path, progress: Progress = silent) -> None:
    """Write the report wholly or not at all; an earlier report in `folder` is replaced."""
    check_folder(folder)
    folder = folder.resolve()
    folder.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as place:
        new, old = Path(place, "new"), Path(place, "old")
        new.mkdir()
        for name, content in report_files(evaluation, progress):
            (new / name).write_bytes(content)
        with suppress(FileNotFoundError):
            folder.rename(old)
        new.rename(folder)


def check_folder(folder: Path) -> None:
    """Raise OutputInTheWay unless `folder` is new, empty or an earlier report."""
    if folder.is_file():
        raise OutputInTheWay(f"{folder} is a file: name a folder for the report.")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / REPORT).is_file():
        raise OutputInTheWay(f"{folder} holds something else than a report: name another folder.")


def report_files(evaluation: Evaluation, progress: Progress) -> "list[tuple[str, bytes]]":
    progress(0.0, "Writing tables")
    files = [
        ("accuracy.csv", table_csv(evaluation.accuracy)),
        ("winners.csv", table_csv(evaluation.winners)),
        ("triplets.csv", table_csv(evaluation.triplets)),
        (REPORT, provenance_json(evaluation.provenance)),
    ]
    files += drawn(evaluation, progress)
    progress(1.0, "Done")
    return files


def drawn(evaluation: Evaluation, progress: Progress) -> Iterator[tuple[str, bytes]]:
    """Each plot in each format."""
    table, note = evaluation.accuracy, signature(evaluation.provenance)
    plots = plotted(list(table["metric"].unique()))
    for number, (name, metrics) in enumerate(plots.items()):
        figure = accuracy_figure(table[table["metric"].isin(metrics)], note)
        for kind in get_args(Format):
            progress(number / len(plots), f"Drawing {name}.{kind}")
            yield f"{name}.{kind}", render(figure, kind)


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
        counted(provenance, "votes", "simulated_votes", "simulated"),
        counted(provenance, "pairs", "pairs_unfinished", "unfinished"),
        f"{orders}, seed {options['seed']}",
        f"ties: human {options['human_ties']}, metric {options['metric_ties']}",
        f"document frequencies: {options['documents']}",
        *(["identical references excluded"] if options["exclude_identical"] else []),
        f"tokens: {options['tokenizer']}",
        f"95 % bootstrap over images and orders, {options['resamples']:,}",
        f"Tercet {provenance['versions']['tercet']}",  # type: ignore[index]
    )
    return " · ".join(str(part) for part in parts)


def counted(provenance: dict[str, object], what: str, part: str, name: str) -> str:
    """Such as `96 pairs (8 unfinished)`."""
    some = f" ({provenance[part]:,} {name})" if provenance[part] else ""
    return f"{provenance[what]:,} {what}{some}"


def summary(evaluation: Evaluation) -> str:
    """The result in a few lines for a terminal: winners, and accuracy at some counts."""
    winners = evaluation.winners["winner"].replace("", "without votes").value_counts()
    decided = ", ".join(f"{name} {count:,}" for name, count in winners.items())
    table = whole_counts(evaluation.accuracy)
    table = table[table["category"] == MEAN]
    table = table[table["reference_count"].isin(shown_counts(table["reference_count"]))]
    cells = list(map(in_percent, table["accuracy"], table["low"], table["high"]))
    wide = table.assign(cell=cells).pivot(index="metric", columns="reference_count", values="cell")
    wide = wide.loc[table["metric"].unique()].rename_axis(index=None, columns="references")
    return (
        f"Winners of {len(evaluation.winners):,} pairs: {decided}.{unfinished(evaluation)}\n"
        f"Accuracy in %, mean over categories, with its 95 % interval:\n{wide.to_string()}\n"
        f"{signature(evaluation.provenance)}"
    )


def unfinished(evaluation: Evaluation) -> str:
    count = evaluation.provenance["pairs_unfinished"]
    return f"\n{count:,} of them are unfinished: winners as they stand." if count else ""


def shown_counts(counts: "pd.Series[int]") -> set[int]:
    """A handful of the counts: 1, 5, 10, 24, 48 where there are so many."""
    return {1, 5, 10, 24, 48, int(counts.max())} & set(counts)
