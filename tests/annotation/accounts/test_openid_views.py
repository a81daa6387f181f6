"""Log in through an OpenID Connect provider that signs real tokens."""

import time
from threading import BoundedSemaphore
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from tercet.annotation.models import AccountSession, Event
from tests.annotation.accounts.provider import CLIENT, SECRET, Provider, go, new_key
from tests.annotation.accounts.provider import provider as provider

pytestmark = pytest.mark.django_db

MAIL = "ann@example.org"
KNOWN = {"email": MAIL, "email_verified": True}


@pytest.fixture
def ann(db: None) -> User:
    return User.objects.create_user("ann", MAIL.upper())


def come_back(browser: Client, address: str) -> str:
    return browser.get(address, follow=True).getvalue().decode()


def logged_in(browser: Client) -> str:
    """The name of the account that a browser is logged in with."""
    return str(browser.get(reverse("account")).wsgi_request.user)


def log_in() -> tuple[Client, str]:
    """A browser after a login at the provider, and the page that it shows."""
    browser = Client()
    return browser, come_back(browser, go(browser))


FAILED = "Logging in at the provider failed."


def test_an_invited_person_logs_in_with_their_mail_address(
    provider: Provider, ann: User
) -> None:
    provider.person |= KNOWN
    page = Client().get(reverse("login")).getvalue().decode()

    assert "Log in with Lab" in page

    browser, _ = log_in()
    assert logged_in(browser) == "ann"

    known = SocialAccount.objects.get()
    assert (known.user, known.uid, known.provider) == (ann, "s-1", provider.issuer)
    assert known.extra_data == {}
    address = EmailAddress.objects.get()
    assert (address.user, address.email, address.verified) == (ann, MAIL, True)

    event = Event.objects.get()
    assert (event.what, event.by) == ("linked identity", ann)

    provider.person["email"] = "other@example.org"
    browser, _ = log_in()

    assert logged_in(browser) == "ann"
    assert SocialAccount.objects.count() == 1


def test_people_come_back_to_the_page_that_they_wanted(
    provider: Provider, ann: User
) -> None:
    provider.person |= KNOWN
    for wanted, expected in (
        ("/account/", "/account/"),
        ("https://evil.example/", "/"),
    ):
        browser = Client()
        answer = browser.get(go(browser, f"?next={wanted}"))
        assert answer["Location"] == expected


@pytest.mark.parametrize(
    "claims",
    [
        {"email": MAIL},
        {"email": MAIL, "email_verified": False},
        {"email": MAIL, "email_verified": "true"},
        {"email": "%@example.org", "email_verified": True},
        {"email": "somebody@example.org", "email_verified": True},
        {},
    ],
)
def test_nobody_gets_an_account_by_an_address_that_is_not_verified(
    provider: Provider, ann: User, claims: dict[str, Any]
) -> None:
    provider.person |= claims
    browser, shown = log_in()

    assert "Ask an administrator to invite you." in shown
    assert logged_in(browser) == "AnonymousUser"
    assert not SocialAccount.objects.exists()


@pytest.mark.voting  # on PostgreSQL as well, which takes one letter for the other
def test_a_letter_that_looks_alike_does_not_take_an_account_over(
    provider: Provider, ann: User
) -> None:
    User.objects.update(email="ann@mail.example")
    provider.person |= KNOWN | {"email": "ann@ma\u0131l.example"}
    browser, _ = log_in()

    assert logged_in(browser) == "AnonymousUser"


def test_an_address_is_verified_by_the_claims_that_name_it(
    provider: Provider, ann: User
) -> None:
    provider.person |= {"email": MAIL}
    provider.token = {"email": "other@example.org", "email_verified": True}
    assert "Ask an administrator" in log_in()[1]


def test_two_accounts_with_one_address_are_nobodys(
    provider: Provider, ann: User
) -> None:
    User.objects.create_user("other", MAIL)
    provider.person |= KNOWN
    assert "Ask an administrator" in log_in()[1]


def test_another_subject_does_not_take_an_account_over(
    provider: Provider, ann: User
) -> None:
    provider.person |= KNOWN
    log_in()
    provider.person["sub"] = "s-2"

    assert "Ask an administrator" in log_in()[1]


