"""Make a dataset of pandas frames, with the checks of a dataset folder."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from tercet.analysis.dataset.checks import warnings_of
from tercet.analysis.dataset.folder import assembled, problems_of_tables
from tercet.analysis.tables.csv_tables import (
    FaultyDataset,
    Problem,
    Problems,
    Sheet,
    Table,
    with_other_line,
)
from tercet.analysis.tables.schema import (
    ALL_TABLES,
    CANDIDATES,
    PAIRS,
    RATINGS,
    REFERENCES,
    Dataset,
)
from tercet.analysis.tables.settings import check_settings, upgraded
from tercet.analysis.tables.sheets import rows_of, sheet_of
from tercet.metrics.core.warned import warn

_OF_ROWS = {
    "Fill it in or remove the line": "Fill it in or remove the row",
    "Remove one of the lines": "Remove one of the rows",
    "Keep one of the lines": "Keep one of the rows",
    "Give each image one line": "Give each image one row",
    "An annotator has one vote per triplet: keep one of the lines": (
        "An annotator has one vote per triplet: keep one of the rows"
    ),
}
"""What is said of the rows of frames, by what is said of the lines of files."""


def dataset_of(
    frames: Mapping[str, pd.DataFrame],
    info: Mapping[str, object],
    study: Mapping[str, Any],
) -> Dataset:
    """Make a dataset of frames by the names of their tables; see `Dataset.from_frames`."""
    known = [table.name for table in ALL_TABLES]
    for name, frame in frames.items():
        if name not in known:
            raise TypeError(f"There is no table {name!r}, only {', '.join(known)}.")
        if not isinstance(frame, pd.DataFrame):
            raise TypeError(f"{name}: give a pandas DataFrame, not {type(frame)}.")

    sheets = {table: _sheet(frames.get(table.name), table) for table in ALL_TABLES}
    study, notes = upgraded(study)
    dataset = assembled("", sheets, info, study)

    faults = [*_missing(frames), *check_settings(info, study)]
    problems = problems_of_tables(dataset, sheets, faults)
    if problems.kept:
        in_frames = [_in_frame(problem) for problem in problems.kept]
        raise FaultyDataset(in_frames, problems.more)

    of_sheets = [text for sheet in sheets.values() for text in sheet.warnings]
    for text in (*of_sheets, *notes, *warnings_of(dataset)):
        warn(str(text))
    return dataset


def _sheet(frame: pd.DataFrame | None, table: Table) -> Sheet:
    """Return the cells of a frame as text; rows are counted from 1."""
    if frame is None:
        return Sheet(table.empty())

    problems = Problems()
    names = [str(name) for name in frame.columns]
    values = frame.astype(object).where(frame.notna(), None)
    rows = (dict(zip(names, row, strict=True)) for row in values.to_numpy())

    entries = enumerate(rows, 1)
    return sheet_of(
        rows_of(names, entries, table.file, problems, table.columns), table, problems
    )


def _missing(frames: Mapping[str, pd.DataFrame]) -> list[Problem]:
    """Return a problem for each frame that a dataset needs."""
    problems = []
    if REFERENCES.name not in frames:
        remedy = f"Give {REFERENCES.name} with the columns image, caption"
        problems.append(Problem(REFERENCES.file, "is missing", remedy))

    judged = [table.name for table in (PAIRS, CANDIDATES, RATINGS)]
    if frames.keys().isdisjoint(judged):
        remedy = (
            f"Add it, or {CANDIDATES.name} to generate pairs from, or {RATINGS.name}"
        )
        problems.append(Problem(PAIRS.file, "is missing", remedy))

    return problems


def _in_frame(problem: Problem) -> Problem:
    """Return a problem with the name of its frame instead of a file's, and rows for lines."""
    name = problem.file.removesuffix(".csv")
    if name == problem.file:
        return problem

    what = with_other_line(problem.what, "row {}".format)
    remedy = _OF_ROWS.get(problem.remedy, problem.remedy)
    return replace(problem, file=name, what=what, remedy=remedy, is_row=True)
