"""The messages of the judging page: whatever they hold, every deed is acknowledged."""

import json
from collections.abc import Callable
from contextlib import suppress
from uuid import UUID, uuid4

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tercet.annotation.judging.annotators import new_annotator
from tercet.annotation.judging.answers import AnswerMessage, undo, vote
from tercet.annotation.judging.leases import LEASES_AT_FIRST, top_up_leases
from tercet.annotation.models import Annotator, Answer, Lease, Study
from tercet.annotation.models.answer import Side, Status
from tercet.annotation.models.participation import Reason
from tercet.annotation.models.study import Outcome, State
from tercet.annotation.participation.flow import finish_judging
from tercet.annotation.participation.remarks import report
from tercet.annotation.participation.sync import (
    GONE,
    INVALID,
    MAX_ACTIONS,
    MAX_SECONDS,
    SAVED,
    Reply,
    Undo,
    apply,
    read_action,
    read_message,
    read_seconds,
    synchronize,
)
from tercet.annotation.studies.lifecycle import set_archived, set_state
from tests.annotation.questions import answer_all, claimed, counters, recounted
from tests.support.examples import examples

pytestmark = [pytest.mark.voting, pytest.mark.django_db]

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)
FIELDS = {
    "do": st.sampled_from(["vote", "undo"]) | JSON,
    "key": st.uuids().map(str) | JSON,
    "side": st.sampled_from(["left", "right", "tie"]) | JSON,
    "active": st.floats() | JSON,
    "waited": st.floats() | JSON,
}
DEEDS = st.fixed_dictionaries({}, optional=FIELDS) | JSON


def chosen(key: object, side: str = "left", **more: object) -> dict[str, object]:
    return {"do": "vote", "key": str(key), "side": side, **more}


def undoing(key: object) -> dict[str, object]:
    return {"do": "undo", "key": str(key)}


def send(person: Annotator, *deeds: object) -> Reply:
    return synchronize(
        person.pk, read_message(json.dumps({"deeds": deeds}).encode()).actions
    )


@settings(examples(50), suppress_health_check=list(HealthCheck))
@given(deeds=st.lists(DEEDS, max_size=5))
@example(deeds=[chosen(UUID(int=1), active=10**400, waited=float("nan"))])
def test_whatever_a_deed_holds_it_is_acknowledged(
    annotator: Annotator, deeds: list[object]
) -> None:
    reply = send(annotator, *deeds)
    assert len(reply.results) == len(deeds)
    assert set(reply.results) <= {SAVED, GONE}

    assert len(reply.leases) == LEASES_AT_FIRST
    assert not Answer.objects.exists()


@given(body=st.binary() | JSON.map(lambda told: json.dumps(told).encode()))
@example(body=b'{"deeds": [], "holding": [' + b"[" * 600 + b"]" * 600 + b"]}")
@example(body=b"[" * 100_000)
@example(body=b'{"deeds": [' + b"9" * 5_000 + b"]}")
def test_a_body_is_read_or_refused_in_words(body: bytes) -> None:
    with suppress(ValueError):
        read_message(body)


def test_a_message_has_a_most() -> None:
    with pytest.raises(ValueError, match="at most 100 actions"):
        read_message(json.dumps({"deeds": [None] * (MAX_ACTIONS + 1)}).encode())


@pytest.mark.parametrize(
    ("told", "read"),
    [
        (2.5, 2.5),
        (3, 3.0),
        (-1, 0.0),
        (1e300, MAX_SECONDS),
        (10**400, MAX_SECONDS),
        (float("nan"), None),
        (float("-inf"), None),
        (True, None),
        ("2", None),
        (None, None),
    ],
)
def test_times_are_numbers_within_reason(told: object, read: float | None) -> None:
    assert read_seconds(told) == read


def test_deeds_are_read_as_they_were_written() -> None:
    key = uuid4()
    told = chosen(key, "right", active=1.5, waited=4)

    assert read_action(told) == AnswerMessage(key, told, active_seconds=1.5, waited=4)
    assert read_action(undoing(key)) == Undo(key)


@pytest.mark.parametrize(
    "told",
    [
        {"do": "vote", "key": "no key", "side": "left"},
        {"do": "vote", "key": str(UUID(int=1)), "side": "up"},
        {"do": "vote", "key": str(UUID(int=1)), "side": ["left"]},
        {"do": "vote", "side": "left"},
        {"do": "dance", "key": str(UUID(int=1)), "side": "left"},
        {"key": str(UUID(int=1))},
        "vote",
        None,
    ],
)
def test_what_cannot_be_read_is_gone(told: object) -> None:
    assert apply(read_action(told)) == GONE


def test_a_message_sent_twice_counts_once(study: Study, annotator: Annotator) -> None:
    first, second, *_ = top_up_leases(annotator, LEASES_AT_FIRST)
    deeds = (chosen(first.key), chosen(second.key, "right"))

    assert (
        send(annotator, *deeds).results
        == send(annotator, *deeds).results
        == [SAVED, SAVED]
    )
    assert Answer.objects.count() == 2
    assert counters(study) == recounted(study)


def test_a_page_holds_the_questions_that_the_study_allows_after_the_first_vote(
    study: Study,
) -> None:
    Study.objects.update(offline_questions=10, enforced_seconds=0)
    person = new_annotator(study)
    first = send(person)

    assert len(first.leases) == LEASES_AT_FIRST

    reply = send(person, chosen(first.leases[0].key))
    assert len(reply.leases) == 10

    keys = [lease.key for lease in reply.leases]
    assert send(person, *map(chosen, keys)).results == [SAVED] * 10
    assert Answer.objects.count() == 11
    assert counters(study) == recounted(study)


