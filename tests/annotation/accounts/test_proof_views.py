"""What a stolen session cannot do: change who may log in, and keep the owner out."""

import time
from collections.abc import Callable

import pytest
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from tercet.annotation.models import Challenge, ChallengeRole, Role, Study
from tercet.annotation.models.challenge import ChallengeRank
from tercet.annotation.models.study import Rank
from tercet.annotation.studies.roles import give_role
from tests.annotation.accounts.app import code_of, set_up
from tests.annotation.challenges.conftest import challenge as challenge

pytestmark = pytest.mark.django_db

PASSWORD, NEW = "tidal-walnut-93", "brisk-lantern-58"
Address = Callable[[str], str]
CHANGES: dict[str, dict[str, str]] = {
    "second_factor_remove": {},
    "erase_own_account": {"name": "eva", "password": PASSWORD},
    "accounts": {"username": "mallory", "is_staff": "on"},
    "account_link": {},
    "account_state": {"active": ""},
    "account_administrator": {"staff": "1"},
    "account_erase": {"name": "bo"},
    "account_role": {"rank": "owner"},
    "study_role": {"username": "bo", "rank": "owner"},
    "study_api": {},
    "challenge_role": {"username": "bo", "rank": "owner"},
    "challenge_api": {},
    "challenge_enrolment": {},
    "admin:auth_user_add": {"username": "mallory", "password1": NEW, "password2": NEW},
    "admin:auth_user_password_change": {"password1": NEW, "password2": NEW},
}
"""Forms that change who may log in, with which rights, or by which tokens."""


@pytest.fixture
def eva(db: None) -> User:
    return User.objects.create_superuser("eva", "eva@example.org", PASSWORD)


@pytest.fixture
def bo(db: None) -> User:
    return User.objects.create_user("bo", password=NEW)


@pytest.fixture
def address(study: Study, challenge: Challenge, bo: User) -> Address:
    parts = {"study": study.name, "challenge": challenge.name}

    def find(name: str) -> str:
        subject = name.partition("_")[0]
        if subject in parts:
            return reverse(name, args=[parts[subject]])
        is_of_bo = name.startswith(("account_", "admin:auth_user_password"))
        return reverse(name, args=[bo.pk] if is_of_bo else [])

    return find


def log_in(name: str = "eva", password: str = PASSWORD) -> Client:
    browser = Client()
    browser.post(reverse("login"), {"username": name, "password": password})
    return browser


