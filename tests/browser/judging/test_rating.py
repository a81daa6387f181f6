"""Rating in Chromium: keys and sliders; what all kinds have in common is in `test_kinds`."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tercet.analysis.dataset.folder import load
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.judging.kinds.rating_texts import PRESETS
from tercet.annotation.models import Answer, Study
from tercet.annotation.models.study import LinkUsers
from tercet.annotation.studies.creation import create_study
from tests.annotation.judging.kinds.test_rating import TWO
from tests.browser.conftest import NewContext, join, judged, press, settled
from tests.support.folders import dataset_folder


@pytest.fixture
def study(transactional_db: None, tmp_path: Path) -> Study:
    """Ten captions of two images, with one scale of grades."""
    captions = [
        (image, f"{image} number {number}", "net")
        for image in ("dog", "cat")
        for number in range(5)
    ]
    folder = dataset_folder(tmp_path / "rated", candidates=captions)
    dataset = import_dataset(load(folder), "rated", folder)
    return create_study(
        Study(
            dataset=dataset,
            protocol="rating",
            title="How good?",
            steps=[],
            link_users=LinkUsers.PLACE,
            enforced_seconds=0,
        )
    )


def rate(page: Page, study: Study, aspects: str, **settings: object) -> None:
    Study.objects.update(aspects=aspects, **settings)
    join(page, study)


def test_one_press_gives_a_grade_and_the_next_caption_appears(
    page: Page, study: Study
) -> None:
    rate(page, study, PRESETS["flickr8k-expert"])
    first = page.locator("#caption").inner_text()
    press(page, "3")
    judged(page, 1)

    answer = Answer.objects.get()
    assert answer.content == [["quality", 3]]
    assert (
        str(answer.question.candidate) == first != page.locator("#caption").inner_text()
    )
    settled(page)
    page.locator(".grade", has_text="unrelated").click()
    judged(page, 2)
    press(page, "9")
    press(page, "u")
    expect(page.locator("#status")).to_have_text("Last answer undone.")
    assert Answer.objects.valid().count() == 1


def test_digits_go_from_scale_to_scale_and_enter_saves(
    page: Page, study: Study
) -> None:
    rate(page, study, PRESETS["coco-m3-m4"])
    settled(page)
    page.keyboard.press("4")
    page.keyboard.press("2")
    assert not Answer.objects.exists()
    page.keyboard.press("Enter")
    judged(page, 1)
    assert Answer.objects.get().content == [["correctness", 4], ["detail", 2]]

    settled(page)
    page.keyboard.press("5")
    page.keyboard.press("Enter")
    assert page.locator("input:invalid").count()
    assert Answer.objects.count() == 1


def test_a_slider_has_no_value_until_it_is_touched(page: Page, study: Study) -> None:
    rate(page, study, PRESETS["direct-assessment"])
    settled(page)
    number = page.get_by_role("spinbutton")
    expect(number).to_have_value("")
    page.keyboard.press("Enter")
    assert not Answer.objects.exists()

    page.get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")
    expect(number).to_have_value("51")
    page.keyboard.press("PageUp")
    expect(number).to_have_value("61")
    page.get_by_role("button", name="Save and continue").click()
    judged(page, 1)
    assert Answer.objects.get().content == [["quality", 61]]
    expect(number).to_have_value("")


def test_cannot_tell_replaces_a_value_where_it_is_offered(
    page: Page, study: Study
) -> None:
    rate(page, study, TWO, ties=True)
    settled(page)
    page.keyboard.press("0")
    page.get_by_role("checkbox", name="I can't tell").check()
    page.get_by_role("button", name="Save and continue").click()
    judged(page, 1)
    assert Answer.objects.get().content == [["correctness", None], ["overall", None]]


def test_without_javascript_a_number_stands_for_the_slider(
    new_context: NewContext, study: Study
) -> None:
    page = new_context(java_script_enabled=False).new_page()
    rate(page, study, TWO)
    expect(page.get_by_role("slider")).to_be_hidden()
    page.get_by_role("radio", name="5").check()
    page.get_by_role("spinbutton").fill("70")
    page.get_by_role("button", name="Save and continue").click()
    expect(page.locator("#count")).to_contain_text("1 judged")
    assert Answer.objects.get().content == [["correctness", 5], ["overall", 70]]


def test_a_page_with_former_scales_is_loaded_again(page: Page, study: Study) -> None:
    rate(page, study, PRESETS["flickr8k-expert"])
    Study.objects.update(aspects=PRESETS["coco-m3-m4"])
    press(page, "3")
    expect(page.get_by_text("How detailed is the sentence?")).to_be_visible()
    assert not Answer.objects.exists()
