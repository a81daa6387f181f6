"""Assigning questions through leases: on SQLite and on PostgreSQL."""

from collections import Counter
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from django.db import connection, transaction
from django.utils import timezone
from pytest_django.fixtures import Settings

from tercet.analysis.dataset.folder import load
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.judging import leases
from tercet.annotation.judging.annotators import new_annotator
from tercet.annotation.judging.annotators import test_annotator as new_test_annotator
from tercet.annotation.judging.answers import vote
from tercet.annotation.judging.leases import (
    BLOCK,
    IDLE_SECONDS,
    LAST,
    LEASES_AT_FIRST,
    NEXT_OPEN_QUESTION,
    REPEAT_AFTER,
    claim,
    next_open_question,
    top_up_leases,
    unseen_questions,
)
from tercet.annotation.judging.locked_annotator import lock_with_leases
from tercet.annotation.models import Annotator, Answer, Lease, Question, Study
from tercet.annotation.models.answer import Purpose, Side, Status
from tercet.annotation.models.study import Order, State
from tercet.annotation.quality.exclusion import exclude_annotator
from tercet.annotation.studies.creation import create_study
from tests.annotation.judging.ballots import put
from tests.annotation.questions import (
    answer_all,
    claimed,
    counted,
    counters,
    expire,
    only_question,
    recounted,
)
from tests.support.folders import dataset_folder

pytestmark = [pytest.mark.voting, pytest.mark.django_db]


@pytest.fixture
def hundred(tmp_path: Path) -> Study:
    """A study of a hundred questions."""
    references = [("dog", f"a dog, seen {number} times") for number in range(25)]
    pairs = [(f"p{n}", "dog", f"{n} dogs", f"no {n} dogs", "HC") for n in range(4)]
    folder = dataset_folder(tmp_path / "dogs", references, pairs)
    dataset = import_dataset(load(folder), "dogs", folder)

    return create_study(Study(dataset=dataset, title="A hundred", steps=[]))


