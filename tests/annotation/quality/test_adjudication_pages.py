"""Decide pairs on their pages."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from tercet.annotation.judging.annotators import new_annotator
from tercet.annotation.judging.quotas import recount
from tercet.annotation.models import Answer, Pair, Study
from tercet.annotation.models.answer import Choice
from tercet.annotation.models.study import Rank
from tercet.annotation.quality.adjudication import adjudicate

pytestmark = pytest.mark.django_db


def pair_of(study: Study, name: str = "p1") -> Pair:
    return study.dataset.pairs.get(name=name)


@pytest.fixture
def adjudicator(evaluated: Study, person: User) -> Client:
    evaluated.roles.create(user=person, rank=Rank.ADJUDICATOR)
    browser = Client()
    browser.force_login(person)

    return browser


def send(browser: Client, study: Study, **values: str) -> str:
    address = reverse("study_adjudicate", args=[study.name, pair_of(study).pk])
    return browser.post(address, values, follow=True).getvalue().decode()


def test_an_adjudicator_decides_a_pair_with_its_votes_in_view(
    adjudicator: Client, evaluated: Study
) -> None:
    page = adjudicator.get(
        reverse("study_pair", args=[evaluated.name, pair_of(evaluated).pk])
    )
    shown = page.getvalue().decode()

    assert "Nobody has decided this pair." in shown
    assert "Votes for B" in shown

    shown = send(adjudicator, evaluated, decision="C", reason="B leaves out the rain")
    assert "The decision is saved." in shown
    assert "B leaves out the rain" in shown

    shown = send(adjudicator, evaluated, decision="tie", reason="equal after all")
    assert "1 earlier decision" in shown

    address = reverse(
        "study_adjudicate_withdraw", args=[evaluated.name, pair_of(evaluated).pk]
    )
    shown = adjudicator.post(address, follow=True).getvalue().decode()

    assert "Nobody has decided this pair." in shown
    assert "2 earlier decisions" in shown


def test_a_decision_needs_a_reason(adjudicator: Client, evaluated: Study) -> None:
    shown = send(adjudicator, evaluated, decision="C")
    assert "This field is required." in shown
    assert not evaluated.adjudications.exists()


def test_researchers_only_see_decisions(
    office: Client, evaluated: Study, person: User
) -> None:
    evaluated.roles.create(user=person, rank=Rank.RESEARCHER)
    browser = Client()
    browser.force_login(person)
    page = browser.get(
        reverse("study_pair", args=[evaluated.name, pair_of(evaluated).pk])
    )

    shown = page.getvalue().decode()
    assert "Only adjudicators and owners of this study decide pairs." in shown
    assert "Save the decision" not in shown


def test_the_list_has_what_is_disputed_reported_and_decided(
    office: Client, evaluated: Study, administrator: User
) -> None:
    question = evaluated.questions.filter(pair=pair_of(evaluated, "p4")).earliest("pk")
    new_annotator(evaluated).remarks.create(
        question=question, reason="broken", text="<cut> off"
    )
    Answer.objects.filter(question__pair=pair_of(evaluated)).update(choice=Choice.B)
    recount(evaluated.questions.all())
    adjudicate(evaluated, pair_of(evaluated, "p2"), Choice.B, "clear", administrator)

    names = {
        "open": "p3 p4",
        "disputed": "p2 p3 p4",
        "reported": "p4",
        "decided": "p2",
        "": "all",
    }

    for show, expected in names.items():
        page = office.get(reverse("study_pairs", args=[evaluated.name]), {"show": show})
        found = [row.pair.name for row in page.context["pairs"]]
        assert found == ("p1 p2 p3 p4" if expected == "all" else expected).split()

    page = office.get(
        reverse("study_pair", args=[evaluated.name, pair_of(evaluated, "p4").pk])
    )

    assert "&lt;cut&gt; off" in page.getvalue().decode()


def test_results_of_another_rule_for_winners_say_so(
    office: Client, evaluated: Study
) -> None:
    told = "Votes, decisions on pairs or settings have changed since."
    assert told not in office.get(evaluated.get_absolute_url()).text

    evaluated.winners = "decisions"
    evaluated.save()
    assert told in office.get(evaluated.get_absolute_url()).text
