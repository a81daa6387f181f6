"""What owners and administrators see of networks."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tercet.annotation.judging.annotators import new_annotator
from tercet.annotation.judging.networks import note_network
from tercet.annotation.models import Annotator, Study
from tercet.annotation.models.study import LinkUsers
from tercet.annotation.quality import networks
from tercet.annotation.quality.exclusion import exclude_annotator
from tercet.annotation.quality.networks import (
    MANY_PEOPLE,
    MIN_ANSWERS,
    crowded_networks,
    dominant_network,
    largest_network,
    network_shares,
)
from tests.annotation.questions import answer_all
from tests.support.pages import squeeze

pytestmark = pytest.mark.django_db

HERE, THERE = "198.51.100.1", "203.0.113.7"
PAGES = ["study_progress", "study_quality"]


def somebody(study: Study, network: str = "") -> Annotator:
    person = new_annotator(Study.objects.get(pk=study.pk))
    if network:
        note_network(person, network)

    return person


def shown(office: Client, study: Study, name: str) -> str:
    return squeeze(office.get(reverse(name, args=[study.name])).text)


def join(study: Study, address: str) -> Client:
    """Somebody who comes by the shared link and answers what there is."""
    browser = Client(REMOTE_ADDR=address)
    browser.post(reverse("join", args=[study.join_code]))
    answer_all(study.annotators.latest("pk"))
    browser.get(reverse("judge", args=[study.name]))

    return browser


def test_shares_are_of_all_answers_that_are_not_excluded(study: Study) -> None:
    for network in (HERE, THERE, ""):
        answer_all(somebody(study, network))

    assert [
        (each.people, each.answers, each.share) for each in network_shares(study)
    ] == [(1, 12, 1 / 3)] * 2

    exclude_annotator(study.annotators.earliest("pk"), None, "a reason")
    [left] = network_shares(study)

    assert (left.answers, left.share) == (12, 1 / 2)


def test_a_network_with_more_than_half_of_the_answers_is_pointed_out(
    office: Client, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = [somebody(study, HERE), somebody(study, HERE), somebody(study)]
    answer_all(people[0])

    assert dominant_network(network_shares(study)) is None, "too few answers to tell"

    for person in people[1:]:
        answer_all(person)

    found = dominant_network(network_shares(study))
    assert found is not None

    assert (found.people, found.answers) == (2, 24)

    for name in PAGES:
        page = shown(office, study, name)
        assert "One network has given 66.7&nbsp;% of all answers." in page
        assert "where people use the link at one place" in page

        assert "People on this network" not in page
        assert HERE not in page
        assert found.code not in page

    Study.objects.update(link_users=LinkUsers.ANYWHERE)
    [_, named] = shown(office, study, "study_quality").split("People on this network")

    assert all(f">{person.name}</a> (12)" in named for person in people[:2])

    monkeypatch.setattr(networks, "MIN_ANSWERS", 100)
    assert "One network has given" not in shown(office, study, "study_quality")


def test_owners_are_told_when_the_limit_keeps_the_study_from_going_on(
    office: Client, study: Study
) -> None:
    Study.objects.update(link_users=LinkUsers.ANYWHERE)
    first = join(study, HERE)

    for name in PAGES:
        page = shown(office, study, name)
        assert "who join through it give at most 1 of 3 votes on a question." in page
        assert "The study needs people from other networks." not in page, (
            "they gave all they can"
        )

    late = join(study, HERE)
    for name in PAGES:
        page = shown(office, study, name)
        assert "The study needs people from other networks." in page
        assert "1 person got no more questions" in page

    study.questions.update(needed=5)
    judge = reverse("judge", args=[study.name])

    assert late.get(judge).context["question"]
    assert "needs people from other networks" not in shown(
        office, study, "study_progress"
    )

    study.questions.update(needed=3)
    for address in (THERE, "192.0.2.9"):
        join(study, address)

    assert first.get(judge).status_code == 200
    assert "needs people from other networks" not in shown(
        office, study, "study_progress"
    )


def test_an_unanswered_question_about_the_link_is_pointed_out(
    office: Client, study: Study
) -> None:
    assert "Nobody has said who uses" not in shown(office, study, "study_progress")

    Study.objects.update(link_users=LinkUsers.UNASKED)
    for name in PAGES:
        assert "Nobody has said who uses the shared link" in shown(office, study, name)

    Study.objects.update(link_is_open=False)
    assert "Nobody has said who uses" not in shown(office, study, "study_progress")


def test_administrators_are_told_of_many_people_of_one_network(
    office: Client, study: Study
) -> None:
    people = [somebody(study, HERE) for _ in range(MANY_PEOPLE - 1)]
    for _ in range(MANY_PEOPLE):
        somebody(study)

    assert crowded_networks() == []
    assert "Many people from one network" not in office.get(reverse("system")).text

    people.append(somebody(study, HERE))
    assert crowded_networks() == [{"study": study, "people": MANY_PEOPLE}]
    assert largest_network() == MANY_PEOPLE

    page = office.get(reverse("system")).text
    assert "Many people from one network" in page
    assert reverse("study_quality", args=[study.name]) in page

    past = timezone.now() - timedelta(days=2)
    Annotator.objects.update(created_at=past)

    assert (crowded_networks(), largest_network()) == ([], 0)


def test_the_network_of_the_only_person_is_not_pointed_out(study: Study) -> None:
    study.questions.update(needed=9)
    first = somebody(study, HERE)
    answer_all(first)
    Annotator.objects.filter(pk=first.pk).update(judged=MIN_ANSWERS)
    assert network_shares(study)[0].share == 1
    assert dominant_network(network_shares(study)) is None
