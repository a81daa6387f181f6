"""A leaderboard as JSON, and as tables for papers and programs: CSV, LaTeX, Markdown."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from itertools import chain
from typing import Any

import pandas as pd

from tercet.analysis.leaderboard.board import (
    SYSTEM,
    Board,
    BoardColumn,
    CorpusFigure,
    Row,
)
from tercet.analysis.leaderboard.people import WinFraction
from tercet.analysis.leaderboard.rules import Count, Rules
from tercet.analysis.number_texts import written
from tercet.analysis.stats.scores.system_correlations import SystemCorrelation
from tercet.analysis.tables.csv_injection import escaped
from tercet.analysis.tables.csv_tables import csv_text
from tercet.analysis.tables.markup import (
    in_latex,
    in_markdown,
    latex_table,
    markdown_table,
)
from tercet.analysis.tables.schema import HUMAN

ALL = "all"
"""Stands for all references of an image; in the human row for all others."""
COLUMNS = (
    "system",
    "kind",
    "reference_count",
    "references_used",
    "images",
    "metric",
    "figure",
    "low",
    "high",
    "letters",
    "rank",
    "human_pairs",
    "human_fraction",
    "human_low",
    "human_high",
    "counts",
    "entrant",
)
DECIMALS = 3


def label(count: Count) -> str:
    """Write a reference count: the number, or all."""
    if count is None:
        return ALL
    return str(count)


def count_of(text: str) -> Count:
    """Read what `label` wrote; ValueError for anything else."""
    if text == ALL:
        return None
    return int(text)


def to_json(board: Board) -> str:
    """Write a board as JSON, for `read_json`."""
    rules = board.rules
    content = {
        "metrics": rules.names,
        "counts": list(map(label, rules.counts)),
        "seed": rules.seed,
        "columns": [_column_json(column) for column in board.columns],
        "rows": [_row_json(row) for row in board.rows],
    }

    return json.dumps(content, ensure_ascii=False, indent=1)


def read_json(text: str) -> Board:
    """Read a board from what `to_json` wrote."""
    content = json.loads(text)
    counts = tuple(map(count_of, content["counts"]))
    rules = Rules(tuple(content["metrics"]), counts, content["seed"])

    columns = tuple(map(_read_column, content["columns"]))
    return Board(rules, columns, tuple(map(_read_row, content["rows"])))


def _column_json(column: BoardColumn) -> dict[str, Any]:
    described = {
        "metric": column.metric,
        "reference_count": label(column.count),
        "correlations": list(map(asdict, column.correlations)),
    }
    return described | ({"mark": column.mark} if column.mark else {})


def _read_column(content: Mapping[str, Any]) -> BoardColumn:
    correlations = []
    for each in content["correlations"]:
        reason = each["reason"]
        if isinstance(reason, dict):  # as version 0.2 wrote it
            reason = reason["template"].format(**reason["values"])
        correlations.append(SystemCorrelation(**{**each, "reason": reason}))

    count = count_of(content["reference_count"])
    mark = content.get("mark", "")
    return BoardColumn(content["metric"], count, tuple(correlations), mark)


def _row_json(row: Row) -> dict[str, Any]:
    scores = []
    for count, cells in row.cells.items():
        figures = {metric: asdict(cell) for metric, cell in cells.items()}
        scores.append(_count_json(row, count) | {"figures": figures})

    people = row.people and asdict(row.people)
    return {
        "system": row.name,
        "kind": row.kind,
        "counts": row.counts,
        "entrant": row.entrant,
        "scores": scores,
        "people": people,
    }


def _count_json(row: Row, count: Count) -> dict[str, Any]:
    """Say with how many references how many images of a row were scored."""
    return {
        "reference_count": label(count),
        "references_used": label(row.used[count]),
        "images": row.images[count],
    }


def _read_row(content: Mapping[str, Any]) -> Row:
    cells, used, images = {}, {}, {}

    for each in content["scores"]:
        count = count_of(each["reference_count"])
        used[count] = count_of(each["references_used"])
        images[count] = each["images"]
        cells[count] = {
            metric: CorpusFigure(**cell) for metric, cell in each["figures"].items()
        }

    people = content["people"] and WinFraction(**content["people"])
    counts = content.get("counts", True)
    entrant = content.get("entrant", "")
    named = content["system"], content["kind"]
    return Row(*named, cells, used, images, people, counts, entrant)


def to_frame(board: Board) -> pd.DataFrame:
    """Return a row for each figure, with the columns `COLUMNS` (docs/challenges.md)."""
    rows = chain.from_iterable(map(_figures, board.rows))
    frame = pd.DataFrame(rows, columns=pd.Index(COLUMNS))
    return frame.astype({"rank": "Int64", "human_pairs": "Int64"})


def _figures(row: Row) -> Iterator[dict[str, Any]]:
    """Yield the rows of a system, by reference count and metric."""
    people = asdict(row.people) if row.people else {}
    named = {"system": row.name, "kind": row.kind, "entrant": row.entrant}
    named["counts"] = _counts(row)
    named |= {f"human_{name}": value for name, value in people.items()}

    for count, cells in row.cells.items():
        of_count = named | _count_json(row, count)
        for metric, cell in cells.items():
            yield {**of_count, "metric": metric, **asdict(cell)}


def _counts(row: Row) -> str:
    """Write whether a system is ranked; nothing for other rows."""
    if row.kind != SYSTEM:
        return ""
    return "yes" if row.counts else "no"


def to_csv(board: Board) -> str:
    """Write all figures as CSV, one a row; names that a spreadsheet would run are escaped."""
    frame = escaped(to_frame(board))
    return csv_text(frame, COLUMNS)


def to_markdown(board: Board, by: str, count: Count) -> str:
    """Write the figures of a reference count as a Markdown table, sorted by a metric."""
    header, *rows = _words(board, by, count, in_markdown)
    return markdown_table(header, rows, numbers=len(header) - 1)


def to_latex(board: Board, by: str, count: Count) -> str:
    """Write the figures of a reference count as a LaTeX table (booktabs), sorted by a metric."""
    header, *rows = _words(board, by, count, in_latex)
    return latex_table(header, rows, f"l{'r' * (len(header) - 1)}")


def _words(
    board: Board, by: str, count: Count, escaped_text: Callable[[str], str]
) -> Iterator[list[str]]:
    """Yield the header, then the cells of each row: figures in words, the human column last.

    `escaped_text` writes names on one line, their special characters escaped.
    """
    names = board.rules.names
    rows = board.sorted_rows(by, count)
    asked = ["People"] if any(row.people for row in rows) else []

    titles = [board.column(name, count).title for name in names]
    yield ["System", *(escaped_text(title) for title in titles), *asked]

    for row in rows:
        cells = [_figure(row.cells[count][name]) for name in names]
        if asked:
            fraction = row.people and written(row.people.fraction, f".{DECIMALS}f")
            cells.append(fraction or "")
        yield [escaped_text(_named(row, count)), *cells]


def _named(row: Row, count: Count) -> str:
    """Name a row; the human row with the number of references that scored it."""
    if row.kind != HUMAN:
        return row.name if row.counts else f"{row.name} (not ranked)"

    used = row.used[count]
    return f"{row.name} ({used or 'all other'} references)"


def _figure(cell: CorpusFigure) -> str:
    figure = written(cell.figure, f".{DECIMALS}f")
    return f"{figure} {cell.letters}".rstrip()
