"""An annotator's way through a study: consent to completion."""

import secrets
from urllib.parse import quote

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from annotation.judging.leases import has_open
from annotation.judging.quotas import lock_annotator
from annotation.judging.texts import quizzes_of
from annotation.models import Annotator, Exit, Lease, Study
from annotation.models.study import Outcome, Step

ORDER = list(Step)
QUIZZES = {Step.COMPREHENSION, Step.PRACTICE}
ENDING = ["outcome", "finished_at", "code"]
TRIES = 2
"""At the comprehension questions."""
LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""Those that nobody mistakes for another."""


def step_of(annotator: Annotator) -> Step:
    """Where the annotator is: at their step, or the first after it that the study has."""
    ahead = ORDER[ORDER.index(Step(annotator.step)) :]
    return next(step for step in ahead if step == Step.JUDGING or has_step(annotator.study, step))


def has_step(study: Study, step: Step) -> bool:
    return step in study.steps and (step not in QUIZZES or bool(quizzes_of(study, step)))


def advance(annotator: Annotator, done: Step) -> None:
    """The annotator is through with a step; sent again, it changes nothing."""
    if step_of(annotator) == done != Step.JUDGING:
        annotator.step = ORDER[ORDER.index(done) + 1]
        annotator.save(update_fields=["step"])


def record_consent(annotator: Annotator, agrees: bool | None) -> None:
    """Who declines is screened out, and may think again (None)."""
    if annotator.outcome == Outcome.SCREENED_OUT:
        annotator.outcome = ""
        annotator.save(update_fields=["outcome"])
    if agrees:
        advance(annotator, Step.CONSENT)
    elif agrees is False and step_of(annotator) == Step.CONSENT:
        finish(annotator, Outcome.SCREENED_OUT)


@transaction.atomic
def check_comprehension(
    annotator: Annotator, chosen: list[int | None], tries: int | None
) -> list[int]:
    """The numbers of the questions answered wrongly; who fails twice is out.

    `tries` is how many there had been when the questions were shown: what is sent twice counts
    once.
    """
    locked = lock_annotator(annotator.pk)
    if locked.tries != tries or locked.outcome or step_of(locked) != Step.COMPREHENSION:
        return []
    quizzes = quizzes_of(annotator.study, Step.COMPREHENSION)
    wrong = [
        index for index, quiz in enumerate(quizzes) if quiz.right not in chosen[index : index + 1]
    ]
    if not wrong:
        advance(annotator, Step.COMPREHENSION)
        return []
    annotator.tries = locked.tries + 1
    annotator.save(update_fields=["tries"])
    if annotator.tries >= TRIES:
        finish(annotator, Outcome.FAILED)
    return wrong


def advance_practice(annotator: Annotator) -> None:
    """The annotator has seen the feedback of a practice question, and goes on to the next."""
    annotator.practised += 1
    annotator.save(update_fields=["practised"])
    if annotator.practised >= len(quizzes_of(annotator.study, Step.PRACTICE)):
        advance(annotator, Step.PRACTICE)


def can_start(annotator: Annotator) -> bool:
    """Whether the steps before judging lead to anything: there are questions to be given out."""
    study = annotator.study
    return annotator.is_test or (study.is_open and has_open(study))


def workload(study: Study, held: list[Lease]) -> int:
    """Return how many judgments an annotator with these leases is to give.

    The study's limit; without one, an estimate from the triplets after the annotator's position.
    """
    if study.max_judgments is not None:
        return study.max_judgments

    annotator = held[0].annotator
    last: int = study.triplets.aggregate(last=Max("position", default=0))["last"]
    ahead = max(0, last - annotator.place)
    return annotator.judged + len(held) + ahead


def has_reached_limit(annotator: Annotator) -> bool:
    """Whether they gave as many judgments as the study takes from one person."""
    most = annotator.study.max_judgments
    return most is not None and annotator.judged >= most


def is_finished(annotator: Annotator) -> bool:
    return annotator.is_test or annotator.outcome == Outcome.DONE or has_reached_limit(annotator)


def is_break_due(annotator: Annotator) -> bool:
    every = annotator.study.break_every
    is_due = bool(every) and annotator.judged - annotator.rested >= every
    return is_due and not has_reached_limit(annotator)


def is_judging(annotator: Annotator) -> bool:
    """Whether it is questions that come next, and no other page."""
    is_there = step_of(annotator) == Step.JUDGING and not annotator.is_out
    return is_there and not is_break_due(annotator)


def take_break(annotator: Annotator) -> None:
    """A break was offered; the next comes as many judgments later. It is no time of a question."""
    annotator.rested, annotator.asking = annotator.judged, None
    annotator.save(update_fields=["rested", "asking"])


def finish_judging(annotator: Annotator) -> None:
    """There is no question left for somebody who comes to judge."""
    finish(annotator, Outcome.DONE if annotator.judged else Outcome.NO_WORK)


def finish(annotator: Annotator, outcome: Outcome) -> None:
    """Note how it ended; only now there is a completion code, one for all pages that ask."""
    with transaction.atomic():
        locked = lock_annotator(annotator.pk)
        if locked.outcome != outcome:
            locked.outcome, locked.finished_at = outcome, timezone.now()
            locked.code = exit_of(locked).code or new_code()
            locked.save(update_fields=ENDING)
    for name in ENDING:
        setattr(annotator, name, getattr(locked, name))


def exit_of(annotator: Annotator) -> Exit:
    """Where the annotator leaves to: as the study says, or without an address to go on to."""
    chosen = annotator.study.exits.filter(outcome=annotator.outcome).first()
    return chosen or Exit(study=annotator.study, outcome=annotator.outcome)


def exit_url(annotator: Annotator) -> str:
    """The address that the annotator goes on to; it may hold {code} and {person}."""
    told = {"{code}": annotator.code, "{person}": annotator.external_id}
    address = exit_of(annotator).url
    for place, value in told.items():
        address = address.replace(place, quote(value, safe=""))
    return address


def new_code() -> str:
    letters = "".join(secrets.choice(LETTERS) for _ in range(8))
    return f"{letters[:4]}-{letters[4:]}"
