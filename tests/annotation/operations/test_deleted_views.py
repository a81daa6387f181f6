"""What was deleted, on its pages: hidden everywhere, taken back, purged by administrators."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tercet.annotation.challenges.creation import create_challenge
from tercet.annotation.judging.annotators import personal_links
from tercet.annotation.judging.leases import top_up_leases
from tercet.annotation.models import Answer, Challenge, Dataset, Study
from tercet.annotation.models.study import Rank, State
from tercet.annotation.results import example
from tercet.annotation.studies.tokens import create_token
from tests.support.pages import squeeze

pytestmark = pytest.mark.django_db

DELETED = "/deleted/"


@pytest.fixture
def closed(study: Study) -> Study:
    Study.objects.update(state=State.CLOSED)
    study.refresh_from_db()
    return study


def delete(browser: Client, owned: Study | Dataset | Challenge) -> str:
    """Delete something on its page; return the page that follows."""
    address = reverse(f"{owned._meta.model_name}_delete", args=[owned.name])
    response = browser.post(address, {"title": owned.title}, follow=True)
    return squeeze(response.text)


def address_of(owned: Study | Dataset | Challenge, action: str = "take-back") -> str:
    return f"/deleted/{owned._meta.model_name}/{owned.pk}/{action}/"


def log_in(user: User) -> Client:
    browser = Client()
    browser.force_login(user)
    return browser


def test_the_message_of_a_deletion_takes_it_back(office: Client, closed: Study) -> None:
    shown = delete(office, closed)
    assert "Deleted the study “Small study”." in shown
    assert f'method="post" action="{address_of(closed)}"' in shown
    assert "Take it back</button>" in shown
    assert office.get(closed.get_absolute_url()).status_code == 404

    back = office.post(address_of(closed), follow=True)
    assert back.redirect_chain == [(closed.get_absolute_url(), 302)]
    assert "“Small study” is back." in back.text
    assert "Took back what was deleted" in office.get(reverse("system")).text


def test_the_list_says_until_when_something_can_be_taken_back(
    office: Client, dataset: Dataset
) -> None:
    assert "Nothing was deleted in the past day." in office.get(DELETED).text
    assert DELETED in office.get(reverse("datasets")).text

    delete(office, dataset)
    until = Dataset.everything.get().purge_at
    assert until is not None
    shown = squeeze(office.get(DELETED).text)
    assert "<strong>small</strong> <span" in shown
    assert "dataset, <code>small</code>" in shown
    assert f'Can be taken back until <time datetime="{until:%Y-%m-%dT%H:%M}' in shown
    assert "Nothing was deleted" not in shown


def test_a_dataset_whose_name_is_taken_by_now_says_its_new_one(
    office: Client, dataset: Dataset
) -> None:
    delete(office, dataset)
    Dataset.objects.create(name="small", title="Newer")

    back = office.post(address_of(dataset), follow=True)
    assert back.redirect_chain == [("/datasets/small-2/", 302)]
    assert "“small” is back, now with the short name small-2." in back.text


def test_a_deleted_study_is_on_no_page_and_in_no_api(
    office: Client, closed: Study, administrator: User
) -> None:
    token = create_token(closed, administrator)
    api = f"/api/studies/{closed.name}/progress"
    headers = {"Authorization": f"Bearer {token}"}
    assert Client().get(api, headers=headers).status_code == 200
    person = personal_links(closed, ["Kim"])[0]
    closed.roles.create(user=administrator, rank=Rank.OWNER)
    delete(office, closed)

    pages = (
        reverse("studies"),
        reverse("dataset", args=["small"]),
        reverse("study_new"),
        reverse("system_log") + "?page=9",
        reverse("account_page", args=[administrator.pk]),
    )
    for page in pages:
        shown = office.get(page).text
        assert closed.get_absolute_url() not in shown, page

    for name in ("study", "study_progress", "study_quality", "study_settings"):
        assert office.get(reverse(name, args=[closed.name])).status_code == 404
    assert Client().get(api, headers=headers).status_code == 401
    assert Client().get(f"/join/{closed.join_code}/").status_code == 404
    assert Client().get(f"/me/{person.token}/").status_code == 404


def test_people_who_are_judging_see_that_the_study_is_gone_and_lose_no_vote(
    office: Client, study: Study
) -> None:
    person = personal_links(study, ["Kim"])[0]
    browser = Client()
    browser.post(f"/me/{person.token}/")
    [lease, *_] = top_up_leases(person, 2)
    Study.objects.update(state=State.PAUSED)
    delete(office, study)

    message = {"deeds": [{"do": "vote", "key": str(lease.key), "side": "left"}]}
    address = reverse("sync", args=[study.name])
    reply = browser.post(address, message, content_type="application/json")
    assert reply.json()["taken"] == ["saved"]

    shown = browser.get(reverse("judge", args=[study.name]))
    assert shown.status_code == 404
    assert "participation/states/gone.html" in [each.name for each in shown.templates]

    office.post(address_of(study))
    assert Answer.objects.count() == 1
    assert browser.get(reverse("judge", args=[study.name])).status_code == 200


def test_who_could_delete_can_take_back_and_nobody_else(
    closed: Study, person: User
) -> None:
    role = closed.roles.create(user=person, rank=Rank.OWNER)
    browser = log_in(person)
    delete(browser, closed)
    stranger = log_in(User.objects.create_user("eve"))

    assert closed.title in browser.get(DELETED).text
    assert closed.title not in stranger.get(DELETED).text
    assert stranger.post(address_of(closed)).status_code == 404
    assert Client().get(DELETED).status_code == 302
    assert Client().post(address_of(closed)).status_code == 302
    assert browser.get(address_of(closed)).status_code == 405
    assert not Study.objects.exists()

    role.delete()
    assert browser.post(address_of(closed)).status_code == 404
    role.save(force_insert=True)
    assert browser.post(address_of(closed)).status_code == 302
    assert Study.objects.exists()


def test_only_administrators_take_datasets_back(
    office: Client, dataset: Dataset, person: User
) -> None:
    delete(office, dataset)
    browser = log_in(person)

    assert dataset.title not in browser.get(DELETED).text
    assert browser.post(address_of(dataset)).status_code == 404
    assert not Dataset.objects.exists()


def test_only_administrators_delete_for_good_at_once(
    office: Client, closed: Study, person: User
) -> None:
    closed.roles.create(user=person, rank=Rank.OWNER)
    browser = log_in(person)
    delete(browser, closed)
    assert "Delete for good now" not in browser.get(DELETED).text
    assert browser.post(address_of(closed, "purge")).status_code == 403

    assert "Delete for good now" in office.get(DELETED).text
    shown = office.post(address_of(closed, "purge"), follow=True).text
    assert "“Small study” is being deleted for good." in shown
    assert "as soon as a worker runs" in shown
    assert "Take it back" not in shown

    refused = office.post(address_of(closed), follow=True).text
    assert "can no longer be taken back" in refused


def test_a_challenge_is_deleted_and_taken_back(
    office: Client, dataset: Dataset, administrator: User
) -> None:
    plan = Challenge(title="Captions", dataset=dataset, metrics=["BLEU-4"], counts=[1])
    challenge = create_challenge(plan, administrator)
    shown = delete(office, challenge)

    assert "Deleted the challenge “Captions”." in shown
    assert Client().get(challenge.get_absolute_url()).status_code == 302
    assert office.get(challenge.get_absolute_url()).status_code == 404

    office.post(address_of(challenge))
    assert office.get(challenge.get_absolute_url()).status_code == 200


@pytest.mark.parametrize("path", ["user/1", "study/9999999", "upload/1"])
def test_nothing_else_can_be_taken_back(office: Client, path: str) -> None:
    assert office.post(f"/deleted/{path}/take-back/").status_code == 404


def test_a_deleted_study_is_no_example(
    evaluated: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(example, "inlined", lambda folder, name: "<svg></svg>")
    Study.objects.update(is_example=True)
    assert example.find_example()

    later = timezone.now() + timedelta(hours=1)
    Study.objects.update(purge_at=later)
    assert example.find_example() is None
