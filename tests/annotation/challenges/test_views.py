"""Pages of challenges: creating one, its settings, roles, tokens, and the API."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from tercet.annotation.challenges import throttle
from tercet.annotation.challenges.permissions import find_token
from tercet.annotation.models import (
    Challenge,
    Dataset,
    Event,
    FileCheck,
    Study,
    Submission,
)
from tercet.annotation.models.challenge import ChallengeRank
from tercet.annotation.studies.lifecycle import NotPossible
from tercet.annotation.studies.roles import give_role, take_role
from tercet.annotation.studies.tokens import create_token, revoke_token
from tests.annotation.challenges.conftest import CAPTIONS, results, score, submit
from tests.annotation.full import SVG
from tests.support.browsers import logged_in
from tests.support.pages import squeeze

pytestmark = pytest.mark.django_db

NEW = {
    "title": "Mine",
    "counts": "2, all",
    "metrics": ["BLEU-1", "CIDEr-D"],
    "seed": "0",
    "submitters": "all",
    "scores_shown": "at_once",
    "leaderboard": "public",
}


@pytest.fixture
def free(challenge: Challenge) -> Dataset:
    """A dataset that a challenge may have."""
    dataset = challenge.dataset
    challenge.delete()
    return dataset


def test_an_administrator_makes_a_challenge(free: Dataset, office: Client) -> None:
    response = office.post(reverse("challenge_new"), NEW | {"dataset": free.pk})
    challenge = Challenge.objects.get()

    assert response["Location"] == challenge.get_absolute_url()
    assert (challenge.name, challenge.counts) == ("mine", [2, None])
    assert challenge.roles.get().rank == ChallengeRank.OWNER

    assert Event.objects.filter(what="made challenge").exists()
    assert "Mine" in Client().get(reverse("challenges")).getvalue().decode()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"counts": "9"}, "Images with at least 9 references: 0"),
        ({"counts": "0"}, "is no reference count"),
        ({"counts": "1,2,3,4,5,6"}, "at most 5"),
        ({"per_day": "0"}, "is violated"),
        (
            {"opens_at": "2026-11-22T10:00", "closes_at": "2026-11-22T09:00"},
            "closes after",
        ),
    ],
)
def test_a_challenge_that_cannot_be_is_refused(
    free: Dataset, office: Client, change: dict[str, str], reason: str
) -> None:
    response = office.post(
        reverse("challenge_new"), NEW | {"dataset": free.pk} | change
    )

    assert response.status_code == 422
    shown = squeeze(response.text)
    assert reason in shown
    assert "Nothing has been saved. Fix the errors below" in shown
    assert not Challenge.objects.exists()


def test_the_top_of_a_refused_form_leads_to_what_is_wrong(
    free: Dataset, office: Client
) -> None:
    new = NEW | {"dataset": free.pk, "metrics": [], "counts": "0"}
    shown = office.post(reverse("challenge_new"), new).text
    top = shown.partition('<form class="grouped"')[0]
    assert 'href="#id_counts"' in top
    assert 'href="#id_metrics"' in top
    assert 'id="id_metrics"' in shown


def test_a_dataset_with_a_study_is_not_offered(study: Study, office: Client) -> None:
    page = office.get(reverse("challenge_new")).getvalue().decode()
    assert ">small</option>" not in page.partition('name="development"')[0]


def test_settings_are_saved_and_logged(challenge: Challenge, office: Client) -> None:
    sent = {name: value for name, value in NEW.items() if name != "counts"}
    address = reverse("challenge_settings", args=[challenge.name])
    office.post(address, sent | {"title": "Other", "anonymous": "on", "counts": "1"})

    challenge.refresh_from_db()
    assert (challenge.title, challenge.anonymous, challenge.counts) == (
        "Other",
        True,
        [2, None],
    )

    event = Event.objects.filter(what="changed challenge").get()
    assert event.details["settings"] == ["title", "anonymous"]


def test_the_list_of_images_has_no_captions(
    challenge: Challenge, submitter: Client
) -> None:
    address = reverse("challenge_images", args=[challenge.name])
    assert submitter.get(address).getvalue().decode() == "image,url\ndog,\ncat,\n"


# Roles and tokens


def test_invited_accounts_submit_and_others_see_nothing(
    challenge: Challenge, person: User, submitter: Client, administrator: User
) -> None:
    Challenge.objects.update(submitters="invited", leaderboard="submitters")
    challenge.refresh_from_db()
    address = challenge.get_absolute_url()

    assert submitter.get(address).status_code == 404

    give_role(challenge, person, ChallengeRank.SUBMITTER, administrator)
    assert submitter.get(address).status_code == 200

    take_role(challenge, person, administrator)
    assert submitter.get(address).status_code == 404


def test_the_last_owner_stays(challenge: Challenge, administrator: User) -> None:
    with pytest.raises(NotPossible, match="is the only owner"):
        take_role(challenge, administrator, administrator)
    with pytest.raises(NotPossible, match="is the only owner"):
        give_role(challenge, administrator, ChallengeRank.SUBMITTER, administrator)


def test_a_token_is_for_one_account_and_challenge(
    challenge: Challenge, person: User
) -> None:
    first = create_token(challenge, person)
    second = create_token(challenge, person)

    assert find_token(challenge.name, first) is None

    found = find_token(challenge.name, second)
    assert found is not None

    assert (found.user, found.challenge) == (person, challenge)
    assert find_token("another", second) is None

    revoke_token(challenge, person)
    assert find_token(challenge.name, second) is None


def test_a_token_of_an_account_that_may_no_longer_submit_is_none(
    challenge: Challenge, person: User
) -> None:
    token = create_token(challenge, person)
    Challenge.objects.update(submitters="invited")

    assert find_token(challenge.name, token) is None

    Challenge.objects.update(submitters="all")
    User.objects.filter(pk=person.pk).update(is_active=False)

    assert find_token(challenge.name, token) is None


# The API


def send(challenge: Challenge, token: str, content: bytes, **more: str) -> Any:
    return Client().post(
        reverse("api:submit", args=[challenge.name]),
        {"file": SimpleUploadedFile("results.json", content), "system": "mine"} | more,
        headers={"Authorization": f"Bearer {token}"},
    )


def ask(address: str, token: str) -> Any:
    return Client().get(address, headers={"Authorization": f"Bearer {token}"})


def test_the_page_of_the_token_names_the_address_for_submissions(
    challenge: Challenge, person: User
) -> None:
    browser = logged_in(person)
    page = (
        browser.post(reverse("challenge_api", args=[challenge.name]))
        .getvalue()
        .decode()
    )

    submit = reverse("api:submit", args=[challenge.name])
    assert f"<code>POST http://testserver{submit}</code>" in page

    revoke = reverse("challenge_api_revoke", args=[challenge.name])
    assert f'action="{revoke}"' in page


def test_a_program_submits_and_reads_its_scores(
    challenge: Challenge, person: User
) -> None:
    token = create_token(challenge, person)
    sent = send(challenge, token, results())

    assert sent.status_code == 201

    told = sent.json()
    assert (told["state"], told["number"], told["figures"]) == ("waiting", 1, None)

    score(Submission.objects.get())
    told = ask(told["address"], token).json()

    assert told["state"] == "done"
    assert set(told["figures"]["hidden"]) == {"2", "all"}
    assert 0 < told["figures"]["hidden"]["2"]["BLEU-1"] <= 1


def test_a_program_checks_a_file(challenge: Challenge, person: User) -> None:
    token = create_token(challenge, person)
    assert send(challenge, token, results(), check="true").json()["captions"] == 2

    refused = send(challenge, token, results({"dog": "a dog", "bus": "a bus"}))
    assert refused.status_code == 422

    problems = refused.json()["problems"]
    assert {"results.json"} == {problem["file"] for problem in problems}
    assert any("bus" in json.dumps(problem) for problem in problems)
    assert not Submission.objects.exists()


def test_limits_hold_for_programs(challenge: Challenge, person: User) -> None:
    Challenge.objects.update(in_all=1)
    token = create_token(challenge, person)
    statuses = [send(challenge, token, results()).status_code for _ in range(2)]

    assert statuses == [201, 403]


def test_a_program_sees_only_submissions_of_its_account(
    challenge: Challenge, person: User
) -> None:
    other = create_token(challenge, User.objects.create_user("eve"))
    told = send(challenge, create_token(challenge, person), results()).json()

    assert ask(told["address"], other).status_code == 404
    assert ask(told["address"], "wrong").status_code == 401
    assert send(challenge, "wrong", results()).status_code == 401


@pytest.mark.parametrize(("limit", "status"), [(10**6, 302), (0, 413)])
def test_submitters_may_send_larger_bodies_than_forms(
    challenge: Challenge, submitter: Client, settings: Settings, limit: int, status: int
) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 200
    settings.SUBMISSION_LIMIT = limit
    file = SimpleUploadedFile("results.json", results(CAPTIONS))
    address = reverse("challenge_submit", args=[challenge.name])

    response = submitter.post(address, {"file": file, "system": "mine"})
    assert response.status_code == status

    home = submitter.post(reverse("set_language"), {"language": "e" * 300})
    assert home.status_code == 413


def test_visitors_find_public_challenges_on_the_start_page(
    challenge: Challenge,
) -> None:
    def links() -> bool:
        return (
            reverse("challenges") in Client().get(reverse("home")).getvalue().decode()
        )

    assert links()

    Challenge.objects.update(leaderboard="owners")
    assert not links()


def test_visitors_are_asked_to_log_in_only_while_a_challenge_is_open(
    challenge: Challenge,
) -> None:
    address = challenge.get_absolute_url()
    assert "Log in to submit" in Client().get(address).getvalue().decode()

    Challenge.objects.update(closes_at=timezone.now())
    assert "Log in to submit" not in Client().get(address).getvalue().decode()


def test_visitors_find_the_login_on_the_pages_of_a_challenge(
    challenge: Challenge,
) -> None:
    address = reverse("challenge_leaderboard", args=[challenge.name])
    link = f'href="{reverse("login")}?next={address}"'
    assert link in Client().get(address).text


def test_submitters_see_the_pictures_that_they_describe(
    challenge: Challenge, submitter: Client
) -> None:
    image = challenge.dataset.images.get(name="dog")
    challenge.dataset.images.filter(pk=image.pk).update(file="dog.svg")
    challenge.dataset.folder.mkdir(parents=True, exist_ok=True)
    (challenge.dataset.folder / "dog.svg").write_text(SVG)

    address = reverse("image", args=[challenge.dataset.name, image.pk])
    listed = submitter.get(reverse("challenge_images", args=[challenge.name]))

    assert f"dog,http://testserver{address}" in listed.getvalue().decode()
    assert submitter.get(address).getvalue().decode() == SVG
    assert Client().get(address).status_code == 404


def test_only_a_challenge_without_submissions_is_deleted(
    challenge: Challenge, person: User, office: Client
) -> None:
    address = reverse("challenge_delete", args=[challenge.name])
    refused = office.post(address, {"title": "wrong"})
    shown = squeeze(refused.text)

    assert '<details class="below" open><summary>Delete this challenge' in shown

    submission = submit(challenge, person)
    kept = office.post(address, {"title": challenge.title}, follow=True)

    assert "has submissions" in kept.getvalue().decode()

    submission.delete()
    office.post(address, {"title": challenge.title})

    assert not Challenge.objects.exists()
    assert Event.objects.filter(what="deleted challenge").exists()


def test_an_archived_challenge_leaves_the_list_and_takes_no_submissions(
    challenge: Challenge, person: User, submitter: Client, office: Client
) -> None:
    submission = score(submit(challenge, person))
    archive = reverse("challenge_archive", args=[challenge.name])
    shown = office.post(archive, {"archived": "on"}, follow=True).text

    assert "The challenge is archived." in shown
    assert challenge.title not in submitter.get(reverse("challenges")).text
    assert (
        challenge.title
        in submitter.get(reverse("challenges"), {"archived": "yes"}).text
    )
    assert submitter.get(submission.get_absolute_url()).status_code == 200

    challenge.refresh_from_db()
    for user in (person, User.objects.get(is_staff=True)):
        with pytest.raises(NotPossible, match="is archived"):
            submit(challenge, user)

    office.post(archive)
    assert challenge.title in submitter.get(reverse("challenges")).text

    logged = Event.objects.filter(what__contains="archive").order_by("pk")
    assert [event.what for event in logged] == [
        "archived challenge",
        "took challenge from archive",
    ]


# Limits of checks


@pytest.fixture
def one_check(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throttle, "MAX_CHECKS", 1)


@pytest.mark.usefixtures("one_check")
def test_an_account_has_only_so_many_files_checked(
    challenge: Challenge, person: User, submitter: Client
) -> None:
    address = reverse("challenge_submit", args=[challenge.name])

    def check(browser: Client) -> Any:
        file = SimpleUploadedFile("results.json", results())
        return browser.post(address, {"file": file, "system": "mine", "check": "yes"})

    assert check(submitter).status_code == 200

    refused = check(submitter)
    assert refused.status_code == 429
    assert "Check the next one in 10 min" in refused.text
    assert 540 < int(refused["Retry-After"]) <= 600

    another = Client()
    another.force_login(User.objects.create_user("eve"))

    assert check(another).status_code == 200

    FileCheck.objects.update(created_at=timezone.now() - throttle.PERIOD)
    assert check(submitter).status_code == 200


@pytest.mark.usefixtures("one_check")
def test_checks_by_programs_are_counted_with_those_in_the_browser(
    challenge: Challenge, person: User
) -> None:
    token = create_token(challenge, person)
    assert send(challenge, token, results(), check="true").status_code == 200

    refused = send(challenge, token, results())
    assert refused.status_code == 429
    assert "Check the next one in" in refused.json()["detail"]

    assert 540 < int(refused["Retry-After"]) <= 600
    assert not Submission.objects.exists()


def test_rules_may_have_tables(challenge: Challenge) -> None:
    rules = "| split | images |\n| --- | ---: |\n| hidden | 2 |\n\n<b>no HTML</b>"
    Challenge.objects.update(rules=rules)
    shown = squeeze(Client().get(challenge.get_absolute_url()).text)

    assert '<div class="scroll" tabindex="0">' in shown.partition("<th>split")[0]
    assert "<th>split</th>" in shown
    assert "<td>2</td>" in shown
    assert "text-align" not in shown
    assert "&lt;b&gt;no HTML" in shown
