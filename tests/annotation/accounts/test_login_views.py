"""Guesses of passwords and requests for new ones are limited, and shut no owner out."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from django_tasks_db.models import DBTaskResult
from pytest_django.fixtures import Settings

from tercet.annotation.accounts import rate_limits
from tercet.annotation.accounts.logins import (
    GUESSES_AT_ACCOUNT,
    GUESSES_FROM_NETWORK,
    GUESSES_OF_NETWORK,
)
from tercet.annotation.accounts.password_reset import MAILS, REQUESTS_OF_NETWORK
from tercet.annotation.models import AccountSession, RateLimit

pytestmark = pytest.mark.django_db

PASSWORD, NEW = "tidal-walnut-93", "brisk-lantern-58"
LOGINS = [reverse("login"), reverse("admin:login")]
WORKING = pytest.mark.django_db(transaction=True)
"""The worker uses a connection of its own."""
HOME = "198.51.100.7"
"""The address of an owner."""


class Clock:
    """The time of limits in a test, which only moves when it is told to."""

    def __init__(self) -> None:
        self.at = timezone.now()

    def now(self) -> datetime:
        return self.at

    def move(self, by: timedelta) -> None:
        self.at += by


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(rate_limits, "timezone", clock)
    return clock


@pytest.fixture
def ann(db: None) -> User:
    return User.objects.create_user("ann", "ann@example.org", PASSWORD, is_staff=True)


def log_in(
    browser: Client, password: str = PASSWORD, name: str = "ann", at: str = LOGINS[0]
) -> int:
    """Return the status: 302 after a login, 200 after a wrong password, 429 after too many."""
    return browser.post(at, {"username": name, "password": password}).status_code


def guess(addresses: Iterator[str], count: int, at: str = LOGINS[0]) -> list[int]:
    """Guess a password from several addresses, and return the statuses."""
    return [
        log_in(Client(REMOTE_ADDR=next(addresses)), f"guess {n}", at=at)
        for n in range(count)
    ]


def addresses(form: str) -> Iterator[str]:
    return (form.format(number) for number in range(1, 10_000))


# Guesses


@pytest.mark.parametrize("at", LOGINS)
def test_guesses_from_one_address_are_stopped_with_a_notice(ann: User, at: str) -> None:
    burst = GUESSES_FROM_NETWORK.burst
    assert guess(addresses("192.0.2.1"), burst + 1, at) == [200] * burst + [429]
    for other in LOGINS:
        assert log_in(Client(REMOTE_ADDR="192.0.2.1"), at=other) == 429

    page = Client(REMOTE_ADDR="192.0.2.1").post(
        at, {"username": "ann", "password": PASSWORD}
    )

    assert page["Retry-After"] == "120"

    text = page.getvalue().decode()
    assert "Your password was not checked." in text
    assert "Try again in 2 minutes." in text


def test_an_ipv6_customer_has_as_many_guesses_as_one_address(ann: User) -> None:
    statuses = guess(addresses("2001:db8::{:x}"), GUESSES_FROM_NETWORK.burst + 1)
    assert statuses[-1] == 429
    assert log_in(Client(REMOTE_ADDR="2001:db8:0:ffff::1")) == 429
    assert log_in(Client(REMOTE_ADDR="2001:db8:1::1")) == 302


def test_guesses_from_unreadable_addresses_are_limited_together(
    ann: User, settings: Settings
) -> None:
    settings.PROXIES = 1
    for number in range(GUESSES_FROM_NETWORK.burst):
        header = {"X-Forwarded-For": f"nonsense {number}"}
        assert log_in(Client(headers=header), f"guess {number}") == 200

    assert log_in(Client(headers={"X-Forwarded-For": "other"})) == 429


def test_an_address_in_a_header_is_not_believed_without_a_proxy(ann: User) -> None:
    for number in range(GUESSES_FROM_NETWORK.burst):
        log_in(
            Client(headers={"X-Forwarded-For": f"192.0.2.{number}"}), f"guess {number}"
        )

    assert log_in(Client(headers={"X-Forwarded-For": "192.0.2.99"})) == 429


@pytest.mark.voting
def test_guesses_at_an_account_from_many_addresses_are_delayed(
    ann: User, clock: Clock
) -> None:
    burst, interval = GUESSES_AT_ACCOUNT.burst, GUESSES_AT_ACCOUNT.interval
    anywhere = addresses("2001:db8:{:x}::1")

    assert guess(anywhere, burst + 5) == [200] * burst + [429] * 5

    clock.move(interval)
    assert guess(anywhere, 2) == [200, 429]

    clock.move(interval)
    assert log_in(Client(REMOTE_ADDR=HOME)) == 302


def test_names_that_nobody_has_are_limited_alike(ann: User) -> None:
    burst = GUESSES_FROM_NETWORK.burst
    statuses = [log_in(Client(), f"guess {n}", "nobody") for n in range(burst + 1)]
    assert statuses == [200] * burst + [429]


@WORKING
def test_guesses_at_an_account_do_not_shut_its_owner_out(
    ann: User, settings: Settings
) -> None:
    known = Client(REMOTE_ADDR=HOME)
    assert log_in(known) == 302

    known.post(reverse("logout"))
    stranger = Client(REMOTE_ADDR="203.0.113.5")

    guess(addresses("2001:db8:{:x}::1"), GUESSES_AT_ACCOUNT.burst)
    assert log_in(stranger) == 429
    assert log_in(known) == 302

    settings.EMAIL_HOST = "mail.example.org"
    stranger.post(reverse("password_reset"), {"email": ann.email})
    set_password(stranger, mailed_link())

    assert log_in(stranger, NEW) == 302


def test_a_known_browser_has_few_guesses_itself(ann: User) -> None:
    known = Client(REMOTE_ADDR=HOME)
    log_in(known)
    known.post(reverse("logout"))
    burst = GUESSES_FROM_NETWORK.burst

    statuses = [log_in(known, f"guess {number}") for number in range(burst + 1)]
    assert statuses == [200] * burst + [429]


@pytest.mark.parametrize("address", ["/password/change/", "/admin/password_change/"])
def test_guesses_of_the_password_of_an_account_left_open_are_limited(
    ann: User, address: str
) -> None:
    left_open = Client()
    left_open.force_login(ann)
    change = left_open.get(address, follow=True).request["PATH_INFO"]
    form = {"new_password1": NEW, "new_password2": NEW}
    burst = GUESSES_FROM_NETWORK.burst

    for number in range(burst):
        guessed = left_open.post(change, form | {"old_password": f"guess {number}"})
        assert guessed.status_code == 200

    assert left_open.post(change, form | {"old_password": PASSWORD}).status_code == 429

    ann.refresh_from_db()
    assert ann.check_password(PASSWORD)


def test_a_browser_is_known_only_to_the_accounts_that_logged_in_there(
    ann: User,
) -> None:
    User.objects.create_user("bo", password=PASSWORD)
    attacker = Client(REMOTE_ADDR="203.0.113.5")

    assert log_in(attacker, name="bo") == 302

    attacker.post(reverse("logout"))
    guess(addresses("2001:db8:{:x}::1"), GUESSES_AT_ACCOUNT.burst)

    assert log_in(attacker) == 429

    attacker.cookies["known"] = "eyJhIjoiYiJ9:forged:signature"
    assert log_in(attacker) == 429


def test_one_network_guesses_at_few_accounts(ann: User) -> None:
    burst = GUESSES_OF_NETWORK.burst
    User.objects.create_user("bo", password=PASSWORD)

    for number in range(burst):
        assert (
            log_in(Client(REMOTE_ADDR="192.0.2.1"), "12345678", f"name {number}") == 200
        )
        if number % 5 == 0:  # a login of one's own gives no more guesses
            own = Client(REMOTE_ADDR="192.0.2.1")
            assert log_in(own, name="bo") == 302

    assert log_in(Client(REMOTE_ADDR="192.0.2.1")) == 429
    assert log_in(Client(REMOTE_ADDR="192.0.2.2")) == 302


def test_a_login_forgets_earlier_mistakes(ann: User) -> None:
    for _ in range(2):
        for number in range(GUESSES_FROM_NETWORK.burst - 1):
            assert log_in(Client(), f"guess {number}") == 200
        assert log_in(Client()) == 302


def test_a_class_can_log_in_from_one_address(db: None) -> None:
    for number in range(GUESSES_OF_NETWORK.burst + 10):
        User.objects.create_user(f"name-{number}", password=PASSWORD)
        assert log_in(Client(), name=f"name-{number}") == 302


def test_the_command_lifts_the_limits(
    ann: User, capsys: pytest.CaptureFixture[str]
) -> None:
    guess(addresses("192.0.2.1"), GUESSES_FROM_NETWORK.burst)
    call_command("lift_limits")

    assert "removed" in capsys.readouterr().out
    assert log_in(Client(REMOTE_ADDR="192.0.2.1")) == 302


def test_limits_store_neither_names_nor_addresses(ann: User) -> None:
    guess(addresses("192.0.2.1"), 1)
    keys = RateLimit.objects.values_list("key", flat=True)

    assert len(keys) == 3
    assert not [key for key in keys if "ann" in key or "192" in key]


@pytest.mark.voting  # on PostgreSQL as well, whose columns have a length
@pytest.mark.parametrize("at", LOGINS)
def test_a_name_that_is_too_long_is_refused(ann: User, at: str) -> None:
    for length in (151, 256, 100_000):
        page = Client().post(at, {"username": "a" * length, "password": PASSWORD})
        assert page.status_code == 200
        assert "at most 150 characters" in page.getvalue().decode()


# New passwords


TABLE = re.compile(r'(?:FROM|INTO|UPDATE) "(\w+)"')
FORM_TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="\w+"')


@pytest.fixture
def by_mail(settings: Settings) -> None:
    settings.EMAIL_HOST = "mail.example.org"


def work() -> None:
    call_command("db_worker", "--batch", "--no-startup-delay", verbosity=0)


def mailed_link() -> str:
    work()
    lines = mail.outbox[-1].body.splitlines()
    return next(line for line in lines if line.startswith("http"))


def set_password(browser: Client, link: str) -> None:
    form = browser.get(link, follow=True)
    address = form.redirect_chain[-1][0] if form.redirect_chain else link
    browser.post(address, {"new_password1": NEW, "new_password2": NEW})


def ask(address: str, browser: Client | None = None) -> str:
    browser = browser or Client()
    done = browser.post(reverse("password_reset"), {"email": address}, follow=True)
    return FORM_TOKEN.sub("", done.getvalue().decode())


@WORKING
def test_a_mail_lets_people_set_a_new_password_once(ann: User, by_mail: None) -> None:
    device = Client()
    log_in(device)

    assert "If an account has this email address" in ask("ann@example.org")
    assert not mail.outbox

    link = mailed_link()
    set_password(Client(), link)

    assert log_in(Client(), NEW) == 302
    assert reverse("login") in device.get(reverse("account"))["Location"]
    assert (
        "This link has already been used"
        in Client().get(link, follow=True).getvalue().decode()
    )


def test_a_request_does_the_same_whether_or_not_an_account_exists(
    ann: User, by_mail: None
) -> None:
    statements, pages = [], []
    for address, network in (
        ("ann@example.org", "192.0.2.1"),
        ("nob@example.org", "192.0.2.2"),
    ):
        with CaptureQueriesContext(connection) as queries:
            pages.append(ask(address, Client(REMOTE_ADDR=network)))
        statements.append([TABLE.findall(query["sql"]) for query in queries])

    assert pages[0] == pages[1]
    assert statements[0] == statements[1]
    assert ["auth_user"] not in statements[0]
    assert ["django_tasks_database_dbtaskresult"] in statements[0]


@WORKING
def test_an_account_gets_few_mails(ann: User, by_mail: None, clock: Clock) -> None:
    spellings = ["ann@example.org", "ANN@example.org", "Ann@Example.ORG"]
    from_anywhere = addresses("192.0.2.{}")
    pages = {
        ask(each, Client(REMOTE_ADDR=next(from_anywhere))) for each in spellings * 4
    }

    work()
    assert len(mail.outbox) == MAILS.burst
    assert len(pages) == 1

    clock.move(MAILS.interval)
    ask("ann@example.org")
    work()

    assert len(mail.outbox) == MAILS.burst + 1


def test_a_network_asks_for_few_mails(ann: User, by_mail: None) -> None:
    asked = addresses("name-{}@example.org")
    inside = addresses("2001:db8::{:x}")

    for _ in range(REQUESTS_OF_NETWORK.burst):
        assert "Check your email" in ask(next(asked), Client(REMOTE_ADDR=next(inside)))

    page = ask(next(asked), Client(REMOTE_ADDR=next(inside)))
    assert "Many links to set a password were requested from your network" in page
    assert DBTaskResult.objects.count() == REQUESTS_OF_NETWORK.burst


@WORKING
def test_the_worker_keeps_no_record_of_an_address(ann: User, by_mail: None) -> None:
    ask("nobody@example.org")
    work()

    assert not DBTaskResult.objects.filter(
        args_kwargs__icontains="example.org"
    ).exists()


def test_a_visitor_who_asks_stores_no_session(ann: User, by_mail: None) -> None:
    ask("ann@example.org")
    assert not AccountSession.objects.exists()
