"""How far a study is: on SQLite and on PostgreSQL."""

from datetime import UTC, datetime, timedelta

import pytest
from pytest_django import DjangoAssertNumQueries

from tercet.annotation.judging import annotators
from tercet.annotation.judging.annotators import new_annotator, personal_links
from tercet.annotation.models import Annotator, Dataset, Study
from tercet.annotation.studies.creation import create_study
from tercet.annotation.studies.progress import (
    HOURS,
    annotator_stats,
    bars,
    hours_in_words,
    hours_left,
    question_counts,
    search_annotators,
    span_in_words,
    votes_by_hour,
    votes_by_minute,
)
from tests.annotation.judging.ballots import crowd, put
from tests.annotation.questions import answer_all, claimed

pytestmark = [pytest.mark.voting, pytest.mark.django_db]

NOW = datetime(2026, 3, 4, 15, 30, tzinfo=UTC)
HOUR = timedelta(hours=1)


def steady(votes_an_hour: int, hours: int) -> dict[datetime, int]:
    """As many votes in each of the last hours, all at the half."""
    return {NOW - HOUR * back: votes_an_hour for back in range(hours)}


# Questions and votes


def test_questions_are_counted_by_their_votes_up_to_what_is_needed(
    study: Study,
) -> None:
    totals, by_votes = question_counts(study)
    assert by_votes == {0: 12, 1: 0, 2: 0, 3: 0}
    assert totals == study.questions.progress()

    answer_all(new_annotator(study))
    totals, by_votes = question_counts(study)
    assert by_votes == {0: 0, 1: 12, 2: 0, 3: 0}
    assert totals == study.questions.progress()


def test_votes_are_counted_by_the_minute_they_came_in(
    study: Study, annotator: Annotator
) -> None:
    first, second, *_others = study.questions.all()
    minute = NOW.replace(minute=12)
    put(annotator, first, created_at=minute + timedelta(seconds=3))
    put(annotator, second, created_at=minute + timedelta(seconds=59))
    put(new_annotator(study), first, created_at=minute - HOUR)

    put(new_annotator(study), first, created_at=minute - 3 * HOUR)
    assert votes_by_minute(study, NOW - 2 * HOUR) == {minute: 2, minute - HOUR: 1}


def test_only_votes_that_count_have_a_pace(dataset: Dataset, study: Study) -> None:
    first = study.questions.all()[0]
    put(new_annotator(study), first, status="excluded", created_at=NOW)
    put(new_annotator(study), first, purpose="gold", created_at=NOW)
    other = create_study(Study(dataset=dataset, title="Other"))

    put(new_annotator(other), other.questions.all()[0], created_at=NOW)
    assert votes_by_minute(study, NOW - HOUR) == {}


def test_the_hours_of_the_clock_end_with_the_one_that_runs() -> None:
    recent = {NOW: 4, NOW.replace(minute=1): 3, NOW - HOUR: 2, NOW - HOUR * 60: 9}
    by_hour = votes_by_hour(recent, NOW)

    assert len(by_hour) == HOURS
    assert list(by_hour.items())[-2:] == [("Wed 14:00", 2), ("Wed 15:00", 7)]
    assert sum(by_hour.values()) == 9


def test_the_highest_column_is_full_and_only_some_are_labelled() -> None:
    columns = bars({"0": 2, "1": 8, "2": 0, "3": 4}, labels=2)
    assert [column.share for column in columns] == [0.25, 1, 0, 0.5]
    assert [column.label for column in columns if column.is_labelled] == ["1", "3"]
    assert [column.share for column in bars({"0": 0}, labels=2)] == [0]


# Time left


def test_a_steady_pace_gives_one_time() -> None:
    span = hours_left(steady(10, hours=24), 120, NOW)
    assert span is not None

    assert span[0] == pytest.approx(12, rel=0.05)
    assert span[1] == pytest.approx(12, rel=0.05)


def test_paces_that_differ_give_a_span_from_the_quickest_to_the_slowest() -> None:
    span = hours_left(steady(4, hours=24) | {NOW: 40}, 80, NOW)
    assert span is not None

    assert span[0] == pytest.approx(2)
    assert span[1] > 10


