"""Every page fits its window, down to 320 pixels, and says no error to the console."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from tercet.annotation.models import Study
from tests.browser.conftest import NewContext, join, log_in

PAGES = (
    "/",
    "/login/",
    "/studies/",
    "/studies/new/",
    "/studies/small-triplet/",
    "/studies/small-triplet/judge/",
    "/datasets/",
    "/datasets/small/",
    "/datasets/upload/",
    "/nothing-here/",
)


def overflow(page: Page) -> int:
    width: int = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return width


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_no_page_scrolls_sideways(
    new_context: NewContext, study: Study, researcher: User, width: int
) -> None:
    page = new_context(viewport={"width": width, "height": 800}).new_page()
    log_in(page, "researcher")
    too_wide = {}

    for path in PAGES:
        page.goto(path)
        if overflow(page) > 0:
            too_wide[path] = overflow(page)

    assert too_wide == {}


def test_a_phone_shows_once_how_much_is_judged(
    new_context: NewContext, study: Study
) -> None:
    page = new_context(viewport={"width": 390, "height": 800}).new_page()
    join(page, study)

    expect(page.locator("#count")).to_have_text(
        "All saved", use_inner_text=True, ignore_case=True
    )
    expect(page.locator("#count .judged")).to_be_hidden()
    expect(page.get_by_text("0 of up to")).to_be_visible()


def test_the_pages_for_annotators_run_without_an_error(
    new_context: NewContext, study: Study
) -> None:
    page = new_context().new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on(
        "console",
        lambda line: errors.append(line.text) if line.type == "error" else None,
    )
    join(page, study)
    page.keyboard.press("1")

    page.wait_for_load_state()
    assert errors == []
