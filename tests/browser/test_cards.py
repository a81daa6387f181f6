"""Pages about single people and pairs: cards on a phone, captions to click, the first screen."""

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from tercet.annotation.models import Study
from tercet.annotation.models.study import Outcome
from tests.browser.conftest import NewContext, log_in
from tests.browser.test_layout import overflow

STUDY = "/studies/small-triplet/"


@pytest.mark.parametrize("path", ["quality/", "progress/", "pay/"])
def test_a_person_is_a_card_on_a_phone_with_all_values(
    new_context: NewContext, evaluated: Study, path: str
) -> None:
    evaluated.annotators.update(outcome=Outcome.DONE, finished_at=timezone.now())
    page = new_context(viewport={"width": 390, "height": 844}).new_page()
    log_in(page, "researcher")
    page.goto(STUDY + path)

    table = page.locator("table.cards").first
    person = table.locator("tbody tr").first
    expect(person).to_have_css("display", "grid")
    values = person.locator("td[data-head]:visible")
    assert values.count() >= 7

    for value in values.all():
        head = value.evaluate("cell => getComputedStyle(cell, '::before').content")
        assert head == f'"{value.get_attribute("data-head")}"'
        box = value.bounding_box()
        assert box
        assert box["x"] + box["width"] <= 390

    card = person.bounding_box()
    assert card
    assert card["height"] <= 290
    assert overflow(page) == 0


def test_gold_is_chosen_by_clicking_the_caption(page: Page, evaluated: Study) -> None:
    log_in(page, "researcher")
    page.goto(f"{STUDY}gold/")
    question = page.locator(".choices-of-gold li").first
    caption = question.get_by_role("button").last
    text = caption.locator("[dir]").inner_text()
    caption.click()

    chosen = page.get_by_role("region", name="Gold questions").get_by_role("row").nth(1)
    expect(chosen.get_by_role("cell").nth(1)).to_have_text(f"C {text}")
    pair = evaluated.questions.get(gold="C").pair
    assert pair
    assert pair.c.caption == text


def test_who_wins_and_both_captions_are_on_the_first_screen_of_a_pair(
    page: Page, evaluated: Study
) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    log_in(page, "researcher")
    pair = evaluated.dataset.pairs.earliest("pk")
    page.goto(f"{STUDY}pairs/{pair.pk}/")

    expect(
        page.get_by_role("heading", name="metrics with a preference")
    ).to_be_in_viewport(ratio=1)
    for caption in page.locator(".candidate").all():
        expect(caption).to_be_in_viewport(ratio=1)

    assert page.evaluate("document.documentElement.scrollHeight") <= 1600
    page.get_by_text("Votes by reference").click()
    votes = page.get_by_role("region", name="Votes by reference")
    expect(votes.get_by_role("columnheader", name="Votes for B")).to_be_visible()
