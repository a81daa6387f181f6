"""Watch requests: an id for each, an entry in the log, and the time it took."""

import logging
import re
import uuid
from time import perf_counter

from django.http import HttpRequest, HttpResponseBase
from prometheus_client import Histogram

from tercet.annotation.requests import Respond
from tercet.config.logs import request_id

HEADER = "X-Request-ID"
VALID_ID = re.compile(r"[\w.-]{1,64}", re.ASCII)
BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
SECONDS = Histogram(
    "tercet_request_seconds",
    "Time until the response to a request began.",
    ("method", "route", "status"),
    buckets=BUCKETS,
)

logger = logging.getLogger("tercet.requests")


def monitor(get_response: Respond) -> Respond:
    """Log and time each request under its id, which the response says, too.

    Addresses are not logged, as those of personal links are secret, but their routes.
    """

    def respond(request: HttpRequest) -> HttpResponseBase:
        given = request.headers.get(HEADER, "")
        token = request_id.set(given if VALID_ID.fullmatch(given) else uuid.uuid4().hex)
        start = perf_counter()
        try:
            response = get_response(request)
            _record(request, response, perf_counter() - start)
            response.headers[HEADER] = request_id.get()
        finally:
            request_id.reset(token)

        return response

    return respond


def _record(request: HttpRequest, response: HttpResponseBase, seconds: float) -> None:
    match = request.resolver_match
    fields = {
        "method": request.method if request.method in METHODS else "other",
        "route": match.route if match else "unknown",
        "status": response.status_code,
    }

    SECONDS.labels(**fields).observe(seconds)
    fields["milliseconds"] = round(seconds * 1000, 1)
    logger.info("request", extra={"fields": fields})


METHODS = {"GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE"}