@pytest.fixture
def chance(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same coin for every run."""
    monkeypatch.setattr(leases, "random", Random(1))


def place_of(lease: Lease) -> int:
    return lease.question.position


def test_a_reload_shows_the_same_question_with_b_on_the_same_side(
    annotator: Annotator,
) -> None:
    first, second = claimed(annotator), claimed(annotator)
    assert (first.key, first.question_id, first.b_side) == (
        second.key,
        second.question_id,
        second.b_side,
    )


def test_a_page_holds_the_next_questions_in_the_order_of_their_turn(
    annotator: Annotator,
) -> None:
    held = top_up_leases(annotator, LEASES_AT_FIRST)
    assert len(held) == LEASES_AT_FIRST
    assert [lease.turn for lease in held] == [1, 2, 3, 4]

    assert [place_of(lease) for lease in held] == sorted(map(place_of, held))
    assert [lease.key for lease in top_up_leases(annotator, LEASES_AT_FIRST)] == [
        lease.key for lease in held
    ]


def test_an_answered_question_makes_room_for_one_more_at_the_end(
    annotator: Annotator,
) -> None:
    held = top_up_leases(annotator, LEASES_AT_FIRST)
    vote(held[1].key, Side.LEFT)
    again = top_up_leases(annotator, LEASES_AT_FIRST)

    assert [lease.key for lease in again[:3]] == [held[0].key, held[2].key, held[3].key]
    assert again[3].turn == 5


def test_who_held_several_questions_is_shown_them_before_new_ones(
    annotator: Annotator,
) -> None:
    held = top_up_leases(annotator, LEASES_AT_FIRST)
    assert claimed(annotator).key == held[0].key
    assert Lease.objects.count() == LEASES_AT_FIRST


def test_the_last_questions_are_held_however_few_they_are(study: Study) -> None:
    only_question(study)
    assert len(top_up_leases(new_annotator(study), LEASES_AT_FIRST)) == 1


def test_the_order_goes_round_from_the_annotators_place(annotator: Annotator) -> None:
    Annotator.objects.update(position=9)
    assert [place_of(lease) for lease in top_up_leases(annotator, 4)] == [10, 11, 0, 1]


def places(study: Study) -> list[int]:
    """The positions of all questions in the order in which somebody new is asked them."""
    person = new_annotator(study)
    answer_all(person)
    return list(
        person.answers.order_by("pk").values_list("question__position", flat=True)
    )


@pytest.mark.usefixtures("chance")
def test_shuffled_questions_have_an_order_for_each_person(hundred: Study) -> None:
    Study.objects.update(question_order=Order.SHUFFLED)
    hundred.refresh_from_db()
    first, second = places(hundred), places(hundred)

    everything = list(range(100))
    assert sorted(first) == sorted(second) == everything
    assert everything not in (first, second)

    following = set(pairwise(first)) & set(pairwise(second))
    assert len(following) < 20, "few questions follow one another for both"


@pytest.mark.usefixtures("chance")
def test_shuffled_questions_are_as_likely_early_as_late(hundred: Study) -> None:
    Study.objects.update(question_order=Order.SHUFFLED)
    starts = [place_of(claimed(new_annotator(hundred))) for _ in range(60)]

    assert 35 < sum(starts) / len(starts) < 65
    assert len(set(starts)) > 30


@pytest.mark.usefixtures("chance")
def test_blocks_come_in_turn_and_are_shuffled_inside(hundred: Study) -> None:
    Study.objects.update(question_order=Order.BLOCKS)
    hundred.refresh_from_db()
    first, second = places(hundred), places(hundred)

    for order in (first, second):
        assert sorted(order[:BLOCK]) == list(range(BLOCK))
        assert sorted(order[BLOCK:]) == list(range(BLOCK, 100))
    assert first[:BLOCK] != second[:BLOCK]
    assert list(range(BLOCK)) not in (first[:BLOCK], second[:BLOCK])


@pytest.mark.parametrize("order", Order)
def test_every_order_fills_all_quotas(study: Study, order: Order) -> None:
    Study.objects.update(question_order=order)
    study.refresh_from_db()

    assert [answer_all(new_annotator(study)) for _ in range(4)] == [12, 12, 12, 0]
    assert counters(study) == recounted(study)


def test_nobody_is_asked_a_question_twice(study: Study, annotator: Annotator) -> None:
    assert answer_all(annotator) == study.questions.count()
    assert claim(annotator) is None
    assert (
        max(Counter(annotator.answers.values_list("question", flat=True)).values()) == 1
    )


def test_a_question_gets_as_many_votes_as_it_needs_and_no_more(study: Study) -> None:
    votes = [answer_all(new_annotator(study)) for _ in range(5)]
    assert votes == [12, 12, 12, 0, 0]
    assert study.questions.progress() == {
        "triplets": 12,
        "finished": 12,
        "votes": 36,
        "needed": 36,
    }


def test_a_lease_keeps_others_from_its_place(study: Study) -> None:
    question = only_question(study)
    people = [new_annotator(study) for _ in range(4)]
    leases = [claim(person) for person in people]

    assert [lease is not None for lease in leases] == [True, True, True, False]
    assert counted(question) == (0, 3)


def test_an_abandoned_lease_returns_by_itself(study: Study) -> None:
    question = only_question(study)
    abandoned, *_ = (claimed(new_annotator(study)) for _ in range(3))
    expire(abandoned)

    assert claim(new_annotator(study)) is not None
    assert counted(question) == (0, 3)


def test_a_question_given_back_to_the_same_person_keeps_its_key(study: Study) -> None:
    only_question(study)
    person = new_annotator(study)
    shown = claimed(person)
    expire(shown)

    again = claimed(person)
    assert (again.key, again.b_side) == (shown.key, shown.b_side)

    expire(again)
    leases.end_expired_leases(study)

    assert not Lease.objects.get(pk=again.pk).live

    revived = claimed(person)
    assert (revived.key, revived.live) == (shown.key, True)
    assert vote(shown.key, Side.LEFT).status == Status.VALID


@pytest.mark.parametrize("state", [State.PAUSED, State.CLOSED, State.DRAFT])
def test_a_study_that_is_not_open_asks_no_new_questions(
    study: Study, state: State
) -> None:
    held = top_up_leases(new_annotator(study), 2)
    Study.objects.update(state=state)

    assert top_up_leases(new_annotator(study), LEASES_AT_FIRST) == []
    assert [
        lease.key for lease in top_up_leases(held[0].annotator, LEASES_AT_FIRST)
    ] == [lease.key for lease in held]


def test_the_excluded_are_asked_nothing(study: Study, annotator: Annotator) -> None:
    top_up_leases(annotator, LEASES_AT_FIRST)
    exclude_annotator(annotator, None, "hurried")

    assert top_up_leases(annotator, LEASES_AT_FIRST) == []
    assert counters(study) == recounted(study)


def test_nobody_judges_more_than_the_most(study: Study, annotator: Annotator) -> None:
    Study.objects.update(max_judgments=5)
    for _ in range(3):
        vote(claimed(annotator).key, Side.LEFT)

    assert len(top_up_leases(annotator, LEASES_AT_FIRST)) == 2
    assert answer_all(annotator) == 2


def test_who_tries_a_study_out_sees_all_of_it_and_touches_no_counter(
    study: Study,
) -> None:
    for _ in range(3):
        answer_all(new_annotator(study))

    Study.objects.update(state=State.CLOSED)
    before = counters(study)
    tester = new_test_annotator(study)

    assert answer_all(tester) == 12
    assert set(tester.answers.values_list("purpose", "status")) == {
        (Purpose.TEST, Status.VALID)
    }
    assert counters(study) == before == recounted(study)


@pytest.mark.usefixtures("chance")
def test_gold_questions_are_mixed_in_without_taking_places(
    study: Study, annotator: Annotator
) -> None:
    gold = set(study.questions.order_by("position").values_list("pk", flat=True)[6:])
    study.questions.filter(pk__in=gold).update(gold="B", needed=0)
    Study.objects.update(gold_rate=0.5)
    answer_all(annotator)

    checked = set(
        annotator.answers.filter(purpose=Purpose.GOLD).values_list(
            "question", flat=True
        )
    )

    assert len(checked) > 1
    assert checked <= gold
    assert not study.questions.filter(pk__in=checked, answers__gt=0).exists()

    assert study.questions.filter(answers=1).count() == 6
    assert counters(study) == recounted(study)


@pytest.mark.usefixtures("chance")
def test_gold_questions_are_only_those_with_an_answer(
    study: Study, annotator: Annotator
) -> None:
    Study.objects.update(gold_rate=0.5)
    assert answer_all(annotator) == 12
    assert set(annotator.answers.values_list("purpose", flat=True)) == {Purpose.STUDY}


@pytest.mark.usefixtures("chance")
def test_own_questions_are_repeated_once_later_and_with_swapped_sides(
    hundred: Study,
) -> None:
    Study.objects.update(repeat_rate=0.5)
    person = new_annotator(hundred)
    for _ in range(40):
        vote(claimed(person).key, Side.LEFT)

    given = list(person.answers.order_by("pk"))
    first = {
        cast.question_id: n
        for n, cast in enumerate(given)
        if cast.purpose == Purpose.STUDY
    }
    repeats = [
        (n, cast) for n, cast in enumerate(given) if cast.purpose == Purpose.REPEAT
    ]

    assert len(repeats) > 5
    assert len({cast.question_id for _, cast in repeats}) == len(repeats)
    for n, cast in repeats:
        assert n - first[cast.question_id] > REPEAT_AFTER
        assert cast.b_side != given[first[cast.question_id]].b_side
    assert counters(hundred) == recounted(hundred)


@pytest.mark.usefixtures("chance")
def test_several_questions_held_hold_no_repeat_twice(hundred: Study) -> None:
    person = new_annotator(hundred)
    for _ in range(REPEAT_AFTER + 3):
        vote(claimed(person).key, Side.LEFT)

    Study.objects.update(repeat_rate=0.5)
    held = top_up_leases(Annotator.objects.get(pk=person.pk), 12)
    repeated = [lease.question_id for lease in held if lease.purpose == Purpose.REPEAT]

    assert len(repeated) == len(set(repeated)) == 3


def test_b_stands_as_often_left_as_right_within_a_question(study: Study) -> None:
    study.questions.update(needed=4)
    for _ in range(4):
        answer_all(new_annotator(study))

    for question in study.questions.all():
        sides = Counter(question.all_answers.values_list("b_side", flat=True))
        assert sides == {Side.LEFT: 2, Side.RIGHT: 2}


def test_b_stands_as_often_left_as_right_of_a_person(hundred: Study) -> None:
    people = [new_annotator(hundred) for _ in range(2)]
    for person in people:
        assert answer_all(person) == 100

        sides = Counter(person.answers.values_list("b_side", flat=True))
        person.refresh_from_db()

        assert sides[Side.LEFT] - sides[Side.RIGHT] == person.left_balance
        assert abs(person.left_balance) <= 2

    assert not Question.objects.exclude(lean=0).exists()


def test_the_next_question_is_the_first_of_the_open_ones_that_are_new(
    study: Study,
) -> None:
    """`next_open`, in SQL, is what `unseen` and `open` say."""
    people = [new_annotator(study) for _ in range(4)]
    for turn in range(40):
        person = people[turn % 4]
        with transaction.atomic():
            hand = lock_with_leases(person.pk)
            fresh = unseen_questions(hand).open().order_by("position").first()
            assert next_open_question(hand, -1) == fresh

        lease = claim(person)
        if lease and turn % 3:
            vote(lease.key, Side.LEFT)


def test_many_abandoned_leases_of_another_study_hold_nobody_up(study: Study) -> None:
    other = create_study(Study(dataset=study.dataset, title="Abandoned", steps=[]))
    for _ in range(3):
        top_up_leases(new_annotator(other), 12)

    only_question(study)
    for _ in range(3):
        claimed(new_annotator(study))

    Lease.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert claim(new_annotator(study)) is not None


@pytest.mark.usefixtures("chance")
def test_three_people_finish_a_study_that_checks_them(study: Study) -> None:
    Study.objects.update(gold_rate=0.5)
    study.questions.filter(position__lt=6).update(gold="B")
    people = [new_annotator(study) for _ in range(3)]
    while sum(answer_all(person) for person in people):
        pass

    assert study.questions.progress()["votes"] == 36
    assert counters(study) == recounted(study)


@pytest.mark.usefixtures("chance")
def test_a_place_that_reopens_is_filled_by_a_check_that_had_none(study: Study) -> None:
    Study.objects.update(gold_rate=0.5)
    study.questions.update(gold="B")
    people = [new_annotator(study) for _ in range(4)]
    while sum(answer_all(person) for person in people):
        pass

    left = 36 - people[0].answers.counted().count()
    exclude_annotator(people[0], None, "a reason")

    assert study.questions.progress()["votes"] > left

    checks = Answer.objects.valid().filter(purpose=Purpose.GOLD)
    assert not study.questions.open().filter(pk__in=checks.values("question")).exists()
    assert counters(study) == recounted(study)


EXPLAIN = {"postgresql": "EXPLAIN ", "sqlite": "EXPLAIN QUERY PLAN "}


def test_a_claim_cannot_take_the_way_past_all_finished_questions(study: Study) -> None:
    """Even where the index of open questions is missing, that of all positions is of no use."""
    with connection.cursor() as cursor:
        cursor.execute("DROP INDEX open_questions")
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL enable_seqscan = off")

        sql = EXPLAIN[connection.vendor] + NEXT_OPEN_QUESTION.format(
            unavailable="0", order="position", room=""
        )
        cursor.execute(sql, [study.pk, -1, LAST, 1, Status.SUPERSEDED])
        plan = str(cursor.fetchall())

    assert "question" in plan
    assert "question_position_once" not in plan


# Leases without work


def hold_all_places(study: Study) -> list[Annotator]:
    """Three people who are shown the only question of a study, and do nothing."""
    only_question(study)
    people = [new_annotator(study) for _ in range(3)]
    for person in people:
        claimed(person)

    return people


def grow_old(seconds: int) -> None:
    past = timezone.now() - timedelta(seconds=seconds)
    Lease.objects.update(created_at=past)


def test_leases_held_without_work_are_taken_when_no_question_is_left(
    study: Study,
) -> None:
    hold_all_places(study)
    grow_old(IDLE_SECONDS + 1)
    honest = new_annotator(study)

    lease = claimed(honest)
    assert counted(lease.question) == (0, 3)
    assert Lease.objects.filter(live=True).count() == 3

    vote(lease.key, "left")
    assert counted(lease.question) == (1, 2)


def test_leases_that_have_just_begun_are_not_taken(study: Study) -> None:
    hold_all_places(study)
    grow_old(IDLE_SECONDS - 30)
    assert claim(new_annotator(study)) is None


def test_leases_of_people_at_work_are_not_taken(study: Study) -> None:
    people = hold_all_places(study)
    grow_old(IDLE_SECONDS + 1)
    other = create_study(Study(dataset=study.dataset, steps=[])).questions.first()
    assert other is not None
    for person in people:
        put(person, other, created_at=timezone.now())

    assert claim(new_annotator(study)) is None


def test_questions_in_reserve_are_taken_before_the_one_on_a_page(study: Study) -> None:
    idle = new_annotator(study)
    on_page, reserve = top_up_leases(idle, 2)
    study.questions.exclude(pk__in=[on_page.question_id, reserve.question_id]).delete()
    study.questions.update(needed=1)

    grow_old(IDLE_SECONDS + 1)
    assert claimed(new_annotator(study)).question_id == reserve.question_id
    assert claimed(new_annotator(study)).question_id == on_page.question_id


def test_a_vote_on_a_lease_that_was_taken_is_kept_as_surplus(study: Study) -> None:
    people = hold_all_places(study)
    grow_old(IDLE_SECONDS + 1)
    claimed(new_annotator(study))

    taken = Lease.objects.get(live=False)
    assert taken.annotator in people
    assert vote(taken.key, "left").status == "surplus"
    assert counted(taken.question) == (0, 3)


def test_before_the_first_vote_leases_are_short_and_not_renewed(
    study: Study, settings: Settings
) -> None:
    settings.FIRST_LEASE_SECONDS, settings.LEASE_SECONDS = 100, 900
    person = new_annotator(study)
    lease = claimed(person)

    ends = lease.expires_at
    assert ends - lease.created_at < timedelta(seconds=101)

    Lease.objects.update(expires_at=timezone.now() + timedelta(seconds=10))
    assert claimed(person).expires_at < timezone.now() + timedelta(seconds=11)

    vote(lease.key, "left")
    assert claimed(person).expires_at > timezone.now() + timedelta(seconds=800)
