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
from tercet.analysis.tables.schema import CANDIDATES, PAIRS, RATINGS, REFERENCES, VOTES
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
    VOTE = "vote"
    RATER = "rater"


Roles = Mapping[str, Sequence[str]]
"""Role and label of columns, by their names.

The label of captions is their system, that of ratings their aspect, that of votes who voted.
"""


def columns_of(roles: Roles, role: Role) -> list[str]:
    """Return the columns with a role, in their order."""
    return [name for name, (own, _label) in roles.items() if own == role]


def tables_of(dialect: CsvDialect) -> list[Table]:
    """Return the tables that a wide table is read as; none of another file, or of faulty roles.

    Two systems with winners or votes are pairs; other captions are candidates to make pairs of.
    """
    roles = dialect.roles
    if not roles or any(faults_of(roles)):
        return []

    captions = columns_of(roles, Role.CAPTION)
    votes = columns_of(roles, Role.VOTE)
    is_judged = bool(votes or columns_of(roles, Role.WINNER))
    judged = PAIRS if is_judged and len(captions) == 2 else CANDIDATES

    tables = [REFERENCES] if columns_of(roles, Role.REFERENCE) else []
    if captions:
        tables.append(judged)
    if votes:
        tables.append(VOTES)
    if captions and columns_of(roles, Role.RATING):
        tables.append(RATINGS)
    return tables


def faults_of(roles: Roles) -> Iterator[Text]:
    """Say why a table cannot be read with these roles."""
    captions = columns_of(roles, Role.CAPTION)
    if len(columns_of(roles, Role.IMAGE)) != 1:
        yield _("Choose one column of images.")
    if not captions and not columns_of(roles, Role.REFERENCE):
        yield _("Choose at least one column of references or captions.")
    if _repeats_label(roles, Role.CAPTION):
        yield _("Give each column of captions the name of another system.")
    for role in (Role.WINNER, Role.CATEGORY, Role.RATER):
        if len(columns_of(roles, role)) > 1:
            yield _("Choose one column as {role}.", role=role.value)

    yield from _faults_of_judging(roles, len(captions))
    if columns_of(roles, Role.RATING) and not captions:
        yield _("Choose the captions that the ratings are of.")


def _faults_of_judging(roles: Roles, captions: int) -> Iterator[Text]:
    """Say why winners, votes and categories cannot be read."""
    winners = columns_of(roles, Role.WINNER)
    votes = columns_of(roles, Role.VOTE)
    categories = columns_of(roles, Role.CATEGORY)

    if (winners or votes or categories) and captions != 2:
        yield _(
            "Winners, votes and categories need exactly two columns of captions, B and C."
        )
    if categories and not winners and not votes:
        yield _("Choose the column of winners, or ignore the categories.")
    if winners and votes:
        yield _("Ignore the winners or the votes: votes decide who wins.")
    if _repeats_label(roles, Role.VOTE):
        yield _("Give each column of votes the name of another annotator.")
    if columns_of(roles, Role.RATER):
        if len(votes) > 1:
            yield _("Choose one column of votes: the rater of a line gave it.")
        if not votes and not columns_of(roles, Role.RATING):
            yield _("Choose the votes or ratings of the raters, or ignore the raters.")


def _repeats_label(roles: Roles, role: Role) -> bool:
    """Return whether columns with a role have no label, or the same."""
    names = columns_of(roles, role)
    labels = {roles[name][1].strip() for name in names}
    return len(labels) < len(names) or "" in labels


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


def _named_pairs(frame: pd.DataFrame, dialect: CsvDialect) -> pd.DataFrame:
    """Return the pairs: lines with a caption of both systems.

    They are named p1, p2, … in their order. Lines of several raters may be of one pair.
    """
    roles = dialect.roles
    b, c = columns_of(roles, Role.CAPTION)
    has_both = _is_filled(frame[b]) & _is_filled(frame[c])
    both = frame[has_both]

    rows = _filled(both, b, roles).rename(columns={"cell": "candidate_b"})
    rows["candidate_c"] = both[c]
    rows["source_b"] = roles[b][1]
    rows["source_c"] = roles[c][1]
    for category in columns_of(roles, Role.CATEGORY):
        rows["category"] = both[category]

    numbers = pd.Series(range(len(rows)), rows.index)
    if columns_of(roles, Role.VOTE) and columns_of(roles, Role.RATER):
        same = rows.groupby(["image", "candidate_b", "candidate_c"], sort=False)
        numbers = same.ngroup()
    rows["pair"] = "p" + (numbers + 1).astype("str")
    return rows


def _pairs(frame: pd.DataFrame, dialect: CsvDialect) -> Iterator[pd.DataFrame]:
    """Yield the pairs, with their winners if the table has some."""
    rows = _named_pairs(frame, dialect)
    for winner in columns_of(dialect.roles, Role.WINNER):
        rows["winner"] = _choices(frame.loc[rows.index, winner], dialect)
    yield rows.drop_duplicates("pair")


def _votes(frame: pd.DataFrame, dialect: CsvDialect) -> Iterator[pd.DataFrame]:
    """Yield the votes of each column: on the pairs, without a reference."""
    roles = dialect.roles
    pairs = _named_pairs(frame, dialect)
    for name in columns_of(roles, Role.VOTE):
        rows = pairs[["pair", "line"]].copy()
        rows["choice"] = _choices(frame.loc[rows.index, name], dialect)
        rows["annotator"] = roles[name][1]
        for rater in columns_of(roles, Role.RATER):
            rows["annotator"] = frame[rater]
        has_vote = rows["choice"] != ""
        yield rows[has_vote]


def _choices(cells: "pd.Series[str]", dialect: CsvDialect) -> "pd.Series[str]":
    """Return what winners or votes mean."""
    stripped = cells.str.strip()
    return stripped.map(lambda cell: dialect.winners.get(cell, cell))


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
        for rater in columns_of(roles, Role.RATER):
            rows["annotator"] = frame[rater]
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
    VOTES: _votes,
    RATINGS: _ratings,
}


def _notes(frame: pd.DataFrame, file: str, dialect: CsvDialect) -> Iterator[Text]:
    """Say what is read from where, and how many cells of texts are empty.

    Lines without an image and texts, as spreadsheets add at the end, are not counted.
    """
    references = columns_of(dialect.roles, Role.REFERENCE)
    captions = columns_of(dialect.roles, Role.CAPTION)
    if references:
        yield _(
            "{file}: columns {names} are read as references",
            file=file,
            names=shortened(", ".join(references), 300),
        )

    images = columns_of(dialect.roles, Role.IMAGE)
    is_filled = frame[[*images, *references, *captions]].apply(_is_filled)
    has_any = is_filled.any(axis=1)
    texts = is_filled.loc[has_any, [*references, *captions]].to_numpy()
    empty = texts.size - int(texts.sum())
    if empty:
        yield ngettext(
            "{file}: {count:,} empty cell of references and captions is left out",
            "{file}: {count:,} empty cells of references and captions are left out",
            empty,
            file=file,
        )
