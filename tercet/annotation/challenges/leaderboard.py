"""The leaderboard of a challenge: as a page shows it, and as files."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from tercet.analysis.leaderboard.board import SYSTEM, Board, Row, ranked, rounded
from tercet.analysis.leaderboard.rules import Count
from tercet.analysis.leaderboard.tables import (
    label,
    read_json,
    to_csv,
    to_json,
    to_latex,
    to_markdown,
)
from tercet.analysis.scoring.contamination import legend
from tercet.annotation.challenges.scoring import FREQUENT, HUMAN, RANDOM
from tercet.annotation.models import Challenge, Submission
from tercet.annotation.models.challenge import HIDDEN

PEOPLE = "people"
"""The column of the win fractions of people, in addresses."""
TYPES = {
    "csv": "text/csv",
    "tex": "application/x-tex",
    "md": "text/markdown; charset=utf-8",
    "json": "application/json",
}
"""The content type of each kind of file."""


@dataclass(frozen=True)
class _BoardOrder:
    """Which column a leaderboard is ordered by."""

    by: str
    count: Count


def board_of(challenge: Challenge, split: str, *, exact: bool = False) -> Board | None:
    """Return the stored leaderboard, None before there is one.

    Submissions that were hidden since are left out. On the hidden split, those that do not count
    have no rank. Only owners get exact figures.
    """
    try:
        file = challenge.board_file(split)
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None

    board = read_json(text)
    on_board = {row.name for row in board.rows}
    submissions = challenge.submissions.all()
    systems = [each for each in submissions if each.row in on_board and each.is_listed]
    counting = _counting(systems) if split == HIDDEN else systems
    counts = {each.row: each in counting for each in systems}

    rows = [
        replace(row, counts=counts.get(row.name, True))
        for row in board.rows
        if row.kind != SYSTEM or row.name in counts
    ]
    shown = replace(board, rows=tuple(rows))
    return ranked(shown) if exact else rounded(shown)


def choice_of(board: Board, given: Mapping[str, str]) -> _BoardOrder:
    """Return the column that the query of an address names, by default the last metric."""
    rules = board.rules
    metrics = rules.names
    first = rules.counts[0]
    counts = {label(each): each for each in rules.counts}
    count = counts.get(given.get("count", ""), first)

    by = given.get("by", "")
    return _BoardOrder(by if by in {*metrics, PEOPLE} else metrics[-1], count)


def page_of(
    board: Board, challenge: Challenge, split: str, choice: _BoardOrder, *, names: bool
) -> dict[str, object]:
    """Return what a page shows; without `names`, aliases stand for systems, and no teams."""
    count = choice.count
    metrics = board.rules.names
    rows = _rows_by(board, choice)
    submissions = _submissions(challenge)
    titles = _titles(submissions, names=names)
    counting = [row.name for row in rows if row.kind == SYSTEM and row.counts]
    ranks = {name: rank for rank, name in enumerate(counting, 1)}
    is_hidden = split == HIDDEN
    finals = {name for name in counting if is_hidden and submissions[name].final}

    shown = [
        {
            "rank": ranks.get(row.name),
            "name": titles.get(row.name, row.name),
            "submission": submissions.get(row.name),
            "kind": row.kind,
            "final": row.name in finals,
            "other_count": "" if row.used[count] == count else label(row.used[count]),
            "cells": [row.cells[count][name] for name in metrics],
            "people": row.people,
        }
        for row in rows
    ]
    columns = [board.column(name, count) for name in metrics]
    return {
        "by": choice.by,
        "count": label(count),
        "counts": list(map(label, board.rules.counts)),
        "images": max((row.images[count] for row in rows), default=0),
        "columns": columns,
        "legend": legend({column.mark for column in columns}),
        "rows": shown,
        "names": names,
        "has_final": bool(finals),
        "has_people": any(row.people for row in rows),
        "compared": sum(row.kind == SYSTEM and row.people is not None for row in rows),
    }


def _rows_by(board: Board, choice: _BoardOrder) -> list[Row]:
    if choice.by == PEOPLE:
        return board.sorted_by_people(choice.count)
    return board.sorted_rows(choice.by, choice.count)


def _counting(systems: list[Submission]) -> list[Submission]:
    """Leave out those whose team or account has chosen another one of them."""
    chosen = {each.entrant for each in systems if each.final}
    return [each for each in systems if each.final or each.entrant not in chosen]


def _submissions(challenge: Challenge) -> dict[str, Submission]:
    """Return the submissions of a challenge by their rows."""
    rows = challenge.submissions.select_related("challenge", "team", "user")
    return {submission.row: submission for submission in rows}


def _titles(submissions: Mapping[str, Submission], *, names: bool) -> dict[str, str]:
    """Return what each row is called; systems of the same name have their numbers."""
    titles = {
        HUMAN: "Human caption",
        RANDOM: "Random caption of another image",
        FREQUENT: "Most frequent caption",
    }
    counts = Counter(each.system for each in submissions.values())

    for row, submission in submissions.items():
        namesakes = counts[submission.system]
        is_unique = namesakes == 1
        name = submission.system if is_unique else str(submission)
        titles[row] = name if names else submission.alias

    return titles


def text_of(
    board: Board, challenge: Challenge, form: str, choice: _BoardOrder, *, names: bool
) -> str:
    """Return a leaderboard as the text of a file."""
    submissions = _submissions(challenge)
    titles = _titles(submissions, names=names)
    entrants = {
        row: each.team.name if each.team else each.user.get_username()
        for row, each in submissions.items()
        if names
    }
    rows = [
        replace(
            row, name=titles.get(row.name, row.name), entrant=entrants.get(row.name, "")
        )
        for row in board.rows
    ]
    named = replace(board, rows=tuple(rows))
    if form == "csv":
        return to_csv(named)
    if form == "json":
        return to_json(named)

    metrics = board.rules.names
    by = choice.by if choice.by in metrics else metrics[-1]
    write = to_latex if form == "tex" else to_markdown
    return write(named, by, choice.count)
