"""Quizzes: questions with a known answer, written as Markdown task lists.

What should you do if both sentences seem equally close to A?
- [x] Go with my first impression
- [ ] Leave the study
> Your first impression is what we want to know.
"""

import re
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from tercet.annotation.judging.questionnaires import FaultyText

OPTION = re.compile(r"[-*] \[([ xX])\] +(.+)")


@dataclass(frozen=True)
class Quiz:
    """A question, its options, the index of the right option, and an explanation."""

    question: str
    options: tuple[str, ...]
    right: int
    why: str = ""


@dataclass
class _Block:
    line: int
    question: list[str] = field(default_factory=list)
    options: list[tuple[bool, str]] = field(default_factory=list)
    why: list[str] = field(default_factory=list)

    def quiz(self) -> Quiz:
        """Build the quiz; raises FaultyText."""
        right = [index for index, option in enumerate(self.options) if option[0]]

        if not self.question:
            raise FaultyText(self.line, _("write the question above its options."))
        if len(self.options) < 2:
            problem = _("give the question two options, each as “- [ ] …”.")
            raise FaultyText(self.line, problem)
        if len(right) != 1:
            problem = _("mark exactly one option as correct: “- [x] …”.")
            raise FaultyText(self.line, problem)

        options = tuple(option for _is_right, option in self.options)
        return Quiz("\n".join(self.question), options, right[0], " ".join(self.why))


def read_quizzes(text: str) -> list[Quiz]:
    """Read the quizzes of a text, in their order; raises FaultyText."""
    blocks: list[_Block] = []

    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            _read_line(blocks, number, line.strip())

    return [block.quiz() for block in blocks]


def _read_line(blocks: list[_Block], number: int, line: str) -> None:
    """Add a line to the last block, or begin a new one."""
    has_options = bool(blocks and blocks[-1].options)
    option = OPTION.fullmatch(line)
    is_why = line.startswith(">") and has_options

    begins_block = has_options and not option and not is_why
    if not blocks or begins_block:
        blocks.append(_Block(number))

    block = blocks[-1]
    if option:
        block.options.append((option[1] != " ", option[2]))
    elif is_why:
        block.why.append(line[1:].strip())
    else:
        block.question.append(line)
