"""Which metrics a challenge may have, and until when its owners choose them."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from tercet.analysis.leaderboard.rules import board_metrics
from tercet.annotation.challenges.creation import save_settings
from tercet.annotation.challenges.leaderboard import board_of
from tercet.annotation.challenges.references import available_metrics, in_board_order
from tercet.annotation.challenges.tasks import compute_boards
from tercet.annotation.models import Challenge
from tercet.annotation.models.challenge import METRICS, ChallengeRank
from tercet.annotation.studies.lifecycle import NotPossible
from tercet.annotation.studies.roles import give_role
from tests.annotation.challenges.conftest import score, submit

pytestmark = pytest.mark.django_db

SETTINGS = {
    "title": "Small challenge",
    "submitters": "all",
    "scores_shown": "at_once",
    "leaderboard": "public",
}


@pytest.fixture
def host(
    challenge: Challenge, administrator: User, person: User, submitter: Client
) -> Client:
    """The browser of an owner who is no administrator."""
    give_role(challenge, person, ChallengeRank.OWNER, administrator)
    return submitter


def columns(challenge: Challenge) -> tuple[str, ...]:
    compute_boards.call(challenge.pk)
    board = board_of(challenge, "hidden")
    assert board
    return board.rules.names


def test_all_metrics_that_need_no_picture_may_be_chosen() -> None:
    known = available_metrics()
    assert known[: len(METRICS)] == list(METRICS)
    assert {"ROUGE-1", "CIDEr", "CIDEr-stem"} <= set(known)
    assert not {"length", "random"} & set(known)
    assert sorted(board_metrics()) == sorted(known)


def test_a_board_is_ordered_by_cider_d_unless_it_has_another_last_metric() -> None:
    assert in_board_order(["CIDEr-D", "ROUGE-1"]) == ["ROUGE-1", "CIDEr-D"]
    assert in_board_order(["ROUGE-1"]) == ["ROUGE-1"]


def test_an_owner_changes_the_metrics_before_the_first_submission(
    challenge: Challenge, administrator: User, host: Client
) -> None:
    compute_boards.call(challenge.pk)
    page = reverse("challenge_settings", args=[challenge.name])
    host.post(page, SETTINGS | {"metrics": ["CIDEr-D", "ROUGE-1", "CIDEr-stem"]})
    challenge.refresh_from_db()

    chosen = ["ROUGE-1", "CIDEr-stem", "CIDEr-D"]
    assert challenge.metrics == chosen
    assert columns(challenge) == tuple(chosen)
    score(submit(challenge, administrator))
    assert columns(challenge) == tuple(chosen)


def test_metrics_that_have_scored_stay(
    challenge: Challenge, administrator: User, host: Client
) -> None:
    submit(challenge, administrator)
    page = reverse("challenge_settings", args=[challenge.name])
    assert 'name="metrics"' not in host.get(page).text
    assert host.post(page, SETTINGS | {"metrics": ["ROUGE-1"]}).status_code == 302
    challenge.refresh_from_db()
    assert challenge.metrics == ["BLEU-1", "CIDEr-D"]

    challenge.metrics = ["ROUGE-1"]
    with pytest.raises(NotPossible, match="from the first submission on"):
        save_settings(challenge, {"metrics": ["BLEU-1"]}, administrator)
