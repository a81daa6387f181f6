"""Rules: what a sentence looks like, and what its numbers and names should be."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.reader.dataset import Data
from tests.reader.numbers import MINUS
from tests.reader.report import Report, Row

SLOT = re.compile(r"\{(\w+)\}")
WITHIN_A_SENTENCE = rf"(?:(?!\. [A-Z“\d{MINUS}-]).)+?"
SHAPES = {
    "on": r"(?:On [\d,]+ pairs?|Averaged over .+? pairs)",
    "rows": r"[\d,]+",
    **dict.fromkeys(("high", "low", "accuracy", "share"), rf"{MINUS}?[\d.]+"),
}
"""What slots look like that do not end where the next words first occur."""


class Untrue(Exception):
    """A sentence is not what the tables and the dataset say."""


@dataclass(frozen=True)
class Claim:
    """A sentence in its place, with the values of its slots.

    Attributes
    ----------
    place : str
        The finding that says it, or the table; `lead` for the first screen.
    before : str
        What stands before it in its paragraph.
    row : mapping
        The row of a table that gives the sentence; empty on a page.
    """

    text: str
    place: str
    before: str
    said: Mapping[str, str]
    report: Report
    data: Data
    row: Row

    def requires(self, is_so: bool, otherwise: str) -> None:
        """Raise Untrue, with the truth, unless it is so."""
        if not is_so:
            raise Untrue(otherwise)


Truth = Callable[[Claim], Mapping[str, Any] | None]


@dataclass(frozen=True)
class Rule:
    """A template of sentences, and the function that recomputes its slots."""

    template: str
    pattern: re.Pattern[str]
    truth: Truth


RULES: list[Rule] = []


def says(*templates: str) -> Callable[[Truth], Truth]:
    """Declare the sentences that a function recomputes.

    The function returns what each slot should be, as a text or as several that are right; slots
    that it leaves out are checked by `Claim.requires`.
    """

    def declare(truth: Truth) -> Truth:
        RULES.extend(Rule(each, _pattern(each), truth) for each in templates)
        return truth

    return declare


def _pattern(template: str) -> re.Pattern[str]:
    literal = SLOT.split(template)
    parts = [re.escape(part) for part in literal]
    names = literal[1::2]
    parts[1::2] = [
        f"(?P<{name}>{SHAPES.get(name, WITHIN_A_SENTENCE)})"
        if name not in names[:number]
        else f"(?P={name})"
        for number, name in enumerate(names)
    ]
    return re.compile(rf"{''.join(parts)}(?=\s|$)")


def check(rule: Rule, claim: Claim) -> str:
    """Return what is false of a claim; empty if it holds."""
    try:
        should = rule.truth(claim) or {}
    except Untrue as untrue:
        return str(untrue)
    except (LookupError, ValueError) as missing:
        return f"cannot be recomputed: {missing}"

    wrong = []
    for name, value in should.items():
        right = {value} if isinstance(value, str) else set(value)
        if claim.said[name] not in right:
            wrong.append(
                f"{name} is {claim.said[name]!r}, should be {' or '.join(sorted(right))!r}"
            )
    return "; ".join(wrong)
