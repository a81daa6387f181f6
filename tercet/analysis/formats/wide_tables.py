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
from tercet.analysis.number_texts import plural
from tercet.analysis.progress import Progress
from tercet.analysis.tables import limits
from tercet.analysis.tables.csv_tables import (
    BYTES_PER_CELL,
    CsvDialect,
    Problem,
    Sheet,
    Table,
    origin,
    shortened,
)
from tercet.analysis.tables.schema import CANDIDATES, PAIRS, RATINGS, REFERENCES, VOTES

WIDE = "wide table"
"""The table of the dialect of such a file."""


class Role(StrEnum):
    """What a column of a wide table holds."""

    IMAGE = "image"
    REFERENCE = "reference"
    CAPTION = "caption"
    PAIR = "pair"
    CATEGORY = "category"
    SOURCE_B = "source_b"
    SOURCE_C = "source_c"
    WINNER = "winner"
    RATING = "rating"
    VOTE = "vote"
    RATER = "rater"


_OF_PAIRS = (Role.CATEGORY, Role.SOURCE_B, Role.SOURCE_C)
_ONCE = (Role.PAIR, Role.WINNER, Role.RATER, *_OF_PAIRS)
"""Roles of one column at most."""

Roles = Mapping[str, Sequence[str]]
"""Role and label of columns, by their names.

The label of captions is their system, that of ratings their aspect, that of votes who voted.
"""


def columns_of(roles: Roles, role: Role) -> list[str]:
    """Return the columns with a role, in their order."""
    return [name for name, (own, _label) in roles.items() if own == role]


def columns_named(roles: Roles) -> dict[str, str]:
    """Return the columns of the file that are one of ours, by our names."""
    names = {Role.RATER.value: "annotator"}
    once = (Role.IMAGE, *_ONCE)
    columns = {}
    for role in once:
        for name in columns_of(roles, role):
            columns[names.get(role, role.value)] = name

    captions = columns_of(roles, Role.CAPTION)
    if len(captions) == 2:
        columns |= zip(("candidate_b", "candidate_c"), captions, strict=True)
    return columns


def tables_of(dialect: CsvDialect) -> list[Table]:
    """Return the tables that a wide table is read as; none of another file, or of faulty roles.

    Two columns of captions with winners, votes or names of pairs are pairs; other captions are
    candidates to make pairs of.
    """
    roles = dialect.roles
    if not roles or any(faults_of(roles)):
        return []

    captions = columns_of(roles, Role.CAPTION)
    are_pairs = len(captions) == 2 and _says_pairs(roles)
    tables = [REFERENCES] if columns_of(roles, Role.REFERENCE) else []
    if captions:
        tables.append(PAIRS if are_pairs else CANDIDATES)
    if columns_of(roles, Role.VOTE):
        tables.append(VOTES)
    if captions and columns_of(roles, Role.RATING):
        tables.append(RATINGS)
    return tables


def _says_pairs(roles: Roles) -> bool:
    """Return whether a column says that two captions of a line are a pair."""
    saying = (Role.PAIR, Role.WINNER, Role.VOTE)
    return any(columns_of(roles, role) for role in saying)


def faults_of(roles: Roles) -> Iterator[str]:
    """Say why a table cannot be read with these roles."""
    captions = columns_of(roles, Role.CAPTION)
    if len(columns_of(roles, Role.IMAGE)) != 1:
        yield "Choose one column of images."
    if not captions and not columns_of(roles, Role.REFERENCE):
        yield "Choose at least one column of references or captions."
    if _repeats_label(roles, Role.CAPTION):
        yield "Give each column of captions the name of another system."
    for role in _ONCE:
        if len(columns_of(roles, role)) > 1:
            yield f"Choose one column as {role.value}."

    yield from _faults_of_judging(roles, len(captions))
    if columns_of(roles, Role.RATING) and not captions:
        yield "Choose the captions that the ratings are of."


def _faults_of_judging(roles: Roles, captions: int) -> Iterator[str]:
    """Say why winners, votes, categories and systems of pairs cannot be read."""
    winners = columns_of(roles, Role.WINNER)
    votes = columns_of(roles, Role.VOTE)
    describes = any(columns_of(roles, role) for role in _OF_PAIRS)

    if (winners or votes or describes) and captions != 2:
        yield (
            "Winners, votes, categories and columns of systems need exactly two columns of "
            "captions, B and C."
        )
    if describes and not _says_pairs(roles):
        yield (
            "Choose the column of winners or of the names of pairs, or ignore categories and "
            "columns of systems."
        )
    if winners and votes:
        yield "Ignore the winners or the votes: votes decide who wins."
    if _repeats_label(roles, Role.VOTE):
        yield "Give each column of votes the name of another annotator."
    if columns_of(roles, Role.RATER):
        if len(votes) > 1:
            yield "Choose one column of votes: the rater of a line gave it."
        if not votes and not columns_of(roles, Role.RATING):
            yield "Choose the votes or ratings of the raters, or ignore the raters."


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
    kept = [*table.columns, *map(origin, table.columns), "line"]
    made = replace(sheet, frame=frame.filter(kept), size=size)
    if table != tables_of(dialect)[0]:
        return replace(made, problems=[], warnings=[], more=0)

    notes = [*sheet.warnings, *_notes(sheet.frame, path.name, dialect)]
    return replace(made, warnings=notes)


def _too_many(path: Path, count: int) -> Problem:
    what = f"has {count:,} references or captions, more than {limits.MAX_ROWS:,}"
    return Problem(path.name, what, "Split the dataset into several")


