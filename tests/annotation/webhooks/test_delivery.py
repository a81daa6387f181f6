"""Messages to webhooks: when they are sent, how they are signed, and what becomes of failures."""

import hmac
import json
import time
from collections.abc import Iterator
from datetime import timedelta
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from django_tasks_db.models import DBTaskResult
from pytest_django.fixtures import Settings

from tercet.annotation.judging.annotators import new_annotator
from tercet.annotation.models import Delivery, Study, Webhook
from tercet.annotation.models.operations.webhook import What
from tercet.annotation.models.study import State
from tercet.annotation.operations.cleanup import clean_up
from tercet.annotation.studies.lifecycle import raise_votes, set_state
from tercet.annotation.tasks import compute, request_evaluation
from tercet.annotation.webhooks.delivery import (
    PAUSES,
    deliver,
    notify_of_ends,
    send,
    signature,
)
from tests.annotation.questions import answer_all
from tests.support.folders import ROOT
from tests.test_documents import blocks

pytestmark = pytest.mark.django_db


class Receiver(HTTPServer):
    """A program that is told of things; it answers with `status`."""

    status = 204

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.received: list[tuple[dict[str, str], bytes]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/hook?study=7"


class Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.received.append((dict(self.headers), body))
        self.send_response(self.server.status)
        if self.server.status == 302:
            self.send_header("Location", self.server.url)

        self.end_headers()

    def log_message(self, *message: Any) -> None:
        """Say nothing."""


@pytest.fixture
def receiver(settings: Settings) -> Iterator[Receiver]:
    settings.PRIVATE_WEBHOOKS = True
    server = Receiver()
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()

    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def webhook(study: Study, receiver: Receiver) -> Webhook:
    return study.webhooks.create(url=receiver.url)


def told(receiver: Receiver) -> list[dict[str, Any]]:
    """Deliver what waits, and return all that the receiver has got."""
    for delivery in Delivery.objects.filter(state=Delivery.State.WAITING).order_by(
        "pk"
    ):
        deliver.call(delivery.pk)

    return [json.loads(body) for _, body in receiver.received]


def test_a_message_is_signed_with_the_secret_of_its_webhook(
    webhook: Webhook, receiver: Receiver
) -> None:
    delivery = send(webhook, What.TEST, votes=3)
    (content,) = told(receiver)

    assert content["event"] == "test"
    assert (content["study"], content["votes"]) == (webhook.study.name, 3)

    ((headers, body),) = receiver.received
    assert headers["Tercet-Delivery"] == str(delivery.key)
    assert headers["Tercet-Event"] == "test"

    stamp, _, given = headers["Tercet-Signature"].partition(",v1=")
    text = stamp.removeprefix("t=").encode() + b"." + body

    assert given == hmac.new(webhook.secret.encode(), text, sha256).hexdigest()

    delivery.refresh_from_db()
    assert (delivery.state, delivery.status, delivery.attempts) == ("delivered", 204, 1)


def test_a_signature_is_of_the_time_and_the_body() -> None:
    assert signature("key", b"{}", 7) != signature("key", b"{}", 8)
    assert signature("key", b"{}", 7) != signature("other", b"{}", 7)

    expected = hmac.new(b"key", b"7.{}", sha256).hexdigest()
    assert signature("key", b"{}", 7) == f"t=7,v1={expected}"


def test_the_receiver_of_the_documentation_believes_only_genuine_messages() -> None:
    document = blocks(ROOT / "docs" / "api.md")
    (text,) = [text for kind, text in document if kind == "python receiver"]
    names: dict[str, Any] = {}
    exec(text, names)

    now = int(time.time())
    for body, key, at, expected in (
        (b"{}", "key", now, True),
        (b"{ }", "key", now, False),
        (b"{}", "other", now, False),
        (b"{}", "key", now - 600, False),
    ):
        assert names["is_genuine"](body, signature(key, b"{}", at), "key") == expected


def test_a_message_is_sent_again_later_but_not_for_ever(
    webhook: Webhook, receiver: Receiver, django_capture_on_commit_callbacks: Any
) -> None:
    receiver.status = 503
    with django_capture_on_commit_callbacks(execute=True):
        delivery = send(webhook, What.TEST)

    for number, pause in enumerate([*PAUSES, None], 1):
        DBTaskResult.objects.all().delete()
        deliver.call(delivery.pk)
        delivery.refresh_from_db()

        assert (delivery.attempts, delivery.status) == (number, 503)

        tasks = list(DBTaskResult.objects.all())
        if pause is None:
            assert tasks == []
            break

        wait = tasks[0].run_after - timezone.now()
        assert pause - timedelta(seconds=30) < wait <= pause

    assert delivery.state == Delivery.State.FAILED

    deliver.call(delivery.pk)
    assert len(receiver.received) == len(PAUSES) + 1


def test_a_later_attempt_delivers(webhook: Webhook, receiver: Receiver) -> None:
    receiver.status = 302
    delivery = send(webhook, What.TEST)

    assert len(told(receiver)) == 1

    receiver.status = 200
    assert len(told(receiver)) == 2

    delivery.refresh_from_db()
    assert (delivery.state, delivery.attempts) == ("delivered", 2)


def test_who_does_not_answer_is_tried_again(
    webhook: Webhook, receiver: Receiver
) -> None:
    Webhook.objects.update(url="http://127.0.0.1:1/")
    delivery = send(webhook, What.TEST)
    deliver.call(delivery.pk)

    delivery.refresh_from_db()
    assert (delivery.state, delivery.status) == ("waiting", None)
    assert "refused" in delivery.error


def test_a_private_address_is_not_tried_again(
    webhook: Webhook, receiver: Receiver, settings: Settings
) -> None:
    settings.PRIVATE_WEBHOOKS = False
    Webhook.objects.update(url="https://localhost/")
    delivery = send(webhook, What.TEST)
    deliver.call(delivery.pk)

    delivery.refresh_from_db()
    assert delivery.state == Delivery.State.FAILED
    assert "private network" in delivery.error


def test_the_end_of_a_study_is_told_once(
    webhook: Webhook, receiver: Receiver, study: Study, administrator: User
) -> None:
    notify_of_ends()
    assert told(receiver) == []

    while answer_all(new_annotator(study)):
        pass
    for _ in range(2):
        notify_of_ends()

    (content,) = told(receiver)
    assert (content["event"], content["votes"]) == ("study.finished", 36)

    raise_votes(study, 4, administrator)
    notify_of_ends()

    assert len(told(receiver)) == 1

    set_state(study, State.CLOSED, administrator)
    notify_of_ends()

    assert [each["state"] for each in told(receiver)] == ["open", "closed"]


def test_a_draft_is_not_finished(webhook: Webhook, study: Study) -> None:
    study.questions.update(answers=3)
    Study.objects.update(state=State.DRAFT)
    notify_of_ends()

    assert not Delivery.objects.exists()


def test_a_result_is_told_once_it_is_ready(
    voted: Study, receiver: Receiver, few_metrics: None
) -> None:
    voted.webhooks.create(url=receiver.url)
    compute.call(request_evaluation(voted).pk)
    (content,) = told(receiver)

    assert (content["event"], content["votes"]) == ("result.ready", 36)


def test_old_messages_are_deleted(webhook: Webhook, settings: Settings) -> None:
    send(webhook, What.TEST)
    old = send(webhook, What.TEST)
    created = timezone.now() - settings.KEEP_TASKS - timedelta(minutes=1)

    Delivery.objects.filter(pk=old.pk).update(created_at=created)
    assert clean_up()["messages to webhooks"] == 1
