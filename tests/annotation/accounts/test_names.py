"""Names of accounts, at every entrance where one is made: none looks like another."""

from contextlib import suppress

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tercet.annotation.accounts.identities import first_account
from tercet.annotation.challenges.enrolment import open_link
from tercet.annotation.models import Challenge
from tests.annotation.challenges.conftest import challenge as challenge
from tests.support.browsers import logged_in

pytestmark = pytest.mark.django_db

PASSWORD = "a long enough sentence"
ALIKE = ["ADMIN", "Admin", "\u0430dmin", "adm\u0456n", "\uff41dmin", "\u0430DMIN"]
"""Some with a Cyrillic a or i, or a wide a."""
UNLIKE = ["admin2", "мария", "山田はなこ", "Σοφία", "ann.b"]


@pytest.fixture(autouse=True)
def admin(db: None) -> User:
    return User.objects.create_superuser("admin")


def invite(name: str, _challenge: Challenge, admin: User) -> None:
    logged_in(admin).post(reverse("accounts"), {"username": name})


def enrol(name: str, challenge: Challenge, admin: User) -> None:
    open_link(challenge, admin)
    address = reverse("challenge_join", args=[challenge.name, challenge.join_code])
    new = {"username": name, "password1": PASSWORD, "password2": PASSWORD}
    Client().post(address, new)


def add(name: str, _challenge: Challenge, admin: User) -> None:
    new = {"username": name, "password1": PASSWORD, "password2": PASSWORD}
    sent = new | {"usable_password": "true"}
    logged_in(admin).post(reverse("admin:auth_user_add"), sent)


def command(name: str, _challenge: Challenge, _admin: User) -> None:
    options = {"interactive": False, "email": "x@example.org"}
    with suppress(CommandError):
        call_command("createsuperuser", username=name, **options)


@pytest.mark.parametrize("make", [invite, enrol, add, command])
@pytest.mark.parametrize("name", ALIKE)
def test_no_account_is_named_like_another(
    name: str, make: object, challenge: Challenge, admin: User
) -> None:
    before = User.objects.count()
    assert callable(make)
    make(name, challenge, admin)
    assert User.objects.count() == before


@pytest.mark.parametrize("make", [invite, enrol, add, command])
@pytest.mark.parametrize("name", UNLIKE)
def test_names_in_any_one_script_are_taken(
    name: str, make: object, challenge: Challenge, admin: User
) -> None:
    assert callable(make)
    make(name, challenge, admin)
    assert User.objects.filter(username=name).exists()


def test_a_name_of_a_provider_is_not_like_another(settings: object) -> None:
    settings.OPENID = {"CREATE_ACCOUNTS": True}  # type: ignore[attr-defined]
    found = first_account("https://id.example", {"preferred_username": "ADMIN"})
    assert found.username == "ADMIN-2"


def test_an_account_may_keep_its_name(admin: User) -> None:
    admin.full_clean(exclude=["password"])


def test_a_challenge_that_is_over_enrols_nobody(
    challenge: Challenge, admin: User
) -> None:
    open_link(challenge, admin)
    address = reverse("challenge_join", args=[challenge.name, challenge.join_code])
    new = {"username": "newcomer", "password1": PASSWORD, "password2": PASSWORD}
    browser = logged_in(User.objects.create_user("ann"))
    challenge.closes_at = timezone.now()
    challenge.save()

    for visitor in (Client(), browser):
        for answer in (visitor.get(address), visitor.post(address, new)):
            assert answer.status_code == 404
            assert "This link has been closed" in answer.text
    assert not User.objects.filter(username="newcomer").exists()
    assert not challenge.roles.filter(user__username="ann").exists()
