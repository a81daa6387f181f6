"""Sentences are written: with hints, a counter, and drafts that nothing loses."""

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tercet.analysis.dataset.folder import load
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.models import Answer, Study
from tercet.annotation.models.study import LinkUsers, RuleAction
from tercet.annotation.studies.creation import create_study
from tests.browser.conftest import NewContext, join, judged, settled
from tests.browser.judging.test_outbox import try_again, waiting
from tests.browser.test_axe import faults_here
from tests.support.folders import scenes_folder

DOG = "A brown dog is running over the green grass."
CAT = "A large yellow kite flies above a small hill."
KEPT = "Draft kept in this browser"


@pytest.fixture
def study(transactional_db: None, tmp_path: Path) -> Study:
    """The drawn scenes of the demo, two sentences each."""
    folder = scenes_folder(tmp_path / "scenes")
    dataset = import_dataset(load(folder), "scenes", folder)
    return create_study(
        Study(
            dataset=dataset,
            title="Scenes",
            protocol="sentence",
            votes=2,
            steps=[],
            link_users=LinkUsers.PLACE,
            enforced_seconds=0,
        )
    )


def field(page: Page) -> Locator:
    return page.get_by_label("Describe the picture in one sentence.")


def save(page: Page, text: str) -> None:
    """Write a sentence once its picture is seen, and save it."""
    settled(page)
    expect(page.locator("#image:not(.loading)")).to_be_visible()
    field(page).fill(text)
    field(page).press("Control+Enter")


def hints(page: Page) -> list[str]:
    return page.locator("#hints li").all_inner_texts()


def test_control_enter_saves_and_the_next_picture_appears(
    page: Page, study: Study
) -> None:
    join(page, study)
    before = page.locator("#image").get_attribute("src")
    field(page).press_sequentially("A brown dog")
    expect(page.locator("#written")).to_have_text("Words: 3, at least 8")
    expect(page.locator("#kept")).to_have_text(KEPT)

    save(page, DOG)
    judged(page, 1)
    assert Answer.objects.get().content == {"text": DOG, "rules": ""}
    assert page.locator("#image").get_attribute("src") != before
    expect(field(page)).to_have_value("")
    expect(field(page)).to_be_focused()
    expect(page.locator("#kept")).to_have_text("")


def test_a_marked_sentence_is_saved_when_it_is_saved_again(
    page: Page, study: Study
) -> None:
    join(page, study)
    save(page, "There is my dog in Paris")
    expect(page.locator("#hints li")).to_have_count(5)
    assert hints(page)[0] == "Write at least 8 words."
    assert hints(page)[-1] == "To keep the sentence as it is, save it again."
    expect(field(page)).to_be_focused()
    assert not Answer.objects.exists()
    assert faults_here(page, "writing") == []

    page.get_by_role("button", name="Save and continue").click()
    judged(page, 1)
    assert Answer.objects.get().content["rules"] == "short opening speech name"


def test_hints_go_when_the_sentence_is_right(page: Page, study: Study) -> None:
    join(page, study)
    save(page, "A dog")
    expect(page.locator("#hints li")).to_have_count(2)
    field(page).fill(DOG)
    expect(page.locator("#hints li")).to_have_count(0)


def test_a_blocked_sentence_is_not_sent(page: Page, study: Study) -> None:
    Study.objects.update(rule_action=RuleAction.BLOCK)
    join(page, study)
    for _again in range(2):
        save(page, "A dog")
        expect(page.locator("#hints li")).to_have_text(["Write at least 8 words."])
    page.context.set_offline(True)
    field(page).press("Control+Enter")
    page.context.set_offline(False)
    assert not Answer.objects.exists()

    save(page, DOG)
    judged(page, 1)


def test_what_only_the_server_sees_comes_back_with_its_hint(
    page: Page, study: Study
) -> None:
    Study.objects.update(rule_action=RuleAction.BLOCK)
    join(page, study)
    save(page, DOG)
    judged(page, 1)
    before = page.locator("#image").get_attribute("src")
    save(page, DOG)

    expect(page.locator("#hints li")).to_have_text(
        ["There is nearly the same sentence already. Describe the picture anew."]
    )
    expect(field(page)).to_have_value(DOG)
    assert page.locator("#image").get_attribute("src") == before
    judged(page, 1)

    save(page, CAT)
    judged(page, 2)
    texts = Answer.objects.valid().values_list("content__text", flat=True)
    assert sorted(texts) == sorted([DOG, CAT])


def test_a_draft_survives_a_reload_and_a_lost_connection(
    new_context: NewContext, study: Study
) -> None:
    page = new_context(service_workers="allow").new_page()
    join(page, study)
    page.evaluate("navigator.serviceWorker.ready")
    page.reload()
    field(page).press_sequentially("A brown dog")
    page.reload()
    expect(field(page)).to_have_value("A brown dog")

    page.context.set_offline(True)
    page.reload()
    expect(field(page)).to_have_value("A brown dog")
    save(page, DOG)
    waiting(page, 1)
    field(page).press_sequentially("A large")
    page.reload()
    expect(field(page)).to_have_value("A large")

    page.context.set_offline(False)
    try_again(page)
    judged(page, 1)
    expect(field(page)).to_have_value("A large")
    assert Answer.objects.get().content["text"] == DOG


def test_an_undone_sentence_can_be_changed(page: Page, study: Study) -> None:
    join(page, study)
    save(page, DOG)
    judged(page, 1)
    page.get_by_role("button", name="Undo").click()
    judged(page, 0)
    expect(field(page)).to_have_value(DOG)

    save(page, CAT)
    judged(page, 1)
    assert Answer.objects.valid().get().content["text"] == CAT
