"""Questionnaires: Markdown with fields for people to fill in, before or after judging.

A few questions about you. You need not answer all of them.

How old are you?
[age: number, 18 to 99, required]

How often do you read descriptions of images?
[habit: choice]
- every day
- less often
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum

from tercet.annotation.participation.quizzes import FaultyText

_FIELD = re.compile(r"\[([^:\[\]]+):([^\[\]]+)\]")
NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
NUMBER = r"-?\d{1,9}(?:\.\d{1,6})?"
LIMITS = re.compile(rf"({NUMBER}) +to +({NUMBER})")
OPTION = re.compile(r"[-*] +(.+)")
_REQUIRED = "required"


class FormKind(StrEnum):
    """What people fill in."""

    CHOICE = "choice"
    NUMBER = "number"
    TEXT = "text"


@dataclass(frozen=True)
class Field:
    """A field and the question above it; options are those of a choice, limits of a number."""

    name: str
    kind: FormKind
    question: str
    required: bool = False
    options: tuple[str, ...] = ()
    limits: tuple[Decimal, Decimal] | None = None


Part = str | Field
"""Markdown, or a field."""


@dataclass
class _Draft:
    line: int
    name: str
    properties: list[str]
    question: str
    options: list[str] = field(default_factory=list)

    @property
    def is_choice(self) -> bool:
        return self.properties[0] == FormKind.CHOICE

    def field(self) -> Field:
        """Build the field; raises FaultyText."""
        if not NAME.fullmatch(self.name):
            problem = (
                "“%(name)s” cannot be the name of a field: use small letters, digits and "
                "underscores, beginning with a letter."
            )
            raise FaultyText(self.line, problem % {"name": self.name})
        if not self.question:
            raise FaultyText(self.line, "write the question above its field.")

        kind = self._kind()
        if kind == FormKind.CHOICE:
            self._check_options()

        properties = self.properties[1:]
        required = _REQUIRED in properties
        options = tuple(self.options)
        others = [each for each in properties if each != _REQUIRED]
        limits = self._limits(kind, others)
        return Field(self.name, kind, self.question, required, options, limits)

    def _kind(self) -> FormKind:
        kind = self.properties[0]
        if kind not in list(FormKind):
            problem = "there is no field of the kind “%(kind)s”: write choice, number or text."
            raise FaultyText(self.line, problem % {"kind": kind})

        return FormKind(kind)

    def _check_options(self) -> None:
        if len(self.options) < 2:
            problem = "give the choice at least two options below it, each as “- …”."
            raise FaultyText(self.line, problem)
        if len(set(self.options)) < len(self.options):
            raise FaultyText(self.line, "two options are the same.")

    def _limits(
        self, kind: FormKind, properties: Sequence[str]
    ) -> tuple[Decimal, Decimal] | None:
        """Read what is written besides the kind; only a number has limits."""
        if not properties:
            return None

        found = LIMITS.fullmatch(properties[0])
        if kind != FormKind.NUMBER or not found or len(properties) > 1:
            problem = (
                "“%(text)s” is not understood: write required, or for a number limits such as "
                "18 to 99."
            )
            raise FaultyText(self.line, problem % {"text": ", ".join(properties)})

        least = Decimal(found[1])
        most = Decimal(found[2])
        if least > most:
            problem = "write the lower limit before the higher one."
            raise FaultyText(self.line, problem)
        return least, most


def read_questionnaire(text: str) -> list[Part]:
    """Read the parts of a questionnaire, in their order; raises FaultyText."""
    parts: list[str | _Draft] = []
    lines: list[str] = []

    for number, line in enumerate(text.splitlines(), start=1):
        text_of_line = line.strip()
        option = OPTION.fullmatch(text_of_line)
        last = parts[-1] if parts and not lines else None

        if text_of_line.startswith("[") and text_of_line.endswith("]"):
            question = _take_question(lines)
            parts += [*_markdown(lines), _draft(number, text_of_line, question)]
            lines = []
        elif option and isinstance(last, _Draft) and last.is_choice:
            last.options.append(option[1])
        else:
            lines.append(line)

    parts += _markdown(lines)
    return _checked(parts)


def fields_of(text: str) -> list[Field]:
    """Return the fields of a questionnaire."""
    return [part for part in read_questionnaire(text) if isinstance(part, Field)]


def _draft(number: int, line: str, question: str) -> _Draft:
    found = _FIELD.fullmatch(line)
    if not found:
        problem = (
            "write a field as “[name: choice]”, “[name: number]” or “[name: text]”."
        )
        raise FaultyText(number, problem)

    properties = [each.strip() for each in found[2].split(",")]
    return _Draft(number, found[1].strip(), properties, question)


def _take_question(lines: list[str]) -> str:
    """Remove the last paragraph from the lines, and return it as one line."""
    question: list[str] = []
    while lines and lines[-1].strip():
        question.insert(0, lines.pop().strip())

    return " ".join(question)


def _markdown(lines: Sequence[str]) -> list[str]:
    """Return lines as one text, none where they are empty."""
    text = "\n".join(lines).strip()
    return [text] if text else []


def _checked(parts: Sequence[str | _Draft]) -> list[Part]:
    """Build the fields; raises FaultyText, also where two have the same name."""
    built: list[Part] = []
    names: set[str] = set()

    for part in parts:
        if isinstance(part, str):
            built.append(part)
            continue
        if part.name in names:
            problem = "another field is called “%(name)s”, too."
            raise FaultyText(part.line, problem % {"name": part.name})

        names.add(part.name)
        built.append(part.field())

    return built
