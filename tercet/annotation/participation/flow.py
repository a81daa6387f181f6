"""An annotator's way through a study, from consent to the completion code."""

import math
from collections.abc import Mapping
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from tercet.annotation.judging.leases import (
    end_leases_of,
    has_open_questions,
    is_held_back,
    may_get_questions_later,
)
from tercet.annotation.judging.quotas import lock_annotator
from tercet.annotation.models import Annotator, Lease, Study
from tercet.annotation.models.base import store
from tercet.annotation.models.study import Order, Outcome, Step, Time
from tercet.annotation.participation.exits import completion_code
from tercet.annotation.participation.texts import quizzes_of, text_of_questionnaire

ORDER = list(Step)
QUIZZES = {Step.COMPREHENSION, Step.PRACTICE}
_MAX_TRIES = 2
"""Attempts at the comprehension questions."""


def step_of(annotator: Annotator) -> Step:
    """Return the annotator's step, or the first after it that the study has."""
    ahead = ORDER[ORDER.index(Step(annotator.step)) : -1]
    due = (step for step in ahead if has_step(annotator.study, step))
    return next(due, Step.JUDGING)


def may_begin_anew(annotator: Annotator) -> bool:
    """Return whether an annotator has declined or not agreed yet, and has done nothing.

    They were shown no resume code, and there is nothing of theirs that it would protect.
    """
    has_declined = annotator.outcome == Outcome.SCREENED_OUT
    is_outside = has_declined or step_of(annotator) == Step.CONSENT
    has_done_nothing = not annotator.leases_given and not annotator.answers.exists()

    return is_outside and has_done_nothing and annotator.excluded_at is None


def has_step(study: Study, step: Step) -> bool:
    """Return whether a study has a step before judging; a quiz without questions is skipped."""
    if step not in study.steps:
        return False

    return step not in QUIZZES or bool(quizzes_of(study, step))


def advance(annotator: Annotator, done: Step) -> None:
    """Move the annotator past a step. Idempotent."""
    if step_of(annotator) == done != Step.JUDGING:
        store(annotator, step=ORDER[ORDER.index(done) + 1])


def record_consent(annotator: Annotator, agrees: bool | None) -> None:
    """Record whether the annotator agrees; None withdraws an earlier refusal."""
    if annotator.outcome == Outcome.SCREENED_OUT:
        store(annotator, outcome="")

    if agrees:
        advance(annotator, Step.CONSENT)
    elif agrees is False and step_of(annotator) == Step.CONSENT:
        finish(annotator, Outcome.SCREENED_OUT)


@transaction.atomic
def check_comprehension(
    annotator: Annotator, chosen: list[int | None], tries: int | None
) -> list[int]:
    """Return the indices of the questions answered wrongly; a second failure ends the study.

    `tries` is the number of attempts when the questions were shown, so that answers sent twice
    count once.
    """
    locked = lock_annotator(annotator.pk)
    if locked.tries != tries or locked.outcome or step_of(locked) != Step.COMPREHENSION:
        return []

    quizzes = enumerate(quizzes_of(annotator.study, Step.COMPREHENSION))
    wrong = [
        index for index, quiz in quizzes if quiz.right not in chosen[index : index + 1]
    ]
    if not wrong:
        advance(annotator, Step.COMPREHENSION)
        return []

    store(annotator, tries=locked.tries + 1)
    if annotator.tries >= _MAX_TRIES:
        finish(annotator, Outcome.FAILED)

    return wrong


def advance_practice(annotator: Annotator) -> None:
    """Go on to the next practice question, or past the last one."""
    store(annotator, practised=annotator.practised + 1)
    if annotator.practised >= len(quizzes_of(annotator.study, Step.PRACTICE)):
        advance(annotator, Step.PRACTICE)


def is_questionnaire_due(annotator: Annotator, time: Time) -> bool:
    """Return whether an annotator is to fill in a questionnaire now.

    The one before judging comes after the consent, the one after judging when there is nothing
    left to judge; who began or ended without it is not asked later.
    """
    if annotator.is_out or not text_of_questionnaire(annotator.study, time):
        return False

    if time == Time.BEFORE:
        is_time = not annotator.judged and step_of(annotator) != Step.CONSENT
    else:
        is_time = annotator.judged > 0 and annotator.outcome != Outcome.DONE

    filled = annotator.questionnaires.filter(time=time)
    return is_time and not filled.exists()


def record_answers(
    annotator: Annotator, time: Time, answers: Mapping[str, str]
) -> None:
    """Store the answers to a questionnaire, once however often they are sent."""
    defaults = {"answers": answers}
    annotator.questionnaires.get_or_create(time=time, defaults=defaults)


def can_start(annotator: Annotator) -> bool:
    """Return whether there would be questions after the steps before judging."""
    study = annotator.study
    return annotator.is_test or (study.is_open and has_open_questions(study))


