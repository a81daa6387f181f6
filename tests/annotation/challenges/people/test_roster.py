"""Accounts from a CSV file: all or none, with links that are shown once."""

import csv
from base64 import b64decode
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from tercet.annotation.challenges.people import roster
from tercet.annotation.challenges.permissions import may_submit
from tercet.annotation.models import Challenge
from tercet.annotation.models.challenge import ChallengeRank
from tercet.annotation.studies.roles import give_role
from tests.support.pages import squeeze

pytestmark = pytest.mark.django_db

LIST = "account,team\nkim,Alder\nrobin,Alder\nsam,\n"


@pytest.fixture
def host(
    challenge: Challenge, administrator: User, person: User, submitter: Client
) -> Client:
    """The browser of an owner who is no administrator."""
    give_role(challenge, person, ChallengeRank.OWNER, administrator)
    return submitter


def send(challenge: Challenge, browser: Client, text: str | bytes) -> str:
    content = text if isinstance(text, bytes) else text.encode()
    file = SimpleUploadedFile("list.csv", content)
    page = reverse("challenge_accounts", args=[challenge.name])
    return squeeze(browser.post(page, {"file": file}).text)


def links(shown: str) -> dict[str, str]:
    """The links of a page, by account."""
    encoded = shown.split("base64,")[1].split('"')[0]
    rows = csv.DictReader(StringIO(b64decode(encoded).decode()))
    return {row["account"]: row["link"] for row in rows}


def test_an_owner_creates_accounts_and_gets_links(
    challenge: Challenge, host: Client
) -> None:
    shown = send(challenge, host, LIST)
    assert "3 accounts of your list take part" in shown
    assert list(links(shown)) == ["kim", "robin", "sam"]
    teams = challenge.roles.filter(rank="submitter").order_by("user__username")
    assert list(teams.values_list("team__name", flat=True)) == ["Alder", "Alder", None]

    browser = Client()
    form = browser.get(links(shown)["kim"], follow=True)
    password = "a long enough sentence"
    new = {"new_password1": password, "new_password2": password}
    browser.post(form.request["PATH_INFO"], new)
    kim = User.objects.get(username="kim")
    assert kim.check_password(password)
    assert may_submit(kim, challenge)


def test_who_follows_a_link_reads_the_name_and_the_rules_of_a_password(
    challenge: Challenge, host: Client
) -> None:
    link = links(send(challenge, host, LIST))["kim"]
    shown = squeeze(Client().get(link, follow=True).text)
    assert "Your username is <b>kim</b>." in shown
    assert "at least 10 characters" in shown
    assert "&lt;" not in shown


def test_the_list_sent_again_makes_links_of_unused_accounts_only(
    challenge: Challenge, host: Client
) -> None:
    send(challenge, host, LIST)
    kim = User.objects.get(username="kim")
    kim.set_password("a long enough sentence")
    kim.save()

    found = links(send(challenge, host, LIST.replace("sam,", "sam,Birch")))
    assert found["kim"] == ""
    assert found["sam"].startswith("http://testserver/")
    assert str(challenge.roles.get(user__username="sam").team) == "Birch"


def test_an_owner_gets_no_link_of_an_account_of_somebody_else(
    challenge: Challenge, administrator: User, host: Client
) -> None:
    other = User(username="invited")
    other.set_unusable_password()
    other.save()
    give_role(challenge, other, ChallengeRank.SUBMITTER, administrator)
    assert links(send(challenge, host, "account\ninvited\n")) == {"invited": ""}


@pytest.mark.parametrize(
    ("text", "line", "value", "reason"),
    [
        ("account\nkim\nno name\n", 3, "no name", "is no name for an account"),
        ("account\nkim\nsam\nkim\n", 4, "kim", "repeats line 2"),
        ("account\nkim\nadministrator\n", 3, "administrator", "has no role in this"),
        (f"account,team\nkim,{'x' * 81}\n", 2, "x" * 80, "is longer than 80"),
        ("account\nkim\n\n,\n", 4, "", "2 cells"),
    ],
)
def test_a_fault_is_named_with_line_and_value_and_nothing_is_created(
    challenge: Challenge, host: Client, text: str, line: int, value: str, reason: str
) -> None:
    User.objects.get_or_create(username="administrator")
    shown = send(challenge, host, text)
    assert "No account was created." in shown
    assert "<td>list.csv</td>" in shown
    assert f">{line}</td>" in shown
    assert value[:70] in shown
    assert reason in shown
    assert not User.objects.filter(username="kim").exists()


@pytest.mark.parametrize("text", ["", "name\nkim\n", b"account\nk\xefm\n"])
def test_a_file_that_is_no_list_creates_nothing(
    challenge: Challenge, host: Client, text: str | bytes
) -> None:
    before = User.objects.count()
    send(challenge, host, text)
    assert User.objects.count() == before


def test_only_so_many_accounts_take_part(
    challenge: Challenge, host: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(roster, "MOST_ENROLLED", 4)
    assert "at most 4 take part" in send(challenge, host, LIST)


def test_others_create_no_accounts(challenge: Challenge, submitter: Client) -> None:
    page = reverse("challenge_accounts", args=[challenge.name])
    assert submitter.post(page).status_code == 403


def test_a_list_without_teams_leaves_them(challenge: Challenge, host: Client) -> None:
    send(challenge, host, LIST)
    send(challenge, host, "account\nkim\n")
    assert str(challenge.roles.get(user__username="kim").team) == "Alder"