def stolen(browser: Client) -> Client:
    """Another browser with the cookies of a session."""
    thief = Client()
    thief.cookies.update(browser.cookies)
    return thief


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Let an hour pass."""

    def wait() -> None:
        now = time.time() + 3600
        monkeypatch.setattr(time, "time", lambda: now)

    return wait


def sent(name: str) -> dict[str, str]:
    """The values of a form."""
    if name != "account_role":
        return CHANGES[name]
    return CHANGES[name] | {"study": Study.objects.get().name}


def state() -> list[object]:
    """Everything that decides who may log in, and as what."""
    fields = ("pk", "username", "password", "is_active", "is_staff", "is_superuser")
    return [
        list(User.objects.order_by("pk").values_list(*fields)),
        list(Authenticator.objects.values_list("user", "type")),
        list(Role.objects.values_list("user", "rank")),
        list(ChallengeRole.objects.values_list("user", "rank")),
        list(Study.objects.values_list("api_token__digest")),
        list(Challenge.objects.values_list("join_code", "tokens__digest")),
    ]


@pytest.mark.parametrize("name", CHANGES)
def test_a_stolen_session_changes_nothing_of_who_may_log_in(
    name: str, eva: User, address: Address, later: Callable[[], None]
) -> None:
    owner = log_in()
    set_up(owner)
    later()
    before = state()

    answer = stolen(owner).post(address(name), sent(name), follow=True)
    assert state() == before
    assert 'name="password"' in answer.text
    assert 'name="token"' in answer.text


@pytest.mark.parametrize("name", CHANGES)
def test_the_owner_proves_who_they_are_and_changes_it(
    name: str, eva: User, address: Address, later: Callable[[], None]
) -> None:
    owner = log_in()
    secret, _codes = set_up(owner)
    later()
    before = state()

    asked = owner.post(address(name), sent(name))["Location"]
    is_with_code = name.startswith("account")
    proof = {"token": code_of(secret)} if is_with_code else {"password": PASSWORD}
    assert owner.post(asked, proof).status_code == 302

    owner.post(address(name), sent(name))
    if name == "account_link":
        return  # it changes nothing until it is used
    assert state() != before


def test_a_stolen_session_adds_no_second_factor(
    eva: User, later: Callable[[], None]
) -> None:
    owner = log_in()
    later()
    thief = stolen(owner)

    for method in (thief.get, thief.post):
        assert "otpauth://" not in method(reverse("second_factor"), follow=True).text
    assert not Authenticator.objects.exists()


def test_a_proof_is_guessed_no_faster_than_a_password(
    eva: User, later: Callable[[], None]
) -> None:
    owner = log_in()
    later()
    thief = stolen(owner)
    asked = thief.post(reverse("accounts"), {"username": "mallory"})["Location"]

    for number in range(12):
        thief.post(asked, {"password": f"guess {number}"})
    thief.post(asked, {"password": PASSWORD})
    thief.post(reverse("accounts"), {"username": "mallory"})
    assert not User.objects.filter(username="mallory").exists()


def test_a_proof_leads_back_to_the_form_and_to_no_other_site(
    eva: User, later: Callable[[], None]
) -> None:
    owner = log_in()
    later()
    for page, back in (
        ("http://testserver/accounts/", "http://testserver/accounts/"),
        ("https://evil.example/", reverse("account")),
    ):
        asked = owner.post(
            reverse("accounts"), {"username": "x"}, headers={"Referer": page}
        )
        done = owner.post(asked["Location"], {"password": PASSWORD})
        assert done["Location"] == back
        later()


def test_signing_out_everywhere_needs_no_second_factor_and_ends_tokens_too(
    eva: User, study: Study, challenge: Challenge
) -> None:
    first = log_in()
    ours = reverse("api:progress", args=[study.name])
    theirs = reverse("api:submit", args=[challenge.name])
    tokens = []
    for name, row in (("study_api", study), ("challenge_api", challenge)):
        shown = first.post(reverse(name, args=[row.name])).text
        tokens.append("tercet_" + shown.split("tercet_")[1].split('"')[0].split("<")[0])
    headers = [{"Authorization": f"Bearer {token}"} for token in tokens]
    assert Client().get(ours, headers=headers[0]).status_code == 200
    assert Client().post(theirs, headers=headers[1]).status_code != 401

    set_up(first)
    owner = log_in()
    assert "Log out everywhere" in owner.get(reverse("account"), follow=True).text

    owner.post(reverse("sign_out_everywhere"))
    assert first.get(reverse("account"))["Location"].startswith(reverse("login"))
    assert Client().get(ours, headers=headers[0]).status_code == 401
    assert Client().post(theirs, headers=headers[1]).status_code == 401


# Links to set a password


def grow_staff(bo: User, by: User, *_rows: object) -> None:
    browser = log_in()
    browser.post(reverse("account_administrator", args=[bo.pk]), {"staff": "1"})


def grow_study(bo: User, by: User, study: Study, _challenge: Challenge) -> None:
    give_role(study, bo, Rank.OWNER, by)


def grow_challenge(bo: User, by: User, _study: Study, challenge: Challenge) -> None:
    give_role(challenge, bo, ChallengeRank.OWNER, by)


@pytest.mark.parametrize("grow", [grow_staff, grow_study, grow_challenge])
@pytest.mark.parametrize("is_opened_before", [False, True])
def test_a_link_ends_when_the_rights_of_its_account_grow(
    eva: User,
    bo: User,
    study: Study,
    challenge: Challenge,
    grow: Callable[..., None],
    is_opened_before: bool,
) -> None:
    shown = log_in().post(reverse("account_link", args=[bo.pk])).text
    link = shown.split("http://testserver")[1].split('"')[0]
    thief = Client()
    page = link
    if is_opened_before:
        page = thief.get(link)["Location"]

    grow(bo, eva, study, challenge)
    assert "new_password1" not in thief.get(page, follow=True).text
    thief.post(page, {"new_password1": PASSWORD, "new_password2": PASSWORD})
    bo.refresh_from_db()
    assert bo.check_password(NEW)
