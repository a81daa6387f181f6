"""Simulated annotators for demos, tests and planning.

They claim leases and answer through the same code as a person's browser, whatever is asked: the
kind of the questions says how. In a choice, one prefers a given candidate, or else the one that
shares more words with A. It answers accordingly with the probability of its reliability, and the
other way otherwise.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random

from tercet.analysis.tables.schema import SIMULATED
from tercet.annotation.judging.answers import MAX_WAIT, AnswerMessage, record
from tercet.annotation.judging.leases import claim
from tercet.annotation.kinds import kind_of
from tercet.annotation.kinds.simulated import Beliefs, Character
from tercet.annotation.models import Annotator, Study

SECONDS = (1.8, 0.4)
"""Mean and standard deviation of the logarithm of the time per vote: about 6 s, 2.7 to 13."""


@dataclass
class _Simulated:
    """An annotator that answers by itself."""

    annotator: Annotator
    character: Character

    def answer(self) -> bool:
        """Claim a lease and answer its question; False where there is none left."""
        lease = claim(self.annotator)
        if lease is None:
            return False

        sent = kind_of(self.annotator.study).simulate(lease, self.character)
        seconds = self.character.random.lognormvariate(*SECONDS)

        waited = MAX_WAIT + seconds  # the server's clock says nothing here
        record(AnswerMessage(lease.key, sent, active_seconds=seconds, waited=waited))
        return True


def simulate(
    study: Study,
    numbers: Iterable[int],
    reliability: float,
    beliefs: Beliefs,
    seed: int,
) -> Iterator[Annotator]:
    """Let annotators, by their numbers, vote in turn while questions are left; yield each voter."""
    group = []
    for number in numbers:
        name = name_of(number)
        annotator, _ = Annotator.objects.get_or_create(study=study, name=name)
        character = Character(reliability, beliefs, Random(f"{seed} {name}"))
        group.append(_Simulated(annotator, character))

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
