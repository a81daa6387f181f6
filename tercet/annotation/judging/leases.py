"""Assign questions to annotators through short-lived leases.

An annotator holds a few leases at once, so that the next question is on the page without delay.
Everybody goes through the study's questions in the same order, so that questions are finished one
after the other, or in a random order of their own (`Study.question_order`). Gold checks and repeats
are mixed in; their leases do not count towards quotas. A vote on a gold check counts if its
question still needs votes when it arrives (`quotas.count_checks_where_open`), and is only a check
otherwise.
"""

import random
from datetime import datetime, timedelta
from math import inf

from django.conf import settings
from django.db import transaction
from django.db.models import Case, Exists, F, OuterRef, Q, QuerySet, When
from django.utils import timezone

from tercet.annotation.judging import networks
from tercet.annotation.judging.kinds import kind_of
from tercet.annotation.judging.locked_annotator import (
    LEASE,
    LockedAnnotator,
    lock_with_leases,
)
from tercet.annotation.judging.quotas import (
    LEFT_BALANCE,
    addition_of_lease,
    end_lease,
    for_update,
)
from tercet.annotation.models import Annotator, Answer, Lease, Question, Study
from tercet.annotation.models.answer import SKIPPED, Purpose, Status
from tercet.annotation.models.question import QuestionQuerySet
from tercet.annotation.models.study import Order
from tercet.annotation.sql import Columns, fetch

LEASES_AT_FIRST = 4
"""Questions that a page holds before its annotator has voted."""
MAX_HELD_BY_NEWCOMERS = 40
"""Questions that people of one network hold at most who have not voted yet."""
_EXPIRED_AT_ONCE = 10
"""Expired leases that one request ends at most, besides its own work."""
_EXPIRY_CHECK_RATE = 0.05
"""Share of requests that also look for expired leases."""
IDLE_SECONDS = 60
"""Time without a vote after which a question can be given to somebody who has none."""
INACTIVE_SECONDS = 180
"""Time without a vote after which a researcher can free what somebody holds."""
REPEAT_AFTER = 10
"""Minimum number of judgments between a question and its repeat."""

QUESTION: Columns[Question] = Columns(Question, "id, study_id, position, needed, lean")
NEXT_OPEN_QUESTION = f"""
SELECT {QUESTION.sql} FROM annotation_question
WHERE study_id = %s AND position > %s AND position <= %s
    AND NOT stopped AND answers < needed - leases
    AND NOT EXISTS (
        SELECT 1 FROM annotation_answer
        WHERE question_id = annotation_question.id AND annotator_id = %s AND status <> %s
    )
    AND id NOT IN ({{unavailable}})
    {{room}}
ORDER BY {{order}} LIMIT 1
"""
"""The first open question, new to an annotator, after a position and up to another."""
_OF_ANOTHER_IMAGE = """
    AND image_id NOT IN (
        SELECT image_id FROM annotation_question AS near WHERE near.id IN ({held}) OR near.id = (
            SELECT question_id FROM annotation_answer
            WHERE annotator_id = %s ORDER BY id DESC LIMIT 1
        )
    )
"""
_QUESTION_WITH_ROOM = (
    "FROM annotation_question "
    f"WHERE annotation_question.id = %s AND {networks.ROOM_FOR_NETWORK}"
)
"""The question with this key, where a network may give one more vote."""
_OPEN_POSITION = """
SELECT position FROM annotation_question
WHERE study_id = %s AND NOT stopped AND answers < needed - leases
ORDER BY position {direction} LIMIT 1
"""
_OPEN_RANGE = (
    f"SELECT ({_OPEN_POSITION.format(direction='ASC')}), "
    f"({_OPEN_POSITION.format(direction='DESC')})"
)
"""The positions of the first and the last open question of a study."""
BLOCK = 50
"""Questions of a block, within which each annotator has an order of their own."""
LAST = 2**31 - 1
"""A position after all others."""


def leases_per_page(annotator: Annotator) -> int:
    """Return how many questions a page holds: the one it shows, and those in reserve."""
    if not annotator.judged:
        return LEASES_AT_FIRST

    return annotator.study.offline_questions


def claim(annotator: Annotator) -> Lease | None:
    """Return the lease of the question to ask now; None where there is no question left."""
    leases = top_up_leases(annotator, 1)
    return leases[0] if leases else None


