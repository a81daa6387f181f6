"""Work that runs while its page is being sent."""

import logging
import threading
import time
from collections.abc import Iterator

import pytest
from django.db import connection, transaction
from django.http import HttpRequest
from django.test import RequestFactory

from analysis.progress import Progress
from annotation.exchange.streaming import watched_page, work_pieces
from annotation.models import Dataset

pytestmark = [pytest.mark.voting, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    before = threading.active_count()
    yield
    assert threading.active_count() == before


@pytest.fixture
def request_() -> HttpRequest:
    return RequestFactory().get("/")


def long(progress: Progress) -> str:
    """Writes a row, and then goes on for many minutes, unless the page is left."""
    with transaction.atomic():
        Dataset.objects.create(name="half")
        for _ in range(200_000):
            progress(0.5, "Half done")
            time.sleep(0.005)
    return "outcome"


def test_a_page_shows_the_steps_and_then_the_outcome() -> None:
    def work(progress: Progress) -> str:
        progress(0.25, "First & foremost")
        progress(0.75, "Second")
        return "<p>outcome</p>"

    head, first, second, outcome, tail = work_pieces("head", work, "tail")
    assert (head, outcome, tail) == ("head", "<p>outcome</p>", "tail")
    assert "First &amp; foremost" in first
    assert 'value="0.250"' in first
    assert 'value="0.750"' in second


def test_the_page_around_the_work_is_whole(request_: HttpRequest) -> None:
    response = watched_page(request_, "Import of <b>", lambda _: "<p>outcome</p>")
    page = response.getvalue().decode()
    assert page.count("<html") == page.count("</html>") == 1
    assert page.index("Import of &lt;b&gt;") < page.index("<p>outcome</p>") < page.index("</main>")


def test_a_piece_is_sent_while_the_work_goes_on() -> None:
    seen = threading.Event()

    def work(progress: Progress) -> str:
        progress(0.5, "Half done")
        assert seen.wait(600)
        return "outcome"

    sent = work_pieces("head", work, "tail")
    next(sent)
    assert "Half done" in next(sent)
    seen.set()
    assert list(sent) == ["outcome", "tail"]


def test_what_the_work_wrote_is_there_when_its_outcome_is_shown() -> None:
    def work(progress: Progress) -> str:
        with transaction.atomic():
            Dataset.objects.create(name="whole")
        return "outcome"

    assert list(work_pieces("head", work, "tail")) == ["head", "outcome", "tail"]
    assert Dataset.objects.get().name == "whole"


def test_a_page_that_is_left_takes_back_what_was_written(
    caplog: pytest.LogCaptureFixture,
) -> None:
    sent = work_pieces("head", long, "tail")
    assert next(sent) == "head"
    assert "Half done" in next(sent)
    sent.close()  # type: ignore[attr-defined]
    assert not Dataset.objects.exists()
    assert [record.levelno for record in caplog.records] == [logging.WARNING]


def test_a_response_that_is_closed_stops_the_work(request_: HttpRequest) -> None:
    response = watched_page(request_, "Title", long)
    content = iter(response)
    next(content)
    next(content)
    response.close()
    assert not Dataset.objects.exists()


def test_a_page_that_is_never_sent_starts_nothing(request_: HttpRequest) -> None:
    response = watched_page(request_, "Title", long)
    response.close()
    assert not Dataset.objects.exists()


def test_a_failure_is_told_without_its_cause_which_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def work(progress: Progress) -> str:
        with transaction.atomic():
            Dataset.objects.create(name="half")
            raise RuntimeError("a secret of the server")

    page = "".join(work_pieces("head", work, "tail"))
    assert "nothing was saved" in page
    assert "secret" not in page
    assert page.endswith("tail")
    assert "a secret of the server" in caplog.text
    assert not Dataset.objects.exists()


def test_the_connection_of_the_work_is_its_own_and_is_closed() -> None:
    seen = []

    def work(progress: Progress) -> str:
        Dataset.objects.exists()
        seen.append(connection.connection)
        return "outcome"

    list(work_pieces("head", work, "tail"))
    (used,) = seen
    assert used is not connection.connection
    with pytest.raises(Exception, match="closed"):
        used.cursor()
