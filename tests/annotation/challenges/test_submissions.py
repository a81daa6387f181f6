"""Submissions: checked, counted, scored once, and seen by who may."""

import zipfile
from datetime import timedelta
from io import BytesIO

import pytest
from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tercet.annotation.challenges import tasks
from tercet.annotation.challenges.submissions import Details, attempts_of
from tercet.annotation.challenges.tasks import compute_scores
from tercet.annotation.models import Challenge, Submission
from tercet.annotation.models.computation import JobState
from tercet.annotation.studies.lifecycle import NotPossible
from tests.annotation.challenges.conftest import (
    CAPTIONS,
    OTHERS,
    results,
    score,
    submit,
)
from tests.support.pages import squeeze

pytestmark = pytest.mark.django_db


def send(
    browser: Client,
    challenge: Challenge,
    content: bytes,
    name: str = "results.json",
    **more: str,
) -> str:
    """Send a file, and return the page that answers; a redirect is followed."""
    file = SimpleUploadedFile(name, content)
    address = reverse("challenge_submit", args=[challenge.name])
    response = browser.post(
        address, {"file": file, "system": "mine"} | more, follow=True
    )

    return response.getvalue().decode()


def test_a_valid_file_waits_for_the_worker(
    challenge: Challenge, submitter: Client
) -> None:
    page = send(submitter, challenge, results())
    assert "Waiting for the background worker" in page

    submission = Submission.objects.get()
    assert (submission.state, submission.number) == (JobState.WAITING, 1)
    assert submission.digest in page


def test_a_file_may_have_a_long_name(challenge: Challenge, submitter: Client) -> None:
    name = "é" * 240 + ".json"
    assert "Waiting" in send(submitter, challenge, results(), name)


def test_a_description_is_no_book(challenge: Challenge, submitter: Client) -> None:
    page = send(submitter, challenge, results(), description="word " * 1_001)
    assert "at most 5000 characters" in page
    assert not Submission.objects.exists()


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("good\u202e", "characters that cannot be seen"),
        ("=1+1", "run this name as a formula"),
    ],
)
def test_names_do_no_harm_where_they_are_shown(
    challenge: Challenge, submitter: Client, name: str, fault: str
) -> None:
    assert fault in send(submitter, challenge, results(), system=name)
    assert not Submission.objects.exists()


def test_the_worker_scores_it(
    challenge: Challenge, person: User, submitter: Client
) -> None:
    submission = score(submit(challenge, person))
    assert submission.state == JobState.DONE
    assert "BLEU-1, CIDEr-D" in submission.signature
    assert "hidden references sha256 " in submission.signature

    page = squeeze(submitter.get(submission.get_absolute_url()).text)
    assert "<h2>Scores</h2>" in page

    challenge.refresh_from_db()
    assert challenge.board_revision == challenge.revision == 1
    assert challenge.board_file("hidden").is_file()


def zipped(*names: str) -> bytes:
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, results())

    return buffer.getvalue()


