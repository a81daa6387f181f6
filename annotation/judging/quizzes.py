"""Questions with a known answer, written as Markdown task lists.

What should you do if both sentences seem equally near?
- [x] Go with my first impression
- [ ] Leave the study
> Your first impression is just what we want to know.
"""

import re
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

OPTION = re.compile(r"[-*] \[([ xX])\] +(.+)")


@dataclass(frozen=True)
class Quiz:
    """A question, its options, the index of the right one, and why it is right."""

    question: str
    options: tuple[str, ...]
    right: int
    why: str = ""


class FaultyQuiz(ValueError):
    """A text that is no list of questions; says what is wrong where."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(_("Line %(line)s: %(what)s") % {"line": line, "what": what})


@dataclass
class Block:
    """One question while it is being read."""

    line: int
    question: list[str] = field(default_factory=list)
    options: list[tuple[bool, str]] = field(default_factory=list)
    why: list[str] = field(default_factory=list)

    def quiz(self) -> Quiz:
        right = [index for index, (is_right, _text) in enumerate(self.options) if is_right]
        if not self.question:
            raise FaultyQuiz(self.line, _("write the question above its options."))
        if len(self.options) < 2:
            words = _("give the question two options, each as “- [ ] …”.")
            raise FaultyQuiz(self.line, words)
        if len(right) != 1:
            raise FaultyQuiz(self.line, _("mark one option as the right one: “- [x] …”."))
        options = tuple(option for _is_right, option in self.options)
        return Quiz("\n".join(self.question), options, right[0], " ".join(self.why))


def read_quizzes(text: str) -> list[Quiz]:
    """The questions of a text, in its order; raises FaultyQuiz."""
    blocks: list[Block] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            read_line(blocks, number, line.strip())
    return [block.quiz() for block in blocks]


def read_line(blocks: list[Block], number: int, line: str) -> None:
    option = OPTION.fullmatch(line)
    is_why = line.startswith(">") and blocks and blocks[-1].options
    begins = not option and not is_why and (not blocks or blocks[-1].options)
    if not blocks or begins:
        blocks.append(Block(number))
    if option:
        blocks[-1].options.append((option[1] != " ", option[2]))
    elif is_why:
        blocks[-1].why.append(line[1:].strip())
    else:
        blocks[-1].question.append(line)