def top_up_leases(annotator: Annotator, wanted: int) -> list[Lease]:
    """Return the live leases of an annotator, topped up to `wanted` where questions are open.

    Where there are none, expired leases of others are ended and it is tried once more.
    """
    if random.random() < _EXPIRY_CHECK_RATE:
        of_any_study = _expired_leases().order_by("question_id")
        _end_if_expired(of_any_study[:_EXPIRED_AT_ONCE])

    with transaction.atomic():
        locked = lock_with_leases(annotator.pk)
        leases = assign(locked, wanted)

    return leases or retry_after_expiry(annotator)


def retry_after_expiry(annotator: Annotator) -> list[Lease]:
    """End expired leases of the study, wait for questions that are locked, and assign one."""
    end_expired_leases(annotator.study)

    leases = _assign_when_unlocked(annotator)
    while not leases and _end_idle_lease(annotator):
        leases = _assign_when_unlocked(annotator)

    return leases


def _assign_when_unlocked(annotator: Annotator) -> list[Lease]:
    leases: list[Lease] = []
    while not leases and _wait_for_open_question(annotator):
        with transaction.atomic():
            locked = lock_with_leases(annotator.pk)
            leases = assign(locked, 1)

    return leases


def _end_idle_lease(annotator: Annotator) -> bool:
    """Take a question from an idle annotator by ending the lease; False where there is none.

    Reserves go before questions that are on a page, and annotators who have never voted before
    others: they lose the least.
    """
    with transaction.atomic():
        wanted = _leases_to_take(lock_with_leases(annotator.pk))

    idle = _idle_leases(IDLE_SECONDS).filter(purpose=Purpose.STUDY)
    others = idle.filter(wanted).exclude(annotator=annotator.pk)
    is_on_page = Case(When(annotator__current_lease=F("key"), then=1), default=0)
    lease = others.order_by(is_on_page, "annotator__judged", "created_at").first()
    return lease is not None and _end_if_among(idle, lease)


def _leases_to_take(locked: LockedAnnotator) -> Q:
    """Return which leases of others keep an annotator from getting a question.

    If the annotator's network has reached its limit for people who have not voted yet, these are
    the leases of such people. Otherwise they are the leases of questions that the annotator may
    answer, or might answer if somebody of the same network did not hold one.
    """
    annotator = locked.annotator
    network = annotator.network
    of_network = Q(annotator__study=annotator.study_id, annotator__network=network)
    if not _may_get_question(locked):
        is_newcomer = _is_newcomer(annotator) and not locked.live
        is_crowded = is_newcomer and _limit(annotator) > 0
        nobody = Q(pk__in=[])
        return of_network & Q(annotator__judged=0) if is_crowded else nobody

    unseen = unseen_questions(locked).filter(stopped=False)
    keeping = Q(question__in=networks.with_room(unseen, annotator).values("pk"))
    if networks.limited_network(annotator):
        lacking = networks.with_room(unseen, annotator, leases=False).values("pk")
        keeping |= of_network & Q(question__in=lacking)

    return keeping


def _idle_leases(seconds: int) -> "QuerySet[Lease]":
    """Select live leases of this age whose annotators have not voted for as long."""
    long_ago = timezone.now() - timedelta(seconds=seconds)
    recent = Answer.objects.filter(created_at__gte=long_ago)
    votes = recent.filter(annotator=OuterRef("annotator"))
    return Lease.objects.filter(~Exists(votes), live=True, created_at__lt=long_ago)


@transaction.atomic
def _wait_for_open_question(annotator: Annotator) -> bool:
    """Wait until an open question that is new to the annotator is unlocked; False without one.

    The lock is released at once: holding it while waiting for another lock might deadlock.
    """
    locked = lock_with_leases(annotator.pk)
    if not _may_get_question(locked):
        return False

    # A subquery in the statement that locks might be run again for each question of the study.
    questions = networks.with_room(unseen_questions(locked), locked.annotator)
    first = list(questions.open().values_list("pk", flat=True)[:1])
    rows = Question.objects.select_for_update(no_key=True)
    return rows.filter(pk__in=first).exists()


def assign(locked: LockedAnnotator, wanted: int) -> list[Lease]:
    """Top up the leases of a locked annotator, save it, and return its live leases.

    Leases that an undo made end with the study: votes on them would be refused. Questions that
    other transactions have locked are skipped.
    """
    if not locked.annotator.may_undo:
        _end_leases([lease for lease in locked.live if lease.is_of_undo])
    _renew_leases(locked)
    if _is_newcomer(locked.annotator):
        networks.lock_network(locked.annotator)

    most = min(wanted, _max_leases(locked))
    while len(locked.live) < most and _add_lease(locked):
        pass

    _note_current_question(locked)
    locked.save()
    return locked.live


