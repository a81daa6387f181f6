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
    Sheet,
    Table,
    with_other_line,
)
from tercet.analysis.tables.file_tables import table_of_values
from tercet.analysis.tables.schema import (
    ALL_TABLES,
    CANDIDATES,
    PAIRS,
    RATINGS,
    REFERENCES,
)
from tercet.analysis.tables.schema import Dataset as Dataset
from tercet.analysis.tables.settings import check_settings, needs_references, upgraded
from tercet.analysis.tables.sheets import sheet_of_table
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


def from_frames(
    *,
    info: Mapping[str, object] | None = None,
    study: Mapping[str, Any] | None = None,
    **frames: pd.DataFrame,
) -> Dataset:
    """Make a dataset of pandas frames, with the checks of a dataset folder.

    Files of images are not looked for. What is odd, such as an unknown column, is a warning.

    Parameters
    ----------
    info, study : mapping, optional
        The settings of dataset.json and study.json.
    **frames : DataFrame
        By name: references, and pairs, candidates or ratings; further votes, scores and the
        other tables of a dataset folder, with the columns of their files. Missing values (None,
        NaN, NA) are empty cells.

    Returns
    -------
    Dataset

    Raises
    ------
    FaultyDataset
        With frame, row (from 1), column, value and remedy of every problem.
    TypeError
        If there is no table of a name, or a value is no frame.

    Examples
    --------
    >>> references = pd.DataFrame({"image": ["a", "a"], "caption": ["a dog", "a black dog"]})
    >>> ratings = pd.DataFrame({"image": ["a"], "caption": ["dog"], "rating": [3.5]})
    >>> Dataset.from_frames(references=references, ratings=ratings)
    Dataset(2 references, 1 ratings)
    """
    known = [table.name for table in ALL_TABLES]
    for name, frame in frames.items():
        if name not in known:
            raise TypeError(f"There is no table {name!r}, only {', '.join(known)}.")
        if not isinstance(frame, pd.DataFrame):
            raise TypeError(f"{name}: give a pandas DataFrame, not {type(frame)}.")

    sheets = {table: _sheet(frames.get(table.name), table) for table in ALL_TABLES}
    info = info or {}
    study, notes = upgraded(study or {})
    dataset = assembled("", sheets, info, study)

    missing = _missing(frames) if needs_references(study) else []
    faults = [*missing, *check_settings(info, study)]
    problems = problems_of_tables(dataset, sheets, faults)
    if problems.kept:
        in_frames = [_in_frame(problem) for problem in problems.kept]
        raise FaultyDataset(in_frames, problems.more)

    of_sheets = [text for sheet in sheets.values() for text in sheet.warnings]
    for text in (*of_sheets, *notes, *warnings_of(dataset)):
        warn(str(text))
    return dataset


Dataset.from_frames = from_frames


def _sheet(frame: pd.DataFrame | None, table: Table) -> Sheet:
    """Return the cells of a frame as text; rows are counted from 1."""
    if frame is None:
        return Sheet(table.empty())

    names = [str(name) for name in frame.columns]
    values = frame.astype(object).where(frame.notna(), None)
    rows = (dict(zip(names, row, strict=True)) for row in values.to_numpy())
    found = table_of_values(table.file, names, enumerate(rows, 1))
    return sheet_of_table(found, table)


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
