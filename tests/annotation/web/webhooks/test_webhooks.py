"""The page of a study's webhooks."""

import pytest
from django.test import Client
from django.urls import reverse
from django_tasks_db.models import DBTaskResult

from tercet.annotation.models import Study, Webhook
from tercet.annotation.models.operations.webhook import What
from tercet.annotation.tasks import compute
from tercet.annotation.webhooks.delivery import deliver, send

pytestmark = pytest.mark.django_db

URL = "https://hooks.example.org/tercet"


def add(office: Client, study: Study, url: str = URL) -> str:
    answer = office.post(reverse("study_webhooks", args=[study.name]), {"url": url})
    return answer.getvalue().decode()


def act(office: Client, name: str, webhook: Webhook) -> str:
    address = reverse(name, args=[webhook.study.name, webhook.pk])
    return office.post(address, follow=True).getvalue().decode()


def test_a_secret_is_shown_once(office: Client, study: Study) -> None:
    shown = add(office, study)
    secret = study.webhooks.get().secret

    assert secret in shown

    page = office.get(reverse("study_webhooks", args=[study.name])).getvalue().decode()
    assert URL in page
    assert secret not in page

    details = study.events.get(what="added webhook").details
    assert details == {"url": "https://hooks.example.org"}  # the rest may be a secret


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("http://hooks.example.org/", "begins with https://"),
        ("", "This field is required."),
        (URL, "The study has a webhook with this address."),
    ],
)
def test_what_is_wrong_with_an_address_is_said(
    office: Client, study: Study, url: str, message: str
) -> None:
    study.webhooks.create(url=URL)
    assert message in add(office, study, url)


def test_a_study_has_few_webhooks(office: Client, study: Study) -> None:
    for number in range(5):
        add(office, study, f"{URL}/{number}")
    assert "at most 5 webhooks" in add(office, study)


def test_a_test_message_is_sent(
    office: Client, study: Study, django_capture_on_commit_callbacks: object
) -> None:
    webhook = study.webhooks.create(url=URL)
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        shown = act(office, "study_webhook_test", webhook)

    assert "A test message is on its way." in shown
    assert (
        DBTaskResult.objects.filter(
            task_path="tercet.annotation.webhooks.delivery.deliver"
        ).count()
        == 1
    )


def test_a_test_waits_for_the_one_before(office: Client, study: Study) -> None:
    webhook = study.webhooks.create(url=URL)
    for _ in range(3):
        act(office, "study_webhook_test", webhook)

    assert webhook.deliveries.count() == 1

    webhook.deliveries.update(state="failed")
    act(office, "study_webhook_test", webhook)

    assert webhook.deliveries.count() == 2


def test_a_slow_receiver_keeps_no_results_waiting() -> None:
    assert deliver.priority < compute.priority


def test_a_removed_webhook_takes_its_messages_along(
    office: Client, study: Study
) -> None:
    webhook = study.webhooks.create(url=URL)
    send(webhook, What.TEST)

    assert "The webhook is removed." in act(office, "study_webhook_remove", webhook)
    assert not Webhook.objects.exists()


def test_the_latest_messages_are_listed(office: Client, study: Study) -> None:
    delivery = send(study.webhooks.create(url=URL), What.TEST)
    delivery.state, delivery.error, delivery.attempts = "failed", "<no answer>", 6
    delivery.save()

    page = office.get(reverse("study_webhooks", args=[study.name])).getvalue().decode()
    assert "&lt;no answer&gt;" in page
    assert "failed" in page
