from collections.abc import Sequence

import pytest
from pytest_django import DjangoAssertNumQueries

from tercet.annotation.judging.answers import vote
from tercet.annotation.judging.leases import claim
from tercet.annotation.models import (
    Annotator,
    Answer,
    Candidate,
    Dataset,
    Reference,
    Study,
)
from tercet.annotation.studies.creation import create_study
from tercet.annotation.studies.forecast import (
    DEFAULT_SECONDS,
    MIN_VOTES,
    Forecast,
    Pace,
    forecast,
    pace_of,
)


def reckoned(**changes: object) -> Forecast:
    usual: dict[str, object] = {
        "votes": 900,
        "checks": 0.0,
        "pace": Pace(8.0, "study"),
        "votes_each": 3,
        "max_judgments": None,
        "wage": 12.0,
        "fee": 33.0,
    }
    return Forecast(**(usual | changes))  # type: ignore[arg-type]


def test_hours_and_money_follow_from_the_votes_and_the_pace() -> None:
    expected = reckoned()
    assert expected.judgments == 900
    assert expected.hours == pytest.approx(2)

    assert (expected.pay, expected.fees) == pytest.approx((24, 7.92))
    assert expected.cost == pytest.approx(31.92)


def test_checks_are_judged_and_paid_besides() -> None:
    assert reckoned(checks=0.1).judgments == 1000
    assert reckoned(checks=0.1).hours > reckoned().hours


def test_checks_are_at_most_half_of_all_questions() -> None:
    assert reckoned(checks=1.0).judgments == reckoned(checks=0.5).judgments == 1800


@pytest.mark.parametrize(
    ("max_judgments", "people"), [(None, 3), (1000, 3), (100, 9), (99, 10), (1, 900)]
)
def test_people_are_those_that_the_limit_and_the_votes_of_a_question_need(
    max_judgments: int | None, people: int
) -> None:
    assert reckoned(max_judgments=max_judgments).people == people


def test_minutes_a_person_share_the_hours() -> None:
    assert reckoned(max_judgments=100).minutes_each == pytest.approx(120 / 9)


def test_nothing_left_costs_nothing() -> None:
    done = reckoned(votes=0, max_judgments=10)
    assert (done.judgments, done.people, done.minutes_each, done.cost) == (0, 0, 0, 0)


# Of a study


def test_votes_that_are_there_are_not_needed_again(
    study: Study, annotator: Annotator
) -> None:
    assert forecast(study, 12, 33).votes == 36

    answer(annotator)
    assert forecast(study, 12, 33).votes == 35


def test_votes_that_early_stopping_saved_are_not_needed(study: Study) -> None:
    study.stop_early = True
    study.questions.update(stopped=True)
    assert forecast(study, 12, 33).votes == 0


def test_gold_counts_as_checks_only_where_there_is_some(study: Study) -> None:
    study.gold_rate, study.repeat_rate = 0.1, 0.05
    assert forecast(study, 12, 33).checks == pytest.approx(0.05)

    study.questions.filter(position=0).update(gold="B")
    assert forecast(study, 12, 33).checks == pytest.approx(0.15)


def answer(annotator: Annotator) -> Answer:
    lease = claim(annotator)
    assert lease is not None
    return vote(lease.key, lease.b_side)


def judged(
    study: Study, seconds: Sequence[float | None], prefix: str = "person-", **who: bool
) -> None:
    """A vote for each of these times, each by another annotator."""
    question = study.questions.earliest("pk")
    start = study.annotators.count()
    people = [
        Annotator(study=study, name=f"{prefix}{start + n}", **who)
        for n in range(len(seconds))
    ]
    Answer.objects.bulk_create(
        Answer(question=question, annotator=person, choice="B", seconds=took)
        for person, took in zip(
            Annotator.objects.bulk_create(people), seconds, strict=True
        )
    )


@pytest.fixture
def other(dataset: Dataset) -> Study:
    return create_study(Study(dataset=dataset, title="Other", steps=[]))


def test_the_pace_is_the_median_of_the_studys_votes(study: Study) -> None:
    judged(study, [4.0] * (MIN_VOTES - 1) + [400.0])
    assert pace_of(study) == Pace(4.0, "study")


def test_with_few_votes_the_pace_is_that_of_the_same_protocol(
    study: Study, other: Study
) -> None:
    judged(study, [4.0] * (MIN_VOTES - 1))
    judged(other, [7.0] * MIN_VOTES)
    assert pace_of(study) == Pace(7.0, "protocol")


def test_another_protocol_says_nothing_of_the_pace(study: Study, other: Study) -> None:
    judged(other, [7.0] * MIN_VOTES)
    Study.objects.filter(pk=other.pk).update(protocol="pairwise")
    assert pace_of(study) == Pace(DEFAULT_SECONDS, "guess")


def test_long_texts_take_longer_to_read(study: Study) -> None:
    Candidate.objects.filter(image__dataset=study.dataset).update(caption="word " * 119)
    Reference.objects.filter(image__dataset=study.dataset).update(caption="")
    assert pace_of(study) == Pace(60.0, "guess")


def test_simulations_tests_and_untimed_votes_say_nothing_of_the_pace(
    study: Study,
) -> None:
    judged(study, [0.1] * MIN_VOTES, prefix="simulated-")
    judged(study, [0.1] * MIN_VOTES, prefix="test-", is_test=True)
    judged(study, [None] * MIN_VOTES)

    assert pace_of(study).source == "guess"


def test_time_by_the_browsers_clock_goes_before_time_on_the_page(study: Study) -> None:
    judged(study, [60.0] * MIN_VOTES)
    Answer.objects.update(active_seconds=6.0)
    assert pace_of(study) == Pace(6.0, "study")


def test_the_pace_takes_few_queries_however_many_votes_there_are(
    study: Study, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    judged(study, [5.0] * 100)
    with django_assert_max_num_queries(6):
        forecast(study, 12, 33)


def test_the_announced_minutes_are_paid_and_longer_work_is_said() -> None:
    announced = reckoned(max_judgments=100, announced=8.0)
    assert announced.people == 9
    assert announced.pay == pytest.approx(9 * 8 * 12 / 60)
    assert announced.is_longer

    assert not reckoned(max_judgments=100, announced=20.0).is_longer
    assert not reckoned(max_judgments=100).is_longer
