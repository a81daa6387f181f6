"""What becomes of answers: on SQLite and on PostgreSQL."""

from collections import Counter
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from tercet.annotation.judging import leases, quotas
from tercet.annotation.judging.annotators import new_annotator
from tercet.annotation.judging.answers import (
    AnswerMessage,
    NoSuchLease,
    last_vote,
    record,
    undo,
    vote,
)
from tercet.annotation.judging.kinds.choice import TIE
from tercet.annotation.judging.kinds.kind import NotAnAnswer
from tercet.annotation.judging.leases import claim, top_up_leases
from tercet.annotation.judging.quotas import lock_question
from tercet.annotation.models import Annotator, Answer, Lease, Question, Study
from tercet.annotation.models.answer import Purpose, Side, Status
from tercet.annotation.models.study import Outcome, State
from tercet.annotation.participation.flow import finish_judging
from tercet.annotation.quality.exclusion import exclude_annotator
from tercet.annotation.studies.creation import create_study
from tests.annotation.questions import (
    choose,
    claimed,
    counted,
    counters,
    expire,
    only_question,
    recounted,
)

pytestmark = [pytest.mark.voting, pytest.mark.django_db]
STATEMENTS = {"postgresql": 6, "sqlite": 10}
"""Statements of a vote and the next question, besides those of the transaction."""


def test_a_vote_takes_the_place_of_its_lease(annotator: Annotator) -> None:
    lease = claimed(annotator)
    assert counted(lease.question) == (0, 1)

    cast = vote(lease.key, lease.b_side)
    assert cast.choice == "B"
    assert cast.b_side == lease.b_side
    assert counted(lease.question) == (1, 0)


def test_a_vote_and_the_next_question_take_few_statements(study: Study) -> None:
    browser = Client()
    browser.post(reverse("join", args=[study.join_code]))
    address = reverse("sync", args=[study.name])
    keys: list[str] = []

    for _ in range(3):
        deeds = [{"do": "vote", "key": key, "side": "left"} for key in keys[:1]]
        message = {"deeds": deeds, "holding": keys[1:]}
        with CaptureQueriesContext(connection) as queries:
            told = browser.post(address, message, content_type="application/json")
        keys = told.json()["order"]

    ran = [query["sql"].split()[0] for query in queries.captured_queries]
    assert (
        len([word for word in ran if word not in {"SAVEPOINT", "RELEASE"}])
        == (STATEMENTS[connection.vendor])
    )


def test_the_other_side_is_a_vote_for_c(annotator: Annotator) -> None:
    lease = claimed(annotator)
    other = Side.RIGHT if lease.b_side == Side.LEFT else Side.LEFT
    assert vote(lease.key, other).choice == "C"


def test_a_vote_sent_again_is_the_same_vote(annotator: Annotator) -> None:
    lease = claimed(annotator)
    first, again = vote(lease.key, Side.LEFT), vote(lease.key, Side.RIGHT)

    assert first.pk == again.pk
    assert again.choice == first.choice
    assert Answer.objects.count() == 1


def test_a_vote_is_judged_once_however_often_it_is_sent(annotator: Annotator) -> None:
    lease = claimed(annotator)
    for _ in range(3):
        vote(lease.key, Side.LEFT)

    annotator.refresh_from_db()
    assert annotator.judged == 1


def test_an_unknown_key_is_no_vote(study: Study) -> None:
    with pytest.raises(NoSuchLease):
        vote(uuid4(), Side.LEFT)


def test_a_tie_is_refused_where_it_is_not_offered(annotator: Annotator) -> None:
    lease = claimed(annotator)
    with pytest.raises(NotAnAnswer):
        vote(lease.key, TIE)
    assert counted(lease.question) == (0, 1)
    assert choose(lease, "C").choice == "C"


def test_a_tie_counts_for_neither_side(study: Study) -> None:
    Study.objects.update(ties=True)
    question = only_question(study)
    cast = vote(claimed(new_annotator(study)).key, TIE)

    assert cast.choice == TIE
    assert counted(question) == (1, 0)
    assert question.lead == 0


