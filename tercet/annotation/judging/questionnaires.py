"""Questionnaires, and the aspects of ratings: Markdown with fields for people to fill in.

A few questions about you. You need not answer all of them.

How old are you?
[age: number, 18 to 99, required]

How often do you read descriptions of images?
[habit: choice]
- every day
- less often

How much of the picture does the sentence describe?
[detail: grades, 1 to 5]
- nothing
- all that matters
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum

from django.utils.translation import gettext as _

_FIELD = re.compile(r"\[([^:\[\]]+):([^\[\]]+)\]")
NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
NUMBER = r"-?\d{1,9}(?:\.\d{1,6})?"
LIMITS = re.compile(rf"({NUMBER}) +to +({NUMBER})")
OPTION = re.compile(r"[-*] +(.+)")
_REQUIRED = "required"
_MAX_ASPECTS = 8
_MAX_GRADES = 11


class FaultyText(ValueError):
    """A text that cannot be read; says in which line and why."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(_("Line %(line)s: %(what)s") % {"line": line, "what": problem})


class FormKind(StrEnum):
    """What people fill in."""

    CHOICE = "choice"
    NUMBER = "number"
    TEXT = "text"
    GRADES = "grades"
    SLIDER = "slider"


_ASKED_BEFORE_OR_AFTER = (FormKind.CHOICE, FormKind.NUMBER, FormKind.TEXT)
_OF_ASPECTS = (FormKind.GRADES, FormKind.SLIDER)


@dataclass(frozen=True)
class Field:
    """A field and the question above it.

    Options are those of a choice, or the labels of a scale: of both ends, or of every grade.
    Limits are those of a number or of a scale.
    """

    name: str
    kind: FormKind
    question: str
    required: bool = False
    options: tuple[str, ...] = ()
    limits: tuple[Decimal, Decimal] | None = None

    @property
    def labels_all(self) -> bool:
        """Whether every grade of a scale has a label."""
        return len(self.options) == len(self.grades)

    @property
    def grades(self) -> list[tuple[int, str]]:
        """The values of a scale of grades, each with its label; empty labels are not shown."""
        assert self.limits
        values = range(int(self.limits[0]), int(self.limits[1]) + 1)
        labels = [""] * len(values)
        if len(self.options) == len(values):
            labels = [*self.options]
        elif self.options:
            labels[0], labels[-1] = self.options
        return [*zip(values, labels, strict=True)]


Part = str | Field
"""Markdown, or a field."""


@dataclass
class _Draft:
    line: int
    name: str
    properties: list[str]
    question: str
    kinds: tuple[FormKind, ...]
    options: list[str] = field(default_factory=list)

    @property
    def has_options(self) -> bool:
        return self.properties[0] in (FormKind.CHOICE, *_OF_ASPECTS)

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
        if kind in _OF_ASPECTS:
            self._check_scale(kind, limits)
        return Field(self.name, kind, self.question, required, options, limits)

    def _kind(self) -> FormKind:
        kind = self.properties[0]
        if kind not in self.kinds:
            problem = "there is no field of the kind “%(kind)s” here: write %(kinds)s."
            kinds = " or ".join(self.kinds)
            raise FaultyText(self.line, problem % {"kind": kind, "kinds": kinds})

        return FormKind(kind)

    def _check_options(self) -> None:
        if len(self.options) < 2:
            problem = "give the choice at least two options below it, each as “- …”."
            raise FaultyText(self.line, problem)
        if len(set(self.options)) < len(self.options):
            raise FaultyText(self.line, "two options are the same.")

    def _check_scale(
        self, kind: FormKind, limits: tuple[Decimal, Decimal] | None
    ) -> None:
        """Check the limits of a scale, and that it labels both its ends or every grade."""
        if limits is None or limits[0] == limits[1]:
            raise FaultyText(self.line, "give the scale both its ends, such as 1 to 5.")

        labelled = {0, 2}
        if kind == FormKind.GRADES:
            least, most = limits
            if least % 1 or most % 1 or most - least >= _MAX_GRADES:
                problem = f"grades are 2 to {_MAX_GRADES} whole numbers; use a slider for more."
                raise FaultyText(self.line, problem)
            labelled.add(int(most - least) + 1)

        if len(self.options) not in labelled:
            counts = " or ".join(map(str, sorted(labelled - {0})))
            problem = (
                f"give the scale {counts} labels below it, each as “- …”, or none."
            )
            raise FaultyText(self.line, problem)

    def _limits(
        self, kind: FormKind, properties: Sequence[str]
    ) -> tuple[Decimal, Decimal] | None:
        """Read what is written besides the kind; only numbers and scales have limits."""
        if not properties:
            return None

        found = LIMITS.fullmatch(properties[0])
        has_limits = kind in (FormKind.NUMBER, *_OF_ASPECTS)
        if not has_limits or not found or len(properties) > 1:
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


def read_questionnaire(
    text: str, kinds: tuple[FormKind, ...] = _ASKED_BEFORE_OR_AFTER
) -> list[Part]:
    """Read the parts of a questionnaire, in their order; raises FaultyText."""
    parts: list[str | _Draft] = []
    lines: list[str] = []

    for number, line in enumerate(text.splitlines(), start=1):
        text_of_line = line.strip()
        option = OPTION.fullmatch(text_of_line)
        last = parts[-1] if parts and not lines else None

        if text_of_line.startswith("[") and text_of_line.endswith("]"):
            question = _take_question(lines)
            draft = _draft(number, text_of_line, question, kinds)
            parts += [*_markdown(lines), draft]
            lines = []
        elif option and isinstance(last, _Draft) and last.has_options:
            last.options.append(option[1])
        else:
            lines.append(line)

    parts += _markdown(lines)
    return _checked(parts)


def fields_of(text: str) -> list[Field]:
    """Return the fields of a questionnaire."""
    return [part for part in read_questionnaire(text) if isinstance(part, Field)]


def read_aspects(text: str) -> list[Field]:
    """Read the aspects of ratings, in their order; raises FaultyText."""
    parts = read_questionnaire(text, _OF_ASPECTS)
    aspects = [part for part in parts if isinstance(part, Field)]
    if len(aspects) < len(parts):
        problem = "write nothing but questions with their scales."
        raise FaultyText(1, problem)
    if len(aspects) > _MAX_ASPECTS:
        raise FaultyText(1, f"ask about at most {_MAX_ASPECTS} aspects.")

    return aspects


def _draft(
    number: int, line: str, question: str, kinds: tuple[FormKind, ...]
) -> _Draft:
    found = _FIELD.fullmatch(line)
    if not found:
        examples = " or ".join(f"“[name: {kind}]”" for kind in kinds)
        raise FaultyText(number, f"write a field as {examples}.")

    properties = [each.strip() for each in found[2].split(",")]
    return _Draft(number, found[1].strip(), properties, question, kinds)


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