def _renew_leases(locked: LockedAnnotator) -> None:
    """Renew the live leases once half of the time of one is over; some may expire meanwhile.

    Leases of somebody who has not voted yet are not renewed: a page that is only open must give
    its questions back. Renewing at half of the time spares most requests the update.
    """
    if not locked.annotator.judged:
        return

    soon = timezone.now() + timedelta(seconds=settings.LEASE_SECONDS / 2)
    if all(lease.expires_at > soon for lease in locked.live):
        return

    rows = Lease.objects.filter(annotator=locked.annotator, live=True)
    rows.update(expires_at=lease_end(locked.annotator))

    still_live = set(rows.values_list("pk", flat=True))
    for lease in locked.live:
        lease.live = lease.pk in still_live


def lease_end(annotator: Annotator) -> datetime:
    """Return when a lease that begins now expires: soon, before an annotator's first vote."""
    seconds = settings.LEASE_SECONDS
    if not annotator.judged:
        seconds = min(seconds, settings.FIRST_LEASE_SECONDS)

    return timezone.now() + timedelta(seconds=seconds)


def _may_get_question(locked: LockedAnnotator) -> bool:
    return len(locked.live) < _max_leases(locked)


def _max_leases(locked: LockedAnnotator) -> float:
    """Return how many live leases an annotator may have now.

    People of one network who have not voted yet share a limit; after their first leases expire
    they get one question at a time. Otherwise somebody could hold all questions of a study by
    following a link again and again without an answer.
    """
    limit = _limit(locked.annotator)
    if not limit or not _is_newcomer(locked.annotator):
        return limit

    left = MAX_HELD_BY_NEWCOMERS - networks.held_by_other_newcomers(locked.annotator)
    if locked.annotator.leases_given > len(locked.live):
        left = min(left, 1)
    return min(limit, left)


def _limit(annotator: Annotator) -> float:
    """Return how many live leases an annotator may have, whatever others of the network hold."""
    if annotator.excluded_at:
        return 0
    if annotator.is_test:
        return inf
    if not annotator.study.is_open:
        return 0

    limit = annotator.study.max_judgments
    return inf if limit is None else limit - annotator.judged


def _is_newcomer(annotator: Annotator) -> bool:
    """Return whether somebody who came by a link has not voted yet."""
    return bool(annotator.network) and not annotator.judged


def _add_lease(locked: LockedAnnotator) -> bool:
    """Add one lease; False where there is no question for it."""
    if not locked.annotator.is_test:
        return _add_check(locked) or _add_next_question(locked)

    question = unseen_questions(locked, Purpose.TEST).order_by("position").first()
    return _lease(locked, question, Purpose.TEST)


def _add_check(locked: LockedAnnotator) -> bool:
    """Add a gold check or a repeat, at random by the study's rates."""
    study = locked.annotator.study
    chance = random.random()

    if chance < study.gold_rate:
        gold = unseen_questions(locked, Purpose.GOLD).gold()
        return _lease(locked, gold.order_by("?").first(), Purpose.GOLD)

    return chance < study.gold_rate + study.repeat_rate and _add_repeat(locked)


def _add_repeat(locked: LockedAnnotator) -> bool:
    """Repeat the annotator's earliest question not repeated yet, with any sides swapped."""
    kind = kind_of(locked.annotator.study)
    votes = kind.repeatable(locked.annotator.answers.all())
    repeats = votes.filter(question=OuterRef("question"), purpose=Purpose.REPEAT)
    again = {Purpose.REPEAT, SKIPPED}
    leased = [lease.question_id for lease in locked.leases if lease.purpose in again]

    candidates = votes.counted().exclude(Exists(repeats)).exclude(question__in=leased)
    earliest = candidates.order_by("pk").first()
    if earliest is None:
        return False
    if votes.valid().filter(pk__gt=earliest.pk).count() < REPEAT_AFTER:
        return False

    side = kind.repeated_side(earliest)
    return _lease(locked, earliest.question, Purpose.REPEAT, side)


def _add_next_question(locked: LockedAnnotator) -> bool:
    """Add the open, unseen question that comes next in the order of the study."""
    question = _next_question(locked)
    if question is None or not _lease(locked, question, Purpose.STUDY):
        return False

    locked.annotator.position = question.position
    return True


