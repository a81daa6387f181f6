"""Leaving people and votes out of the count, and taking that back: on SQLite and PostgreSQL."""

import pytest
from django.contrib.auth.models import User

from tercet.annotation.judging.annotators import new_annotator
from tercet.annotation.judging.answers import undo, vote
from tercet.annotation.judging.leases import top_up_leases
from tercet.annotation.models import Annotator, Answer, Event, Lease, Study
from tercet.annotation.models.answer import Purpose, Side, Status
from tercet.annotation.quality.exclusion import (
    exclude_annotator,
    exclude_vote,
    readmit_annotator,
    readmit_vote,
)
from tests.annotation.questions import (
    answer_all,
    choose,
    claimed,
    counted,
    counters,
    only_question,
    recounted,
)

pytestmark = [pytest.mark.voting, pytest.mark.django_db]


def cast_by(person: Annotator, choice: str = "B") -> Answer:
    return choose(claimed(person), choice)


def statuses(person: Annotator) -> list[str]:
    return list(person.answers.order_by("pk").values_list("status", flat=True))


def test_an_excluded_persons_votes_keep_their_rows_and_say_who_when_and_why(
    annotator: Annotator, administrator: User
) -> None:
    cast = cast_by(annotator)
    assert exclude_annotator(annotator, administrator, "answers at random") == 1

    annotator.refresh_from_db()
    cast.refresh_from_db()

    assert (cast.status, cast.status_by) == (Status.EXCLUDED, administrator)
    assert cast.status_reason == annotator.excluded_reason == "answers at random"

    assert cast.status_at == annotator.excluded_at is not None
    assert cast.choice == "B"


def test_the_places_of_an_excluded_persons_votes_and_leases_are_open_again(
    study: Study,
) -> None:
    question = only_question(study)
    voter, asked, other = (new_annotator(study) for _ in range(3))
    cast_by(voter)
    claimed(asked)

    cast_by(other, "C")
    assert counted(question) == (2, 1)

    exclude_annotator(voter, None, "a reason")
    exclude_annotator(asked, None, "a reason")

    assert counted(question) == (1, 0)
    assert question.lead == -1
    assert [answer_all(new_annotator(study)) for _ in range(3)] == [1, 1, 0]


def test_excluding_somebody_again_changes_nothing(annotator: Annotator) -> None:
    cast_by(annotator)
    assert exclude_annotator(annotator, None, "first") == 1
    assert exclude_annotator(annotator, None, "second") == 0

    annotator.refresh_from_db()
    assert annotator.excluded_reason == "first"
    assert Event.objects.filter(what="excluded annotator").count() == 1


def test_a_readmitted_persons_votes_count_again(
    study: Study, annotator: Annotator
) -> None:
    answer_all(annotator)
    before = counters(study)
    exclude_annotator(annotator, None, "a reason")

    assert set(study.questions.values_list("answers", "lead", "lean")) == {(0, 0, 0)}
    assert readmit_annotator(annotator, None) == (12, 0)
    assert counters(study) == before == recounted(study)

    annotator.refresh_from_db()
    assert (annotator.excluded_at, annotator.excluded_reason) == (None, "")


def test_readmitted_votes_whose_places_were_filled_are_surplus(study: Study) -> None:
    study.questions.update(needed=1)
    first, second = new_annotator(study), new_annotator(study)
    answer_all(first)
    exclude_annotator(first, None, "a reason")
    for _ in range(5):
        cast_by(second)

    claimed(second)
    assert readmit_annotator(first, None) == (6, 6)
    assert counters(study) == recounted(study)
    assert sorted(set(statuses(first))) == [Status.SURPLUS, Status.VALID]


def test_readmitting_somebody_who_is_not_excluded_changes_nothing(
    annotator: Annotator,
) -> None:
    cast_by(annotator)
    assert readmit_annotator(annotator, None) == (0, 0)
    assert not Event.objects.exists()


def test_a_readmitted_person_is_asked_again(annotator: Annotator) -> None:
    exclude_annotator(annotator, None, "a reason")
    readmit_annotator(annotator, None)
    assert claimed(annotator)


def test_undone_votes_stay_undone_through_exclusion_and_back(
    annotator: Annotator,
) -> None:
    lease = claimed(annotator)
    vote(lease.key, Side.LEFT)
    undo(lease.key)
    cast_by(annotator)
    exclude_annotator(annotator, None, "a reason")

    readmit_annotator(annotator, None)
    assert statuses(annotator) == [Status.SUPERSEDED, Status.VALID]


def test_a_vote_excluded_by_itself_is_not_readmitted_with_its_annotator(
    annotator: Annotator,
) -> None:
    cast = cast_by(annotator)
    cast_by(annotator)
    exclude_vote(cast, None, "a slip")

    assert exclude_annotator(annotator, None, "a reason") == 1
    assert readmit_annotator(annotator, None) == (1, 0)
    assert statuses(annotator) == [Status.EXCLUDED, Status.VALID]


