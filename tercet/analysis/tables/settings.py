"""Kinds of settings: what their values may be, and how they are described."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar, Generic, Self, TypeVar, cast, overload

from tercet.analysis.number_texts import written
from tercet.analysis.tables.csv_tables import Problem, printable
from tercet.analysis.tables.schema import CONTROLS, LONGEST_CODE, LONGEST_URL

FIRST_VERSION = "0.1"
_LARGEST = 2**31 - 1
"""The largest whole number that every database can store."""
OUTCOMES = ("done", "failed", "screened_out", "no_work", "stopped")
ADDRESS = r"^https?://[^\s]+$"
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
"""Characters that databases refuse."""

_Value = TypeVar("_Value")
_Chosen = TypeVar("_Chosen", bound=str)


@dataclass(frozen=True)
class Setting(ABC, Generic[_Value]):
    """A setting of dataset.json or study.json, an attribute of the class that declares it.

    Type checkers read the attribute of a study as a value.

    Attributes
    ----------
    name
        Its key in the file, and its column in the database: that of the attribute.
    meaning
        A sentence for the data dictionary.
    label, help_text
        Texts of the settings page, in English.
    card
        The card of the settings page that shows it; empty where the page cannot change it.
    unit
        What the value is measured in.
    special
        What a special value means, such as "0: never".
    default
        The value of a new study, and of a study.json that lacks the setting.
    optional
        Whether the value may be null (`or_null`).
    per_vote
        Whether the site reads it for every question and vote.
    former_name
        Its key in the files of earlier versions.
    since
        The version of Tercet that introduced it.
    """

    kind: ClassVar[str]

    meaning: str
    label: str = ""
    help_text: str = ""
    _: KW_ONLY
    name: str = field(default="", init=False)
    card: str = ""
    unit: str = ""
    special: str = ""
    default: Any = None
    optional: bool = field(default=False, init=False)
    per_vote: bool = False
    former_name: str = ""
    since: str = FIRST_VERSION

    def __set_name__(self, owner: type, name: str) -> None:
        object.__setattr__(self, "name", name)

    @overload
    def __get__(self, study: None, owner: type) -> Self: ...

    @overload
    def __get__(self, study: object, owner: type) -> _Value: ...

    def __get__(self, study: object, owner: type) -> Any:
        return self

    def or_null(self) -> "Setting[_Value | None]":
        """Let the value be null."""
        object.__setattr__(self, "optional", True)
        return cast("Setting[_Value | None]", self)

    def accepts(self, value: object) -> bool:
        """Return whether the value is valid, as it is read from JSON."""
        return (self.optional and value is None) or self._fits(value)

    @abstractmethod
    def _fits(self, value: object) -> bool:
        """Return whether a value other than null is valid."""

    @property
    def limits(self) -> str:
        """The valid values, for the data dictionary and for messages."""
        return ""

    @property
    def allowed(self) -> str:
        """The valid values and what special ones mean."""
        return "; ".join(filter(None, (self.limits, self.special)))


@dataclass(frozen=True)
class Text(Setting[str]):
    """A text; `pattern` matches the whole of a valid one, and `hint` says what it asks for."""

    kind = "text"

    _: KW_ONLY
    default: str = ""
    longest: int | None = None
    required: bool = False
    visible: bool = False
    pattern: str = ""
    hint: str = ""

    def _fits(self, value: object) -> bool:
        if not isinstance(value, str):
            return False

        refused = CONTROLS if self.visible else _UNSTORABLE
        is_short = self.longest is None or len(value) <= self.longest
        is_filled = bool(value.strip()) or not self.required
        matches = not self.pattern or re.fullmatch(self.pattern, value)

        return is_short and is_filled and bool(matches) and not refused.search(value)

    @property
    def limits(self) -> str:
        if not self.longest:
            return ""
        return f"at most {self.longest:,} characters"


@dataclass(frozen=True)
class Whole(Setting[int]):
    """A whole number from `least` to `most`."""

    kind = "whole number"

    _: KW_ONLY
    least: int = 0
    most: int = _LARGEST

    def _fits(self, value: object) -> bool:
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        return is_whole and self.least <= value <= self.most  # type: ignore[operator]

    @property
    def limits(self) -> str:
        if self.most == _LARGEST:
            return f"from {self.least}"
        return f"from {self.least} to {self.most:,}"


@dataclass(frozen=True)
class Decimal(Setting[float]):
    """A number from 0 to `most`."""

    kind = "decimal number"

    _: KW_ONLY
    most: float

    def _fits(self, value: object) -> bool:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return is_number and 0 <= value <= self.most  # type: ignore[operator]

    @property
    def limits(self) -> str:
        return f"from 0 to {written(self.most, 'g')}"


@dataclass(frozen=True)
class Switch(Setting[bool]):
    """True or false."""

    kind = "true or false"

    _: KW_ONLY
    default: bool = False

    def _fits(self, value: object) -> bool:
        return isinstance(value, bool)

    @property
    def limits(self) -> str:
        return "true, false"


@dataclass(frozen=True)
class Choice(Setting[_Chosen]):
    """One of `choices`: values with their labels on pages."""

    kind = "choice"

    _: KW_ONLY
    choices: Mapping[_Chosen, str]

    def _fits(self, value: object) -> bool:
        return isinstance(value, str) and value in self.choices

    @property
    def limits(self) -> str:
        return ", ".join(self.choices)


@dataclass(frozen=True)
class Choices(Setting[list[str]]):
    """Any number of `choices`, as a list."""

    kind = "list of choices"

    _: KW_ONLY
    choices: tuple[str, ...]

    def _fits(self, value: object) -> bool:
        return isinstance(value, list) and all(each in self.choices for each in value)

    @property
    def limits(self) -> str:
        return ", ".join(self.choices)


@dataclass(frozen=True)
class Exits(Setting[dict[str, dict[str, str]]]):
    """For each outcome, the code and the address (url) that annotators leave with."""

    kind = "object"

    _: KW_ONLY
    default: dict[str, dict[str, str]] = field(default_factory=dict)

    def _fits(self, value: object) -> bool:
        if not isinstance(value, dict) or not value.keys() <= {*OUTCOMES}:
            return False
        return all(map(_is_exit, value.values()))

    @property
    def limits(self) -> str:
        return ", ".join(OUTCOMES)


_EXIT = {
    "code": Text("", longest=LONGEST_CODE),
    "url": Text("", longest=LONGEST_URL, visible=True, pattern=f"({ADDRESS})?"),
}


def _is_exit(value: object) -> bool:
    if not isinstance(value, dict) or not value.keys() <= _EXIT.keys():
        return False
    return all(_EXIT[name].accepts(text) for name, text in value.items())


def declared_in(file: type) -> tuple[Setting[Any], ...]:
    """Return the settings that a class and its bases declare, in their order."""
    declared = [vars(each).values() for each in reversed(file.__mro__)]
    return tuple(
        each for values in declared for each in values if isinstance(each, Setting)
    )


def known(
    values: Mapping[str, object], settings: Iterable[Setting[Any]]
) -> dict[str, Any]:
    """Return the values of known settings, under their present names."""
    keys = {setting.name: _key(setting, values) for setting in settings}
    return {name: values[key] for name, key in keys.items() if key is not None}


def invalid(
    file: str, values: Mapping[str, object], settings: Iterable[Setting[Any]]
) -> Iterable[Problem]:
    """Yield one problem for each setting of a file that has an invalid value."""
    for setting in settings:
        key = _key(setting, values)
        if key is None or setting.accepts(values[key]):
            continue

        value = printable(str(values[key]))
        what = "is not a valid setting"
        yield Problem(file, what, _remedy(setting), None, key, value)


def _key(setting: Setting[Any], values: Mapping[str, object]) -> str | None:
    """Return the key under which a file has the setting, or None."""
    keys = (setting.name, setting.former_name)
    return next((key for key in keys if key in values), None)


def _remedy(setting: Setting[Any]) -> str:
    """Say what to do about an invalid value."""
    if isinstance(setting, Text) and setting.hint:
        return setting.hint

    allowed = f" ({setting.allowed})" if setting.allowed else ""
    return f"Give a value of the type {setting.kind}{allowed}, or remove the setting"
