"""Attacks on the votes of a study, performed through addresses alone."""

from collections.abc import Iterable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from tercet.annotation.challenges.enrolment import open_link
from tercet.annotation.judging.answers import MAX_UNDOS
from tercet.annotation.models import Annotator, Answer, Challenge, Event, Study
from tercet.annotation.models.study import Accounts, CrowdProof, LinkUsers
from tercet.annotation.participation.crowd import signature
from tests.annotation.challenges.conftest import challenge as challenge
from tests.annotation.questions import counters, recounted

pytestmark = [pytest.mark.voting, pytest.mark.django_db]

ADDRESS, ELSEWHERE = "198.51.100.1", "203.0.113.7"
PASSWORD = "a long enough sentence"
QUESTIONS = 12
"""Of the small study; each needs three votes."""


@pytest.fixture(autouse=True)
def reads_at_once(settings: Settings) -> None:
    settings.READING_SPEED = 10**9


def message(browser: Client, study: Study, *deeds: object) -> Any:
    sent = {"deeds": list(deeds), "holding": []}
    address = reverse("sync", args=[study.name])
    return browser.post(address, sent, content_type="application/json").json()


def vote_on_all(browser: Client, study: Study) -> int:
    """Answer questions until there are none left; return how many votes count."""
    reply = message(browser, study)
    while order := reply.get("order"):
        reply = message(browser, study, {"do": "vote", "key": order[0], "side": "left"})

    return Answer.objects.counted().count()


def given(browsers: Iterable[Client], study: Study) -> int:
    """The votes that several browsers give to a study."""
    totals = [vote_on_all(browser, study) for browser in browsers]
    assert counters(study) == recounted(study)
    return totals[-1]


def joined(study: Study, address: str) -> Client:
    browser = Client(REMOTE_ADDR=address)
    browser.post(reverse("join", args=[study.join_code]))
    return browser


# Networks


@pytest.mark.parametrize(
    "pattern", ["2001:db8:7:ff{:02x}::1", "2001:db8:7:{:02x}00::1", "2001:db8:7::{:x}"]
)
def test_all_addresses_of_a_customer_of_ipv6_give_the_share_of_one_network(
    study: Study, pattern: str
) -> None:
    """Twelve /64 of one /56, twelve /56 of one /48, twelve addresses."""
    Study.objects.update(link_users=LinkUsers.ANYWHERE)
    many = [joined(study, pattern.format(number)) for number in range(1, 13)]

    assert given(many, study) == QUESTIONS
    assert given([joined(study, "2001:db8:8::1")], study) == 2 * QUESTIONS
    assert given([joined(study, ELSEWHERE)], study) == 3 * QUESTIONS


def self_made(challenge: Challenge, name: str, address: str) -> Client:
    """A browser whose account was made by the enrolment link of a challenge."""
    browser = Client(REMOTE_ADDR=address)
    link = reverse("challenge_join", args=[challenge.name, challenge.join_code])
    browser.post(link, {"username": name, "password1": PASSWORD, "password2": PASSWORD})
    assert User.objects.filter(username=name).exists()
    return browser


@pytest.mark.parametrize("steps", [[], ["consent"]])
@pytest.mark.parametrize("users", [LinkUsers.UNASKED, LinkUsers.PLACE])
def test_accounts_that_somebody_made_themselves_do_not_decide_a_study(
    study: Study,
    challenge: Challenge,
    administrator: User,
    users: str,
    steps: list[str],
) -> None:
    Study.objects.update(accounts=Accounts.ALL, steps=steps, link_users=users)
    open_link(challenge, administrator)
    accounts = [self_made(challenge, f"eve{number}", ADDRESS) for number in range(4)]
    for browser in accounts:
        browser.post(reverse("step_consent", args=[study.name]), {"agree": "yes"})

    assert given(accounts, study) == QUESTIONS
    other = self_made(challenge, "ann", ELSEWHERE)
    if steps:
        other.post(reverse("step_consent", args=[study.name]), {"agree": "yes"})
    assert given([other], study) == 2 * QUESTIONS


def test_accounts_that_were_invited_are_people_wherever_they_come_from(
    study: Study,
) -> None:
    Study.objects.update(accounts=Accounts.ALL)
    colleagues = [Client(REMOTE_ADDR=ADDRESS) for _ in range(3)]
    for number, browser in enumerate(colleagues):
        browser.force_login(User.objects.create_user(f"colleague{number}"))

    assert given(colleagues, study) == 3 * QUESTIONS
    assert set(study.annotators.values_list("network", flat=True)) == {""}


# The link of a platform


def come(study: Study, address: str, **parameters: str) -> Client:
    browser = Client(REMOTE_ADDR=address)
    browser.post(reverse("crowd", args=[study.crowd_code], query=parameters))
    return browser


def test_neither_link_tells_the_code_of_the_other(study: Study) -> None:
    Study.objects.update(crowd_is_open=True, link_is_open=True)
    others = [
        reverse("crowd", args=[study.join_code], query={"PROLIFIC_PID": "p1"}),
        reverse("join", args=[study.crowd_code]),
    ]
    for link in others:
        assert Client().post(link).status_code == 404
    assert not Annotator.objects.exists()


def test_ids_that_nobody_signed_give_the_share_of_their_network(study: Study) -> None:
    Study.objects.update(crowd_is_open=True)
    invented = [come(study, ADDRESS, PROLIFIC_PID=f"p{n}") for n in range(4)]

    assert given(invented, study) == QUESTIONS
    assert given([come(study, ELSEWHERE, PROLIFIC_PID="q")], study) == 2 * QUESTIONS


def test_ids_that_are_signed_are_people_wherever_they_come_from(study: Study) -> None:
    Study.objects.update(
        crowd_is_open=True, crowd_proof=CrowdProof.HMAC, crowd_key="k" * 40
    )
    study.refresh_from_db()
    signed = []
    for number in range(3):
        parameters = {"PROLIFIC_PID": f"p{number}", "STUDY_ID": "", "SESSION_ID": ""}
        proof = signature(study, parameters)
        signed.append(come(study, ADDRESS, **parameters, signature=proof))

    assert given(signed, study) == 3 * QUESTIONS


# Vote and undo


@pytest.mark.parametrize("is_by_form", [False, True])
def test_votes_are_not_undone_without_end(study: Study, is_by_form: bool) -> None:
    browser = joined(study, ADDRESS)
    undo_form = reverse("undo_vote", args=[study.name])

    for _ in range(MAX_UNDOS + 5):
        key = message(browser, study)["order"][0]
        message(browser, study, {"do": "vote", "key": key, "side": "left"})
        if is_by_form:
            page = browser.post(undo_form, {"key": key}, follow=True)
        else:
            message(browser, study, {"do": "undo", "key": key})

    assert Event.objects.filter(study=study, what="undid vote").count() == MAX_UNDOS
    assert Answer.objects.count() == MAX_UNDOS + 5
    assert Answer.objects.counted().count() == 5
    assert counters(study) == recounted(study)
    if is_by_form:
        assert "You have undone many answers." in page.text
