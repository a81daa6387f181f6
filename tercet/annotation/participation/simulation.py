"""Simulated annotators for demos, tests and planning.

They claim leases and answer through the same code as a person's browser, whatever is asked: the
kind of the questions says how. In a choice, one prefers a given candidate, or else the one that
shares more words with A. It answers accordingly with the probability of its reliability, and the
other way otherwise.

Who finds no question any more finishes as a person does, with questionnaires, an id of a platform
where people of one may take part, and a completion code, so that approval and pay can be rehearsed.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from random import Random

from tercet.analysis.tables.schema import SIMULATED
from tercet.annotation.judging.answers import MAX_WAIT, AnswerMessage, record
from tercet.annotation.judging.kinds import kind_of
from tercet.annotation.judging.kinds.kind import Beliefs, Character
from tercet.annotation.judging.leases import claim
from tercet.annotation.judging.questionnaires import Field, FormKind, fields_of
from tercet.annotation.models import Annotator, Study
from tercet.annotation.models.base import store
from tercet.annotation.models.study import Step, Time
from tercet.annotation.participation import flow
from tercet.annotation.participation.texts import text_of_questionnaire

SECONDS = (1.8, 0.4)
"""Mean and standard deviation of the logarithm of the time per vote: about 6 s, 2.7 to 13."""


@dataclass
class _Simulated:
    """An annotator that answers by itself."""

    annotator: Annotator
    character: Character
    seconds: float = 0
    """The simulated time of all votes."""

    def answer(self) -> bool:
        """Claim a lease and answer its question; False where there is none left."""
        lease = claim(self.annotator)
        if lease is None:
            return False

        sent = kind_of(self.annotator.study).simulate(lease, self.character)
        seconds = self.character.random.lognormvariate(*SECONDS)
        self.seconds += seconds

        waited = MAX_WAIT + seconds  # the server's clock says nothing here
        record(AnswerMessage(lease.key, sent, active_seconds=seconds, waited=waited))
        return True

    def finish(self) -> None:
        """Fill in the questionnaires, and finish after the simulated time of the votes."""
        person = self.annotator
        person.refresh_from_db()
        for time in Time:
            fields = fields_of(text_of_questionnaire(person.study, time))
            if fields and person.judged:
                answers = {each.name: self._fill_in(each) for each in fields}
                flow.record_answers(person, time, answers)

        flow.finish_judging(person)
        if person.finished_at:
            begin = person.finished_at - timedelta(seconds=self.seconds)
            store(person, created_at=begin, step=Step.JUDGING)

    def _fill_in(self, each: Field) -> str:
        random = self.character.random
        if each.options:
            return random.choice(each.options)
        if each.kind == FormKind.NUMBER:
            least, most = each.limits or (Decimal(18), Decimal(80))
            return str(
                random.randint(math.ceil(least), max(math.ceil(least), int(most)))
            )
        return "simulated"


def simulate(
    study: Study,
    numbers: Iterable[int],
    reliability: float,
    beliefs: Beliefs,
    seed: int,
) -> Iterator[Annotator]:
    """Let annotators, by their numbers, vote in turn while questions are left; yield each voter.

    Who finds none finishes.
    """
    group = []
    for number in numbers:
        name = name_of(number)
        external_id = name if study.crowd_is_open else ""
        annotator, _ = Annotator.objects.get_or_create(
            study=study, name=name, defaults={"external_id": external_id}
        )
        character = Character(reliability, beliefs, Random(f"{seed} {name}"))
        group.append(_Simulated(annotator, character))

    while group:
        for one in list(group):
            if one.answer():
                yield one.annotator
            else:
                one.finish()
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
