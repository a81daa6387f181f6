"""Completion codes: those of a platform, or people's own."""

import pytest
from django.test import Client
from django.urls import reverse

from tercet.annotation.judging.annotators import new_annotator, new_crowd_annotator
from tercet.annotation.models import Study
from tercet.annotation.models.study import Outcome
from tercet.annotation.participation import exits, flow
from tests.support.pages import squeeze

pytestmark = pytest.mark.django_db


@pytest.fixture
def partly(study: Study) -> Study:
    """A study with a code of the platform for people who are done, and for nobody else."""
    study.exits.create(outcome=Outcome.DONE, code="C1DONE99")
    return study


def test_who_ends_without_a_code_of_the_platform_gets_no_random_one(
    partly: Study,
) -> None:
    person = new_crowd_annotator(partly, "p1", {})
    flow.finish(person, Outcome.STOPPED)
    assert exits.shown_code(person) == ""
    assert exits.must_return(person, Outcome.STOPPED)

    flow.finish(person, Outcome.DONE)
    assert exits.shown_code(person) == "C1DONE99"
    assert not exits.must_return(person, Outcome.DONE)


def test_people_of_no_platform_get_a_code_of_their_own(partly: Study) -> None:
    person = new_annotator(partly)
    flow.finish(person, Outcome.STOPPED)
    assert exits.shown_code(person)
    assert not exits.must_return(person, Outcome.STOPPED)


def test_without_any_code_of_a_platform_everybody_gets_their_own(study: Study) -> None:
    person = new_crowd_annotator(study, "p1", {})
    flow.finish(person, Outcome.STOPPED)
    assert exits.shown_code(person)
    assert exits.outcomes_without_code(study) == []


def test_a_redirect_url_that_holds_its_code_needs_no_other(partly: Study) -> None:
    url = "https://e.org/complete?cc=C1STOP"
    partly.exits.create(outcome=Outcome.STOPPED, url=url)
    person = new_crowd_annotator(partly, "p1", {})
    flow.finish(person, Outcome.STOPPED)

    assert exits.shown_code(person) == ""
    assert exits.exit_url(person) == url
    assert Outcome.STOPPED not in exits.outcomes_without_code(partly)


def test_a_redirect_url_is_not_sent_without_the_code_that_it_needs(
    partly: Study,
) -> None:
    url = "https://e.org/complete?cc={code}"
    partly.exits.create(outcome=Outcome.STOPPED, url=url)
    person = new_crowd_annotator(partly, "p1", {})
    flow.finish(person, Outcome.STOPPED)

    assert exits.exit_url(person) == ""
    assert exits.must_return(person, Outcome.STOPPED)


def test_who_has_no_code_is_told_to_return_the_task(partly: Study) -> None:
    partly.crowd_is_open = True
    partly.save()
    link = reverse("crowd", args=[partly.crowd_code], query={"PROLIFIC_PID": "p1"})
    browser = Client()
    browser.post(link)
    person = partly.annotators.get(external_id="p1")
    flow.finish(person, Outcome.STOPPED)

    page = squeeze(browser.get(reverse("judge", args=[partly.name]), follow=True).text)
    assert "There is no completion code for this. Please return the task" in page
    assert "Your completion code" not in page


def test_missing_codes_are_said_before_opening_and_in_the_checklist(
    partly: Study, office: Client
) -> None:
    partly.state = "draft"
    partly.save()
    missing = (
        "No completion code of the platform for: failed the comprehension questions"
    )
    settings = office.get(reverse("study_settings", args=[partly.name])).text
    overview = office.get(reverse("study", args=[partly.name])).text

    assert missing in settings
    assert missing in overview
    assert "People who end so are asked to return the task." in settings
