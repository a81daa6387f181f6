"""The tables of a bench, as files and as rows of texts for its page."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan

from tercet.analysis.bench.cells import CHANCE, LENGTH, BenchCell
from tercet.analysis.bench.kept import KeptSet
from tercet.analysis.bench.rating_columns import TAU_A
from tercet.analysis.bench.tied_columns import BY_IMAGE
from tercet.analysis.number_texts import fixed, percent
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
    "a letter cannot be told apart in that column (sign flips over images, step-down maxT). "
    "people: one rater, or the votes on one reference, against the others. chance: scores that are "
    "exchanged at random."
)
MEANINGS = {
    "accuracy": "share of pairs; a tie of people or of the metric is half a credit (CIDEr paper)",
    "tau_a": "Kendall's (concordant - discordant) / all pairs of rows",
    "tau_b": "Kendall's tau b",
    "tau_c": "Kendall's tau c (Stuart)",
    "Spearman": "Spearman's rho",
    "Pearson": "Pearson's r",
    "acc_eq": "share of pairs, ties calibrated (Deutsch et al. 2023); of all pairs",
    "acc_eq by image": "the same, averaged over images",
    "ties as people": "share of pairs; the metric ties as often as people (CapArena)",
    "systems": "Spearman's rho of how systems do, by people and by the metric",
    "SPA": "soft pairwise accuracy of the systems (Thompson et al. 2024)",
}
"""What the values of a scale are."""


@dataclass(frozen=True)
class StandardRow:
    """A line of the standard table: a column of a set, and its cells by people and metrics."""

    kept: KeptSet
    column: str
    cells: Sequence[BenchCell | None]


def raters(sets: Sequence[KeptSet]) -> list[str]:
    """Return people, all metrics, those of the first set and its best first, length and chance."""
    beside = (PEOPLE, LENGTH, CHANCE)
    names = dict.fromkeys(cell.metric for kept in sets for cell in kept.cells)
    metrics = [name for name in names if name not in beside]
    return [PEOPLE, *metrics, LENGTH, CHANCE]


def standard_table(sets: Sequence[KeptSet]) -> Iterator[StandardRow]:
    """Yield the standard columns of each set: accuracies, and of coefficients the chosen one."""
    names = raters(sets)
    for kept in sets:
        further = {*COEFFICIENTS, TAU_A, BY_IMAGE} - {kept.scales[kept.leading]}
        for column, scale in kept.scales.items():
            if scale not in further:
                cells = kept.in_column(column)
                yield StandardRow(kept, column, [*map(cells.get, names)])


def in_words(cell: BenchCell | None) -> str:
    """Write a value times 100 with its interval; a dash where there is none."""
    if cell is None or isnan(cell.value):
        return NONE
    return percent_interval(cell.value, cell.low, cell.high)


def markdown(sets: Sequence[KeptSet], said: Mapping[str, Sequence[str]]) -> str:
    """Return the sentences of each set, the standard table, and the signatures, as Markdown."""
    names = ["set", "column", *raters(sets)]
    rows = []
    for row in standard_table(sets):
        texts = [f"{in_words(each)} {each.group if each else ''}" for each in row.cells]
        rows.append([in_markdown(text) for text in (row.kept.name, row.column, *texts)])
    table = markdown_table([*map(in_markdown, names)], rows, len(names) - 2)
    about = [
        f"- {in_markdown(f'{set_}: ' + ' '.join(own))}" for set_, own in said.items()
    ]
    lines = [f"- {in_markdown(f'{each.name}: {each.signature}')}" for each in sets]
    return "\n".join([*about, "", table, in_markdown(HEADER), "", *lines, ""])


def latex(sets: Sequence[KeptSet]) -> str:
    """Return the standard table as LaTeX, values with the letters of their groups."""
    names = ["set", "column", *raters(sets)]
    rows = []
    for row in standard_table(sets):
        named = (in_latex(row.kept.name), in_latex(row.column))
        rows.append([*named, *map(_in_latex, row.cells)])
    table = latex_table([*map(in_latex, names)], rows, "ll" + "r" * (len(names) - 2))
    lines = [f"% {each.name}: {each.signature}\n" for each in sets]
    note = latex_note(HEADER.replace(", with 95 % intervals over images", ""))
    return "".join(["% Package: booktabs\n", *lines, table, note])


def _in_latex(cell: BenchCell | None) -> str:
    """Write a value with its letters above it; bold in the group of the best metric."""
    if cell is None or isnan(cell.value):
        return "--"
    text = in_latex(fixed(percent(cell.value), 1))
    value = rf"\textbf{{{text}}}" if cell.is_best else text
    return rf"{value}\textsuperscript{{{cell.group}}}" if cell.group else value
