"""Simulated annotators for demos, tests and planning.

A simulated annotator prefers a given candidate, or else the one that shares more words with A. It
answers accordingly with the probability of its reliability, and the other way otherwise, unless
its habit is a bad one. It claims leases and votes through the same code as a person's browser.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from types import MappingProxyType

from tercet.analysis.dataset.simulation import shared_words
from tercet.analysis.tables.schema import SIMULATED
from tercet.annotation.judging.answers import MAX_WAIT, AnswerMessage, record
from tercet.annotation.judging.leases import claim
from tercet.annotation.models import Annotator, Lease, Pair, Question, Study
from tercet.annotation.models.answer import Side

OTHER = {"B": "C", "C": "B"}
SECONDS = (1.8, 0.4)
"""Mean and standard deviation of the logarithm of the time per vote: about 6 s, 2.7 to 13."""
FAST_SECONDS = (-0.9, 0.3)
"""The same of an annotator who is too fast: about 0.4 s, 0.2 to 0.7."""
Beliefs = Mapping[str, str]
"""The preferred candidate, B or C, by the name of the pair."""


class Habit(StrEnum):
    """How a simulated annotator answers.

    Good and fast ones answer by their beliefs, with their reliability; fast ones take less than a
    second. The others choose at random, or always the left candidate.
    """

    GOOD = "good"
    RANDOM = "random"
    LEFT = "left"
    FAST = "fast"


_ALL_GOOD: Mapping[int, Habit] = MappingProxyType({})
"""Habits by the numbers of annotators, where nobody has a bad one."""


@dataclass
class Simulated:
    """An annotator of stated reliability (0..1), with its own random generator."""

    annotator: Annotator
    habit: Habit
    reliability: float
    beliefs: Beliefs
    random: Random

    def answer(self) -> bool:
        """Claim a lease and vote on its question; False where there is none left."""
        lease = claim(self.annotator)
        if lease is None:
            return False

        side = self._side(lease)
        is_fast = self.habit == Habit.FAST
        seconds = self.random.lognormvariate(*(FAST_SECONDS if is_fast else SECONDS))

        waited = MAX_WAIT + seconds  # the server's clock says nothing here
        record(AnswerMessage(lease.key, side, active_seconds=seconds, waited=waited))
        return True

    def _side(self, lease: Lease) -> str:
        if self.habit == Habit.LEFT:
            return Side.LEFT
        if self.habit == Habit.RANDOM:
            return self.random.choice(Side.values)

        choice = self._belief(lease)
        if self.random.random() >= self.reliability:
            choice = OTHER[choice]

        return side_of(choice, lease)

    def _belief(self, lease: Lease) -> str:
        questions = Question.objects.select_related("pair__b", "pair__c", "reference")
        question = questions.get(pk=lease.question_id)

        given = self.beliefs.get(question.pair.name)
        similar = more_similar(question.pair, str(question.reference or ""))
        return given or similar or self.random.choice("BC")


def side_of(choice: str, lease: Lease) -> str:
    """Return the side on which a candidate, B or C, is shown."""
    other = Side.RIGHT if lease.b_side == Side.LEFT else Side.LEFT
    return lease.b_side if choice == "B" else other


def more_similar(pair: Pair, a: str) -> str | None:
    """Return the candidate that shares more words with A, None where they share equally many."""
    b = shared_words(pair.b.caption, a)
    c = shared_words(pair.c.caption, a)
    if b == c:
        return None

    return "B" if b > c else "C"


def simulate(
    study: Study,
    numbers: Iterable[int],
    reliability: float,
    beliefs: Beliefs,
    seed: int,
    habits: Mapping[int, Habit] = _ALL_GOOD,
) -> Iterator[Annotator]:
    """Let annotators, by their numbers, vote in turn while questions are left; yield each voter."""
    group = []
    for number in numbers:
        name = name_of(number)
        annotator, _ = Annotator.objects.get_or_create(study=study, name=name)
        habit = habits.get(number, Habit.GOOD)
        random = Random(f"{seed} {name}")
        group.append(Simulated(annotator, habit, reliability, beliefs, random))

    while group:
        for one in list(group):
            if one.answer():
                yield one.annotator
            else:
                group.remove(one)


def name_of(number: int) -> str:
    """Return the name of a simulated annotator."""
    return f"{SIMULATED}{number:02}"


def next_number(study: Study) -> int:
    """Return the first number from which no simulated annotator of a study is named."""
    annotators = study.annotators.filter(name__regex=rf"^{SIMULATED}\d+$")
    names = annotators.values_list("name", flat=True)
    numbers = (int(name.removeprefix(SIMULATED)) for name in names)
    return max(numbers, default=0) + 1