def test_a_vote_its_undoing_and_the_vote_again_leave_the_question_open(
    study: Study, annotator: Annotator
) -> None:
    key = claimed(annotator).key
    deeds = (chosen(key), undoing(key), chosen(key, "right"))

    for _ in range(2):
        reply = send(annotator, *deeds)
        assert reply.results == [SAVED, SAVED, SAVED]

        cast = Answer.objects.get()
        assert cast.status == Status.SUPERSEDED
        assert reply.leases[0].question_id == cast.question_id

        assert reply.leases[0].key != key
        assert counters(study) == recounted(study)


def test_a_question_answered_again_after_its_undoing_is_one_vote_with_a_new_key(
    study: Study, annotator: Annotator
) -> None:
    key = claimed(annotator).key
    again = send(annotator, chosen(key), undoing(key)).leases[0]

    assert send(annotator, chosen(again.key, "right")).results == [SAVED]

    statuses = Answer.objects.order_by("pk").values_list("status", flat=True)
    assert list(statuses) == [Status.SUPERSEDED, Status.VALID]
    assert counters(study) == recounted(study)


def test_an_undoing_of_what_is_not_the_last_vote_changes_nothing(
    annotator: Annotator,
) -> None:
    first, second, *_ = top_up_leases(annotator, LEASES_AT_FIRST)
    assert send(annotator, chosen(first.key), chosen(second.key)).results == [
        SAVED,
        SAVED,
    ]
    assert send(annotator, undoing(first.key)).results == [SAVED]
    assert Answer.objects.valid().count() == 2


def vote_and_undo(annotator: Annotator) -> Lease:
    key = claimed(annotator).key
    vote(key, Side.LEFT)
    lease = undo(key)
    assert lease is not None

    return lease


def close(study: Study) -> None:
    set_state(study, State.CLOSED, None)


def archive(study: Study) -> None:
    set_state(study, State.PAUSED, None)
    set_archived(study, True, None)


@pytest.mark.parametrize("end", [close, archive])
def test_after_the_end_nobody_takes_votes_back(
    study: Study, end: Callable[[Study], None]
) -> None:
    Study.objects.update(enforced_seconds=0)
    first, second = new_annotator(study), new_annotator(study)
    answer_all(first)
    undone = vote_and_undo(second)
    keys = [lease.key for lease in top_up_leases(second, LEASES_AT_FIRST)]
    send(second, *(chosen(key) for key in keys[1:]))
    first.refresh_from_db()
    finish_judging(first)

    before = counters(study)
    assert Answer.objects.valid().count() == 15
    assert undone.key == keys[0]

    end(study)
    for person in (first, second):
        for key in Answer.objects.order_by("-pk").values_list("key", flat=True):
            send(person, undoing(key))

    assert send(second, chosen(undone.key)).results == [GONE]
    assert apply(AnswerMessage(undone.key, {"side": Side.LEFT})) == GONE

    assert Answer.objects.valid().count() == 15
    assert {pk: row["answers"] for pk, row in counters(study).items()} == {
        pk: row["answers"] for pk, row in before.items()
    }
    assert not first.leases.exists()

    assert not second.leases.filter(live=True, turn__lt=0).exists()
    assert Annotator.objects.get(pk=first.pk).outcome == Outcome.DONE
    assert counters(study) == recounted(study)


def test_who_undid_a_vote_before_the_end_can_vote_again_once_the_study_reopens(
    study: Study, annotator: Annotator
) -> None:
    undone = vote_and_undo(annotator)
    close(study)

    assert send(annotator, chosen(undone.key)).results == [GONE]

    set_state(study, State.OPEN, None)
    assert answer_all(annotator) == study.questions.count()
    assert counters(study) == recounted(study)


def test_a_vote_on_a_question_that_was_skipped_elsewhere_is_gone(
    annotator: Annotator,
) -> None:
    Study.objects.update(skips=True, enforced_seconds=0)
    skipped, following = top_up_leases(annotator, 2)

    assert report(skipped.key, Reason.BROKEN, "", skips=True)
    assert send(annotator, chosen(skipped.key)).results == [GONE]

    reply = send(annotator, chosen(skipped.key), chosen(following.key))
    assert reply.results == [GONE, SAVED]


def test_a_tie_that_is_not_offered_is_invalid_and_its_question_stays(
    annotator: Annotator,
) -> None:
    lease = claimed(annotator)
    reply = send(annotator, chosen(lease.key, "tie"))

    assert reply.results == [INVALID]
    assert reply.leases[0].key == lease.key
    assert apply(AnswerMessage(lease.key, {"side": "tie"})) == INVALID


def test_a_page_takes_in_what_another_person_left_on_the_same_computer(
    study: Study,
) -> None:
    left, here = new_annotator(study), new_annotator(study)
    lease = claimed(left)
    reply = send(here, chosen(lease.key))

    assert reply.results == [SAVED]
    assert reply.annotator == here
    assert Answer.objects.get().annotator == left
    assert {held.annotator_id for held in reply.leases} == {here.pk}


def test_a_vote_undone_elsewhere_and_sent_again_is_saved_and_stays_undone(
    annotator: Annotator,
) -> None:
    key = claimed(annotator).key
    vote(key, Side.LEFT)
    undo(key)

    assert send(annotator, chosen(key, "right")).results == [SAVED]
    assert Answer.objects.get().status == Status.SUPERSEDED
    assert (
        Lease.objects.filter(
            question=Answer.objects.get().question_id, live=True
        ).count()
        == 1
    )