@pytest.mark.parametrize("state", [State.PAUSED, State.CLOSED, State.DRAFT])
def test_a_question_given_out_can_be_answered_when_the_study_is_not_open(
    study: Study, annotator: Annotator, state: State
) -> None:
    lease = claimed(annotator)
    Study.objects.update(state=state)

    assert choose(lease, "B").status == Status.VALID
    assert counted(lease.question) == (1, 0)


def test_a_late_vote_counts_while_its_place_is_free(study: Study) -> None:
    question = only_question(study)
    late = claimed(new_annotator(study))
    expire(late)
    leases.end_expired_leases(study)

    claimed(new_annotator(study))
    assert counted(question) == (0, 1)
    assert vote(late.key, Side.LEFT).status == Status.VALID
    assert counted(question) == (1, 1)


def test_a_late_vote_whose_place_is_taken_is_kept_as_surplus(study: Study) -> None:
    question = only_question(study)
    late = claimed(new_annotator(study))
    expire(late)
    for _ in range(3):
        vote(claimed(new_annotator(study)).key, Side.LEFT)

    cast = vote(late.key, Side.LEFT)
    assert cast.status == Status.SURPLUS
    assert counted(question) == (3, 0)

    assert cast.annotator is not None
    assert claim(cast.annotator) is None


