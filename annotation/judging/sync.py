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
from annotation.judging.leases import HELD, deal, look_harder
from annotation.judging.locked_annotator import Hand, hand_of
from annotation.judging.votes import TIE, Answer, NoSuchLease, NotOffered, cast, record, undo
from annotation.models import Annotator, Lease
from annotation.models.vote import Side

SAVED, GONE = "saved", "gone"
SIDES = {*Side.values, TIE}
MOST_DEEDS = 1_000
MOST_SECONDS = 1e6


@dataclass(frozen=True)
class Undoing:
    key: UUID


Deed = Answer | Undoing | None
"""None: one that cannot be read."""


@dataclass(frozen=True)
class Message:
    """What a page has to tell, and the keys of the questions that it holds."""

    deeds: list[Deed]
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
        deeds, holding = told["deeds"], told.get("holding", [])
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise ValueError("This is no message of a judging page.") from None
    if not isinstance(deeds, list) or len(deeds) > MOST_DEEDS or not isinstance(holding, list):
        raise ValueError(f"A message holds a list of {MOST_DEEDS:,} deeds at most.")
    keys = frozenset(key for key in holding if isinstance(key, str))
    return Message([read_deed(deed) for deed in deeds], keys)


def read_deed(told: Any) -> Deed:
    try:
        key = UUID(told["key"])
        if told["do"] == "undo":
            return Undoing(key)
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


def take(deed: Deed) -> str:
    """Do it, and say that it is saved, or that its question is gone."""
    if isinstance(deed, Undoing):
        undo(deed.key)
        return SAVED
    try:
        return SAVED if deed and record(deed) else GONE
    except (NoSuchLease, NotOffered):
        return GONE


def exchange(annotator: int, deeds: list[Deed]) -> Reply:
    """Take deeds in, and deal the annotator with this key their next questions.

    The last deed is nearly always their one vote: it is stored, and the next question leased, in
    one transaction.
    """
    *earlier, last = deeds or [None]
    if not isinstance(last, Answer):
        earlier, last = deeds, None
    taken = [take(deed) for deed in earlier]
    with transaction.atomic():
        hand = hand_of(annotator)
        is_theirs = last is not None and hand.find(last.key) is not None
        if last and is_theirs:
            taken.append(take_in(hand, last))
        held = deal(hand, HELD) if flow.is_judging(hand.annotator) else []
        hand.save()
    if last and not is_theirs:
        taken.append(take(last))
    if not held and flow.is_judging(hand.annotator):
        held = look_harder(hand.annotator)
    return Reply(taken, hand.annotator, held)


def take_in(hand: Hand, answer: Answer) -> str:
    try:
        cast(hand, answer)
    except NotOffered:
        return GONE
    return SAVED
