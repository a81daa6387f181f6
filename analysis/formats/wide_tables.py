"""Wide tables: an image a line, with references and captions of systems in columns of their own.

A table for people's own spreadsheets. What it holds is read as several of our tables, whose
problems keep the lines of the file.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path

import pandas as pd

from tercet.analysis.formats.entries import read_table
from tercet.analysis.progress import Progress
from tercet.analysis.tables import limits
from tercet.analysis.tables.csv_tables import (
    BYTES_PER_CELL,
    CsvDialect,
    Problem,
    Sheet,
    Table,
    shortened,
)
from tercet.analysis.tables.schema import CANDIDATES, PAIRS, RATINGS, REFERENCES
from tercet.analysis.texts import Text, ngettext
from tercet.analysis.texts import gettext as _

WIDE = "wide table"
"""The table of the dialect of such a file."""


class Role(StrEnum):
    """What a column of a wide table holds."""

    IMAGE = "image"
    REFERENCE = "reference"
    CAPTION = "caption"
    CATEGORY = "category"
    WINNER = "winner"
    RATING = "rating"


Roles = Mapping[str, Sequence[str]]
"""Role and label of columns, by their names: of captions their system, of ratings their aspect."""


def columns_of(roles: Roles, role: Role) -> list[str]:
    """Return the columns with a role, in their order."""
    return [name for name, (own, _label) in roles.items() if own == role]


def tables_of(dialect: CsvDialect) -> list[Table]:
    """Return the tables that a wide table is read as; none of another file, or of faulty roles.

    Two systems with a winner are pairs; other captions are candidates to make pairs of.
    """
    roles = dialect.roles
    if not roles or any(faults_of(roles)):
        return []

    captions = columns_of(roles, Role.CAPTION)
    is_judged = bool(columns_of(roles, Role.WINNER))
    judged = PAIRS if is_judged and len(captions) == 2 else CANDIDATES

    tables = [REFERENCES] if columns_of(roles, Role.REFERENCE) else []
    if captions:
        tables.append(judged)
    if captions and columns_of(roles, Role.RATING):
        tables.append(RATINGS)
    return tables


def faults_of(roles: Roles) -> Iterator[Text]:
    """Say why a table cannot be read with these roles."""
    captions = columns_of(roles, Role.CAPTION)
    labels = [roles[name][1] for name in captions]
    systems = {label.strip() for label in labels}

    if len(columns_of(roles, Role.IMAGE)) != 1:
        yield _("Choose one column of images.")
    if not captions and not columns_of(roles, Role.REFERENCE):
        yield _("Choose at least one column of references or captions.")
    if len(systems) < len(captions) or "" in systems:
        yield _("Give each column of captions the name of another system.")

    judging = columns_of(roles, Role.WINNER) + columns_of(roles, Role.CATEGORY)
    if judging and len(captions) != 2:
        yield _("Winners and categories need exactly two columns of captions, B and C.")
    for role in (Role.WINNER, Role.CATEGORY):
        if len(columns_of(roles, role)) > 1:
            yield _("Choose one column as {role}.", role=role.value)
    if columns_of(roles, Role.CATEGORY) and not columns_of(roles, Role.WINNER):
        yield _("Choose the column of winners, or ignore the categories.")
    if columns_of(roles, Role.RATING) and not captions:
        yield _("Choose the captions that the ratings are of.")


def read_wide(
    path: Path, table: Table, dialect: CsvDialect, progress: Progress, memory: int
) -> Sheet:
    """Read one of our tables from a wide table.

    Parameters
    ----------
    path
        The file.
    table
        One of `tables_of` the dialect. Problems and warnings of the file are those of the first.
    dialect, progress, memory
        As for `read_table`. Empty cells hold no reference, caption or rating.
    """
    whole = Table(path.name, tuple(dialect.roles))
    plain = replace(dialect, columns={})
    sheet = read_table(path, whole, progress, plain, memory)
    if not sheet.readable:
        problems = sheet.problems if table == tables_of(dialect)[0] else []
        return replace(table.unreadable(), problems=problems)

    parts = list(_PARTS[table](sheet.frame, dialect))
    count = sum(map(len, parts))
    if count > limits.MAX_ROWS:
        return table.unreadable(_too_many(path, count))

    rows = pd.concat(parts)
    frame = rows.sort_index(kind="stable").reset_index(drop=True)
    if table == PAIRS:
        numbers = range(1, len(frame) + 1)
        frame["pair"] = [f"p{number}" for number in numbers]
    for name in table.columns:
        if name not in frame:
            frame[name] = ""

    size = sheet.size + BYTES_PER_CELL * len(table.columns) * len(frame)
    made = replace(sheet, frame=frame[[*table.columns, "line"]], size=size)
    if table != tables_of(dialect)[0]:
        return replace(made, problems=[], warnings=[], more=0)

    notes = [*sheet.warnings, *_notes(sheet.frame, path.name, dialect)]
    return replace(made, warnings=notes)


def _too_many(path: Path, count: int) -> Problem:
    what = _(
        "has {count:,} references or captions, more than {limit:,}",
        count=count,
        limit=limits.MAX_ROWS,
    )
    return Problem(path.name, what, _("Split the dataset into several"))


def _filled(frame: pd.DataFrame, name: str, roles: Roles) -> pd.DataFrame:
    """Return image, cell and line of the cells of a column that are not empty."""
    [image] = columns_of(roles, Role.IMAGE)
    cells = frame[name]
    rows = frame[_is_filled(cells)]
    names = {image: "image", name: "cell"}
    columns = [image, name, "line"]
    return rows[columns].rename(columns=names)


def _is_filled(cells: "pd.Series[str]") -> "pd.Series[bool]":
    return cells.str.strip() != ""


def _references(frame: pd.DataFrame, dialect: CsvDialect) -> Iterator[pd.DataFrame]:
    """Yield the references of each column: on several lines of an image, each of them once."""
    roles = dialect.roles
    for name in columns_of(roles, Role.REFERENCE):
        rows = _filled(frame, name, roles).rename(columns={"cell": "caption"})
        yield rows.drop_duplicates(["image", "caption"])


def _candidates(frame: pd.DataFrame, dialect: CsvDialect) -> Iterator[pd.DataFrame]:
    roles = dialect.roles
    for name in columns_of(roles, Role.CAPTION):
        rows = _filled(frame, name, roles).rename(columns={"cell": "caption"})
        yield rows.assign(source=roles[name][1])


def _pairs(frame: pd.DataFrame, dialect: CsvDialect) -> Iterator[pd.DataFrame]:
    """Yield the pairs: lines with a caption of both systems."""
    roles = dialect.roles
    b, c = columns_of(roles, Role.CAPTION)
    [winner] = columns_of(roles, Role.WINNER)
    has_both = _is_filled(frame[b]) & _is_filled(frame[c])
    both = frame[has_both]

    rows = _filled(both, b, roles).rename(columns={"cell": "candidate_b"})
    rows["candidate_c"] = both[c]
    rows["source_b"] = roles[b][1]
    rows["source_c"] = roles[c][1]
    cells = both[winner].str.strip()
    rows["winner"] = cells.map(lambda cell: dialect.winners.get(cell, cell))
    for category in columns_of(roles, Role.CATEGORY):
        rows["category"] = both[category]
    yield rows


def _ratings(frame: pd.DataFrame, dialect: CsvDialect) -> Iterator[pd.DataFrame]:
    """Yield the ratings of each column, of the captions that it follows."""
    roles = dialect.roles
    for name in columns_of(roles, Role.RATING):
        captions = rated_captions(roles, name)
        rows = _filled(frame, name, roles).rename(columns={"cell": "rating"})
        rows["caption"] = frame[captions]
        ratings = rows["rating"].str.strip()
        rows["rating"] = ratings.str.replace(",", ".")
        rows["source"] = roles[captions][1]
        rows["aspect"] = roles[name][1]
        is_rated = _is_filled(rows["caption"])
        yield rows[is_rated]


def rated_captions(roles: Roles, rating: str) -> str:
    """Return the captions that a column of ratings is of: those before it, or the first."""
    names = list(roles)
    captions = columns_of(roles, Role.CAPTION)
    before = names[: names.index(rating)]
    return next((name for name in reversed(before) if name in captions), captions[0])


_PARTS = {
    REFERENCES: _references,
    CANDIDATES: _candidates,
    PAIRS: _pairs,
    RATINGS: _ratings,
}


def _notes(frame: pd.DataFrame, file: str, dialect: CsvDialect) -> Iterator[Text]:
    """Say what is read from where, and how many cells of texts are empty."""
    references = columns_of(dialect.roles, Role.REFERENCE)
    captions = columns_of(dialect.roles, Role.CAPTION)
    if references:
        yield _(
            "{file}: columns {names} are read as references",
            file=file,
            names=shortened(", ".join(references), 300),
        )

    texts = frame[[*references, *captions]]
    is_filled = texts.apply(_is_filled)
    filled = int(is_filled.to_numpy().sum())
    empty = texts.size - filled
    if empty:
        yield ngettext(
            "{file}: {count:,} empty cell of references and captions is left out",
            "{file}: {count:,} empty cells of references and captions are left out",
            empty,
            file=file,
        )
