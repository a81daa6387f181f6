"""Settings in dataset.json and study.json: the keys that the analysis uses, and their checks.

Further keys of study.json are those of the site, which knows what their values may be.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tercet.analysis.tables.csv_tables import Problem, printable
from tercet.analysis.tables.languages import (
    LANGUAGE_HINT,
    LANGUAGE_TAG,
    with_language_code,
)
from tercet.analysis.tables.protocol_settings import PROTOCOLS, SENTENCE
from tercet.analysis.tables.schema import CONTROLS, LONGEST_TITLE

DATASET_FILE, STUDY_FILE = "dataset.json", "study.json"
SET_FILE = "set.json"
"""Names the published set that a folder holds; written by `tercet bench add`."""
DESCRIBED = ("title", "description", "licence", "citation", "url", "origin")
"""What dataset.json says about a dataset."""
DEFUSED = "defused"
"""The setting of dataset.json for escaped cells (`tercet.analysis.tables.csv_injection`)."""
MAX_VOTES = 1_000
"""The largest number of votes per triplet."""
STEPS = ("consent", "instructions", "comprehension", "practice")
OUTCOMES = ("done", "failed", "screened_out", "no_work", "stopped")
_REMOVED = ("bonus", "bonus_gold")
"""Settings of version 0.2."""


_Rule = tuple[Callable[[Any], object], str]
"""Whether a value is valid, and what to do where it is not."""


def _is_count(value: object, most: float = float("inf")) -> bool:
    return isinstance(value, int) and value is not True and 1 <= value <= most


_OR_REMOVE = ", or remove the setting"
_SWITCH: _Rule = (
    lambda value: isinstance(value, bool),
    "Give true or false" + _OR_REMOVE,
)
_DESCRIPTION: _Rule = (
    lambda value: (
        isinstance(value, str)
        and len(value) <= LONGEST_TITLE
        and not CONTROLS.search(value)
    ),
    f"Give a text of at most {LONGEST_TITLE:,} characters" + _OR_REMOVE,
)
_OF_DATASETS = {**dict.fromkeys(DESCRIBED, _DESCRIPTION), DEFUSED: _SWITCH}
_OF_STUDIES: dict[str, _Rule] = {
    "protocol": (
        lambda value: value in PROTOCOLS,
        f"Give one of {', '.join(PROTOCOLS)}{_OR_REMOVE}",
    ),
    "votes": (
        lambda value: _is_count(value, MAX_VOTES),
        f"Give a whole number from 1 to {MAX_VOTES:,}{_OR_REMOVE}",
    ),
    "references": (
        lambda value: value is None or _is_count(value),
        f"Give a whole number from 1, or null for all of the image{_OR_REMOVE}",
    ),
    "language": (
        lambda value: isinstance(value, str) and re.search(LANGUAGE_TAG, value),
        LANGUAGE_HINT,
    ),
    "stop_early": _SWITCH,
    "collected_elsewhere": _SWITCH,
}


def upgraded(study: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the values of a study.json of any version, and warnings of what is read otherwise."""
    values, warnings = with_language_code(study)
    ignored = [name for name in _REMOVED if values.pop(name, None) is not None]
    if ignored:
        warnings.append(
            f"study.json: this version has no bonuses and ignores {', '.join(ignored)}"
        )

    return values, warnings


def needs_references(study: Mapping[str, Any]) -> bool:
    """Return whether captions are judged: sentences are written for images that have none yet."""
    return study.get("protocol") != SENTENCE


def check_settings(
    info: Mapping[str, object], study: Mapping[str, object]
) -> list[Problem]:
    """Check what the analysis uses of dataset.json and of study.json."""
    return [
        *_invalid(DATASET_FILE, info, _OF_DATASETS),
        *_invalid(STUDY_FILE, study, _OF_STUDIES),
    ]


def _invalid(
    file: str, values: Mapping[str, object], rules: Mapping[str, _Rule]
) -> Iterator[Problem]:
    """Yield one problem for each value that its rule refuses."""
    for name, (is_valid, remedy) in rules.items():
        if name in values and not is_valid(values[name]):
            yield invalid_setting(file, name, values[name], remedy)


def invalid_setting(file: str, key: str, value: object, remedy: str) -> Problem:
    """Return the problem of a setting with an invalid value."""
    given = printable(str(value))
    return Problem(file, "is not a valid setting", remedy, None, key, given)
