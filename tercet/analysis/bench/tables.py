"""The tables of a bench: bench.csv, bench.md, bench.tex, and what is said of the length."""

import json
from collections.abc import Iterator, Sequence
from math import isnan
from pathlib import Path

import pandas as pd

from tercet.analysis.bench.cells import CHANCE, LENGTH, BenchCell, cell_table
from tercet.analysis.bench.kept import KeptColumn, KeptSet
from tercet.analysis.bench.rating_columns import TAU_A
from tercet.analysis.bench.tied_columns import BY_IMAGE
from tercet.analysis.number_texts import fixed, percent
from tercet.analysis.report.folder import table_csv
from tercet.analysis.stats.scores.correlation import COEFFICIENTS
from tercet.analysis.tables.markup import (
    in_latex,
    in_markdown,
    latex_note,
    latex_table,
    markdown_table,
)
from tercet.analysis.tables.schema import PEOPLE
from tercet.analysis.values import percent_interval

NONE = "\N{EN DASH}"
HEADER = (
    "Accuracies in %, correlations times 100, with 95 % intervals over images. Metrics that share "
    "a letter cannot be told apart in that column (sign flips over images, step-down maxT)."
)
MEANINGS = {
    "accuracy": "a tie of people or of the metric is half a credit (CIDEr paper)",
    "tau_a": "Kendall's (concordant - discordant) / all pairs of rows",
    "tau_b": "Kendall's tau b",
    "tau_c": "Kendall's tau c (Stuart)",
    "Spearman": "Spearman's rho",
    "Pearson": "Pearson's r",
    "acc_eq": "pairwise accuracy with calibrated ties (Deutsch et al. 2023), over all pairs",
    "acc_eq by image": "the same, averaged over images",
    "ties as people": "pairwise accuracy where the metric ties as often as people (CapArena)",
    "systems": "Spearman's rho of the systems' means",
    "SPA": "soft pairwise accuracy of the systems (Thompson et al. 2024)",
}
"""What the values of a scale are."""


def _is_standard(column: KeptColumn, kept: KeptSet) -> bool:
    """Return whether the standard table has a column; of coefficients, the chosen one only."""
    further = {*COEFFICIENTS, TAU_A, BY_IMAGE} - {kept.columns[0].scale}
    return column.scale not in further


def _metrics_of(sets: Sequence[KeptSet]) -> list[str]:
    """Return all metrics, those of the first set first, its best first; without the length."""
    names = [cell.metric for kept in sets for cell in kept.cells]
    return [
        each for each in dict.fromkeys(names) if each not in (PEOPLE, LENGTH, CHANCE)
    ]


def _standard_rows(
    sets: Sequence[KeptSet], metrics: Sequence[str]
) -> Iterator[tuple[KeptSet, KeptColumn, list[BenchCell | None]]]:
    """Yield each standard column of each set with the cells of people, metrics, length, chance."""
    for kept in sets:
        cells = {(each.column, each.metric): each for each in kept.cells}
        for column in kept.columns:
            if _is_standard(column, kept):
                names = (PEOPLE, *metrics, LENGTH, CHANCE)
                yield kept, column, [cells.get((column.name, name)) for name in names]


def in_words(cell: BenchCell | None, with_interval: bool = True) -> str:
    """Write a value times 100, with its interval; a dash where there is none."""
    if cell is None or isnan(cell.value):
        return NONE
    if with_interval:
        return percent_interval(cell.value, cell.low, cell.high)
    return fixed(percent(cell.value), 1)


def write_bench(sets: Sequence[KeptSet], folder: Path) -> None:
    """Write the tables of all sets into a folder."""
    cells = [cell for kept in sets for cell in kept.cells]
    (folder / "bench.csv").write_bytes(table_csv(cell_table(cells)))
    beside = [kept.beside_length.assign(set=kept.name) for kept in sets]
    length = pd.concat(beside)[["set", *beside[0].columns[:-1]]]
    (folder / "length.csv").write_bytes(table_csv(length))

    signatures = {kept.name: kept.signature for kept in sets}
    (folder / "bench.md").write_text(_markdown(sets, signatures), encoding="utf-8")
    (folder / "bench.tex").write_text(_latex(sets, signatures), encoding="utf-8")
    written = json.dumps({"sets": signatures}, indent=2, ensure_ascii=False)
    (folder / "report.json").write_text(f"{written}\n", encoding="utf-8")


def _markdown(sets: Sequence[KeptSet], signatures: dict[str, str]) -> str:
    metrics = _metrics_of(sets)
    header = ["set", "column", PEOPLE, *metrics, LENGTH, CHANCE]
    rows = []
    for kept, column, cells in _standard_rows(sets, metrics):
        texts = [f"{in_words(each)} {each.group if each else ''}" for each in cells]
        rows.append([in_markdown(text) for text in (kept.name, column.name, *texts)])
    table = markdown_table(
        [in_markdown(name) for name in header], rows, len(header) - 2
    )
    lines = [f"- {in_markdown(f'{name}: {line}')}" for name, line in signatures.items()]
    return "\n".join([table, in_markdown(HEADER), "", *lines, ""])


def _latex(sets: Sequence[KeptSet], signatures: dict[str, str]) -> str:
    metrics = _metrics_of(sets)
    header = ["set", "column", PEOPLE, *metrics, LENGTH, CHANCE]
    rows = []
    for kept, column, cells in _standard_rows(sets, metrics):
        values = [_in_latex(each) for each in cells]
        rows.append([in_latex(kept.name), in_latex(column.name), *values])
    names = [in_latex(name) for name in header]
    table = latex_table(names, rows, "ll" + "r" * (len(header) - 2))
    lines = [f"% {name}: {line}\n" for name, line in signatures.items()]
    return "".join(["% Package: booktabs\n", *lines, table, latex_note(HEADER)])


def _in_latex(cell: BenchCell | None) -> str:
    """Write a value with its letters above it; bold in the group of the best metric."""
    text = in_latex(in_words(cell, with_interval=False))
    if cell is None or not cell.group:
        return text
    value = rf"\textbf{{{text}}}" if "a" in cell.group else text
    return rf"{value}\textsuperscript{{{in_latex(cell.group)}}}"
