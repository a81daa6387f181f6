"""Accounts: new passwords, the second factor, and the devices that are signed in."""

import pytest
from allauth.mfa.models import Authenticator
from django.contrib import admin
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core import mail
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.core.management.base import SystemCheckError
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from tercet.annotation.models import AccountSession, Study
from tercet.annotation.models.study import Rank
from tests.annotation.accounts.app import code_of, set_up
from tests.support.browsers import logged_in

pytestmark = pytest.mark.django_db

PASSWORD, NEW = "tidal-walnut-93", "brisk-lantern-58"
LOGINS = [reverse("login"), reverse("admin:login")]


@pytest.fixture
def ann(db: None) -> User:
    return User.objects.create_user("ann", "ann@example.org", PASSWORD, is_staff=True)


def log_in(browser: Client, password: str = PASSWORD, address: str = LOGINS[0]) -> bool:
    sent = {"username": "ann", "password": password}
    return browser.post(address, sent).status_code == 302


def shown(browser: Client, address: str) -> str:
    return browser.get(address, follow=True).getvalue().decode()


# The password of the demo


@pytest.mark.parametrize("address", LOGINS)
def test_on_a_public_site_nobody_logs_in_with_the_password_of_the_demo(
    ann: User, settings: Settings, address: str
) -> None:
    ann.set_password(settings.DEMO_PASSWORD)
    ann.save()
    sent = {"username": "ann", "password": settings.DEMO_PASSWORD}

    settings.HTTPS = True
    assert "the password of the demo" in Client().post(address, sent).content.decode()

    settings.HTTPS = False
    assert log_in(Client(), settings.DEMO_PASSWORD, address)


def test_the_password_of_the_demo_is_no_new_password(
    ann: User, settings: Settings
) -> None:
    with pytest.raises(ValidationError, match="the one of the demo"):
        validate_password(settings.DEMO_PASSWORD, ann)


def test_a_public_site_is_not_set_up_with_accounts_of_the_demo(
    settings: Settings,
) -> None:
    User.objects.create_user("researcher", password=settings.DEMO_PASSWORD)
    call_command("check", databases=["default"])
    settings.HTTPS = True

    with pytest.raises(SystemCheckError, match="changepassword researcher"):
        call_command("check", databases=["default"])


# New passwords


@pytest.mark.parametrize(
    "password", ["short-1x", "password123456", "9" * 12, "ann@example.org"]
)
def test_weak_passwords_are_refused(ann: User, password: str) -> None:
    browser = Client()
    log_in(browser)
    sent = {
        "old_password": PASSWORD,
        "new_password1": password,
        "new_password2": password,
    }

    assert browser.post(reverse("password_change"), sent).status_code == 200
    assert log_in(Client())


def set_password(link: str) -> Client:
    browser = Client()
    form = browser.get(link, follow=True)
    address = form.redirect_chain[-1][0] if form.redirect_chain else link
    browser.post(address, {"new_password1": NEW, "new_password2": NEW})

    return browser


def test_without_mail_an_administrator_gives_a_link(ann: User) -> None:
    page = Client().get(reverse("password_reset")).getvalue().decode()
    assert "Ask an administrator for a link" in page
    assert (
        Client().post(reverse("password_reset"), {"email": ann.email}).status_code
        == 200
    )
    assert not mail.outbox

    office = logged_in(User.objects.create_superuser("root"))
    sent = {"action": "create_password_links", "_selected_action": [ann.pk]}
    done = office.post(reverse("admin:auth_user_changelist"), sent, follow=True)
    text = done.getvalue().decode()
    link = text.split("http://testserver")[1].split("<")[0].strip()

    set_password(link)
    assert log_in(Client(), NEW)


