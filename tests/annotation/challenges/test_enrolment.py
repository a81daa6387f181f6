"""A link by which people enrol in a challenge, with an account that they have or create."""

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from tercet.annotation.challenges import enrolment, enrolment_views
from tercet.annotation.challenges.enrolment import close_link, enrol, open_link
from tercet.annotation.challenges.permissions import may_submit
from tercet.annotation.models import Challenge, Event
from tercet.annotation.models.challenge import ChallengeRank, Submitters
from tercet.annotation.studies.lifecycle import NotPossible
from tercet.annotation.studies.roles import give_role
from tests.annotation.challenges.conftest import submit

pytestmark = pytest.mark.django_db

PASSWORD = "a long enough sentence"
NEW = {"username": "newcomer", "password1": PASSWORD, "password2": PASSWORD}


@pytest.fixture
def invited(challenge: Challenge, administrator: User) -> Challenge:
    """A challenge for accounts with a role, whose link is open."""
    challenge.submitters = Submitters.INVITED
    challenge.save()
    open_link(challenge, administrator)
    return challenge


def address(challenge: Challenge) -> str:
    return reverse("challenge_join", args=[challenge.name, challenge.join_code])


def test_an_owner_who_is_no_administrator_opens_and_closes_a_link(
    challenge: Challenge, administrator: User, person: User, submitter: Client
) -> None:
    give_role(challenge, person, ChallengeRank.OWNER, administrator)
    change = reverse("challenge_enrolment", args=[challenge.name])
    people = reverse("challenge_people", args=[challenge.name])

    submitter.post(change)
    challenge.refresh_from_db()
    shown = submitter.get(people).text
    assert address(challenge) in shown
    assert "/copy." in shown

    first = address(challenge)
    submitter.post(change)
    challenge.refresh_from_db()
    assert first != address(challenge)
    assert Client().get(first).status_code == 404

    last = address(challenge)
    submitter.post(change, {"close": "1"})
    assert Client().get(last).status_code == 404
    assert "Open a link" in submitter.get(people).text


def test_others_may_not_open_a_link(challenge: Challenge, submitter: Client) -> None:
    change = reverse("challenge_enrolment", args=[challenge.name])
    assert submitter.post(change).status_code == 403
    challenge.refresh_from_db()
    assert challenge.join_code == ""


def test_a_visitor_reads_about_the_challenge_before_taking_part(
    invited: Challenge,
) -> None:
    invited.description = "Describe photos."
    invited.rules = "| images | sentences |\n| --- | --- |\n| all | one |"
    invited.save()
    page = address(invited)
    shown = Client().get(page).text
    assert "Describe photos." in shown
    assert "<td>one</td>" in shown
    assert f'href="{invited.get_absolute_url()}"' in shown

    browser = Client()
    assert "You take part as newcomer." in browser.post(page, NEW, follow=True).text


def test_a_visitor_creates_an_account_and_may_submit(invited: Challenge) -> None:
    browser = Client()
    shown = browser.get(address(invited)).text
    assert "Create account and take part" in shown
    assert "&lt;" not in shown

    response = browser.post(address(invited), NEW, follow=True)
    user = User.objects.get(username="newcomer")
    submit = reverse("challenge_submit", args=[invited.name])

    assert response.context["user"] == user
    assert may_submit(user, invited)
    assert browser.get(submit).status_code == 200
    assert (user.is_staff, user.is_superuser, user.email) == (False, False, "")


def test_an_account_enrols_only_by_the_button(
    invited: Challenge, person: User, submitter: Client
) -> None:
    shown = submitter.get(address(invited)).text
    assert f"You are logged in as {person.username}." in shown
    assert not may_submit(person, invited)

    submitter.post(address(invited))
    submitter.post(address(invited))
    assert invited.roles.get(user=person).rank == ChallengeRank.SUBMITTER


