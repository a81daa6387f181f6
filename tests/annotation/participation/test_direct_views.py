"""Votes that pass the middleware of sessions and accounts by: on SQLite and on PostgreSQL."""

import json
from typing import Any

import psycopg
import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from tercet.annotation.models import Answer, Study
from tercet.annotation.permissions import cookie_name
from tests.annotation.judging.children import database_url

pytestmark = [pytest.mark.voting, pytest.mark.django_db]
END_SESSION = "SELECT pg_terminate_backend(%s)"


@pytest.fixture
def browser(study: Study) -> Client:
    """Somebody who came by the join link."""
    browser = Client()
    browser.post(reverse("join", args=[study.join_code]))
    return browser


def send(browser: Client, study: Study, *keys: str, **more: Any) -> Any:
    """Send votes; give the response."""
    deeds = [{"do": "vote", "key": key, "side": "left"} for key in keys]
    address = reverse("sync", args=[study.name])
    message = json.dumps({"deeds": deeds})
    return browser.post(address, message, content_type="application/json", **more)


def test_a_vote_of_a_cookie_needs_no_session_and_that_of_an_account_does(
    browser: Client, person: User, study: Study
) -> None:
    response = send(browser, study)
    assert response.json()["order"]
    assert not hasattr(response.wsgi_request, "session")
    assert response["Content-Length"] == str(len(response.content))
    assert "Content-Security-Policy" in response

    account = Client()
    account.force_login(person)
    assert hasattr(send(account, study).wsgi_request, "session")


def test_a_forged_cookie_is_nobody(browser: Client, study: Study) -> None:
    name = cookie_name(study.name)
    browser.cookies[name] = str(browser.cookies[name].value).replace(":", ":x")
    assert send(browser, study).json() == {"taken": [], "login": True}


def test_a_vote_of_a_cookie_is_refused_as_others_are(
    browser: Client, study: Study, settings: Settings
) -> None:
    assert (
        send(browser, study, headers={"host": "elsewhere.example"}).status_code == 400
    )
    assert browser.get(reverse("sync", args=[study.name])).status_code == 405

    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 5
    assert send(browser, study).status_code == 413
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 5_000
    assert send(browser, study).status_code == 200


@pytest.mark.django_db(transaction=True)
def test_a_vote_outlives_the_connection_to_the_database(
    browser: Client, study: Study
) -> None:
    first, *_others = send(browser, study).json()["order"]
    end_session()

    response = send(browser, study, first)
    assert response.json()["taken"] == ["saved"]
    assert Answer.objects.get().key


def end_session() -> None:
    """Let the server end the session of this process; SQLite has none."""
    if connection.vendor == "postgresql":
        process = connection.connection.info.backend_pid
        with psycopg.connect(database_url(), autocommit=True) as other:
            other.execute(END_SESSION, [process])
