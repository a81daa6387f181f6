"""What submitters do with their submissions: rename and withdraw them, and not send them twice."""

import pytest
from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.test import Client
from django.urls import reverse

from tercet.annotation.challenges.leaderboard import board_of
from tercet.annotation.challenges.submissions import Details, attempts_of
from tercet.annotation.challenges.tasks import accept_submission, compute_boards
from tercet.annotation.models import Challenge, Submission
from tercet.annotation.models.computation import JobState
from tercet.annotation.studies.lifecycle import NotPossible
from tests.annotation.challenges.conftest import OTHERS, results, score, submit
from tests.support.pages import squeeze

pytestmark = pytest.mark.django_db


@pytest.fixture
def own(challenge: Challenge, person: User) -> Submission:
    return score(submit(challenge, person, "mine"))


def address(submission: Submission, page: str) -> str:
    return reverse(page, args=[submission.challenge.name, submission.key])


def board(challenge: Challenge) -> str:
    page = reverse("challenge_leaderboard", args=[challenge.name])
    return squeeze(Client().get(page).text)


def rows_of(challenge: Challenge) -> list[str]:
    found = board_of(challenge, "hidden")
    assert found
    return [row.name for row in found.rows if row.kind == "system"]


def test_a_withdrawn_submission_leaves_the_board_and_counts_as_an_attempt(
    own: Submission, person: User, submitter: Client
) -> None:
    submitter.post(address(own, "submission_withdrawn"), {"withdrawn": "on"})

    assert ">mine<" not in board(own.challenge)
    assert Client().get(own.get_absolute_url()).status_code != 200
    assert "This submission is withdrawn." in submitter.get(own.get_absolute_url()).text
    assert attempts_of(person, own.challenge).in_all == 1


def test_a_withdrawal_may_be_taken_back(own: Submission, submitter: Client) -> None:
    submitter.post(address(own, "submission_withdrawn"), {"withdrawn": "on"})
    submitter.post(address(own, "submission_withdrawn"))
    compute_boards.call(own.challenge_id)

    assert ">mine<" in board(own.challenge)


def test_owners_still_hide_what_is_not_withdrawn(
    own: Submission, office: Client, submitter: Client
) -> None:
    office.post(address(own, "submission_shown"))
    submitter.post(address(own, "submission_withdrawn"))
    compute_boards.call(own.challenge_id)

    assert ">mine<" not in board(own.challenge)


def test_name_and_description_may_be_changed(
    own: Submission, submitter: Client
) -> None:
    page = address(own, "submission_details")
    assert 'value="mine"' in submitter.get(page).text

    submitter.post(page, {"system": "renamed", "description": "of July"})
    own.refresh_from_db()
    assert (own.system, own.description) == ("renamed", "of July")
    assert ">renamed<" in board(own.challenge)


def test_a_name_that_does_harm_is_refused(own: Submission, submitter: Client) -> None:
    response = submitter.post(address(own, "submission_details"), {"system": "=1+1"})
    own.refresh_from_db()
    assert (response.status_code, own.system) == (422, "mine")


@pytest.mark.parametrize("page", ["submission_details", "submission_withdrawn"])
def test_only_the_submitter_changes_a_submission(
    own: Submission, office: Client, page: str
) -> None:
    assert office.post(address(own, page), {"system": "theirs"}).status_code == 404
    own.refresh_from_db()
    assert (own.system, own.withdrawn) == ("mine", False)


def test_the_same_file_is_refused_and_costs_no_attempt(
    own: Submission, person: User
) -> None:
    file = ContentFile(results(), "again.json")
    with pytest.raises(NotPossible, match="number 1, mine"):
        accept_submission(own.challenge, person, Details("other"), file, ["hidden"])

    assert attempts_of(person, own.challenge).in_all == 1


def test_another_account_may_submit_the_same_file(
    own: Submission, administrator: User
) -> None:
    file = ContentFile(results(), "again.json")
    made = accept_submission(
        own.challenge, administrator, Details("other"), file, ["hidden"]
    )
    assert made.digest == own.digest


def test_a_file_whose_scoring_failed_may_be_sent_again(
    own: Submission, person: User
) -> None:
    Submission.objects.update(state=JobState.FAILED)
    file = ContentFile(results(), "again.json")
    made = accept_submission(own.challenge, person, Details("x"), file, ["hidden"])
    assert made.number == 2


def test_systems_have_ranks_and_dates_and_baselines_have_none(
    own: Submission, administrator: User
) -> None:
    score(submit(own.challenge, administrator, "other", OTHERS))
    shown = board(own.challenge)

    assert '<td class="number">1</td>' in shown
    assert '<td class="number">2</td>' in shown
    assert '<td class="number">3</td>' not in shown
    assert shown.count('<span class="interval"><time') == 2
