"""Report errors to Sentry, where SENTRY_DSN is set."""

from typing import Any

from django.core.exceptions import ImproperlyConfigured

from tercet.config.logs import request_id

OPTIONS: dict[str, Any] = {
    "include_local_variables": False,
    "max_request_body_size": "never",
    "max_breadcrumbs": 0,
}
"""Reports hold no sentence, address or name: only the error and where it was raised."""


def start(dsn: str) -> None:
    """Report errors of this process from now on."""
    try:
        import sentry_sdk
    except ModuleNotFoundError:
        raise ImproperlyConfigured(
            "SENTRY_DSN is set, but sentry-sdk is missing: run pip install 'tercet[sentry]'."
        ) from None

    sentry_sdk.init(dsn, before_send=without_request, **OPTIONS)


def without_request(event: Any, hint: object) -> Any:
    """Remove what says who sent the request and where to, as addresses may be personal links."""
    for key in ("request", "user", "breadcrumbs", "server_name"):
        event.pop(key, None)

    event["tags"] = {"request_id": request_id.get()}
    return event
