"""Write the files of a bench: tables, plots, and a page that needs no other file."""

import json
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import FileSystemLoader
from markupsafe import Markup

from tercet.analysis.bench import advice
from tercet.analysis.bench.across import across
from tercet.analysis.bench.cells import CHANCE, cell_table
from tercet.analysis.bench.kept import BEST_COLUMNS, LENGTH_COLUMNS, KeptSet
from tercet.analysis.bench.sentences import sentences
from tercet.analysis.bench.tables import (
    HEADER,
    MEANINGS,
    StandardRow,
    in_words,
    latex,
    markdown,
    raters,
    standard_table,
)
from tercet.analysis.bench.verdicts import with_verdicts
from tercet.analysis.figures.correlations import ratings_figure
from tercet.analysis.figures.formats import FOR_PHONES, unbroken
from tercet.analysis.figures.style import Look, render
from tercet.analysis.number_texts import fixed
from tercet.analysis.report.folder import FOLDER, TEMPLATES, table_csv
from tercet.analysis.report.plots import inlined
from tercet.analysis.tables.schema import PEOPLE
from tercet.analysis.values import in_cell, percent_interval

_PANELS = 4
"""Columns of a set that its plot shows."""
_PHONE_WIDTH = 3.6
_FOLDERS = (Path(__file__).parent / "templates", FOLDER)
_TEMPLATES = TEMPLATES.overlay(loader=FileSystemLoader(_FOLDERS))


def write_bench(sets: Sequence[KeptSet], folder: Path) -> None:
    """Write the files of all sets into a folder."""
    said = {kept.name: [*sentences(kept)] for kept in sets}
    averages = across(sets)
    found = [*advice.evidence(sets)]
    length = [row for kept in sets for row in kept.length]
    best = [row for kept in sets for row in kept.best]
    cells = with_verdicts([cell for kept in sets for cell in kept.cells])
    described = {
        kept.name: {"signature": kept.signature, "sentences": said[kept.name]}
        for kept in sets
    }
    files = {
        "bench.csv": table_csv(cell_table(cells)),
        "length.csv": table_csv(pd.DataFrame(length, columns=list(LENGTH_COLUMNS))),
        "across.csv": table_csv(averages),
        "best.csv": table_csv(pd.DataFrame(best, columns=list(BEST_COLUMNS))),
        "uses.csv": table_csv(pd.DataFrame(found, columns=advice.Evidence._fields)),
        "bench.md": markdown(sets, said).encode(),
        "bench.tex": latex(sets).encode(),
        "report.json": f"{json.dumps({'sets': described}, indent=2)}\n".encode(),
    }
    for kept in sets:
        files |= _plots(kept)
    for name, content in files.items():
        (folder / name).write_bytes(content)

    by_name = {kept.name: kept for kept in sets}
    page = _rendered("advice.html", advice=advice, found=found, sets=by_name)
    (folder / "advice.html").write_text(page, encoding="utf-8")
    index = _page(sets, said, averages, folder)
    (folder / "index.html").write_text(index, encoding="utf-8")


def _plots(kept: KeptSet) -> Iterator[tuple[str, bytes]]:
    """Yield the plot of a set, and its shape for phones, with their names; none without values."""
    shown = [row.column for row in standard_table([kept])][:_PANELS]
    cells = [cell for cell in kept.cells if cell.column in shown]
    table = cell_table(cells).rename(columns={"column": "coefficient"})
    people = table[table["metric"] == PEOPLE].dropna(subset="value")
    metrics = table[~table["metric"].isin([PEOPLE, CHANCE])]
    if metrics["value"].notna().any():
        draw = partial(ratings_figure, metrics, people, by=kept.leading, label="× 100")  # noqa: RUF001
        name = _plot_name(kept)
        yield f"{name}.svg", render(draw(), "svg", kept.signature, name)
        narrow = draw(look=Look(width=_PHONE_WIDTH))
        svg = render(narrow, "svg", kept.signature, f"{name}-narrow")
        yield FOR_PHONES.format(name=name), svg


def _plot_name(kept: KeptSet) -> str:
    return f"plot-{kept.name}"


def _page(
    sets: Sequence[KeptSet],
    said: dict[str, list[str]],
    averages: pd.DataFrame,
    folder: Path,
) -> str:
    """Return the page of all sets."""
    style = (FOLDER / "static" / "plots.css").read_text(encoding="utf-8")
    described = [
        {
            "kept": kept,
            "sentences": said[kept.name],
            "rows": [*_rows_of(kept)],
            "plot": inlined(folder, _plot_name(kept)),
        }
        for kept in sets
    ]
    return _rendered(
        "bench.html",
        raters=raters(sets),
        standard=[*standard_table(sets)],
        sets=described,
        averages=[*_averages(averages)],
        plot_style=Markup(style),
    )


def _rendered(template: str, **context: Any) -> str:
    written = _TEMPLATES.get_template(template).render(
        header=HEADER,
        meanings=MEANINGS,
        in_words=lambda cell: in_cell(in_words(cell)),
        **context,
    )
    return unbroken(written)


def _rows_of(kept: KeptSet) -> Iterator[StandardRow]:
    """Yield the lines of the whole table of a set: a rater in each of its columns."""
    by_column = [kept.in_column(column) for column in kept.scales]
    for rater in by_column[0]:
        yield StandardRow(kept, rater, [cells.get(rater) for cells in by_column])


def _averages(table: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield the rows of across.csv in words."""
    for row in table.to_dict("records"):
        ranks = [fixed(row[each], 1) for each in ("mean_rank", "rank_low", "rank_high")]
        yield {
            **{str(name): each for name, each in row.items()},
            "mean": percent_interval(row["mean"], row["low"], row["high"]),
            "mean_rank": f"{ranks[0]} [{ranks[1]}, {ranks[2]}]",
        }