def test_a_vote_that_came_while_its_annotator_was_out_is_readmitted_too(
    annotator: Annotator,
) -> None:
    lease = claimed(annotator)
    exclude_annotator(annotator, None, "a reason")
    vote(lease.key, Side.LEFT)

    assert readmit_annotator(annotator, None) == (1, 0)
    assert counted(lease.question) == (1, 0)


@pytest.mark.parametrize("purpose", [Purpose.GOLD, Purpose.REPEAT])
def test_checks_are_excluded_and_readmitted_without_touching_counters(
    study: Study, annotator: Annotator, purpose: Purpose
) -> None:
    lease = claimed(annotator)
    Lease.objects.update(purpose=purpose)
    study.questions.update(
        leases=0, lean=0, answers=3
    )  # full already: checks need no place
    vote(lease.key, Side.LEFT)

    study.questions.update(answers=0)
    assert exclude_annotator(annotator, None, "a reason") == 0
    assert annotator.answers.get().status == Status.EXCLUDED

    assert readmit_annotator(annotator, None) == (1, 0)
    assert counters(study) == recounted(study)


def test_one_excluded_vote_opens_its_place_and_fills_it_when_it_is_readmitted(
    annotator: Annotator, administrator: User
) -> None:
    cast = cast_by(annotator)
    assert exclude_vote(cast, administrator, "a slip")
    assert counted(cast.question) == (0, 0)

    cast.refresh_from_db()
    assert (cast.status, cast.status_by) == (Status.EXCLUDED, administrator)
    assert cast.status_reason == "a slip"

    assert readmit_vote(cast, administrator)
    assert counted(cast.question) == (1, 0)

    cast.refresh_from_db()
    assert (cast.status, cast.status_reason) == (Status.VALID, "")


def test_a_readmitted_vote_whose_place_was_filled_is_surplus(study: Study) -> None:
    question = only_question(study)
    cast = cast_by(new_annotator(study))
    exclude_vote(cast, None, "a slip")
    for _ in range(3):
        cast_by(new_annotator(study))

    assert readmit_vote(cast, None)

    cast.refresh_from_db()
    assert cast.status == Status.SURPLUS
    assert counted(question) == (3, 0)


def test_only_valid_votes_are_excluded_and_only_excluded_ones_readmitted(
    annotator: Annotator,
) -> None:
    cast = cast_by(annotator)
    assert not readmit_vote(cast, None)
    assert exclude_vote(cast, None, "a slip")

    assert not exclude_vote(cast, None, "again")
    assert statuses(annotator) == [Status.EXCLUDED]
    assert Event.objects.count() == 1


def test_a_vote_is_not_readmitted_while_its_annotator_is_out(
    annotator: Annotator,
) -> None:
    cast = cast_by(annotator)
    exclude_annotator(annotator, None, "a reason")

    assert not readmit_vote(cast, None)
    assert counted(cast.question) == (0, 0)


def test_whose_vote_was_excluded_is_not_asked_that_question_again(
    study: Study, annotator: Annotator
) -> None:
    cast = cast_by(annotator)
    exclude_vote(cast, None, "a slip")

    assert cast.question_id not in [
        lease.question_id for lease in top_up_leases(annotator, 12)
    ]


def test_an_imported_vote_of_an_unknown_person_can_be_excluded(study: Study) -> None:
    question = only_question(study)
    cast = Answer.objects.create(question=question, choice="B")
    study.questions.update(answers=1, lead=1)

    assert exclude_vote(cast, None, "not ours")
    assert counted(question) == (0, 0)
    assert readmit_vote(cast, None)
    assert counted(question) == (1, 0)


def test_excluding_votes_lets_a_stopped_pair_go_on(study: Study) -> None:
    Study.objects.update(stop_early=True)
    for _ in range(3):
        person = new_annotator(Study.objects.get())
        while held := top_up_leases(person, 1):
            choose(held[0], "B")

    assert study.questions.filter(stopped=True).count() == 12

    exclude_annotator(person, None, "a reason")
    assert counters(study) == recounted(study)

    exclude_annotator(Annotator.objects.order_by("pk")[0], None, "a reason")
    assert counters(study) == recounted(study)
    assert not study.questions.filter(stopped=True).exists()


def test_the_audit_log_tells_every_exclusion(
    annotator: Annotator, administrator: User
) -> None:
    cast = cast_by(annotator)
    exclude_vote(cast, administrator, "a slip")
    readmit_vote(cast, administrator)
    exclude_annotator(annotator, administrator, "hurried")
    readmit_annotator(annotator, administrator)

    events = list(Event.objects.order_by("pk"))
    assert [(event.what, event.by) for event in events] == [
        ("excluded vote", administrator),
        ("readmitted vote", administrator),
        ("excluded annotator", administrator),
        ("readmitted annotator", administrator),
    ]
    assert events[0].details["reason"] == "a slip"

    assert events[2].details == {
        "annotator": annotator.name,
        "reason": "hurried",
        "votes": 1,
    }
    assert events[3].details == {"annotator": annotator.name, "votes": 1, "surplus": 0}
