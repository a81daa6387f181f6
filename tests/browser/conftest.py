"""Chromium, driven against the site on a loopback port."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from pytest_django.live_server_helper import LiveServer

from analysis.folder import load
from annotation.importing import import_dataset
from annotation.models import Study
from annotation.triplets import create_study
from tests.folders import dataset_folder

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

NewContext = Callable[..., BrowserContext]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    chromium = shutil.which("chromium")
    if chromium is None:
        reason = "No Chromium: the browser tests did not run (Debian: apt-get install chromium)"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    expect.set_options(timeout=30_000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def new_context(browser: Browser, live_server: LiveServer) -> Iterator[NewContext]:
    """Makes browsers of different people, each with cookies of its own."""
    contexts: list[BrowserContext] = []

    def make(**options: object) -> BrowserContext:
        context = browser.new_context(base_url=live_server.url, **options)  # type: ignore[arg-type]
        context.set_default_timeout(30_000)
        contexts.append(context)
        return context

    yield make
    for context in contexts:
        context.close()


@pytest.fixture
def page(new_context: NewContext) -> Page:
    return new_context().new_page()


@pytest.fixture
def study(transactional_db: None, tmp_path: Path) -> Study:
    """Twelve triplets over two images, three votes each."""
    folder = dataset_folder(tmp_path / "small")
    dataset = import_dataset(load(folder), "small", folder)
    return create_study(Study(dataset=dataset, title="Small study", steps=[]))


@pytest.fixture
def researcher(transactional_db: None) -> User:
    return User.objects.create_user("researcher", password=PASSWORD, is_staff=True)


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


def settled(page: Page) -> None:
    """Wait until the question on the page can be answered."""
    page.wait_for_function("document.getAnimations().length === 0")


def press(page: Page, key: str) -> None:
    settled(page)
    page.keyboard.press(key)


def judged(page: Page, votes: int) -> None:
    expect(page.locator("#count")).to_have_text(f"{votes} judged, all saved")
