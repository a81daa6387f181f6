"""The pages with which administrators manage accounts."""

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from tercet.annotation.models import Event, Study
from tercet.annotation.models.study import Rank
from tests.support.browsers import logged_in

pytestmark = pytest.mark.django_db

NEW = "many letters 27"


def send(browser: Client, name: str, account: User, **values: str) -> str:
    address = reverse(name, args=[account.pk])
    return browser.post(address, values, follow=True).getvalue().decode()


def invite(browser: Client, **values: str) -> str:
    answer = browser.post(reverse("accounts"), {"username": "bo"} | values, follow=True)
    return answer.getvalue().decode()


def link_in(text: str) -> str:
    return text.split("http://testserver")[1].split('"')[0].split()[0]


def set_password(link: str) -> None:
    browser = Client()
    form = browser.get(link, follow=True)
    sent = {"new_password1": NEW, "new_password2": NEW}
    browser.post(form.redirect_chain[-1][0], sent)


def can_log_in(name: str = "bo") -> bool:
    sent = {"username": name, "password": NEW}
    return Client().post(reverse("login"), sent).status_code == 302


def events() -> list[tuple[str, object]]:
    found = Event.objects.filter(study=None).order_by("pk")
    return [(event.what, event.details["user"]) for event in found]


def test_an_invited_person_sets_their_own_password(office: Client) -> None:
    shown = invite(office)
    bo = User.objects.get(username="bo")

    assert not bo.is_staff
    assert not bo.has_usable_password()
    assert "invited" in office.get(reverse("accounts")).getvalue().decode()

    set_password(link_in(shown))
    assert can_log_in()
    assert events() == [("invited account", "bo"), ("made password link", "bo")]
    assert not mail.outbox


def test_an_invitation_is_sent_by_mail_where_mail_is_configured(
    office: Client, settings: Settings
) -> None:
    assert (
        "send the link by email"
        not in office.get(reverse("accounts")).getvalue().decode()
    )

    invite(office, email="bo@example.org", by_mail="on")
    assert not mail.outbox

    settings.EMAIL_HOST = "mail.example.org"
    User.objects.get(username="bo").delete()
    shown = invite(office, email="bo@example.org", by_mail="on")

    assert "The link was sent to bo@example.org." in shown
    assert "password-link" not in shown

    (sent,) = mail.outbox
    assert sent.to == ["bo@example.org"]

    set_password(link_in(str(sent.body)))
    assert can_log_in()


def test_a_mail_that_fails_leaves_the_link(
    office: Client, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*sent: object) -> None:
        raise ConnectionRefusedError

    settings.EMAIL_HOST = "mail.example.org"
    monkeypatch.setattr("tercet.annotation.accounts.creation.send_mail", refuse)
    shown = invite(office, email="bo@example.org", by_mail="on")

    assert "The email could not be sent." in shown

    set_password(link_in(shown))
    assert can_log_in()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"username": "ada"}, "already exists"),
        ({"username": "b o"}, "Enter a valid username"),
        ({"email": "bo"}, "Enter a valid email address"),
        ({"by_mail": "on"}, "Give the email address to send the link to."),
    ],
)
def test_what_is_wrong_with_an_invitation_is_said(
    office: Client, settings: Settings, values: dict[str, str], message: str
) -> None:
    settings.EMAIL_HOST = "mail.example.org"
    assert message in invite(office, **values)
    assert User.objects.count() == 1


def test_accounts_are_found(office: Client, person: User) -> None:
    for text, found in (("AN", ["ann"]), ("", ["ada", "ann"]), ("zz", [])):
        page = office.get(reverse("accounts"), {"find": text})
        assert [each.username for each in page.context["page"]] == found


def test_a_deactivated_account_is_signed_out_and_comes_back(
    office: Client, person: User
) -> None:
    browser = Client()
    browser.force_login(person)
    shown = send(office, "account_state", person, active="0")

    assert "deactivated" in shown
    assert browser.get(reverse("account")).status_code == 302
    assert "active" in send(office, "account_state", person, active="1")

    browser.force_login(person)
    assert browser.get(reverse("account")).status_code == 200

    expected = [("deactivated account", "ann"), ("reactivated account", "ann")]
    assert events() == expected

    send(office, "account_state", person, active="1")
    assert events() == expected


def test_rights_of_an_administrator_are_given_and_taken(
    office: Client, person: User
) -> None:
    for staff in ("1", "1", "0"):
        send(office, "account_administrator", person, staff=staff)
        person.refresh_from_db()
        assert person.is_staff == (staff == "1")

    assert events() == [("made administrator", "ann"), ("took administrator", "ann")]


def test_nobody_locks_themselves_out(office: Client, administrator: User) -> None:
    for name, values in (
        ("account_state", {"active": "0"}),
        ("account_administrator", {}),
    ):
        shown = send(office, name, administrator, **values)
        assert "Ask another administrator to change your own account." in shown

    administrator.refresh_from_db()
    assert administrator.is_active
    assert administrator.is_staff


def test_only_superusers_change_superusers(office: Client, person: User) -> None:
    root = User.objects.create_superuser("root")
    page = office.get(reverse("account_page", args=[root.pk])).getvalue().decode()

    assert "Only superusers can change this account." in page
    assert "Create a link" not in page
    for name in (
        "account_link",
        "account_state",
        "account_administrator",
        "account_role",
    ):
        assert office.post(reverse(name, args=[root.pk])).status_code == 403

    cellar = logged_in(User.objects.create_superuser("other"))

    assert "password-link" in send(cellar, "account_link", root)


def test_roles_are_given_and_taken_on_the_page_of_an_account(
    office: Client, person: User, study: Study, administrator: User
) -> None:
    send(office, "account_role", person, study=study.name, rank=Rank.OWNER)
    assert study.roles.get(user=person).rank == Rank.OWNER

    shown = send(office, "account_role", person, study=study.name)
    assert "ann is the only owner." in shown

    study.roles.create(user=administrator, rank=Rank.OWNER)
    send(office, "account_role", person, study=study.name)

    assert not study.roles.filter(user=person).exists()


def test_the_pages_of_django_are_linked_nowhere(office: Client) -> None:
    for name in ("accounts", "system", "studies"):
        assert "/admin/" not in office.get(reverse(name)).getvalue().decode()
    assert reverse("admin:index") == "/admin/"