def test_only_superusers_give_links_for_superusers(ann: User) -> None:
    root = User.objects.create_superuser("root")
    ann.user_permissions.set(
        ann.user_permissions.model.objects.filter(
            codename__in=["view_user", "change_user"]
        )
    )
    office = logged_in(ann)
    sent = {"action": "create_password_links", "_selected_action": [root.pk]}

    page = office.post(reverse("admin:auth_user_changelist"), sent, follow=True)
    assert "Link to set a new password" not in page.getvalue().decode()


def test_the_admin_deletes_no_account(ann: User) -> None:
    office = logged_in(User.objects.create_superuser("root"))
    page = office.post(
        reverse("admin:auth_user_delete", args=[ann.pk]), {"post": "yes"}
    )

    assert page.status_code == 403
    assert User.objects.filter(pk=ann.pk).exists()


def test_the_command_prints_a_link(
    ann: User, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("password_link", "ann")
    set_password(capsys.readouterr().out.strip())

    assert log_in(Client(), NEW)
    with pytest.raises(CommandError, match="no active account bo"):
        call_command("password_link", "bo")


# Devices


def test_devices_are_listed_and_signed_out_everywhere(ann: User) -> None:
    laptop, phone = (
        Client(headers={"User-Agent": "Laptop"}),
        Client(headers={"User-Agent": "Phone"}),
    )
    other = Client()
    other.force_login(User.objects.create_user("bo"))

    assert log_in(laptop)
    assert log_in(phone)

    page = shown(laptop, reverse("account"))
    assert "Laptop" in page
    assert "Phone" in page

    assert page.count("this device") == 1
    assert AccountSession.objects.filter(user=ann).count() == 2

    done = phone.post(reverse("sign_out_everywhere"), follow=True)
    assert "You have been logged out on all devices" in done.getvalue().decode()
    for browser in (laptop, phone):
        assert browser.get(reverse("account")).status_code == 302
    assert other.get(reverse("account")).status_code == 200


def test_the_age_of_a_session_outlives_changes_of_it(ann: User) -> None:
    browser = Client()
    log_in(browser)
    began = AccountSession.objects.get().started_at
    session = browser.session
    session["more"] = 1

    session.save()
    assert AccountSession.objects.get().started_at == began


@pytest.mark.parametrize(
    ("device", "name"),
    [
        (
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit Chrome/156 Safari/537",
            "Chrome, Linux",
        ),
        (
            "Mozilla/5.0 (Windows NT 10.0) Chrome/156 Safari/537 Edg/156",
            "Edge, Windows",
        ),
        ("Mozilla/5.0 (iPhone; CPU like Mac OS X) Safari/604", "Safari, iPhone"),
        ("curl/8", "curl/8"),
    ],
)
def test_a_device_has_a_short_name(device: str, name: str) -> None:
    assert AccountSession(device=device).device_name == name


# The second factor


def reaches(browser: Client, name: str = "datasets") -> bool:
    return browser.get(reverse(name)).status_code == 200


def assert_needs_second_factor(browser: Client) -> None:
    for name in ("datasets", "studies", "account", "admin:index", "password_change"):
        refused = browser.get(reverse(name))
        assert refused["Location"].startswith(reverse("second_factor"))


def test_staff_need_their_second_factor_after_the_password(ann: User) -> None:
    browser, other = Client(), Client()
    assert log_in(browser)
    assert log_in(other)

    _secret, codes = set_up(browser)
    assert reaches(browser)
    assert other.get(reverse("account")).status_code == 302

    for address in LOGINS:
        thief = Client()
        assert log_in(thief, address=address)
        assert_needs_second_factor(thief)

    returning = Client()
    log_in(returning)
    address = f"{reverse('second_factor')}?next={reverse('datasets')}"

    assert returning.post(address, {"token": codes[0]})["Location"] == reverse(
        "datasets"
    )
    assert reaches(returning)

    again = Client()
    log_in(again)

    assert (
        "This code is wrong"
        in again.post(address, {"token": codes[0]}).getvalue().decode()
    )
    assert not reaches(again)


def test_people_without_rights_of_staff_who_set_one_up_need_it_too(ann: User) -> None:
    User.objects.update(is_staff=False)
    browser, thief = Client(), Client()
    log_in(browser)

    set_up(browser)
    assert reaches(browser, "account")

    log_in(thief)
    assert not reaches(thief, "account")


def test_codes_cannot_be_guessed_quickly(ann: User) -> None:
    browser, thief = Client(), Client()
    log_in(browser)
    _secret, codes = set_up(browser)
    log_in(thief)
    for number in range(5):
        thief.post(reverse("second_factor"), {"token": f"{number:06}"})

    thief.post(reverse("second_factor"), {"token": codes[0]})
    assert not reaches(thief)


def test_right_codes_are_not_counted(ann: User) -> None:
    browser = Client()
    log_in(browser)
    _secret, codes = set_up(browser)
    for code in codes[:7]:
        returning = Client()
        log_in(returning)
        returning.post(reverse("second_factor"), {"token": code})
        assert reaches(returning)


def test_a_code_of_an_app_works_once(ann: User) -> None:
    browser, returning, thief = Client(), Client(), Client()
    log_in(browser)
    secret, _codes = set_up(browser)
    seen = code_of(secret)
    log_in(returning)
    returning.post(reverse("second_factor"), {"token": seen})  # perhaps a new one
    cache.clear()  # each process has a cache of its own
    log_in(thief)

    spelled = f"{seen[:3]} {seen[3:]}"
    for written in (seen, spelled):
        thief.post(reverse("second_factor"), {"token": written})
        assert not reaches(thief)


def test_a_second_factor_can_be_required_of_all_staff(
    ann: User, settings: Settings
) -> None:
    settings.SECOND_FACTOR = True
    browser = Client()
    log_in(browser)

    refused = browser.get(reverse("datasets"))
    assert refused["Location"].startswith(reverse("second_factor"))

    set_up(browser)
    assert reaches(browser)

    bo = Client()
    bo.force_login(User.objects.create_user("bo"))

    assert reaches(bo, "account")


def test_the_second_factor_is_removed_only_by_who_has_it(ann: User) -> None:
    browser, thief = Client(), Client()
    log_in(browser)
    set_up(browser)
    log_in(thief)

    thief.post(reverse("second_factor_remove"))
    assert Authenticator.objects.exists()

    browser.post(reverse("second_factor_remove"))
    assert not Authenticator.objects.exists()
    assert reaches(browser)


@pytest.mark.parametrize(
    "target", ["https://evil.example/", "//evil.example", "javascript:x()"]
)
def test_the_page_after_the_second_factor_is_one_of_this_site(
    ann: User, target: str
) -> None:
    browser = Client()
    log_in(browser)
    _secret, codes = set_up(browser)
    returning = Client()
    log_in(returning)

    sent = {"token": codes[1], "next": target}
    assert returning.post(reverse("second_factor"), sent)["Location"] == reverse("home")


def test_judging_needs_no_second_factor(
    ann: User, study: Study, settings: Settings
) -> None:
    settings.SECOND_FACTOR = True
    study.roles.create(user=ann, rank=Rank.OWNER)
    browser = Client()
    browser.force_login(ann)
    sent: dict[str, object] = {"deeds": [], "holding": []}

    address = reverse("sync", args=[study.name])
    assert (
        browser.post(address, sent, content_type="application/json").status_code == 200
    )
    assert not reaches(browser)


def test_superusers_are_not_shown_the_secrets_of_second_factors() -> None:
    assert not admin.site.is_registered(Authenticator)


def test_the_command_removes_a_second_factor_that_is_lost(ann: User) -> None:
    browser, returning = Client(), Client()
    log_in(browser)
    set_up(browser)
    call_command("remove_second_factor", "ann")

    log_in(returning)
    assert reaches(returning)
    set_up(returning)
    with pytest.raises(CommandError, match="no account bo"):
        call_command("remove_second_factor", "bo")
