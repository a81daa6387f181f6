"""Lines that are exchanged with the program of a metric, each a JSON object."""

import json
from collections.abc import Sequence
from typing import Any

from tercet.metrics.outside.calls import ScoredItem

PROTOCOL = 1
ABOUT = json.dumps({"tercet": PROTOCOL, "ask": "about"}).encode()
"""The first question."""
_KINDS: dict[str, tuple[type, ...]] = {
    "name": (str,),
    "combine": (str,),
    "needs": (list,),
    "ordered": (bool,),
    "version": (str,),
    "higher_is_better": (bool,),
    "bounds": (list, type(None)),
    "language": (str,),
    "resolution": (int, float),
    "deterministic": (bool,),
    "family": (str,),
    "variants_tried": (int,),
    "weights_sha256": (str,),
    "trained_on": (list, type(None)),
    "batch": (int,),
}
"""What a program declares, and the types of the values."""
_WORDS = {
    str: "text",
    list: "a list",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
}
_SHOWN = 60
"""Characters of a line that a message gives."""


def read_about(line: bytes) -> dict[str, Any]:
    """Return what a program declares of its metric; ValueError for anything else."""
    about = _read(line)
    if about.pop("tercet", None) != PROTOCOL:
        raise ValueError(f'the first answer must have "tercet": {PROTOCOL}')
    if not about.get("name"):
        raise ValueError('the first answer must have the "name" of the metric')

    for key, value in about.items():
        if key not in _KINDS:
            raise ValueError(
                f"{key!r:.{_SHOWN}} cannot be declared: the names are {', '.join(_KINDS)}"
            )
        if type(value) not in _KINDS[key]:
            kind = _WORDS[_KINDS[key][-1 if key == "resolution" else 0]]
            raise ValueError(f"{key} must be {kind}, not {value!r:.{_SHOWN}}")
    for key in ("needs", "trained_on"):
        if not all(isinstance(each, str) for each in about.get(key) or ()):
            raise ValueError(f"{key} must be a list of texts, not {about[key]!r:.60}")

    return about


def question(number: int, items: Sequence[ScoredItem]) -> bytes:
    """Write a question: items to score, under a number."""
    return json.dumps({"id": number, "items": list(map(_written, items))}).encode()


def read_answer(line: bytes, number: int, asked: int) -> tuple[Any, str]:
    """Read the answer to a question.

    Parameters
    ----------
    line : bytes
    number : int
        Of the question that is to be answered next.
    asked : int
        How many questions were asked so far, numbered from 0.

    Returns
    -------
    tuple
        The scores, as they were given, and an empty text; or none, and why there are none.

    Raises
    ------
    ValueError
        If the line answers no question, or another one.
    """
    answer = _read(line)
    _check_number(answer.pop("id", None), number, asked)
    if answer.keys() == {"scores"}:
        return answer["scores"], ""
    if "error" in answer and answer.keys() <= {"error", "item"}:
        lines = str(answer["error"]).strip().splitlines()
        return None, (lines or ["an error without a text"])[-1]

    raise ValueError(
        f'the answer to id {number} must have "scores" or "error", not '
        f"{', '.join(answer) or 'nothing':.{_SHOWN}}"
    )


def _read(line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict):
        return value

    shown = line[:_SHOWN].decode(errors="replace")
    raise ValueError(
        f"the program answered {shown!r}, which is no JSON object: print everything else to "
        "standard error"
    )


def _check_number(given: object, number: int, asked: int) -> None:
    """Raise ValueError where an answer has another number than the next question."""
    if given == number and type(given) is int:
        return

    what = "is unknown"
    if type(given) is int and 0 <= given < number:
        what = "is repeated or late"
    elif type(given) is int and number < given < asked:
        what = f"comes before {number}"
    raise ValueError(
        f"the answer to id {given!r:.{_SHOWN}} {what}: answer each question once, in their order"
    )


def _written(item: ScoredItem) -> dict[str, Any]:
    written: dict[str, Any] = {"candidate": item.candidate}
    if item.references:
        written["references"] = item.references
    if item.image:
        written["image"] = str(item.image)

    return written