def test_an_hour_in_which_nobody_votes_is_not_taken_for_the_end_of_time() -> None:
    recent = {NOW - HOUR * back: 10 for back in range(2, 24)}
    span = hours_left(recent, 100, NOW)
    assert span is not None

    assert span[1] < 20


@pytest.mark.parametrize(
    "recent", [{}, steady(1, hours=10), {NOW: 500}, {NOW - HOUR * 30: 500}], ids=str
)
def test_nothing_is_said_before_twenty_votes_and_an_hour(
    recent: dict[datetime, int],
) -> None:
    assert hours_left(recent, 100, NOW) is None


@pytest.mark.parametrize(
    ("hours", "words"),
    [
        (0.001, "1 minute"),
        (0.75, "45 minutes"),
        (1.6, "2 hours"),
        (47, "47 hours"),
        (60, "2 days"),
        (48_000, "2,000 days"),
    ],
)
def test_hours_are_told_in_the_unit_that_fits(hours: float, words: str) -> None:
    assert hours_in_words(hours) == words


def test_a_span_of_one_time_is_told_once() -> None:
    assert span_in_words((5.1, 5.3)) == "5 hours"
    assert span_in_words((0.5, 72)) == "30 minutes to 3 days"


# By annotator


def test_an_annotator_is_told_with_sides_times_and_checks(
    study: Study, annotator: Annotator
) -> None:
    one, two, three, four, *_others = study.questions.all()
    study.questions.filter(pk__in=[three.pk, four.pk]).update(gold="B")
    put(annotator, one, "B", 2, created_at=NOW)
    put(annotator, two, "C", 4, "right", created_at=NOW - HOUR)
    put(annotator, three, "C", 9, "left")
    put(annotator, four, "tie", None)
    put(annotator, one, "B", b_side="right", purpose="repeat")
    put(annotator, two, "B", purpose="repeat")
    put(annotator, three, "B", purpose="gold")
    put(annotator, four, "C", purpose="gold")

    (done,) = annotator_stats([annotator])
    assert (done.votes, done.seconds, done.last) == (4, 4, NOW)
    assert (done.left, done.sided) == (2, 3)

    assert (done.gold_right, done.gold) == (1, 4)
    assert (done.repeats_same, done.repeats) == (1, 2)


def test_votes_that_do_not_count_are_not_told(
    study: Study, annotator: Annotator
) -> None:
    first = study.questions.all()[0]
    put(annotator, first, status="superseded")
    put(annotator, first, purpose="gold", status="excluded")

    (done,) = annotator_stats([annotator])
    assert (done.votes, done.gold, done.seconds, done.last) == (0, 0, None, None)


def test_the_browsers_time_stands_in_where_the_server_has_none(
    study: Study, annotator: Annotator
) -> None:
    vote = put(annotator, study.questions.all()[0], seconds=None)
    vote.active_seconds = 7
    vote.save()

    assert annotator_stats([annotator])[0].seconds == 7


def test_those_with_the_most_votes_come_first_and_trials_not_at_all(
    study: Study,
) -> None:
    idle, busy = new_annotator(study), new_annotator(study)
    annotators.test_annotator(study)
    answer_all(busy)

    claimed(idle)
    assert list(search_annotators(study, "")) == [busy, idle]


def test_people_are_found_by_each_of_their_names(study: Study) -> None:
    named, _other = personal_links(study, ["Anna", "Bert"])
    assert list(search_annotators(study, "ann", names=True)) == [named]
    assert not search_annotators(study, "ann").exists()
    assert list(search_annotators(study, named.name[-6:])) == [named]


def test_more_annotators_ask_no_more_of_the_database(
    study: Study, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    crowd(study, ["good"])
    with django_assert_num_queries(6):
        annotator_stats(search_annotators(study, ""))

    crowd(study, ["good"] * 5)
    with django_assert_num_queries(6):
        annotator_stats(search_annotators(study, ""))
