"""Tell the webhooks of studies what happened; the background worker delivers it."""

import hmac
import json
import time
from datetime import timedelta
from functools import partial
from hashlib import sha256

from django.db import transaction
from django.utils import timezone
from django_tasks import task

from tercet.annotation.models import Delivery, Study, Webhook
from tercet.annotation.models.operations.webhook import LONGEST_ERROR, What
from tercet.annotation.models.study import State
from tercet.annotation.posting import NotAllowed, NotSent, post

LATER = -10
"""The priority of messages: a slow receiver keeps no result waiting that is already due."""
PAUSES = [
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=8),
]
"""How long to wait after each attempt that failed; the one after the last is the final one."""


def notify(study: Study, what: What, **details: object) -> None:
    """Send a message to all webhooks of a study, in the background."""
    for webhook in study.webhooks.all():
        send(webhook, what, **details)


def send(webhook: Webhook, what: What, **details: object) -> Delivery:
    """Send a message to one webhook, in the background."""
    study = webhook.study
    content = {
        "event": what,
        "study": study.name,
        "title": study.title,
        "state": study.state,
        "at": timezone.now().isoformat(),
    }
    delivery = Delivery.objects.create(
        webhook=webhook, what=what, content=content | details
    )

    transaction.on_commit(partial(deliver.enqueue, delivery.pk))
    return delivery


def notify_of_ends() -> None:
    """Notify webhooks once that their study is finished: closed, or with all votes.

    They are notified again after a study that takes votes again.
    """
    studies = Study.objects.exclude(state=State.DRAFT)
    webhooks = Webhook.objects.filter(study__in=studies)
    for webhook in webhooks.select_related("study"):
        is_over = is_finished(webhook.study)
        if is_over == webhook.knows_end:
            continue

        with transaction.atomic():
            unchanged = Webhook.objects.filter(
                pk=webhook.pk, knows_end=webhook.knows_end
            )
            if unchanged.update(knows_end=is_over) and is_over:
                votes = webhook.study.questions.progress()["votes"]
                send(webhook, What.FINISHED, votes=votes)


def is_finished(study: Study) -> bool:
    """Return whether a study has ended: it is closed, or has all votes that it needs."""
    if study.state == State.CLOSED:
        return True

    missing = study.questions.lacking()
    return not missing.exists()


@task(priority=LATER)
def deliver(pk: int) -> None:
    """Deliver a message; after a failure, try again later, a limited number of times."""
    delivery = Delivery.objects.select_related("webhook").filter(pk=pk).first()
    if delivery is None or delivery.state != Delivery.State.WAITING:
        return

    delivery.attempts += 1
    delivery.tried_at = timezone.now()
    delivery.status = None
    delivery.error = ""
    may_retry = delivery.attempts <= len(PAUSES)

    try:
        delivery.status = _post(delivery)
    except (NotSent, NotAllowed) as error:
        delivery.error = str(error)[:LONGEST_ERROR]
        may_retry = may_retry and isinstance(error, NotSent)

    if delivery.status is not None and 200 <= delivery.status < 300:
        delivery.state = Delivery.State.DELIVERED
    elif not may_retry:
        delivery.state = Delivery.State.FAILED

    with transaction.atomic():
        delivery.save()
        if delivery.state == Delivery.State.WAITING:
            due = timezone.now() + PAUSES[delivery.attempts - 1]
            deliver.using(run_after=due).enqueue(delivery.pk)


def _post(delivery: Delivery) -> int:
    """Post a message with its signature; returns the status of the answer."""
    body = json.dumps(delivery.content, ensure_ascii=False).encode()
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Tercet",
        "Tercet-Event": delivery.what,
        "Tercet-Delivery": str(delivery.key),
        "Tercet-Signature": signature(delivery.webhook.secret, body, int(time.time())),
    }
    return post(delivery.webhook.url, body, headers)


def signature(secret: str, body: bytes, at: int) -> str:
    """Return the header by which a receiver verifies who sent a body, and when.

    Parameters
    ----------
    secret
        The secret of the webhook.
    body
        What is sent.
    at
        The time in seconds since 1970, UTC.
    """
    text = f"{at}.".encode() + body
    digest = hmac.new(secret.encode(), text, sha256).hexdigest()

    return f"t={at},v1={digest}"
