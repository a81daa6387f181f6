"""Chromium, driven against the site on a loopback port."""

import io
import os
import shutil
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from shutil import copytree

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.utils import timezone
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    expect,
    sync_playwright,
)
from playwright.sync_api import Error as PlaywrightError
from pytest_django.live_server_helper import LiveServer

from tercet.analysis.dataset.folder import load
from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.evaluation.pair_scores import write_pair_scores
from tercet.analysis.report.folder import write_report
from tercet.analysis.scoring.options import Options
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.judging.annotators import new_annotator
from tercet.annotation.judging.answers import vote
from tercet.annotation.judging.leases import claim
from tercet.annotation.models import Evaluation, Study
from tercet.annotation.models.answer import Side
from tercet.annotation.models.computation import JobState
from tercet.annotation.results import tasks
from tercet.annotation.results.digests import digest_of
from tercet.annotation.studies.creation import create_study
from tercet.config.security import POLICY
from tests.support.drawing import draw_nothing
from tests.support.folders import dataset_folder, three_votes
from tests.support.once import once

PROGRAMS = ("chromium-headless-shell", "chromium")
"""The first one that there is: without windows, Chromium takes half of the time for a page."""
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PASSWORD = "a password for tests"
PATIENCE = 180_000
"""Milliseconds after which a page is taken for hanging, however busy the machine is."""
FEW = Options(metrics=("CIDEr-D", "BLEU-4", "length"), resamples=50, flips=19)

NewContext = Callable[..., BrowserContext]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    chromium = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if chromium is None:
        reason = "No Chromium: the browser tests did not run (Debian: apt-get install chromium)"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)

    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield browser

        browser.close()


@pytest.fixture
def new_context(browser: Browser, live_server: LiveServer) -> Iterator[NewContext]:
    """Makes browsers of different people, each with cookies of its own."""
    contexts: list[BrowserContext] = []
    violations: list[str] = []

    def listen(message: ConsoleMessage) -> None:
        is_of_site = any(directive in message.text for directive in POLICY.split("; "))
        if "Content Security Policy" in message.text and is_of_site:
            violations.append(message.text)

    def make(**options: object) -> BrowserContext:
        given = {"base_url": live_server.url, "service_workers": "block"} | options
        context = browser.new_context(**given)  # type: ignore[arg-type]
        context.set_default_timeout(PATIENCE)
        context.on("console", listen)
        contexts.append(context)

        return context

    yield make
    for context in contexts:
        context.close()

    assert not violations


@pytest.fixture
def page(new_context: NewContext) -> Page:
    return new_context().new_page()


def page_of(new_context: NewContext, person: str) -> Page:
    """A page of a person with a network of their own, where the site trusts one proxy."""
    address = f"192.0.2.{ord(person[0])}"
    return new_context(extra_http_headers={"X-Forwarded-For": address}).new_page()


@pytest.fixture
def study(transactional_db: None, tmp_path: Path) -> Study:
    """Twelve questions over two images, three votes each."""
    folder = dataset_folder(tmp_path / "small")
    dataset = import_dataset(load(folder), "small", folder)
    return create_study(Study(dataset=dataset, title="Small study", steps=[]))


@pytest.fixture
def researcher(transactional_db: None) -> User:
    return User.objects.create_user("researcher", password=PASSWORD, is_staff=True)


def work() -> None:
    """Do what waits for the background worker."""
    call_command(
        "db_worker", "--batch", "-v0", "--no-startup-delay", stdout=io.StringIO()
    )


def add_votes(study: Study, number: int) -> None:
    person = new_annotator(study)
    for _ in range(number):
        lease = claim(person)
        assert lease is not None
        vote(lease.key, Side.LEFT)


@pytest.fixture(scope="session")
def results(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of one vote on every question of the small study, computed once."""

    def write(report: Path) -> None:
        folder = dataset_folder(
            tmp_path_factory.mktemp("study") / "voted", votes=three_votes("B")
        )
        evaluated = evaluate(load(folder), FEW)
        write_report(evaluated, report)
        write_pair_scores(evaluated, report)

    return once(shared / "browser-results", write)


@pytest.fixture
def few_metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    """Evaluations of the site with the options of `results`, which do not take long."""
    monkeypatch.setattr(tasks, "DEFAULTS", FEW)


@pytest.fixture
def no_drawings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports whose plots are files without a drawing."""
    draw_nothing(monkeypatch)


@pytest.fixture
def evaluated(
    study: Study,
    researcher: User,
    results: Path,
    few_metrics: None,
    no_drawings: None,
    monkeypatch: pytest.MonkeyPatch,
) -> Study:
    """A study with one person's votes and a report of them; the next may be asked for at once."""
    monkeypatch.setattr(tasks, "PAUSE", timedelta(0))
    add_votes(study, 12)
    done = Evaluation.objects.create(
        study=study,
        state=JobState.DONE,
        progress=1,
        votes=12,
        digest=digest_of(study),
        finished_at=timezone.now(),
    )
    copytree(results, done.folder, dirs_exist_ok=True)

    return study


def log_in(page: Page, name: str) -> None:
    page.goto("/login/")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url("**/studies/")


def join(page: Page, study: Study) -> None:
    """Follow the study's join link."""
    page.goto(f"/join/{study.join_code}/")
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url("**/judge/")


def open_group(page: Page, title: str) -> None:
    """Go to a group of settings."""
    index = page.get_by_role("navigation", name="Groups of settings")
    index.get_by_role("link", name=title).click()
    expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible()


def settled(page: Page) -> None:
    """Wait until the question on the page can be answered.

    `wait_for_function` would need a page whose policy allows `eval`.
    """
    for _ in range(PATIENCE // 20):
        if _is_settled(page):
            return
        page.wait_for_timeout(20)

    raise AssertionError("The page did not come to rest.")


def _is_settled(page: Page) -> bool:
    script = (
        "document.readyState === 'complete' && document.getAnimations().length === 0"
    )

    try:
        return bool(page.evaluate(script))
    except PlaywrightError:  # the page is being left for the next
        return False


def copied(page: Page) -> str:
    """The text in the clipboard, once there is one: the browser holds it outside the page."""
    settled(page)
    for _ in range(PATIENCE // 20):
        if text := str(page.evaluate("navigator.clipboard.readText()")):
            return text
        page.wait_for_timeout(20)

    return ""


def press(page: Page, key: str) -> None:
    settled(page)
    page.keyboard.press(key)


def judged(page: Page, votes: int) -> None:
    expect(page.locator("#count")).to_have_text(f"{votes} judged, all saved")
