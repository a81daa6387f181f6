"""Pages for long work: what has been done is shown while it is done.

The work runs in a thread with a database connection of its own, and the page is sent piece by
piece, so it needs neither a worker nor JavaScript. Leaving the page stops the work, and what it
had written is rolled back.
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

PLACE = "<!-- the work -->"
SECONDS_PATIENT = 15.0

logger = logging.getLogger(__name__)


class Abandoned(Exception):
    """Nobody is there any more to see the work done."""


def watched_page(
    request: HttpRequest, title: str, work: Callable[[Progress], str]
) -> StreamingHttpResponse:
    """A page that shows the progress of `work`, and then the HTML that it gives."""
    page = render_to_string("base/work.html", {"title": title, "place": PLACE}, request)
    head, tail = page.split(PLACE)
    return StreamingHttpResponse(pieces(head, work, tail))


def pieces(head: str, work: Callable[[Progress], str], tail: str) -> Iterator[str]:
    told: SimpleQueue[str | None] = SimpleQueue()
    abandoned = Event()

    def report(share: float, doing: str) -> None:
        if abandoned.is_set():
            raise Abandoned
        told.put(render_to_string("base/work_step.html", {"share": share, "doing": doing}))

    in_language = override(get_language())  # a thread does not know it
    thread = Thread(target=in_language(run), args=(work, report, told), daemon=True)
    yield head
    try:
        thread.start()
        while (piece := told.get()) is not None:
            yield piece
        yield tail
    finally:
        abandoned.set()
        thread.join(SECONDS_PATIENT)


def run(work: Callable[[Progress], str], report: Progress, told: "SimpleQueue[str | None]") -> None:
    try:
        told.put(work(report))
    except Abandoned:
        logger.warning("The page of a running work was left; nothing was written.")
    except Exception:
        logger.exception("A work on a page failed.")
        told.put(render_to_string("base/work_failed.html"))
    finally:
        connection.close()
        told.put(None)