def test_a_lease_that_lapses_before_its_vote_is_stored_gives_its_place_once(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = only_question(study)
    late = claimed(new_annotator(study))
    expire(late)

    def lapse_first(study: Study, pk: int) -> Question:
        monkeypatch.undo()
        leases.end_expired_leases(study)
        return lock_question(study, pk)

    monkeypatch.setattr(quotas, "lock_question", lapse_first)
    vote(late.key, Side.LEFT)

    assert counted(question) == (1, 0)


def test_an_excluded_persons_late_vote_is_kept_as_excluded(
    study: Study, annotator: Annotator
) -> None:
    lease = claimed(annotator)
    exclude_annotator(annotator, None, "hurried")
    cast = vote(lease.key, Side.LEFT)

    assert (cast.status, cast.status_reason) == (Status.EXCLUDED, "hurried")
    assert counted(lease.question) == (0, 0)


def test_undo_shows_the_same_question_again_and_keeps_the_old_vote(
    annotator: Annotator,
) -> None:
    lease = claimed(annotator)
    first = vote(lease.key, Side.LEFT)
    following = claimed(annotator)
    assert undo(lease.key) is not None

    again = claimed(annotator)
    assert (again.question_id, again.b_side) == (lease.question_id, lease.b_side)

    vote(again.key, Side.RIGHT)
    first.refresh_from_db()

    assert (first.status, first.status_reason) == (
        Status.SUPERSEDED,
        "undone by the annotator",
    )
    assert counted(lease.question) == (1, 0)
    assert claimed(annotator).question_id == following.question_id

    event = annotator.study.events.get()
    assert (event.what, event.details) == (
        "undid vote",
        {"vote": first.pk, "annotator": annotator.name},
    )


def test_undo_sent_twice_takes_one_vote_back(annotator: Annotator) -> None:
    first, second = (vote(claimed(annotator).key, Side.LEFT) for _ in range(2))
    assert second.key is not None
    assert undo(second.key) is not None

    assert undo(second.key) is None

    first.refresh_from_db()
    assert first.status == Status.VALID


def test_votes_are_undone_from_the_last_to_the_first(annotator: Annotator) -> None:
    first, second = (vote(claimed(annotator).key, Side.LEFT) for _ in range(2))
    assert first.key is not None
    assert second.key is not None

    assert undo(first.key) is None

    assert undo(second.key) is not None
    assert undo(first.key) is not None
    shown = [lease.question_id for lease in top_up_leases(annotator, 2)]

    assert shown == [first.question_id, second.question_id]

    annotator.refresh_from_db()
    assert annotator.judged == 0


def test_undo_without_a_vote_does_nothing(annotator: Annotator) -> None:
    assert undo(uuid4()) is None


def test_a_question_that_is_not_answered_cannot_be_undone(annotator: Annotator) -> None:
    assert undo(claimed(annotator).key) is None


def test_an_excluded_vote_cannot_be_undone(annotator: Annotator) -> None:
    lease = claimed(annotator)
    vote(lease.key, Side.LEFT)
    exclude_annotator(annotator, None, "hurried")

    assert undo(lease.key) is None
    assert last_vote(annotator) is None


def test_an_undone_vote_on_a_gold_question_is_asked_again_as_such(
    study: Study, annotator: Annotator
) -> None:
    lease = claimed(annotator)
    Lease.objects.update(purpose=Purpose.GOLD)
    study.questions.update(leases=0, lean=0)
    vote(lease.key, Side.LEFT)
    again = undo(lease.key)

    assert again is not None
    assert again.purpose == Purpose.GOLD
    assert counters(study) == recounted(study)


def test_a_vote_finds_its_study_by_its_key(study: Study) -> None:
    other = create_study(Study(dataset=study.dataset, title="Other", steps=[]))
    lease = claimed(new_annotator(other))
    assert vote(lease.key, Side.LEFT).question.study == other


def test_seconds_are_measured_by_the_server(annotator: Annotator) -> None:
    lease = claimed(annotator)
    Annotator.objects.update(asked_at=timezone.now() - timedelta(seconds=7))
    seconds = record(
        AnswerMessage(lease.key, {"side": Side.LEFT}, active_seconds=5.5, waited=1)
    ).seconds

    assert seconds is not None
    assert 7 <= seconds < 60
    assert Answer.objects.get().active_seconds == 5.5


def test_a_clock_set_back_gives_no_negative_time(annotator: Annotator) -> None:
    lease = claimed(annotator)
    Annotator.objects.update(asked_at=timezone.now() + timedelta(hours=1))
    assert vote(lease.key, Side.LEFT).seconds == 0


def test_only_the_browser_can_time_a_vote_that_waited(annotator: Annotator) -> None:
    lease = claimed(annotator)
    assert (
        record(
            AnswerMessage(lease.key, {"side": Side.LEFT}, active_seconds=3, waited=60)
        ).seconds
        is None
    )


def test_only_the_question_in_front_is_timed(annotator: Annotator) -> None:
    front, second, third = top_up_leases(annotator, 3)
    assert vote(front.key, Side.LEFT).seconds is not None

    assert vote(second.key, Side.LEFT).seconds is None

    top_up_leases(annotator, 3)
    assert vote(third.key, Side.LEFT).seconds is not None


def test_the_database_refuses_more_votes_than_needed(study: Study) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        study.questions.update(answers=3, leases=1)


def test_the_database_refuses_two_votes_of_one_annotator(annotator: Annotator) -> None:
    cast = vote(claimed(annotator).key, Side.LEFT)
    with pytest.raises(IntegrityError), transaction.atomic():
        Answer.objects.create(question=cast.question, annotator=annotator, choice="B")


def test_votes_beyond_what_a_person_may_give_are_kept_as_surplus(study: Study) -> None:
    Study.objects.update(max_judgments=2)
    person = new_annotator(study)
    first = top_up_leases(person, 2)
    Lease.objects.update(live=False)
    study.questions.update(leases=0, lean=0)
    second = top_up_leases(person, 2)
    keys = {lease.key for lease in (*first, *second)}

    statuses = [vote(key, Side.LEFT).status for key in keys]
    assert Counter(statuses)[Status.VALID] == 2
    assert counters(study) == recounted(study)


def test_undoing_what_finished_a_person_takes_that_back_and_keeps_the_code(
    study: Study,
) -> None:
    Study.objects.update(max_judgments=1)
    person = new_annotator(study)
    cast = vote(claimed(person).key, Side.LEFT)
    person.refresh_from_db()

    finish_judging(person)
    assert person.outcome == Outcome.DONE
    assert cast.key

    shown = person.code
    undo(cast.key)
    person.refresh_from_db()

    assert person.outcome == ""

    vote(claimed(person).key, Side.RIGHT)
    person.refresh_from_db()
    finish_judging(person)

    assert person.outcome == Outcome.DONE
    assert person.code == shown != ""