def test_accounts_are_created_where_the_site_is_set_so(
    provider: Provider, settings: Settings
) -> None:
    settings.OPENID = settings.OPENID | {"CREATE_ACCOUNTS": True}
    User.objects.create_user("bo")
    provider.person |= {
        "preferred_username": "bo",
        "email": MAIL,
        "email_verified": False,
    }

    browser, _ = log_in()
    assert logged_in(browser) == "bo-2"

    provider.person = {
        "sub": "s-2",
        "email": "kim~lee@example.org",
        "email_verified": True,
    }
    browser, _ = log_in()

    assert logged_in(browser) == "kim-lee"

    created = User.objects.exclude(username="bo")
    assert {
        (each.email, each.is_staff, each.has_usable_password()) for each in created
    } == {("", False, False), ("kim~lee@example.org", False, False)}


@pytest.mark.parametrize(
    "mail", ["a" * 300 + "@example.org", "a\0@example.org", ["a@b.example"]]
)
def test_an_address_that_is_none_is_not_kept(
    provider: Provider, settings: Settings, mail: object
) -> None:
    settings.OPENID = settings.OPENID | {"CREATE_ACCOUNTS": True}
    provider.person |= {
        "preferred_username": "bo",
        "email": mail,
        "email_verified": True,
    }
    browser, _ = log_in()

    assert logged_in(browser) == "bo"
    assert not User.objects.get().email


def test_claims_give_no_rights(provider: Provider, ann: User) -> None:
    rights = {"is_staff": True, "is_superuser": True, "groups": ["admin"]}
    provider.person |= KNOWN | rights
    provider.token = rights
    log_in()

    ann.refresh_from_db()
    assert not ann.is_staff
    assert not ann.is_superuser


def test_a_deactivated_account_stays_outside(provider: Provider, ann: User) -> None:
    User.objects.update(is_active=False)
    provider.person |= KNOWN
    browser, shown = log_in()

    assert FAILED in shown
    assert logged_in(browser) == "AnonymousUser"


NOW = int(time.time())
DAY = 24 * 60 * 60
"""More than a run of all tests takes."""


@pytest.mark.parametrize(
    "token",
    [
        {"aud": "another site"},
        {"aud": [CLIENT, "other"], "azp": "other"},
        {"iss": "https://other.example.org"},
        {"exp": NOW - DAY, "iat": NOW - 2 * DAY},
        {"exp": ""},
        {"iat": NOW + DAY, "exp": NOW + 2 * DAY},
        {"nonce": "another"},
        {"nonce": ""},
        {"sub": ""},
        {"sub": "s-2"},
    ],
)
def test_a_token_must_be_for_this_login(
    provider: Provider, ann: User, token: dict[str, Any]
) -> None:
    provider.person |= KNOWN
    provider.token = token
    browser, shown = log_in()

    assert FAILED in shown
    assert logged_in(browser) == "AnonymousUser"


def test_clocks_may_differ_a_little(provider: Provider, ann: User) -> None:
    provider.person |= KNOWN
    provider.token = {"iat": int(time.time()) + 30}
    browser, _ = log_in()

    assert logged_in(browser) == "ann"


@pytest.mark.parametrize(
    ("key", "algorithm"), [(new_key(), "RS256"), (SECRET, "HS256"), (None, "none")]
)
def test_a_token_must_be_signed_by_the_provider(
    provider: Provider, ann: User, key: Any, algorithm: str
) -> None:
    provider.person |= KNOWN
    provider.signing, provider.algorithm = key, algorithm
    assert FAILED in log_in()[1]


def test_details_must_be_of_who_logged_in(provider: Provider, ann: User) -> None:
    provider.person |= KNOWN
    provider.details = {"sub": "s-2"}
    assert FAILED in log_in()[1]


def test_a_code_works_once_and_only_in_the_browser_that_asked(
    provider: Provider, ann: User
) -> None:
    provider.person |= KNOWN
    browser, other = Client(), Client()
    address = go(browser)

    assert FAILED in come_back(other, address)

    come_back(browser, address)
    assert logged_in(browser) == "ann"

    browser.post(reverse("logout"))
    assert FAILED in come_back(browser, address)


def test_what_the_provider_refuses_is_said(provider: Provider, ann: User) -> None:
    browser = Client()
    state = go(browser).partition("state=")[2]
    address = reverse("oidc_authentication_callback")

    assert FAILED in come_back(browser, f"{address}?error=access_denied&state={state}")
    assert FAILED in come_back(browser, address)


