"""Exchange answers and undos with a judging page, which keeps them until the server confirms them.

A message is JSON: {"deeds": [{"do": "vote", "key": …, "side": …, "active": …, "waited": …},
{"do": "undo", "key": …}]}; `side` answers a choice, and other kinds of questions have other parts.
Each action takes effect once, however often it is sent, and every action is acknowledged, so that
none can block those behind it.
"""

import json
import math
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction

from tercet.annotation.judging import answers
from tercet.annotation.judging.kinds.kind import NotAnAnswer, ToChange
from tercet.annotation.judging.leases import assign, leases_per_page, retry_after_expiry
from tercet.annotation.judging.locked_annotator import lock_with_leases
from tercet.annotation.judging.pace import TooFast
from tercet.annotation.models import Annotator, Answer, Lease
from tercet.annotation.participation import flow

SAVED, GONE, INVALID = "saved", "gone", "invalid"
MAX_ACTIONS = 100
"""Actions of one message; a page sends more of them in several messages."""
MAX_SECONDS = 1e6
REFUSALS = (answers.NoSuchLease, answers.StudyEnded, answers.TooManyUndos, NotAnAnswer)
"""Why an action cannot be carried out any more."""


@dataclass(frozen=True)
class Undo:
    key: UUID


_Result = str | dict[str, list[str]]
"""Whether an action is saved, gone or invalid; or the hints on what to change in an answer."""
Action = answers.AnswerMessage | Undo | None
"""None: an action that cannot be read."""


@dataclass(frozen=True)
class Message:
    """What a page has to report, and the keys of the questions that it holds."""

    actions: list[Action]
    held_keys: frozenset[str]


@dataclass(frozen=True)
class Reply:
    """The result of each action, and the live leases: none where another page comes next."""

    results: list[_Result]
    annotator: Annotator
    leases: list[Lease]

    @property
    def is_of_old_page(self) -> bool:
        """Return whether an answer is not one any more, as after a change of the scales."""
        return INVALID in self.results


def read_message(body: bytes) -> Message:
    """Read the message of a judging page; raise ValueError for anything else."""
    try:
        payload = json.loads(body)
        actions = payload["deeds"]
        held_keys = payload.get("holding", [])
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise ValueError("This is not a message of a judging page.") from None

    if not isinstance(actions, list) or not isinstance(held_keys, list):
        raise ValueError("Send the actions and the held keys as lists.")
    if len(actions) > MAX_ACTIONS:
        raise ValueError(f"Send at most {MAX_ACTIONS:,} actions in one message.")

    keys = frozenset(key for key in held_keys if isinstance(key, str))
    return Message([read_action(action) for action in actions], keys)


def read_action(payload: Any) -> Action:
    """Read one vote or undo of a message; None where it is neither."""
    try:
        key = UUID(payload["key"])

        if payload["do"] == "undo":
            return Undo(key)
        if payload["do"] != "vote":
            return None

        active = read_seconds(payload.get("active"))
        waited = read_seconds(payload.get("waited"))
        return answers.AnswerMessage(key, payload, active, waited or 0)
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def read_seconds(value: object) -> float | None:
    """Return a time in seconds, None where the value is not one."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if not abs(value) < math.inf:
        return None

    return float(min(max(value, 0), MAX_SECONDS))


def apply(action: Action) -> _Result:
    """Carry out an action; return what became of it. Raises TooFast."""
    if action is None:
        return GONE

    try:
        if isinstance(action, Undo):
            answers.undo(action.key)
        else:
            answers.record(action, checks_pace=True)
    except REFUSALS as refusal:
        return _result_of(refusal)

    return SAVED


def _result_of(refusal: Exception) -> _Result:
    if isinstance(refusal, ToChange):
        return {"hints": refusal.hints}
    return INVALID if isinstance(refusal, NotAnAnswer) else GONE


def apply_all(actions: list[Action]) -> list[_Result]:
    """Apply actions in their order; those of unknown questions cost nothing.

    Raises TooFast for the first vote that was too fast, once the others are applied.
    """
    if len(actions) < 2:
        return [apply(action) for action in actions]

    keys = [action.key for action in actions if action]
    leased = Lease.objects.filter(pk__in=keys).values_list("pk", flat=True)
    voted = Answer.objects.filter(key__in=keys).values_list("key", flat=True)
    known = {*leased, *voted}
    results: list[_Result] = []
    refusals = []

    for action in actions:
        try:
            if action and action.key in known:
                results.append(apply(action))
            else:
                results.append(SAVED if isinstance(action, Undo) else GONE)
        except TooFast as refusal:
            refusals.append(refusal)

    if refusals:
        raise refusals[0]
    return results


def synchronize(annotator: int, actions: list[Action]) -> Reply:
    """Apply actions in their order, and assign the annotator with this key the next questions.

    The last action is nearly always the only one, a vote: it is stored, and the next question
    leased, in one transaction. Raises Annotator.DoesNotExist, and TooFast once all others are
    applied.
    """
    last = (
        actions[-1]
        if actions and isinstance(actions[-1], answers.AnswerMessage)
        else None
    )
    results = _apply_earlier(actions[:-1] if last else actions, last)

    with transaction.atomic():
        locked = lock_with_leases(annotator)
        is_own = last is not None and locked.find(last.key) is not None
        if last and is_own:
            try:
                answers.convert_lease(locked, last, checks_pace=True)
                results.append(SAVED)
            except REFUSALS as refusal:
                results.append(_result_of(refusal))

        leases = []
        if flow.is_judging(locked.annotator):
            leases = assign(locked, leases_per_page(locked.annotator))
        locked.save()

    if last and not is_own:
        results.append(apply(last))
    if not leases and flow.is_judging(locked.annotator):
        leases = retry_after_expiry(locked.annotator)

    return Reply(results, locked.annotator, leases)


def _apply_earlier(
    earlier: list[Action], last: answers.AnswerMessage | None
) -> list[_Result]:
    """Apply the actions before the last one, and that one too where one of them was too fast."""
    try:
        return apply_all(earlier)
    except TooFast:
        with suppress(TooFast):
            apply(last)
        raise
