"""Errors that are reported to Sentry, without anything about people."""

import sys
from typing import Any

import pytest
import sentry_sdk
from django.core.exceptions import ImproperlyConfigured
from sentry_sdk.envelope import Envelope
from sentry_sdk.transport import Transport

from tercet.config import error_reports
from tercet.config.logs import request_id

DSN = "https://key@sentry.example.org/1"


class Sent(Transport):
    def __init__(self) -> None:
        super().__init__()
        self.events: list[Any] = []

    def capture_envelope(self, envelope: Envelope) -> None:
        self.events.append(envelope.get_event())


def test_a_report_says_what_failed_but_not_who_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sent = Sent()
    options: dict[str, Any] = {}
    monkeypatch.setattr(
        sentry_sdk, "init", lambda dsn, **given: options.update(given, dsn=dsn)
    )
    error_reports.start(DSN)
    client = sentry_sdk.Client(**options, transport=sent, default_integrations=False)

    event: Any = {
        "message": "It failed.",
        "request": {
            "url": "https://tercet.example.org/me/secret/",
            "cookies": {"a": "b"},
        },
        "user": {"ip_address": "192.0.2.1"},
    }
    token = request_id.set("abc")
    client.capture_event(event)
    request_id.reset(token)

    (report,) = sent.events
    assert report["message"] == "It failed."
    assert report["tags"] == {"request_id": "abc"}

    assert not {"request", "user", "breadcrumbs", "server_name"} & set(report)
    assert options["include_local_variables"] is False


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentry_sdk", None)
    with pytest.raises(ImproperlyConfigured, match=r"pip install 'tercet\[sentry\]'"):
        error_reports.start(DSN)