def workload(study: Study, leases: list[Lease]) -> int:
    """Return how many judgments an annotator with these leases is to give.

    The study's limit; without one, an estimate from the open questions, of which an annotator
    gets at most those after their position, unless people have orders of their own.
    """
    if study.max_judgments is not None:
        return study.max_judgments

    annotator = leases[0].annotator
    given = annotator.judged + len(leases)
    last: int = study.questions.aggregate(last=Max("position", default=0))["last"]
    unseen = last - annotator.position
    if study.question_order == Order.SHUFFLED:
        unseen = last + 1 - given

    ahead = min(study.questions.open().count(), unseen)
    return rounded_up(given + max(0, ahead))


def rounded_up(number: int) -> int:
    """Return the number with two significant digits, as an estimate has no more."""
    step: int = 10 ** max(0, len(str(number)) - 2)
    return math.ceil(number / step) * step


def has_reached_limit(annotator: Annotator) -> bool:
    """Return whether the annotator gave as many judgments as the study takes from one person."""
    max_judgments = annotator.study.max_judgments
    return max_judgments is not None and annotator.judged >= max_judgments


def is_finished(annotator: Annotator) -> bool:
    """Return whether the annotator is done, even if the study is only paused."""
    is_done = annotator.is_test or annotator.outcome == Outcome.DONE
    return is_done or has_reached_limit(annotator)


def is_break_due(annotator: Annotator) -> bool:
    """Return whether to offer a break before the next question."""
    interval = annotator.study.break_every
    is_due = interval > 0 and annotator.judged - annotator.judged_at_break >= interval

    return is_due and not has_reached_limit(annotator)


def is_judging(annotator: Annotator) -> bool:
    """Return whether a question comes next, and not another page."""
    if step_of(annotator) != Step.JUDGING or annotator.is_out:
        return False
    if is_break_due(annotator):
        return False

    return not is_questionnaire_due(annotator, Time.BEFORE)


def take_break(annotator: Annotator) -> None:
    """Note that a break was offered; its time does not count as a question's."""
    store(annotator, judged_at_break=annotator.judged, current_lease=None)


def must_wait(annotator: Annotator) -> bool:
    """Return whether an annotator is to wait for questions that are not free now.

    Who has judged waits until others have answered them, or finishes when they like. Who has not
    waits at most as long as a lease lasts.
    """
    is_over = annotator.excluded_at or annotator.outcome == Outcome.DONE
    if is_over or has_reached_limit(annotator) or not annotator.study.is_open:
        return False
    if not may_get_questions_later(annotator):
        return False

    if annotator.waiting_since is None:
        store(annotator, waiting_since=timezone.now())

    return bool(annotator.judged) or timezone.now() < wait_end(annotator)


def wait_end(annotator: Annotator) -> datetime:
    """Return until when an annotator who has not judged waits at most."""
    begin = annotator.waiting_since or timezone.now()
    return begin + timedelta(seconds=settings.LEASE_SECONDS)


def stop_waiting(annotator: Annotator) -> None:
    """Note that an annotator has got a question."""
    if annotator.waiting_since or annotator.held_back_at:
        store(annotator, waiting_since=None, held_back_at=None)


def may_finish(annotator: Annotator) -> bool:
    """Return whether somebody who has judged waits for more questions."""
    is_waiting = annotator.waiting_since is not None and not annotator.is_out
    return annotator.judged > 0 and is_waiting


@transaction.atomic
def stop(annotator: Annotator) -> None:
    """End the part of an annotator who wants to stop while judging; free what they hold.

    People who are done stay so.
    """
    if step_of(annotator) == Step.JUDGING and annotator.outcome != Outcome.DONE:
        finish(annotator, Outcome.STOPPED)
        end_leases_of(annotator)


def resume(annotator: Annotator) -> None:
    """Let an annotator who stopped go on judging."""
    stopped = Annotator.objects.filter(pk=annotator.pk, outcome=Outcome.STOPPED)
    stopped.update(outcome="")


def finish_judging(annotator: Annotator) -> None:
    """Finish an annotator for whom there is no question left.

    Note where that is because their network has given its share.
    """
    if annotator.study.is_open and is_held_back(annotator):
        store(annotator, held_back_at=timezone.now())

    finish(annotator, Outcome.DONE if annotator.judged else Outcome.NO_WORK)


def finish(annotator: Annotator, outcome: Outcome) -> None:
    """Record the outcome and create the completion code, once however often it is called.

    A code of the annotator's own stays, whatever they undo or resume.
    """
    with transaction.atomic():
        locked = lock_annotator(annotator.pk)
        if locked.outcome != outcome:
            locked.outcome = outcome
            code = completion_code(locked)
            store(locked, outcome=outcome, finished_at=timezone.now(), code=code)

    annotator.outcome = locked.outcome
    annotator.code = locked.code
    annotator.finished_at = locked.finished_at
