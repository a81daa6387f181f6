"""What a judging page keeps in the browser until the server has it: votes and undoings.

A message is JSON: {"deeds": [{"do": "vote", "key": …, "side": …, "active": …, "waited": …},
{"do": "undo", "key": …}]}. Each is taken in once, however often it comes, and every one is
acknowledged, so that none can hold up those behind it.
"""

import json
import math
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction

from annotation.judging import flow
from annotation.judging.leases import HELD, assign, retry_after_expiry
from annotation.judging.locked_annotator import LockedAnnotator, lock_with_leases
from annotation.judging.votes import (
    TIE,
    Answer,
    NoSuchLease,
    TieNotAllowed,
    convert_lease,
    record,
    undo,
)
from annotation.models import Annotator, Lease
from annotation.models.vote import Side

SAVED, GONE = "saved", "gone"
SIDES = {*Side.values, TIE}
MAX_ACTIONS = 1_000
MOST_SECONDS = 1e6


@dataclass(frozen=True)
class Undo:
    key: UUID


Action = Answer | Undo | None
"""None: one that cannot be read."""


@dataclass(frozen=True)
class Message:
    """What a page has to tell, and the keys of the questions that it holds."""

    actions: list[Action]
    holding: frozenset[str]


@dataclass(frozen=True)
class Reply:
    """What became of each deed, and what is held; nothing where another page comes next."""

    taken: list[str]
    annotator: Annotator
    held: list[Lease]


def read_message(body: bytes) -> Message:
    """The message of a page; raises ValueError for what no judging page sends."""
    try:
        told = json.loads(body)
        actions, holding = told["deeds"], told.get("holding", [])
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise ValueError("This is no message of a judging page.") from None
    if not isinstance(actions, list) or len(actions) > MAX_ACTIONS or not isinstance(holding, list):
        raise ValueError(f"A message holds a list of {MAX_ACTIONS:,} deeds at most.")
    keys = frozenset(key for key in holding if isinstance(key, str))
    return Message([read_action(action) for action in actions], keys)


def read_action(told: Any) -> Action:
    try:
        key = UUID(told["key"])
        if told["do"] == "undo":
            return Undo(key)
        if told["do"] != "vote" or told["side"] not in SIDES:
            return None
        return Answer(
            key, told["side"], seconds(told.get("active")), seconds(told.get("waited")) or 0
        )
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def seconds(told: object) -> float | None:
    """A time in seconds, None where it is none."""
    if isinstance(told, bool) or not isinstance(told, int | float) or not abs(told) < math.inf:
        return None
    return float(min(max(told, 0), MOST_SECONDS))


def take(action: Action) -> str:
    """Do it, and say that it is saved, or that its question is gone."""
    if isinstance(action, Undo):
        undo(action.key)
        return SAVED
    try:
        return SAVED if action and record(action) else GONE
    except (NoSuchLease, TieNotAllowed):
        return GONE


def exchange(annotator: int, actions: list[Action]) -> Reply:
    """Take deeds in, and deal the annotator with this key their next questions.

    The last deed is nearly always their one vote: it is stored, and the next question leased, in
    one transaction.
    """
    *earlier, last = actions or [None]
    if not isinstance(last, Answer):
        earlier, last = actions, None
    taken = [take(action) for action in earlier]
    with transaction.atomic():
        locked = lock_with_leases(annotator)
        is_theirs = last is not None and locked.find(last.key) is not None
        if last and is_theirs:
            taken.append(take_in(locked, last))
        held = assign(locked, HELD) if flow.is_judging(locked.annotator) else []
        locked.save()
    if last and not is_theirs:
        taken.append(take(last))
    if not held and flow.is_judging(locked.annotator):
        held = retry_after_expiry(locked.annotator)
    return Reply(taken, locked.annotator, held)


def take_in(locked: LockedAnnotator, answer: Answer) -> str:
    try:
        convert_lease(locked, answer)
    except TieNotAllowed:
        return GONE
    return SAVED
