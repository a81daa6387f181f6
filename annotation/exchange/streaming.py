"""Pages for long work, which show its progress while it runs.

The work runs in a thread with its own database connection, and the page is sent in pieces, so it
needs neither a worker process nor JavaScript. Leaving the page stops the work and rolls it back.
"""

import logging
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from threading import Event, Thread

from django.db import connection
from django.http import HttpRequest, StreamingHttpResponse
from django.template.loader import render_to_string
from django.utils.translation import get_language, override

from analysis.progress import Progress

PLACEHOLDER = "<!-- the work -->"
STOP_TIMEOUT = 15.0
"""Seconds to wait for the thread to stop after the page was left."""

Work = Callable[[Progress], str]
"""Reports its progress, and returns the HTML of its result."""

logger = logging.getLogger(__name__)


class Abandoned(Exception):
    """The page was left, so the work must stop."""


def watched_page(
    request: HttpRequest, title: str, work: Work
) -> StreamingHttpResponse:
    """Send a page that shows the progress of `work`, and then its result."""
    context = {"title": title, "place": PLACEHOLDER}
    head, tail = render_to_string("base/work.html", context, request).split(
        PLACEHOLDER
    )
    return StreamingHttpResponse(work_pieces(head, work, tail))


def work_pieces(head: str, work: Work, tail: str) -> Iterator[str]:
    """Yield a page in pieces: its head, the progress and result of the work, and its tail."""
    pieces: SimpleQueue[str | None] = SimpleQueue()
    abandoned = Event()

    def report(share: float, doing: str) -> None:
        if abandoned.is_set():
            raise Abandoned
        pieces.put(
            render_to_string(
                "base/work_step.html", {"share": share, "doing": doing}
            )
        )

    in_language = override(get_language())  # threads do not inherit it
    thread = Thread(
        target=in_language(_run), args=(work, report, pieces), daemon=True
    )
    yield head

    try:
        thread.start()
        while (piece := pieces.get()) is not None:
            yield piece
        yield tail
    finally:
        abandoned.set()
        thread.join(STOP_TIMEOUT)


def _run(
    work: Work, report: Progress, pieces: "SimpleQueue[str | None]"
) -> None:
    """Run the work, and put its result or an error message; None marks the end."""
    try:
        pieces.put(work(report))
    except Abandoned:
        logger.warning(
            "The page of a running work was left; nothing was written."
        )
    except Exception:
        logger.exception("The work of a page failed.")
        pieces.put(render_to_string("base/work_failed.html"))
    finally:
        connection.close()
        pieces.put(None)