def test_an_owner_who_follows_the_link_stays_owner(
    invited: Challenge, administrator: User, office: Client
) -> None:
    office.post(address(invited))
    assert invited.roles.get(user=administrator).rank == ChallengeRank.OWNER


@pytest.mark.parametrize(
    "changed", [{"password2": "another sentence"}, {"username": ""}, {"password1": ""}]
)
def test_a_form_with_faults_creates_nothing(
    invited: Challenge, changed: dict[str, str]
) -> None:
    response = Client().post(address(invited), NEW | changed)
    assert response.status_code == 422
    assert not User.objects.filter(username="newcomer").exists()


def test_a_wrong_link_shows_nothing_of_the_challenge(invited: Challenge) -> None:
    wrong = reverse("challenge_join", args=[invited.name, "guessed"])
    response = Client().post(wrong, NEW)

    assert response.status_code == 404
    assert invited.title not in response.text
    assert not User.objects.filter(username="newcomer").exists()


def test_a_link_that_closes_meanwhile_creates_no_account(
    invited: Challenge, administrator: User, person: User
) -> None:
    code = invited.join_code
    close_link(invited, administrator)

    with pytest.raises(NotPossible, match="closed"):
        enrol(invited, person, code)
    with pytest.raises(NotPossible, match="closed"):
        enrol(invited, User(username="newcomer"), code)
    assert not User.objects.filter(username="newcomer").exists()


def test_only_so_many_accounts_enrol(
    invited: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(enrolment, "MOST_ENROLLED", 1)
    response = Client().post(address(invited), NEW)
    assert "No more accounts can take part." in response.text
    assert not User.objects.filter(username="newcomer").exists()


def test_a_network_creates_only_so_many_accounts(
    invited: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    burst = enrolment_views._NEW_ACCOUNTS
    one = type(burst)(burst=1, interval=burst.interval)
    monkeypatch.setattr(enrolment_views, "_NEW_ACCOUNTS", one)

    Client().post(address(invited), NEW)
    second = Client().post(address(invited), NEW | {"username": "second"})
    assert second.status_code == 422
    assert not User.objects.filter(username="second").exists()


def test_what_was_done_is_in_the_log(
    invited: Challenge, administrator: User, person: User
) -> None:
    enrol(invited, person, invited.join_code)
    close_link(invited, administrator)
    close_link(invited, administrator)

    names = list(Event.objects.order_by("pk").values_list("what", flat=True))
    assert names[-3:] == ["opened enrolment", "enrolled", "closed enrolment"]


def test_who_takes_part_finds_the_challenge_after_the_login(
    invited: Challenge, person: User, submitter: Client
) -> None:
    assert invited.get_absolute_url() not in submitter.get("/").text
    enrol(invited, person, invited.join_code)
    assert invited.get_absolute_url() in submitter.get("/").text


def test_the_overview_leads_owners_to_enrolment_until_somebody_takes_part(
    invited: Challenge, person: User, office: Client
) -> None:
    assert "Nobody takes part yet." in office.get(invited.get_absolute_url()).text
    enrol(invited, person, invited.join_code)
    assert "Nobody takes part yet." not in office.get(invited.get_absolute_url()).text


def test_where_every_account_may_submit_owners_are_led_to_enrolment_until_one_does(
    challenge: Challenge, person: User, office: Client
) -> None:
    assert challenge.submitters == Submitters.ALL
    assert "Nobody takes part yet." in office.get(challenge.get_absolute_url()).text
    submit(challenge, person)
    assert "Nobody takes part yet." not in office.get(challenge.get_absolute_url()).text


def test_a_list_of_accounts_gives_an_owner_no_links(
    challenge: Challenge, office: Client
) -> None:
    file = SimpleUploadedFile("class.csv", b"account\nkim\n")
    page = reverse("challenge_people", args=[challenge.name])
    answer = office.post(page.replace("people", "roster"), {"file": file})

    assert answer.status_code == 404
    assert not User.objects.filter(username="kim").exists()
