import pytest
from django.contrib.auth.models import User
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse

from tercet.annotation.judging.annotators import annotator_of, new_annotator
from tercet.annotation.judging.answers import last_vote, undo, vote
from tercet.annotation.judging.leases import claim
from tercet.annotation.models import Role, Study
from tercet.annotation.models.answer import Side
from tercet.annotation.models.study import Accounts, Rank, State
from tercet.annotation.studies.creation import create_study

pytestmark = pytest.mark.django_db


def page(browser: Client) -> str:
    return browser.get(reverse("home")).getvalue().decode()


@pytest.fixture
def browser(person: User) -> Client:
    browser = Client()
    browser.force_login(person)
    return browser


def answer(study: Study, person: User, times: int = 1) -> None:
    for _ in range(times):
        lease = claim(annotator_of(study, person))
        assert lease is not None
        vote(lease.key, Side.LEFT)


def test_strangers_learn_what_it_is_and_see_no_study(study: Study) -> None:
    shown = page(Client())
    assert reverse("login") in shown
    assert study.title not in shown


def test_annotators_see_the_studies_to_judge_in(browser: Client, study: Study) -> None:
    shown = page(browser)
    assert study.title in shown
    assert reverse("judge", args=[study.name]) in shown
    assert "Not started yet" in shown


def test_annotators_see_how_many_they_have_judged(
    browser: Client, study: Study, person: User
) -> None:
    other = create_study(Study(dataset=study.dataset, title="Other study"))
    answer(study, person, times=3)
    annotator = annotator_of(study, person)
    last = last_vote(annotator)
    assert last is not None
    assert last.key is not None
    undo(last.key)
    stranger = new_annotator(study)
    lease = claim(stranger)
    assert lease is not None
    vote(lease.key, Side.LEFT)
    answer(other, person)

    shown = page(browser)
    assert "2 judged so far." in shown
    assert "1 judged so far." in shown


def test_drafts_and_studies_for_others_are_not_offered(
    browser: Client, study: Study, person: User
) -> None:
    Study.objects.update(accounts=Accounts.INVITED)
    assert study.title not in page(browser)

    role = Role.objects.create(study=study, user=person, rank=Rank.ANNOTATOR)
    assert study.title in page(browser)

    role.delete()
    Study.objects.update(accounts=Accounts.ALL, state=State.DRAFT)

    assert study.title not in page(browser)


def test_without_a_study_there_is_nothing_to_judge(browser: Client) -> None:
    assert "Nothing to judge yet" in page(browser)


def test_administrators_go_to_the_studies(office: Client) -> None:
    assert office.get(reverse("home"))["Location"] == reverse("studies")


def test_the_page_of_an_error_of_the_server_needs_no_request() -> None:
    assert "Tercet" in render_to_string("500.html")
