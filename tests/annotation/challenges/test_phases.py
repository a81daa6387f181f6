"""A challenge has phases: planned, development, test, closed; each takes what belongs to it."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.files.base import ContentFile
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tercet.analysis.dataset.folder import load
from tercet.annotation.challenges.leaderboard import board_of
from tercet.annotation.challenges.submissions import Details, attempts_of
from tercet.annotation.challenges.tasks import accept_submission
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.models import Challenge, Submission
from tercet.annotation.models.challenge import DEVELOPMENT, HIDDEN, ScoresShown
from tercet.annotation.models.challenge import ChallengeProgress as Phase
from tests.annotation.challenges.conftest import new_challenge, results, score, submit
from tests.support.folders import dataset_folder
from tests.support.pages import squeeze

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


def in_days(days: float) -> datetime:
    return timezone.now() + days * DAY


@pytest.fixture
def phased(administrator: User, tmp_path: Path) -> Challenge:
    """A challenge in its development phase."""
    folder = dataset_folder(tmp_path / "public")
    public = import_dataset(load(folder), "public", folder)
    dates = {"opens_at": in_days(-1), "test_from": in_days(1), "closes_at": in_days(2)}
    settings = {"development": public, "leaderboard": "public", **dates}
    return new_challenge(tmp_path / "hidden", administrator, **settings)


def upload(challenge: Challenge, browser: Client, system: str = "mine") -> Submission:
    file = SimpleUploadedFile("results.json", results())
    page = reverse("challenge_submit", args=[challenge.name])
    response = browser.post(page, {"file": file, "system": system})
    assert response.status_code == 302
    return challenge.submissions.latest("number")


def board(challenge: Challenge, browser: Client, **query: str) -> str:
    page = reverse("challenge_leaderboard", args=[challenge.name])
    return squeeze(browser.get(page, query).text)


def systems(challenge: Challenge, split: str) -> list[str]:
    found = board_of(challenge, split)
    assert found
    return [row.name for row in found.rows if row.kind == "system"]


@pytest.mark.parametrize(
    ("days", "phase"),
    [
        ((1, 2, 3), Phase.PLANNED),
        ((-1, 1, 2), Phase.DEVELOPMENT),
        ((-2, -1, 1), Phase.OPEN),
        ((-3, -2, -1), Phase.CLOSED),
    ],
)
def test_the_dates_say_which_phase_it_is(
    days: tuple[int, int, int], phase: Phase
) -> None:
    opens, test, closes = map(in_days, days)
    planned = Challenge(opens_at=opens, test_from=test, closes_at=closes)
    assert planned.progress == phase


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"test_from": in_days(-2)}, "after the challenge opens"),
        ({"test_from": in_days(3)}, "before the challenge closes"),
        ({"development": None}, "development split"),
    ],
)
def test_a_phase_that_cannot_be_is_refused(
    phased: Challenge, changed: dict[str, object], reason: str
) -> None:
    for name, value in changed.items():
        setattr(phased, name, value)
    with pytest.raises(ValidationError, match=reason):
        phased.clean()


def test_the_development_phase_scores_the_development_split_alone(
    phased: Challenge, submitter: Client
) -> None:
    sent = score(upload(phased, submitter))

    assert sent.splits == [DEVELOPMENT]
    assert systems(phased, DEVELOPMENT) == [sent.row]
    assert systems(phased, HIDDEN) == []
    assert ">mine<" in board(phased, submitter)
    assert ">mine<" not in board(phased, submitter, split="hidden")


def test_a_file_of_hidden_images_comes_too_early_and_is_told_so_once(
    phased: Challenge, submitter: Client
) -> None:
    assert phased.development
    phased.development.images.filter(name="dog").update(name="horse")
    file = SimpleUploadedFile("results.json", results())
    page = reverse("challenge_submit", args=[phased.name])
    shown = squeeze(submitter.post(page, {"file": file, "system": "mine"}).text)

    assert "1 problem in results.json" in shown
    assert "a split that is not taken now: <code>hidden</code>" in shown
    assert "captions of the development split until the test phase begins" in shown


def test_the_test_phase_wants_the_hidden_split(
    phased: Challenge, submitter: Client
) -> None:
    Challenge.objects.update(test_from=in_days(-0.5))
    assert upload(phased, submitter).splits == [HIDDEN]


def test_the_limit_in_all_is_that_of_the_test_phase(
    phased: Challenge, person: User, submitter: Client
) -> None:
    Challenge.objects.update(in_all=1, per_day=5)
    phased.refresh_from_db()
    upload(phased, submitter)
    assert attempts_of(person, phased).left == 4

    phased.test_from = in_days(-0.5)
    assert attempts_of(person, phased).left == 1


def test_scores_of_the_development_phase_do_not_wait_for_the_end(
    phased: Challenge, submitter: Client
) -> None:
    Challenge.objects.update(scores_shown=ScoresShown.AFTER_END)
    sent = score(upload(phased, submitter))

    assert ">mine<" in board(phased, Client())
    assert "Scores on the development split" in (
        Client().get(sent.get_absolute_url()).text
    )
    hidden = board(phased, Client(), split="hidden")
    assert "is shown after the end" in hidden


def test_of_both_splits_only_the_development_scores_are_shown_before_the_end(
    phased: Challenge, person: User, submitter: Client
) -> None:
    Challenge.objects.update(scores_shown=ScoresShown.AFTER_END)
    file = ContentFile(results(), "results.json")
    both = accept_submission(phased, person, Details("both"), file, [DEVELOPMENT])
    score(both)
    Submission.objects.update(splits=[HIDDEN, DEVELOPMENT])
    scores = both.scores_file(DEVELOPMENT).read_bytes()
    both.scores_file(HIDDEN).write_bytes(scores)

    for browser in (submitter, Client()):
        text = browser.get(both.get_absolute_url()).text
        assert "Scores on the development split" in text
        assert text.count('aria-label="Scores"') == 1


def test_a_host_begins_each_phase_by_a_button(
    phased: Challenge, office: Client
) -> None:
    Challenge.objects.update(opens_at=in_days(0.5))
    page = reverse("challenge_phase", args=[phased.name])
    seen = ["planned"]

    for _ in range(4):
        shown = office.post(page, {"after": seen[-1]}, follow=True).text
        phased.refresh_from_db()
        assert f'name="after" value="{phased.progress}"' in shown
        seen.append(phased.progress)

    assert seen == ["planned", "development", "open", "closed", "open"]
    assert phased.closes_at is None


def test_a_button_of_an_old_page_changes_nothing(
    phased: Challenge, office: Client
) -> None:
    page = reverse("challenge_phase", args=[phased.name])
    shown = office.post(page, {"after": "open"}, follow=True).text
    assert "meanwhile come to another phase" in shown
    phased.refresh_from_db()
    assert phased.progress == Phase.DEVELOPMENT


def test_only_the_hidden_board_warns_that_scores_reveal_references(
    phased: Challenge, submitter: Client
) -> None:
    score(upload(phased, submitter))
    warning = "reveals a little about the hidden references"
    assert warning not in board(phased, submitter)
    assert warning in board(phased, submitter, split="hidden")


def test_every_page_says_until_when_a_phase_lasts(
    phased: Challenge, submitter: Client
) -> None:
    assert "The test phase begins" in board(phased, Client())
    Challenge.objects.update(test_from=in_days(-0.5))
    shown = board(phased, Client())
    assert "Test phase until" in shown
    assert '<span class="badge" data-state="open">test phase</span>' in shown
    Challenge.objects.update(closes_at=in_days(-0.1))
    assert "Closed since" in board(phased, Client())


def test_people_compare_only_what_has_captions_of_the_hidden_split(
    phased: Challenge, administrator: User, submitter: Client, office: Client
) -> None:
    score(upload(phased, submitter, "early"))
    Challenge.objects.update(test_from=in_days(-0.5))
    phased.refresh_from_db()
    score(submit(phased, administrator, "late"))

    page = reverse("challenge_studies", args=[phased.name])
    shown = office.get(page).text
    assert "late (2)" in shown
    assert "early (1)" not in shown
