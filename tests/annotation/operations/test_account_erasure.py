"""Erasing accounts: nothing says whose they were, and what they did stays."""

from pathlib import Path

import pytest
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tercet.annotation.judging.annotators import annotator_of
from tercet.annotation.judging.answers import vote
from tercet.annotation.models import Access, Event, Study, Submission
from tercet.annotation.models.accounts import AccessKind
from tercet.annotation.models.study import Accounts, Rank
from tercet.annotation.operations.account_erasure import erase_account, erase_again
from tercet.annotation.quality.erasures import opaque_id, remember, remembered
from tercet.annotation.studies.audit import log, log_site
from tercet.annotation.studies.lifecycle import NotPossible
from tests.annotation.challenges.conftest import new_challenge, submit
from tests.annotation.quality.test_erasure import everything_exported, everything_stored
from tests.annotation.questions import claimed
from tests.support.browsers import logged_in

pytestmark = [pytest.mark.voting, pytest.mark.django_db]

NAME, MAIL, SUBJECT, PASSWORD = (
    "kim.u",
    "kim@unmistakable.example",
    "subject-kim",
    "tidal-wal-93",
)
FIRST, LAST = "Kimberly", "Unmistakable"


@pytest.fixture
def kim(study: Study, administrator: User, tmp_path: Path) -> User:
    """An account that is named wherever an account can be."""
    Study.objects.update(accounts=Accounts.ALL)
    kim = User.objects.create_user(
        NAME, MAIL, PASSWORD, first_name=FIRST, last_name=LAST
    )
    Client(headers={"User-Agent": f"browser of {MAIL}"}).force_login(kim)
    known = {"provider": "https://id.example.org", "uid": SUBJECT}
    SocialAccount.objects.create(user=kim, **known)
    with connection.cursor() as cursor:
        former = "(user_id, issuer, subject, created_at) VALUES (%s, '', %s, %s)"
        values = (kim.pk, SUBJECT, timezone.now())
        cursor.execute(f"INSERT INTO annotation_identity {former}", values)
    Access.objects.create(
        user=kim, kind=AccessKind.LOGIN, path="/login/", network="unknown"
    )
    study.roles.create(user=kim, rank=Rank.RESEARCHER)
    person = annotator_of(study, kim)
    vote(claimed(person).key, "left")

    log(study, kim, "gave role", user=NAME, now="owner")
    log_site(administrator, "invited account", user=NAME)
    log_site(administrator, "invited account", user=f"{NAME}-2")
    kind = ContentType.objects.get_for_model(User)
    entry = {"content_type": kind, "object_repr": NAME, "action_flag": CHANGE}
    LogEntry.objects.create(user=administrator, change_message=f"for {MAIL}", **entry)
    challenge = new_challenge(tmp_path / "hidden", administrator)
    challenge.description = challenge.rules = f"Questions to {MAIL}."
    challenge.save()
    study.dataset.description = f"Ask {MAIL} for more."
    study.dataset.save()
    challenge.roles.create(user=kim, rank="submitter")
    made = submit(challenge, kim)
    about = {"description": f"By {FIRST} {LAST} ({MAIL}), known as {NAME}.", "link": ""}
    Submission.objects.filter(pk=made.pk).update(**about)

    return kim


def traces(study: Study) -> set[str]:
    found = (everything_stored() + everything_exported(study)).lower()
    return {
        each for each in (MAIL, SUBJECT, FIRST, LAST) if each.lower().encode() in found
    }


@pytest.mark.django_db(transaction=True)
def test_nothing_of_an_erased_account_is_left_anywhere(
    study: Study, kim: User, administrator: User
) -> None:
    Authenticator.objects.create(user=kim, type="totp", data={"secret": MAIL})
    assert traces(study) == {MAIL, SUBJECT, FIRST, LAST}

    pseudonym = erase_account(kim, administrator)
    study.refresh_from_db()

    assert traces(study) == set()

    submission = Submission.objects.get()
    assert submission.user.username == pseudonym
    assert (
        submission.description == f"By {pseudonym} ({pseudonym}), known as {pseudonym}."
    )
    assert study.annotators.get().answers.valid().count() == 1

    users = [event.details.get("user") for event in Event.objects.order_by("pk")]
    assert NAME not in users
    assert {pseudonym, f"{NAME}-2"} <= set(users)
    assert LogEntry.objects.get().object_repr == pseudonym


def test_an_erased_account_is_shut_and_has_no_rights(
    kim: User, administrator: User
) -> None:
    User.objects.filter(pk=kim.pk).update(is_staff=True, is_superuser=True)
    browser = logged_in(kim)
    erase_account(kim, administrator)

    kim.refresh_from_db()
    assert browser.get(reverse("account")).status_code == 302

    rights = [kim.is_active, kim.is_staff, kim.is_superuser, kim.has_usable_password()]
    assert not any(rights)
    assert not kim.study_roles.exists()

    assert not kim.challenge_roles.exists()
    assert not Access.objects.filter(user=kim).exists()
    assert remembered()


@pytest.mark.django_db(transaction=True)
def test_an_account_of_an_older_backup_is_erased_again(kim: User) -> None:
    remember(opaque_id(kim))
    assert erase_again() == 1

    kim.refresh_from_db()
    assert kim.username.startswith("erased-")
    assert erase_again() == 0


def test_the_last_owner_or_administrator_is_not_erased(
    study: Study, kim: User, administrator: User
) -> None:
    study.roles.update(rank=Rank.OWNER)
    with pytest.raises(NotPossible, match=f"only owner of {study.title}"):
        erase_account(kim, administrator)
    with pytest.raises(NotPossible, match="only administrator"):
        erase_account(administrator, administrator)
    assert User.objects.filter(username=NAME).exists()


def test_people_erase_their_own_account_with_its_name_and_password(kim: User) -> None:
    browser = logged_in(kim)
    address = reverse("erase_own_account")

    for name, password in ((NAME, "wrong"), ("kim", PASSWORD), (NAME, "")):
        refused = browser.post(address, {"name": name, "password": password})
        assert refused.status_code == 422

    assert User.objects.filter(username=NAME).exists()

    done = browser.post(address, {"name": NAME, "password": PASSWORD}, follow=True)
    assert "Your account is erased." in done.content.decode()
    assert not User.objects.filter(username=NAME).exists()
    assert browser.get(reverse("account")).status_code == 302


def test_an_administrator_erases_an_account_but_no_superuser(
    kim: User, administrator: User
) -> None:
    office = logged_in(administrator)
    root = User.objects.create_superuser("root")

    assert office.get(reverse("account_erase", args=[root.pk])).status_code == 403

    address = reverse("account_erase", args=[kim.pk])
    assert office.post(address, {"name": "other"}).status_code == 422

    done = office.post(address, {"name": NAME}, follow=True)
    assert "The account is erased. It is now called erased-" in done.content.decode()
    assert not User.objects.filter(username=NAME).exists()
