"""Requests that are watched: their ids, log entries and metrics."""

import logging
from typing import Any

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from tercet.config.logs import request_id

pytestmark = pytest.mark.django_db

TOKEN = "a token of these tests"


@pytest.fixture
def monitored(settings: Settings) -> Client:
    settings.MIDDLEWARE = ["tercet.config.monitoring.monitor", *settings.MIDDLEWARE]
    settings.METRICS_TOKEN = TOKEN
    return Client(headers={"Authorization": f"Bearer {TOKEN}"})


@pytest.fixture
def logged(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The fields of the entries, each with the id under which it was made."""
    entries: list[dict[str, Any]] = []

    def info(message: str, extra: dict[str, Any]) -> None:
        entries.append(extra["fields"] | {"id": request_id.get()})

    monkeypatch.setattr(logging.getLogger("tercet.requests"), "info", info)
    return entries


def test_each_request_is_logged_once_with_its_id(
    monitored: Client, logged: list[dict[str, Any]]
) -> None:
    answer = monitored.get("/login/")
    other = monitored.get("/login/")

    assert answer["X-Request-ID"] != other["X-Request-ID"]
    assert [each["id"] for each in logged] == [
        answer["X-Request-ID"],
        other["X-Request-ID"],
    ]
    assert (logged[0]["method"], logged[0]["route"], logged[0]["status"]) == (
        "GET",
        "login/",
        200,
    )
    assert request_id.get() == ""


def test_secrets_in_addresses_are_not_logged(
    monitored: Client, logged: list[dict[str, Any]]
) -> None:
    monitored.get("/me/a-personal-link/")
    assert logged[0]["route"] == "me/<slug:token>/"


@pytest.mark.parametrize(
    ("given", "kept"),
    [("abc-1.2_3", True), ("x" * 65, False), ("a b", False), ("é", False)],
)
def test_an_id_of_the_proxy_is_kept_if_it_is_one(
    monitored: Client, given: str, kept: bool
) -> None:
    answer = monitored.get("/login/", headers={"X-Request-ID": given})
    assert (answer["X-Request-ID"] == given) is kept


def test_metrics_tell_of_requests_checks_and_work(monitored: Client) -> None:
    monitored.get("/login/")
    monitored.generic("BREW", "/nowhere/")
    told = monitored.get("/metrics").content.decode()

    assert (
        'tercet_request_seconds_count{method="GET",route="login/",status="200"}' in told
    )
    assert (
        'tercet_request_seconds_count{method="other",route="unknown",status="404"}'
        in told
    )
    assert 'tercet_check{check="database"} 1.0' in told

    assert "tercet_tasks_waiting 0.0" in told
    assert "tercet_workers 0.0" in told


@pytest.mark.parametrize(
    ("token", "sent", "status"),
    [("", "", 404), ("", "Bearer ", 404), (TOKEN, "", 403), (TOKEN, "Bearer é", 403)],
)
def test_metrics_are_for_who_has_the_token(
    settings: Settings, token: str, sent: str, status: int
) -> None:
    settings.METRICS_TOKEN = token
    assert Client(headers={"Authorization": sent}).get("/metrics").status_code == status
