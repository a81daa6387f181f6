"""Votes that come too fast, and many people behind one address."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from tercet.analysis.dataset.folder import load
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.judging import pace
from tercet.annotation.judging.annotators import new_annotator
from tercet.annotation.judging.answers import AnswerMessage, record
from tercet.annotation.judging.leases import (
    LEASES_AT_FIRST,
    claim,
    leases_per_page,
    top_up_leases,
)
from tercet.annotation.judging.pace import TooFast, arrive
from tercet.annotation.models import Annotator, Answer, Arrivals, Lease, Study, Ticket
from tercet.annotation.models.answer import Status
from tercet.annotation.participation.sync import SAVED, Action, Undo, synchronize
from tercet.annotation.permissions import cookie_name
from tercet.annotation.studies.creation import create_study
from tests.annotation.questions import counters, pair_of, recounted
from tests.support.folders import dataset_folder

pytestmark = [pytest.mark.voting, pytest.mark.django_db]

NOW = datetime.fromisoformat("2026-05-01T12:00:00+00:00")


class Clock:
    """The time of `pace` in a test, which only moves when it is told to."""

    def __init__(self) -> None:
        self.now_at = NOW

    def now(self) -> datetime:
        return self.now_at

    def move(self, seconds: float) -> None:
        self.now_at += timedelta(seconds=seconds)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(pace, "timezone", clock)
    return clock


def leased(annotator: Annotator, seconds: float = 2) -> list[Lease]:
    """Leases that begin at NOW, in a study with a minimum time per question."""
    Study.objects.update(enforced_seconds=seconds)
    top_up_leases(annotator, LEASES_AT_FIRST)
    Lease.objects.update(created_at=NOW)

    return list(annotator.leases.order_by("turn"))


def answer(lease: Lease) -> None:
    record(AnswerMessage(lease.key, {"side": "left"}), checks_pace=True)


def test_a_clock_that_is_set_back_locks_nobody_out(
    annotator: Annotator, clock: Clock
) -> None:
    first, second, *_others = leased(annotator)
    clock.move(3600)
    answer(first)
    clock.move(-3590)
    answer(second)
    annotator.refresh_from_db()

    assert annotator.next_vote_at is not None
    assert annotator.next_vote_at < NOW + timedelta(seconds=15)


def test_a_page_holds_as_many_questions_as_may_be_answered_together(
    annotator: Annotator, clock: Clock
) -> None:
    Study.objects.update(offline_questions=10)
    first, *_others = leased(annotator)
    clock.move(60)
    answer(first)
    annotator.refresh_from_db()

    leases = top_up_leases(annotator, leases_per_page(annotator))
    assert len(leases) == 10

    clock.move(60)
    for lease in leases:
        answer(lease)

    with pytest.raises(TooFast):
        answer(claimed_new(annotator))


def test_the_first_vote_waits_until_its_question_can_have_been_read(
    annotator: Annotator, clock: Clock
) -> None:
    lease, *_ = leased(annotator)
    clock.move(0.5)

    with pytest.raises(TooFast) as refusal:
        answer(lease)
    assert refusal.value.seconds == pytest.approx(1.5)
    assert not Answer.objects.exists()

    clock.move(1.5)
    answer(lease)
    answer(lease)

    assert Answer.objects.count() == 1


def test_votes_come_no_faster_than_the_minimum_time(
    annotator: Annotator, clock: Clock
) -> None:
    leases = leased(annotator)
    clock.move(2)

    for lease in leases:
        answer(lease)
        with pytest.raises(TooFast):
            answer(claimed_new(annotator))

        clock.move(2)

    assert Answer.objects.count() == 4


def claimed_new(annotator: Annotator) -> Lease:
    lease = claim(annotator)
    assert lease is not None
    return lease


def test_the_question_that_was_answered_too_fast_is_refused_and_not_the_next(
    tmp_path: Path, clock: Clock, settings: Settings
) -> None:
    references = [
        ("dog", "a dog"),
        ("dog", "word " * 200),
        ("dog", "two dogs"),
        ("dog", "dogs"),
    ]
    folder = dataset_folder(
        tmp_path / "long", references, [("p", "dog", "a dog", "a cat", "HI")]
    )
    dataset = import_dataset(load(folder), "long", folder)
    study = create_study(Study(dataset=dataset, steps=[]))
    settings.READING_SPEED = 10

    annotator = new_annotator(study)
    leased(annotator)
    Study.objects.update(enforced_seconds=None)
    by_length = sorted(
        annotator.leases.all(), key=lambda lease: len(str(lease.question.reference))
    )
    *short, long = by_length
    clock.move(60)
    answer(short[0])

    clock.move(4)
    with pytest.raises(TooFast):
        synchronize(
            annotator.pk,
            [AnswerMessage(lease.key, {"side": "left"}) for lease in (long, *short)],
        )
    assert {cast.key for cast in Answer.objects.all()} == {lease.key for lease in short}

    clock.move(100)
    answer(long)

    assert counters(study) == recounted(study)


def test_questions_judged_offline_may_arrive_together(
    annotator: Annotator, clock: Clock
) -> None:
    leases = leased(annotator)
    clock.move(60)
    for lease in leases:
        answer(lease)

    with pytest.raises(TooFast):
        answer(claimed_new(annotator))


def test_what_precedes_a_vote_that_is_too_fast_takes_effect_once(
    study: Study, annotator: Annotator, clock: Clock
) -> None:
    first, second, *_others = leased(annotator)
    batch: list[Action] = [
        AnswerMessage(first.key, {"side": "left"}),
        Undo(first.key),
        AnswerMessage(second.key, {"side": "left"}),
    ]
    clock.move(2)

    for _ in range(2):
        with pytest.raises(TooFast):
            synchronize(annotator.pk, batch)
        assert Answer.objects.get().status == Status.SUPERSEDED
        assert counters(study) == recounted(study)

    clock.move(2)
    reply = synchronize(annotator.pk, batch)

    assert reply.results == [SAVED] * 3
    assert reply.leases[0].question == first.question
    assert Answer.objects.valid().get().question == second.question
    assert counters(study) == recounted(study)


def test_the_usual_minimum_is_the_time_to_read_the_text(
    annotator: Annotator, clock: Clock, settings: Settings
) -> None:
    lease, *_ = leased(annotator)
    Study.objects.update(enforced_seconds=None)
    pair, reference = pair_of(lease.question), lease.question.reference
    assert reference is not None
    length = sum(len(each.caption) for each in (pair.b, pair.c, reference))

    settings.READING_SPEED = 10
    with pytest.raises(TooFast) as refusal:
        answer(lease)
    assert refusal.value.seconds == pytest.approx(length / 10)


def test_the_minimum_can_be_turned_off(
    annotator: Annotator, settings: Settings
) -> None:
    settings.READING_SPEED = 1
    for lease in leased(annotator, seconds=0):
        answer(lease)

    assert Answer.objects.count() == LEASES_AT_FIRST


def test_many_cookies_do_not_vote_faster_than_as_many_readers(study: Study) -> None:
    Study.objects.update(enforced_seconds=6_000)
    address = reverse("sync", args=[study.name])
    browsers = [Client() for _ in range(9)]

    for browser in browsers:
        browser.post(reverse("join", args=[study.join_code]))
        browser.get(reverse("judge", args=[study.name]))

    for browser in browsers:
        key, *_signature = browser.cookies[cookie_name(study.name)].value.split(":")
        leases = Lease.objects.filter(annotator=int(key))
        deeds = [
            {"do": "vote", "key": str(lease.key), "side": "left"} for lease in leases
        ]

        for sender in (browser, Client()):
            response = sender.post(
                address, {"deeds": deeds}, content_type="application/json"
            )

            assert response.status_code == 429
            assert 0 < int(response["Retry-After"]) <= 6_000

        plain = {"key": deeds[0]["key"], "side": "left"}
        browser.post(reverse("cast_vote", args=[study.name]), plain)

    assert not Answer.objects.exists()
    assert set(study.annotators.values_list("refused", flat=True)) == {2}


def test_a_class_joins_at_once_and_others_queue(study: Study, clock: Clock) -> None:
    study.joins_per_hour = 30
    assert [arrive(study, "192.0.2.1") for _ in range(30)] == [None] * 30

    first, second = arrive(study, "192.0.2.1"), arrive(study, "192.0.2.1")
    assert first is not None
    assert second is not None

    assert (first.enters_at - NOW, second.enters_at - NOW) == (
        timedelta(minutes=2),
        timedelta(minutes=4),
    )
    assert arrive(study, "192.0.2.2") is None
    assert Arrivals.objects.get(queued=2)


def test_a_ticket_lets_one_person_in_once(study: Study, clock: Clock) -> None:
    study.joins_per_hour = 1
    assert arrive(study, "192.0.2.1") is None

    ticket = arrive(study, "192.0.2.1")
    assert ticket is not None

    assert arrive(study, "192.0.2.1", str(ticket.key)) == ticket

    clock.move(3600)
    assert arrive(study, "192.0.2.1", str(ticket.key)) is None

    again = arrive(study, "192.0.2.1", str(ticket.key))
    assert again is not None

    assert again != ticket


def test_the_queue_of_an_address_is_bounded(study: Study, clock: Clock) -> None:
    study.joins_per_hour = 1
    tickets = [arrive(study, "192.0.2.1") for _ in range(100)]

    assert all(tickets[1:])
    assert Ticket.objects.count() == 24

    clock.move(3 * 24 * 3600)
    assert arrive(study, "192.0.2.1") is None
    assert not Ticket.objects.exists()


def test_an_ipv6_customer_is_one_address_and_no_address_is_stored(
    study: Study, clock: Clock
) -> None:
    study.joins_per_hour = 1
    assert arrive(study, "2001:db8:1:2::/64") is None

    assert arrive(study, "2001:db8:1:2::/64") is not None
    assert arrive(study, "2001:db8:1:3::/64") is None
    assert not Arrivals.objects.filter(address__contains="2001").exists()


def test_who_has_to_queue_is_told_when_and_joins_then(study: Study) -> None:
    Study.objects.update(joins_per_hour=1)
    link = reverse("join", args=[study.join_code])
    Client().post(link)
    waiting = Client()

    response = waiting.post(link)
    assert response.status_code == 429
    assert "Many people have just joined from your network" in response.text

    assert waiting.post(link).status_code == 429
    assert Ticket.objects.count() == 1

    Ticket.objects.update(enters_at=timezone.now())
    assert waiting.post(link).status_code == 302
    assert study.annotators.count() == 2
