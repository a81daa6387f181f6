"""Judging in Chromium: keys, touch, no JavaScript, double clicks."""

import re

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Study, Vote
from annotation.models.vote import Side
from tests.browser.conftest import NewContext, join


def judged(page: Page, votes: int) -> None:
    expect(page.get_by_role("status")).to_contain_text(f"{votes} judged, all saved")


@pytest.mark.parametrize(
    ("key", "side"), [("1", "left"), ("ArrowLeft", "left"), ("2", "right"), ("ArrowRight", "right")]
)
def test_a_key_chooses_the_sentence_on_its_side(
    page: Page, study: Study, key: str, side: str
) -> None:
    join(page, study)
    page.keyboard.press(key)
    judged(page, 1)
    cast = Vote.objects.get()
    assert cast.choice == ("B" if cast.b_side == side else "C")


def test_the_sides_on_the_page_are_those_that_are_stored(page: Page, study: Study) -> None:
    join(page, study)
    left = page.get_by_role("button").filter(has=page.locator(".caption")).first.inner_text()
    page.keyboard.press("1")
    judged(page, 1)
    cast = Vote.objects.get()
    pair = cast.triplet.pair
    assert cast.choice == ("B" if pair.b.caption in left else "C")
    assert cast.b_side == (Side.LEFT if pair.b.caption in left else Side.RIGHT)


def test_u_takes_the_last_vote_back_and_asks_again(page: Page, study: Study) -> None:
    join(page, study)
    question = page.locator("form.options").inner_text()
    page.keyboard.press("1")
    judged(page, 1)
    page.keyboard.press("u")
    expect(page.get_by_role("status")).to_contain_text("Nothing judged yet")
    assert page.locator("form.options").inner_text() == question
    assert Vote.objects.valid().count() == 0


def test_a_reload_changes_nothing(page: Page, study: Study) -> None:
    join(page, study)
    before = page.locator(".judge").inner_text()
    page.reload()
    assert page.locator(".judge").inner_text() == before


def test_the_question_mark_shows_the_keys(page: Page, study: Study) -> None:
    join(page, study)
    page.keyboard.press("?")
    expect(page.get_by_text("undo the last vote", exact=True)).to_be_visible()


def test_a_held_key_and_a_double_click_vote_once(page: Page, study: Study) -> None:
    join(page, study)
    page.locator("button.option").first.dblclick()
    judged(page, 1)
    page.evaluate(
        "dispatchEvent(new KeyboardEvent('keydown', {key: '1', repeat: true, bubbles: true}))"
    )
    page.wait_for_timeout(300)
    judged(page, 1)


def test_a_key_with_a_modifier_is_left_to_the_browser(page: Page, study: Study) -> None:
    join(page, study)
    page.keyboard.press("Control+1")
    page.wait_for_timeout(300)
    expect(page.get_by_role("status")).to_contain_text("Nothing judged yet")


def test_it_works_without_javascript(new_context: NewContext, study: Study) -> None:
    page = new_context(java_script_enabled=False).new_page()
    join(page, study)
    for votes in range(1, 13):
        page.locator("button.option").first.click()
        expect(page.get_by_text(re.compile(rf"\b{votes} (judged|questions)"))).to_be_visible()
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    judged(page, 11)


def test_two_tabs_show_the_same_question_and_give_one_vote(
    new_context: NewContext, study: Study
) -> None:
    context = new_context()
    first, second = context.new_page(), context.new_page()
    join(first, study)
    second.goto(first.url)
    assert first.locator(".judge").inner_text() == second.locator(".judge").inner_text()
    first.keyboard.press("1")
    judged(first, 1)
    second.keyboard.press("2")
    judged(second, 1)
    assert Vote.objects.count() == 1


def test_a_browser_that_comes_back_goes_on_as_the_same_person(
    new_context: NewContext, study: Study
) -> None:
    context = new_context()
    page = context.new_page()
    join(page, study)
    page.keyboard.press("1")
    judged(page, 1)
    page.goto(f"/join/{study.join_code}/")
    judged(page, 1)
    assert study.annotators.count() == 1


def test_on_a_phone_the_sentences_are_stacked_and_answered_by_touch(
    new_context: NewContext, study: Study
) -> None:
    page = new_context(viewport={"width": 390, "height": 844}, has_touch=True).new_page()
    join(page, study)
    first, second = (page.locator("button.option").nth(i).bounding_box() for i in range(2))
    assert first is not None
    assert second is not None
    assert second["y"] >= first["y"] + first["height"]
    page.locator("button.option").first.tap()
    judged(page, 1)
