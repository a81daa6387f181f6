"""The read-only mode: people read, nothing is written, and nothing that was confirmed is lost."""

from collections.abc import Iterator
from datetime import timedelta
from threading import Event, Thread

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tercet.annotation.accounts.passwords import password_link
from tercet.annotation.judging.annotators import new_annotator
from tercet.annotation.judging.leases import LEASES_AT_FIRST, top_up_leases
from tercet.annotation.models import AccountSession, Answer, Study, Worker
from tercet.annotation.models.answer import Side
from tercet.annotation.operations import read_only
from tercet.annotation.operations.health import problems
from tercet.annotation.operations.read_only import (
    WriteRefused,
    is_read_only,
    switch_off,
    switch_on,
    writes_delayed,
    writes_refused,
)

pytestmark = [pytest.mark.django_db, pytest.mark.voting]


@pytest.fixture(autouse=True)
def writable() -> Iterator[None]:
    yield
    switch_off()


def sync(study: Study, key: object) -> tuple[int, object, str | None]:
    message = {"deeds": [{"do": "vote", "key": str(key), "side": Side.LEFT}]}
    address = reverse("sync", args=[study.name])
    reply = Client().post(address, message, content_type="application/json")

    return reply.status_code, reply.json().get("taken"), reply.get("Retry-After")


def test_a_vote_is_refused_and_taken_when_it_is_sent_again(study: Study) -> None:
    person = new_annotator(study)
    top_up_leases(person, LEASES_AT_FIRST)
    confirmed, later = person.leases.order_by("turn")[:2]

    assert sync(study, confirmed.key)[:2] == (200, ["saved"])

    switch_on()
    for key in (confirmed.key, later.key):
        assert sync(study, key) == (503, None, "60")
    assert Answer.objects.count() == 1

    switch_off()
    assert sync(study, confirmed.key)[:2] == (200, ["saved"])
    assert sync(study, later.key)[:2] == (200, ["saved"])
    assert Answer.objects.valid().count() == 2


def test_a_refused_page_says_when_to_come_back(study: Study) -> None:
    switch_on(minutes=30)
    page = Client().post(reverse("login"), {"username": "ann", "password": "x"})

    assert page.status_code == 503
    assert 29 * 60 < int(page["Retry-After"]) <= 30 * 60

    text = page.content.decode()
    assert "The site is read-only right now" in text
    assert "Expected end:" in text


def test_an_expected_end_in_the_past_ends_nothing() -> None:
    switch_on(minutes=0)
    assert is_read_only()
    assert read_only.retry_after() == read_only.RETRY


def test_a_page_that_would_store_a_session_is_refused(person: User) -> None:
    switch_on()
    assert Client().get(password_link(person)).status_code == 503
    assert not AccountSession.objects.exists()


def test_statements_that_write_are_refused(study: Study) -> None:
    with writes_refused():
        assert list(Study.objects.all()) == [study]
        with pytest.raises(WriteRefused):
            Study.objects.update(title="other")
        with pytest.raises(WriteRefused), connection.cursor() as cursor:
            cursor.execute("WITH gone AS (SELECT 1) DELETE FROM annotation_study")


def test_the_health_page_says_so(study: Study) -> None:
    Worker.objects.create(name="w", heard_at=timezone.now() - timedelta(days=1))
    assert "none has reported" in problems()["worker"]

    switch_on()
    answer = Client().get(reverse("readyz"))

    assert answer.json()["read_only"] is True
    assert answer.json()["checks"]["worker"] == "ok"
    assert Client().get(reverse("healthz")).status_code == 200

    switch_off()
    assert Client().get(reverse("readyz")).json()["read_only"] is False


@pytest.mark.django_db(transaction=True)
def test_a_worker_writes_nothing_meanwhile(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    paused = Event()

    def pause(seconds: float) -> None:
        paused.set()
        Event().wait(0.01)

    monkeypatch.setattr("tercet.annotation.operations.read_only.time.sleep", pause)

    def work() -> None:
        with writes_delayed():
            Study.objects.update(title="worked")

        connection.close()

    switch_on()
    thread = Thread(target=work)
    thread.start()

    assert paused.wait(60)
    assert Study.objects.get().title != "worked"

    switch_off()
    thread.join(60)

    assert Study.objects.get().title == "worked"


def test_the_command_switches_it(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("read_only")
    call_command("read_only", "on", "--minutes", "10")
    call_command("read_only")
    call_command("read_only", "off")

    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == lines[3] == "The site is writable."
    assert lines[1] == lines[2]
    assert lines[1].startswith("The site is read-only, probably until ")