FAULTS: dict[str, tuple[str, bytes, str]] = {
    "not a list": ("results.json", b'{"dog": "a dog"}', "list"),
    "not JSON": ("results.json", b"[{", "JSON"),
    "no caption": ("results.json", b'[{"image_id": "dog"}]', "caption"),
    "missing image": ("results.json", results({"dog": "a dog"}), "cat"),
    "unknown image": ("results.json", results(CAPTIONS | {"bus": "a bus"}), "bus"),
    "empty caption": ("results.json", results(CAPTIONS | {"cat": " "}), "empty"),
    "a caption that is a file name": (
        "results.json",
        results(CAPTIONS | {"cat": "cat.jpg"}),
        "cat.jpg",
    ),
    "an unknown format": ("results.txt", b"a dog", "results.txt"),
    "a zip that is none": ("results.zip", b"no zip", "zip"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_named_and_cost_no_attempt(
    name: str, challenge: Challenge, submitter: Client, person: User
) -> None:
    file, content, named = FAULTS[name]
    page = send(submitter, challenge, content, file)

    assert "Nothing was submitted" in page
    assert named in page
    assert not Submission.objects.exists()


def test_a_zip_of_a_result_file_is_read(
    challenge: Challenge, submitter: Client
) -> None:
    send(submitter, challenge, zipped("results.json"), "results.zip")
    assert Submission.objects.get().file_name == "results.zip"


def test_a_check_submits_nothing(challenge: Challenge, submitter: Client) -> None:
    page = send(submitter, challenge, results(), check="yes")
    assert "results.json is valid: 2 captions. Nothing was submitted." in page
    assert not Submission.objects.exists()


def test_a_caption_for_most_images_is_warned_of(
    challenge: Challenge, submitter: Client
) -> None:
    same = dict.fromkeys(CAPTIONS, "a photo")
    assert "a photo" in send(submitter, challenge, results(same), check="yes")


# Attempts


def test_without_a_choice_an_account_has_five_submissions_per_day(
    challenge: Challenge, person: User
) -> None:
    for left in range(5, 0, -1):
        assert attempts_of(person, challenge).left == left
        submit(challenge, person)

    with pytest.raises(NotPossible, match="5 submissions per day"):
        submit(challenge, person)


def limit(challenge: Challenge, **limits: object) -> Challenge:
    Challenge.objects.filter(pk=challenge.pk).update(**limits)
    challenge.refresh_from_db()
    return challenge


def test_the_limit_of_a_day_ends_with_it(challenge: Challenge, person: User) -> None:
    limit(challenge, per_day=1)
    submit(challenge, person)

    with pytest.raises(NotPossible, match=r"1 submission per day.+after midnight"):
        submit(challenge, person)

    Submission.objects.update(created_at=timezone.now() - timedelta(days=1))
    assert submit(challenge, person).number == 2


def test_the_limit_in_all_stays(challenge: Challenge, person: User) -> None:
    limit(challenge, in_all=1)
    submit(challenge, person)
    Submission.objects.update(created_at=timezone.now() - timedelta(days=9))

    with pytest.raises(NotPossible, match=r"1 in all\.$"):
        submit(challenge, person)


def test_without_an_attempt_the_challenge_offers_the_check(
    challenge: Challenge, person: User, submitter: Client
) -> None:
    limit(challenge, per_day=1)
    assert "Submit captions</a>" in submitter.get(challenge.get_absolute_url()).text

    submit(challenge, person)
    page = submitter.get(challenge.get_absolute_url()).text
    assert "Check captions</a>" in page
    assert "Submit captions</a>" not in page


def test_limits_are_for_each_account(challenge: Challenge, person: User) -> None:
    limit(challenge, in_all=1)
    submit(challenge, person)
    submit(challenge, User.objects.create_user("bob"))

    assert attempts_of(person, challenge).left == 0


def test_limits_and_dates_do_not_hold_for_owners(
    challenge: Challenge, administrator: User
) -> None:
    limit(challenge, in_all=1, closes_at=timezone.now() - timedelta(hours=1))
    assert [submit(challenge, administrator).number for _ in range(2)] == [1, 2]


@pytest.mark.parametrize(
    ("field", "hours", "reason"),
    [("opens_at", 1, "not open yet"), ("closes_at", -1, "closed")],
)
def test_only_an_open_challenge_takes_submissions(
    challenge: Challenge,
    submitter: Client,
    person: User,
    field: str,
    hours: int,
    reason: str,
) -> None:
    limit(challenge, **{field: timezone.now() + timedelta(hours=hours)})
    with pytest.raises(NotPossible, match=reason):
        submit(challenge, person)
    assert reason in send(submitter, challenge, results())

    assert "is valid" in send(submitter, challenge, results(), check="yes")
    assert not Submission.objects.exists()


def test_a_scoring_that_fails_gives_the_attempt_back_and_quotes_nothing(
    challenge: Challenge, person: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> str:
        raise RuntimeError("a dog runs over the grass")

    limit(challenge, in_all=1)
    submission = submit(challenge, person)
    monkeypatch.setattr(tasks, "score_submission", fail)

    with pytest.raises(RuntimeError):
        compute_scores.call(submission.pk)

    submission.refresh_from_db()
    assert submission.state == JobState.FAILED
    assert "grass" not in submission.message
    assert submit(challenge, person).number == 2


def test_it_is_scored_once_however_often_it_is_asked_for(
    challenge: Challenge, person: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    scored: list[Submission] = []

    def score_it(submission: Submission, progress: object) -> str:
        scored.append(submission)
        return "signature"

    monkeypatch.setattr(tasks, "score_submission", score_it)
    submission = submit(challenge, person)
    for _ in range(2):
        compute_scores.call(submission.pk)

    assert scored == [submission]


# Who sees a submission


@pytest.fixture
def other(db: None) -> Client:
    browser = Client()
    browser.force_login(User.objects.create_user("eve"))
    return browser


@pytest.mark.parametrize(
    ("rules", "page", "scores"),
    [
        ({}, 200, True),
        ({"leaderboard": "owners"}, 404, False),
        ({"scores_shown": "after_end"}, 404, False),
    ],
)
def test_others_see_a_submission_as_they_see_the_leaderboard(
    challenge: Challenge,
    person: User,
    other: Client,
    rules: dict[str, object],
    page: int,
    scores: bool,
) -> None:
    submission = score(submit(limit(challenge, **rules), person))
    response = other.get(submission.get_absolute_url())

    assert response.status_code == page
    assert ("<h2>Scores</h2>" in squeeze(response.text)) == scores


def test_own_scores_wait_for_the_end_too(
    challenge: Challenge, person: User, submitter: Client
) -> None:
    submission = score(submit(limit(challenge, scores_shown="after_end"), person))
    page = squeeze(submitter.get(submission.get_absolute_url()).text)

    assert "<h2>Scores</h2>" not in page

    limit(challenge, closes_at=timezone.now() - timedelta(hours=1))
    page = squeeze(submitter.get(submission.get_absolute_url()).text)

    assert "<h2>Scores</h2>" in page


def test_the_file_is_for_its_submitter_and_the_owners(
    challenge: Challenge, person: User, submitter: Client, other: Client, office: Client
) -> None:
    submission = score(submit(challenge, person, captions=OTHERS))
    address = reverse("submission_file", args=[challenge.name, submission.key])

    assert submitter.get(address).getvalue() == results(OTHERS)
    assert office.get(address).getvalue() == results(OTHERS)
    assert other.get(address).status_code == 404


def test_the_scores_of_all_captions_are_for_the_owners(
    challenge: Challenge, person: User, submitter: Client, office: Client
) -> None:
    submission = score(submit(challenge, person))
    address = reverse("submission_scores", args=[challenge.name, submission.key])

    assert submitter.get(address).status_code == 403

    lines = office.get(address).getvalue().decode().splitlines()
    assert lines[0] == "split,image,reference_count,BLEU-1,CIDEr-D"
    assert [line.split(",")[:3] for line in lines[1:]] == [
        ["hidden", "dog", "2"],
        ["hidden", "cat", "2"],
        ["hidden", "dog", "all"],
        ["hidden", "cat", "all"],
    ]


def test_a_hidden_submission_is_for_its_submitter(
    challenge: Challenge, person: User, submitter: Client, other: Client, office: Client
) -> None:
    submission = score(submit(challenge, person))
    office.post(reverse("submission_shown", args=[challenge.name, submission.key]))

    assert other.get(submission.get_absolute_url()).status_code == 404
    assert submitter.get(submission.get_absolute_url()).status_code == 200


def test_an_alias_stands_for_the_name_until_it_is_revealed(
    challenge: Challenge, person: User, other: Client
) -> None:
    limit(challenge, anonymous=True)
    submission = score(submit(challenge, person, "secret name"))
    page = other.get(submission.get_absolute_url()).getvalue().decode()

    assert "System 1" in page
    assert "secret name" not in page
    assert person.username not in page

    limit(challenge, anonymous=False)
    assert "secret name" in other.get(submission.get_absolute_url()).getvalue().decode()


def test_a_file_named_as_a_path_is_kept_under_its_key(
    challenge: Challenge, person: User
) -> None:
    file = ContentFile(results(), "../../evil.json")
    submission = tasks.accept_submission(
        challenge, person, Details("system"), file, ["hidden"]
    )

    assert submission.file.name == f"challenges/{challenge.pk}/{submission.key}.json"