def _next_question(locked: LockedAnnotator) -> Question | None:
    """Find and lock the next question: in turn, at random, or at random in blocks."""
    order = locked.annotator.study.question_order
    if order == Order.SHUFFLED:
        return _next_at_random(locked)
    if order == Order.BLOCKS:
        return _next_in_block(locked)

    return _first_from(locked, locked.annotator.position)


def _next_at_random(locked: LockedAnnotator) -> Question | None:
    """Find the first question from a random position on: one step in an index, as in turn."""
    [(first, last)] = fetch(_OPEN_RANGE, [locked.annotator.study_id] * 2)
    if first is None:
        return None

    return _first_from(locked, random.randint(first, last) - 1)


def _next_in_block(locked: LockedAnnotator) -> Question | None:
    """Find a random question in the annotator's block, or else in the next one that has any."""
    question = _random_in_block(locked, locked.annotator.position)
    if question:
        return question

    following = _first_from(locked, _end_of_block(locked.annotator.position))
    return following and _random_in_block(locked, following.position)


def _random_in_block(locked: LockedAnnotator, position: int) -> Question | None:
    end = _end_of_block(position)
    return next_open_question(locked, end - BLOCK, end, order="RANDOM()")


def _end_of_block(position: int) -> int:
    return position - position % BLOCK + BLOCK - 1


def _first_from(locked: LockedAnnotator, after: int) -> Question | None:
    """Find the first question after a position, or else the first of all."""
    return next_open_question(locked, after) or next_open_question(locked, -1)


def next_open_question(
    locked: LockedAnnotator, after: int, last: int = LAST, order: str = "position"
) -> Question | None:
    """Lock and return a question that is open and new to the annotator: the first in the order.

    Its position is above `after` and at most `last`. Where the kind spreads images, one of another
    image than the annotator holds or has just answered is taken first.
    """
    annotator = locked.annotator
    network = networks.limited_network(locked.annotator)
    # SQL has no empty list.
    unavailable = _unavailable_questions(locked, Purpose.STUDY) or [0]

    keys = ", ".join(["%s"] * len(unavailable))
    room = f"AND {networks.ROOM_FOR_NETWORK}" if network else ""
    values = [annotator.study_id, after, last, annotator.pk, Status.SUPERSEDED]
    values += unavailable
    if network:
        values.append(network)

    conditions: list[tuple[str, list[int]]] = [("", [])]
    if kind_of(annotator.study).spreads_images:
        other_image = _OF_ANOTHER_IMAGE.format(held=keys)
        conditions.insert(0, (other_image, [*unavailable, annotator.pk]))
    for condition, more in conditions:
        further = f"{room} {condition}"
        sql = NEXT_OPEN_QUESTION.format(unavailable=keys, room=further, order=order)
        sql += for_update("annotation_question", skip_locked=True)
        if rows := fetch(sql, [*values, *more]):
            return QUESTION.instance(rows[0])

    return None


def unseen_questions(
    locked: LockedAnnotator, purpose: Purpose = Purpose.STUDY
) -> QuestionQuerySet:
    """Select the questions that are new to an annotator.

    That is, they neither voted on them nor hold a lease of them, nor had one for another purpose.
    """
    votes = Answer.objects.filter(question=OuterRef("pk"), annotator=locked.annotator)
    has_voted = Exists(votes.exclude(status=Status.SUPERSEDED))
    unavailable = Q(pk__in=_unavailable_questions(locked, purpose))

    questions = locked.annotator.study.questions.exclude(has_voted).exclude(unavailable)
    return questions.only("study", "position", "lean")


def _unavailable_questions(locked: LockedAnnotator, purpose: Purpose) -> list[int]:
    """Return the questions that the annotator holds, or was assigned for another purpose."""
    leases = locked.leases
    held = [lease for lease in leases if lease.live or lease.purpose != purpose]
    return [lease.question_id for lease in held]


def _lease(
    locked: LockedAnnotator,
    question: Question | None,
    purpose: Purpose,
    b_side: str = "",
) -> bool:
    """Lease a question, which the caller has locked if it counts towards its quota.

    An expired lease of the same question is revived as it was, so that a page that still shows its
    question can be answered. False without a question, or where the network may not give more.
    """
    if question is None:
        return False

    annotator = locked.annotator
    same = [lease for lease in locked.leases if lease.question_id == question.pk]
    expired = next((lease for lease in same if lease.purpose == purpose), None)
    counts = purpose == Purpose.STUDY
    if expired and counts and not networks.has_room(annotator, question):
        return False

    row = expired or Lease(
        question_id=question.pk,
        annotator=annotator,
        purpose=purpose,
        b_side=b_side or kind_of(annotator.study).side(question, annotator),
    )
    row.created_at = timezone.now()
    row.expires_at = lease_end(annotator)
    row.turn = annotator.leases_given + 1
    row.live = True

    if not _write(locked, row):
        return False

    annotator.leases_given += 1
    annotator.left_balance += LEFT_BALANCE[row.b_side]
    if row.uses_quota:
        locked.unsaved.append(addition_of_lease(row))

    locked.leases = [lease for lease in locked.leases if lease is not row] + [row]
    return True


