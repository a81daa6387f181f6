"""The checks of dataset.json and study.json."""

import re
from collections.abc import Callable
from functools import partial

from analysis.dataset.checks import CONTROLS, LONGEST_CODE, LONGEST_URL, OUTCOMES, STEPS
from analysis.dataset.csv_tables import Problem, printable
from analysis.dataset.schema import INFO, TEXTS

DEFUSED = "defused"
"""The key of dataset.json for escaped cells (`analysis.dataset.csv_injection`)."""
LANGUAGE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
LONGEST_LANGUAGE = 35
ADDRESS = re.compile(r"https?://\S+")
UNSTORABLE = re.compile("[\0\ud800-\udfff]")
LARGEST = 2**31 - 1
"""What every database and study.json can hold."""
MOST_VOTES = 1_000
"""For a triplet."""
MOST_CHECKS = 0.5
"""The share of all questions that may be gold, repeats, or both together."""

PARAMETERS = ("person_parameter", "study_parameter", "session_parameter")

Check = Callable[[object], bool]


def check_settings(info: dict[str, object], study: dict[str, object]) -> list[Problem]:
    """The settings of dataset.json and of study.json."""
    found = unfit("dataset.json", info, INFO_CHECKS) + unfit("study.json", study, STUDY_CHECKS)
    return found or unfit_together(study)


def unfit_together(study: dict[str, object]) -> list[Problem]:
    """What each setting alone does not show."""
    rates = [study.get(name, 0) for name in ("gold_rate", "repeat_rate")]
    named = [name for name in map(study.get, PARAMETERS) if name]
    remedies = {
        "repeat_rate": (sum(map(float, rates)) > MOST_CHECKS, "Together with gold at most 0.5"),  # type: ignore[arg-type]
        "session_parameter": (len(set(named)) < len(named), "Give each parameter a name"),
    }
    return [
        Problem("study.json", None, name, "", "does not fit the other settings", remedy)
        for name, (is_unfit, remedy) in remedies.items()
        if is_unfit
    ]


def unfit(file: str, settings: dict[str, object], checks: dict[str, Check]) -> list[Problem]:
    remedy = "See the README for what may stand there, or remove it"
    return [
        Problem(file, None, name, printable(str(settings[name])), "is not a valid setting", remedy)
        for name, holds in checks.items()
        if name in settings and not holds(settings[name])
    ]


def is_short_text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST_URL and not CONTROLS.search(value)


def is_text(value: object) -> bool:
    return isinstance(value, str) and not UNSTORABLE.search(value)


def is_title(value: object) -> bool:
    return is_text(value) and len(str(value)) <= LONGEST_URL


def is_code(value: object) -> bool:
    """A text as short as codes and names of parameters are."""
    return is_text(value) and len(str(value)) <= LONGEST_CODE


def is_switch(value: object) -> bool:
    return isinstance(value, bool)


def is_count(value: object, least: int, most: int = LARGEST) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def is_number(value: object, most: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= most


def is_language(value: object) -> bool:
    is_tag = isinstance(value, str) and LANGUAGE.fullmatch(value)
    return bool(is_tag) and len(str(value)) <= LONGEST_LANGUAGE


def are_steps(value: object) -> bool:
    return isinstance(value, list) and all(step in STEPS for step in value)


def are_exits(value: object) -> bool:
    """For each outcome the code and the address (url) that people leave with."""
    return isinstance(value, dict) and all(
        outcome in OUTCOMES and is_exit(way_out) for outcome, way_out in value.items()
    )


def is_exit(value: object) -> bool:
    if not isinstance(value, dict) or not value.keys() <= {"code", "url"}:
        return False
    code, url = value.get("code", ""), value.get("url", "")
    return is_code(code) and (url == "" or (is_short_text(url) and bool(ADDRESS.fullmatch(url))))


def one_of(*allowed: str) -> Check:
    return lambda value: value in allowed


def or_none(holds: Check) -> Check:
    return lambda value: value is None or holds(value)


INFO_CHECKS: dict[str, Check] = {**dict.fromkeys(INFO, is_short_text), DEFUSED: is_switch}
STUDY_CHECKS: dict[str, Check] = {
    "title": is_title,
    "protocol": one_of("triplet", "pairwise"),
    "votes": partial(is_count, least=1, most=MOST_VOTES),
    "references": or_none(partial(is_count, least=1)),
    "seed": partial(is_count, least=0),
    "state": one_of("draft", "open", "paused", "closed"),
    "ties": is_switch,
    "most": or_none(partial(is_count, least=1)),
    "language": is_language,
    "steps": are_steps,
    **dict.fromkeys(TEXTS, is_text),
    "break_every": partial(is_count, least=0),
    "gold_rate": partial(is_number, most=0.5),
    "repeat_rate": partial(is_number, most=0.5),
    "fastest": partial(is_number, most=600),
    "stop_early": is_switch,
    "accounts": one_of("all", "invited"),
    "link_is_open": is_switch,
    "crowd_is_open": is_switch,
    "person_parameter": lambda value: is_code(value) and str(value).strip() != "",
    "study_parameter": is_code,
    "session_parameter": is_code,
    "exits": are_exits,
}
