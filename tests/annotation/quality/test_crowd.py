"""How the people of a crowdsourcing platform stand."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from tercet.annotation.models import Annotator, Study
from tercet.annotation.models.study import Outcome, Rank
from tercet.annotation.quality.crowd import crowd_standing
from tests.support.pages import squeeze

pytestmark = pytest.mark.django_db


def come(study: Study, number: int, **values: object) -> Annotator:
    """Let one person come from the platform."""
    name = f"person-{number}"
    usual = {"external_id": f"id{number}", "judged": 3}
    return study.annotators.create(name=name, **usual | values)


def finish(study: Study, number: int, minutes: int = 0, **values: object) -> Annotator:
    """Let one person come, judge, and finish so many minutes ago."""
    at = timezone.now() - timedelta(minutes=minutes)
    return come(study, number, outcome=Outcome.DONE, finished_at=at, **values)


def test_nobody_of_a_platform_is_no_crowd(study: Study) -> None:
    come(study, 1, external_id="")
    come(study, 2, is_test=True)
    assert crowd_standing(study) is None


def test_people_are_here_finished_or_gone(study: Study) -> None:
    now = timezone.now()
    come(study, 1, asked_at=now - timedelta(seconds=20))
    come(study, 2, asked_at=now - timedelta(minutes=4))
    come(study, 3, outcome=Outcome.STOPPED, asked_at=now)
    come(study, 4, judged=0)
    finish(study, 5)
    finish(study, 6, excluded_at=now)
    come(study, 7)

    found = crowd_standing(study)
    assert found
    assert (found.joined, found.here, found.finished) == (7, 1, 1)
    assert found.stopped == 4
    assert (found.owed, found.listed_at) == (1, None)


def test_what_is_on_a_downloaded_list_is_owed_no_more(
    study: Study, office: Client
) -> None:
    finish(study, 1, minutes=5)
    finish(study, 2, minutes=3)
    office.get(reverse("study_pay_file", args=[study.name, "pay.csv"]))
    found = crowd_standing(study)
    assert found
    assert found.owed == 2

    office.get(reverse("study_pay_file", args=[study.name, "approve.csv"]))
    finish(study, 3)
    found = crowd_standing(study)
    assert found
    assert (found.finished, found.owed) == (3, 1)
    assert found.listed_at


def test_statements_do_not_grow_with_people(
    study: Study, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(2):
        finish(study, number)
    with django_assert_num_queries(1):
        crowd_standing(study)

    for number in range(2, 30):
        finish(study, number)
    with django_assert_num_queries(1):
        crowd_standing(study)


def test_owners_see_it_on_the_page_of_progress(
    study: Study, office: Client, administrator: User, person: User
) -> None:
    finish(study, 1)
    study.roles.create(user=person, rank=Rank.RESEARCHER)
    address = reverse("study_progress", args=[study.name])
    shown = squeeze(office.get(address).text)
    assert "<dt>Pay owed to</dt><dd>1</dd>" in shown
    assert "Nobody has been approved yet. Download the list of ids to approve." in shown

    browser = Client()
    browser.force_login(person)
    assert "Pay owed to" not in browser.get(address).text