def _write(locked: LockedAnnotator, lease: Lease) -> bool:
    """Write a lease; False if the annotator's network has reached its share of the question.

    A new lease counts the network's votes again in the statement that writes it: others of the
    network may have got the question between its selection and its lock.
    """
    if not lease._state.adding:
        lease.save()
        return True

    network = networks.limited_network(lease.annotator)
    if lease.purpose != Purpose.STUDY or not network:
        locked.unsaved.append(LEASE.insertion(lease))
        LEASE.note_inserted(lease, lease.key)
        return True

    values = [lease.question_id, network]
    return LEASE.insert(lease, _QUESTION_WITH_ROOM, values)


def _note_current_question(locked: LockedAnnotator) -> None:
    """Note which question is on the annotator's page and since when."""
    annotator = locked.annotator
    current = locked.live[0].pk if locked.live else None

    if current != annotator.current_lease:
        annotator.current_lease = current
        annotator.asked_at = timezone.now()


def may_get_questions_later(annotator: Annotator) -> bool:
    """Return whether the annotator may get a question later, when others give one back.

    That is, questions that are new to the annotator still lack votes; if none is assigned now,
    others hold them, or the network has reached its limit for people who have not voted yet.
    """
    lacking = _questions_that_lack_votes(annotator)
    return networks.with_room(lacking, annotator, leases=False).exists()


def is_held_back(annotator: Annotator) -> bool:
    """Return whether questions that are new to the annotator lack votes of other networks."""
    if not networks.limited_network(annotator) or may_get_questions_later(annotator):
        return False

    return _questions_that_lack_votes(annotator).exists()


def _questions_that_lack_votes(annotator: Annotator) -> QuestionQuerySet:
    with transaction.atomic():
        unseen = unseen_questions(lock_with_leases(annotator.pk))

    return unseen.lacking()


def has_open_questions(study: Study) -> bool:
    """Return whether a question can be assigned, if need be after expired leases are ended."""
    if study.questions.open().exists():
        return True

    end_expired_leases(study)
    return study.questions.open().exists()


@transaction.atomic
def end_leases_of(annotator: Annotator) -> None:
    """End all live leases of an annotator at once."""
    _end_leases(lock_with_leases(annotator.pk).live)


def _end_leases(leases: list[Lease]) -> None:
    """End live leases of an annotator, whom the caller has locked."""
    questions = Question.objects.select_for_update(no_key=True).order_by("pk")
    list(questions.filter(pk__in=[row.question_id for row in leases]))

    for lease in leases:
        end_lease(lease)
        lease.live = False


def end_leases_of_inactive(study: Study) -> int:
    """End the live leases of annotators who have not voted lately; return how many.

    A vote that comes later still counts where its question needs votes.
    """
    idle = _idle_leases(INACTIVE_SECONDS)
    leases = list(idle.filter(annotator__study=study))
    return sum(_end_if_among(idle, lease) for lease in leases)


def end_expired_leases(study: Study) -> None:
    """End all expired leases of a study."""
    _end_if_expired(_expired_leases().filter(question__study=study))


def _end_if_expired(leases: "QuerySet[Lease]") -> None:
    """End leases, unless one or its question is locked or it was renewed meanwhile."""
    for lease in leases:
        _end_if_among(_expired_leases(), lease)


def _expired_leases() -> "QuerySet[Lease]":
    return Lease.objects.filter(live=True, expires_at__lt=timezone.now())


@transaction.atomic
def _end_if_among(leases: "QuerySet[Lease]", lease: Lease) -> bool:
    """End a lease that is still among `leases`, unless it or its question is locked."""
    questions = Question.objects.select_for_update(skip_locked=True, no_key=True)
    unlocked = leases.select_for_update(skip_locked=True, no_key=True, of=("self",))

    if not questions.filter(pk=lease.question_id).first():
        return False
    if not unlocked.filter(pk=lease.pk).first():
        return False

    end_lease(lease)
    return True