def test_an_error_logs_nobody_out(provider: Provider, ann: User) -> None:
    provider.person |= KNOWN
    browser, _ = log_in()
    browser.get(reverse("oidc_authentication_callback"), {"error": "access_denied"})

    assert logged_in(browser) == "ann"


@pytest.mark.parametrize("path", ["/token", "/me", "/keys"])
@pytest.mark.parametrize("text", ["[]", "null", '"x"', "<html>", "[" * 100_000])
def test_answers_that_make_no_sense_are_refused(
    provider: Provider, ann: User, path: str, text: str
) -> None:
    provider.person |= KNOWN
    provider.texts = {path: text}
    assert FAILED in log_in()[1]


def test_a_description_that_does_not_end_is_not_read_to_the_end(
    provider: Provider,
) -> None:
    provider.endless = "/.well-known/openid-configuration"
    assert FAILED in come_back(Client(), reverse("oidc_authentication_init"))
    assert 2**20 < provider.sent < 2**24


@pytest.mark.parametrize("path", ["/token", "/me", "/keys"])
def test_answers_that_do_not_end_are_not_read_to_the_end(
    provider: Provider, ann: User, path: str
) -> None:
    provider.person |= KNOWN
    provider.endless = path

    assert FAILED in log_in()[1]
    assert 2**20 < provider.sent < 2**24


def test_a_click_on_the_provider_stores_no_session(
    provider: Provider, ann: User
) -> None:
    browser = Client()
    address = go(browser)
    come_back(Client(), address)

    come_back(browser, f"{address}x")
    assert not AccountSession.objects.exists()


def test_logins_of_several_tabs_are_kept_for_a_while(
    provider: Provider, ann: User
) -> None:
    provider.person |= KNOWN
    browser = Client()
    tabs = [go(browser) for _ in range(7)]

    assert len(browser.cookies["openid"].value) < 3000
    assert FAILED in come_back(browser, tabs[0])

    come_back(browser, tabs[-2])
    assert logged_in(browser) == "ann"


def test_a_slow_provider_leaves_threads_for_other_pages(
    provider: Provider, ann: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider.person |= KNOWN
    taken = BoundedSemaphore(1)
    monkeypatch.setattr("tercet.annotation.accounts.openid_views.turns", taken)
    monkeypatch.setattr("tercet.annotation.accounts.openid_views.TURN_SECONDS", 0)
    with taken:
        assert FAILED in come_back(Client(), reverse("oidc_authentication_init"))

    assert logged_in(log_in()[0]) == "ann"


def test_failed_logins_lock_nobody_out(provider: Provider, ann: User) -> None:
    provider.person |= KNOWN
    browser = Client()

    for _login in range(11):
        state = go(browser).partition("state=")[2]
        browser.get(
            reverse("oidc_authentication_callback"), {"code": "", "state": state}
        )

    browser, _ = log_in()
    assert logged_in(browser) == "ann"


@pytest.mark.parametrize(
    "description", [{"issuer": "https://other.example.org"}, {"issuer": None}]
)
def test_a_provider_must_be_the_one_that_is_set(
    provider: Provider, description: dict[str, Any]
) -> None:
    provider.description = description
    browser = Client()
    assert FAILED in come_back(browser, reverse("oidc_authentication_init"))


def test_passwords_work_without_the_provider(
    provider: Provider, ann: User, settings: Settings
) -> None:
    settings.OPENID = settings.OPENID | {"ISSUER": "http://127.0.0.1:1"}
    ann.set_password("many letters 27")
    ann.save()

    browser = Client()
    assert FAILED in come_back(browser, reverse("oidc_authentication_init"))

    sent = {"username": "ann", "password": "wrong"}
    assert browser.post(reverse("login"), sent).status_code == 200

    browser.post(reverse("login"), sent | {"password": "many letters 27"})
    assert logged_in(browser) == "ann"


def test_administrators_still_need_their_second_factor(
    provider: Provider, ann: User, settings: Settings
) -> None:
    settings.SECOND_FACTOR = True
    User.objects.update(is_staff=True)
    provider.person |= KNOWN
    browser, _ = log_in()

    answer = browser.get(reverse("datasets"))
    assert answer["Location"].startswith(reverse("second_factor"))


def test_without_a_provider_there_is_no_such_login() -> None:
    assert (
        "Or with a password" not in Client().get(reverse("login")).getvalue().decode()
    )
    assert Client().get("/login/openid/").status_code == 404