def _filled(frame: pd.DataFrame, name: str, roles: Roles) -> pd.DataFrame:
    """Return image, cell and line of the cells of a column that are not empty."""
    [image] = columns_of(roles, Role.IMAGE)
    cells = frame[name]
    rows = frame[_is_filled(cells)]
    names = {image: "image", name: "cell"}
    columns = [image, name, "line"]
    return rows[columns].rename(columns=names)


def _captions(frame: pd.DataFrame, name: str, roles: Roles) -> pd.DataFrame:
    """Return image, caption and line of the cells of a column, with its name."""
    rows = _filled(frame, name, roles).rename(columns={"cell": "caption"})
    return rows.assign(**{origin("caption"): name})


def _is_filled(cells: "pd.Series[str]") -> "pd.Series[bool]":
    return cells.str.strip() != ""


def _references(frame: pd.DataFrame, dialect: CsvDialect) -> Iterator[pd.DataFrame]:
    """Yield the references of each column: on several lines of an image, each of them once."""
    roles = dialect.roles
    for name in columns_of(roles, Role.REFERENCE):
        rows = _captions(frame, name, roles)
        yield rows.drop_duplicates(["image", "caption"])


def _candidates(frame: pd.DataFrame, dialect: CsvDialect) -> Iterator[pd.DataFrame]:
    roles = dialect.roles
    for name in columns_of(roles, Role.CAPTION):
        rows = _captions(frame, name, roles)
        yield rows.assign(source=roles[name][1])


_SHOWN = ["image", "candidate_b", "candidate_c"]


def _named_pairs(frame: pd.DataFrame, dialect: CsvDialect) -> pd.DataFrame:
    """Return the pairs: lines with a caption of both systems."""
    roles = dialect.roles
    b, c = columns_of(roles, Role.CAPTION)
    has_both = _is_filled(frame[b]) & _is_filled(frame[c])
    both = frame[has_both]

    rows = _filled(both, b, roles).rename(columns={"cell": "candidate_b"})
    rows["candidate_c"] = both[c]
    rows["source_b"] = roles[b][1]
    rows["source_c"] = roles[c][1]
    for role in (Role.PAIR, *_OF_PAIRS):
        for name in columns_of(roles, role):
            rows[role.value] = both[name].str.strip()

    if Role.PAIR not in rows:
        rows["pair"] = _numbered(rows, roles)
    return rows


def _numbered(rows: pd.DataFrame, roles: Roles) -> "pd.Series[str]":
    """Return the names p1, p2, … of pairs in their order; lines of raters may be of one pair."""
    numbers = pd.Series(range(len(rows)), rows.index)
    if columns_of(roles, Role.RATER):
        numbers = rows.groupby(_SHOWN, sort=False).ngroup()
    return "p" + (numbers + 1).astype("str")


def _pairs(frame: pd.DataFrame, dialect: CsvDialect) -> Iterator[pd.DataFrame]:
    """Yield the pairs, with their winners if the table has some; those of raters once."""
    roles = dialect.roles
    rows = _named_pairs(frame, dialect)
    for winner in columns_of(roles, Role.WINNER):
        rows["winner"] = _choices(frame.loc[rows.index, winner], dialect)

    if columns_of(roles, Role.RATER):
        rows = rows.drop_duplicates(["pair", *_SHOWN])
    yield rows


def _votes(frame: pd.DataFrame, dialect: CsvDialect) -> Iterator[pd.DataFrame]:
    """Yield the votes of each column: on the pairs, without a reference."""
    roles = dialect.roles
    pairs = _named_pairs(frame, dialect)
    for name in columns_of(roles, Role.VOTE):
        rows = pairs[["pair", "line"]].copy()
        rows["choice"] = _choices(frame.loc[rows.index, name], dialect)
        rows[origin("choice")] = name
        rows["annotator"] = roles[name][1]
        if not columns_of(roles, Role.RATER):
            rows[origin("annotator")] = name
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
        rows[origin("rating")] = name
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


def _notes(frame: pd.DataFrame, file: str, dialect: CsvDialect) -> Iterator[str]:
    """Say what is read from where, what is not, and how many cells of texts are empty.

    Lines without an image and texts, as spreadsheets add at the end, are not counted.
    """
    references = columns_of(dialect.roles, Role.REFERENCE)
    captions = columns_of(dialect.roles, Role.CAPTION)
    if PAIRS not in tables_of(dialect):
        yield from _unused_names(file, dialect.roles)
    if references:
        yield read_as_references(file, references)

    images = columns_of(dialect.roles, Role.IMAGE)
    is_filled = frame[[*images, *references, *captions]].apply(_is_filled)
    has_any = is_filled.any(axis=1)
    texts = is_filled.loc[has_any, [*references, *captions]].to_numpy()
    empty = texts.size - int(texts.sum())
    if empty:
        yield plural(
            empty,
            f"{file}: {empty:,} empty cell of references and captions is left out",
            f"{file}: {empty:,} empty cells of references and captions are left out",
        )


def read_as_references(file: str, names: Sequence[str]) -> str:
    """Name the columns of a file that hold references."""
    return f"{file}: columns {shortened(', '.join(names), 300)} are read as references"


def _unused_names(file: str, roles: Roles) -> Iterator[str]:
    """Say that names of pairs are not used where a file has none."""
    for name in columns_of(roles, Role.PAIR):
        yield (
            f"{file}: column {name!r} is not used: this file has no pairs to name, and pairs "
            "that are generated from candidates get names of their own"
        )
