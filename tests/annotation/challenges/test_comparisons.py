"""Studies of submissions: what people are asked, what it costs, and the column of people."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tercet.annotation.challenges import forms
from tercet.annotation.challenges.comparisons import (
    ComparisonPlan,
    create_comparison,
    forecast_of,
)
from tercet.annotation.challenges.leaderboard import board_of
from tercet.annotation.challenges.tasks import compute_boards, request_boards
from tercet.annotation.models import Challenge, Image, Pair, Study, Submission
from tercet.annotation.models.challenge import HIDDEN
from tercet.annotation.models.study import State
from tercet.annotation.participation.simulation import simulate
from tercet.annotation.results.tasks import PAUSE
from tercet.annotation.studies.lifecycle import set_state
from tests.annotation.challenges.conftest import CAPTIONS, OTHERS, score, submit

pytestmark = pytest.mark.django_db


@pytest.fixture
def submissions(challenge: Challenge, person: User) -> list[Submission]:
    """Two, which agree on the cat."""
    same = OTHERS | {"cat": CAPTIONS["cat"]}
    return [
        score(submit(challenge, person, "first", CAPTIONS)),
        score(submit(challenge, person, "second", same)),
    ]


def compare(
    challenge: Challenge,
    submissions: list[Submission],
    by: User,
    *,
    human: bool = False,
) -> Study:
    return create_comparison(challenge, ComparisonPlan(submissions, 2, 3, human), by)


def test_a_study_asks_about_each_two_sources_of_each_image(
    challenge: Challenge, submissions: list[Submission], administrator: User
) -> None:
    study = compare(challenge, submissions, administrator, human=True)
    assert (study.state, study.accounts, study.link_is_open) == (
        State.DRAFT,
        "invited",
        False,
    )

    pairs = Pair.objects.filter(dataset=study.dataset)
    assert pairs.filter(category="MM").count() == 2
    assert pairs.filter(category="HM").count() == 4
    assert study.questions.count() == 5  # the cat has one caption twice

    sources = set(pairs.values_list("b__source", flat=True)) | set(
        pairs.values_list("c__source", flat=True)
    )

    assert sources == {"first (1)", "second (2)", "human"}


def test_without_pictures_people_compare_with_a_reference(
    challenge: Challenge, submissions: list[Submission], administrator: User
) -> None:
    study = compare(challenge, submissions, administrator)
    assert (study.protocol, study.references) == ("triplet", 1)


def test_with_pictures_people_see_these(
    challenge: Challenge, submissions: list[Submission], administrator: User
) -> None:
    Image.objects.update(url="https://example.org/picture.png")
    study = compare(challenge, submissions, administrator)

    assert study.protocol == "pairwise"
    assert not study.questions.exclude(reference=None).exists()


def test_images_are_sampled_by_the_seed(
    challenge: Challenge, submissions: list[Submission], administrator: User
) -> None:
    plan = ComparisonPlan(submissions, 1, 3, human=True)
    chosen = [
        create_comparison(challenge, plan, administrator).dataset.images.get().name
        for _ in range(2)
    ]

    assert chosen[0] == chosen[1]


def test_captions_of_submissions_from_before_they_were_kept_are_read_from_their_files(
    challenge: Challenge, submissions: list[Submission], administrator: User
) -> None:
    made = compare(challenge, submissions, administrator)
    submissions[0].captions_file(HIDDEN).unlink()
    again = compare(challenge, submissions, administrator)

    first, second = (
        list(study.dataset.pairs.values_list("b__caption", "c__caption"))
        for study in (made, again)
    )

    assert first == second


def test_the_forecast_counts_all_pairs(
    challenge: Challenge, submissions: list[Submission]
) -> None:
    forecast = forecast_of(
        challenge, ComparisonPlan(submissions, 2, 3, human=True), wage=36
    )
    assert forecast.judgments == 2 * 3 * 3
    assert forecast.cost == pytest.approx(18 * 10 / 3600 * 36)


def judge(study: Study, by: User) -> None:
    """Three people prefer the first system everywhere."""
    set_state(study, State.OPEN, by)
    beliefs = {
        pair.name: "B" if pair.b.source == "first (1)" else "C"
        for pair in Pair.objects.filter(dataset=study.dataset)
    }
    list(simulate(study, [1, 2, 3], 1.0, beliefs, 0))


def test_the_votes_become_a_column_of_the_leaderboard(
    challenge: Challenge,
    submissions: list[Submission],
    administrator: User,
    office: Client,
) -> None:
    judge(compare(challenge, submissions, administrator), administrator)
    request_boards(challenge)
    compute_boards.call(challenge.pk)

    board = board_of(Challenge.objects.get(), "hidden")
    assert board is not None
    people = {row.name: row.people and row.people.fraction for row in board.rows}

    assert (people["1"], people["2"]) == (
        0.75,
        0.25,
    )  # a win, and a tie of equal captions
    assert board.columns[0].correlations[0].value is None

    address = reverse("challenge_leaderboard", args=[challenge.name])
    shown = office.get(address, {"by": "people"}).getvalue().decode()

    assert "75.0&nbsp;%" in shown
    assert "Agreement with people" in shown


def test_owners_choose_submissions_on_a_page(
    challenge: Challenge,
    submissions: list[Submission],
    office: Client,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    address = reverse("challenge_studies", args=[challenge.name])
    assert "first (1)" in office.get(address).getvalue().decode()

    sent = {
        "submissions_chosen": [submissions[0].pk],
        "images": 2,
        "votes": 1,
        "wage": 12,
    }
    refused = office.post(address, sent | {"create": "yes"})

    assert refused.status_code == 422
    assert "Choose two submissions" in refused.getvalue().decode()

    large = office.post(
        address, sent | {"estimate": "yes", "human": "on", "images": 5_000}
    )

    assert large.status_code == 200
    in_euros = office.post(address, sent | {"human": "on", "currency": "EUR"})
    assert "EUR</dd>" in in_euros.text

    monkeypatch.setattr(forms, "MAX_QUESTIONS", 1)
    large = office.post(address, sent | {"estimate": "yes", "human": "on"})

    assert "These are 2 questions; a study has at most 1" in large.text

    monkeypatch.undo()

    made = office.post(address, sent | {"create": "yes", "human": "on"})
    study = Study.objects.get()

    assert made["Location"] == reverse("study_settings", args=[study.name])
    assert challenge.comparisons.get().study == study


def test_a_leaderboard_that_is_looked_at_follows_the_votes(
    challenge: Challenge,
    submissions: list[Submission],
    administrator: User,
    office: Client,
) -> None:
    study = compare(challenge, submissions, administrator)
    compute_boards.call(challenge.pk)
    judge(study, administrator)
    address = reverse("challenge_leaderboard", args=[challenge.name])

    def is_computed_anew(before: timedelta) -> bool:
        Challenge.objects.update(board_at=timezone.now() - before)
        return "The leaderboard is being computed" in office.get(address).text

    assert not is_computed_anew(before=timedelta(0))
    assert is_computed_anew(before=PAUSE)

    compute_boards.call(challenge.pk)
    assert "75.0&nbsp;%" in office.get(address).text
    assert not is_computed_anew(before=PAUSE)
