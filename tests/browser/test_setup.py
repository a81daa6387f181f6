"""A researcher sets a study up: draft, texts, a try, open, pause, more votes, a copy."""

import re
from pathlib import Path

from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from tercet.analysis.dataset.folder import load
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.models import Study
from tercet.annotation.models.study import State
from tests.browser.conftest import (
    NewContext,
    copied,
    judged,
    log_in,
    open_group,
    press,
    settled,
)
from tests.browser.test_day import go_to
from tests.support.folders import dataset_folder

GERMAN = [
    ("dog", "Ein Hund läuft über das Gras."),
    ("cat", "Die Katze schläft auf dem Dach."),
]


def test_a_study_is_set_up_tried_opened_steered_and_copied(
    page: Page, new_context: NewContext, study: Study, researcher: User
) -> None:
    study.delete()
    log_in(page, "researcher")
    create_draft(page)
    choose_settings(page)

    row = Study.objects.get()
    assert (row.consent, row.steps) == (CONSENT, ["consent", "instructions"])

    try_it(page)
    assert row.questions.progress()["votes"] == 0

    page.goto(f"/studies/{row.name}/settings/")
    page.get_by_role("button", name="Open the study").click()

    expect(page.get_by_text("The study is now open.")).to_be_visible()
    expect(page.get_by_label("Shared link")).to_have_value(
        re.compile(f"/join/{row.join_code}/$")
    )

    answer_everything(new_context().new_page(), row)
    page.get_by_role("link", name="Settings", exact=True).click()
    expect(page.get_by_text("nothing left to pay for")).to_be_visible()

    add_votes(page)
    page.get_by_role("button", name="Pause the study").click()
    expect(page.get_by_role("heading", name="The study is paused")).to_be_visible()

    copy_it(page)
    copy = Study.objects.exclude(pk=row.pk).get()
    assert (copy.state, copy.consent, copy.votes) == (State.DRAFT, CONSENT, 2)

    page.get_by_role("link", name="Log", exact=True).click()
    expect(
        page.get_by_role("heading", name="Created the study as a copy")
    ).to_be_visible()


def create_draft(page: Page) -> None:
    page.get_by_role("link", name="New study").click()
    page.get_by_label("Dataset").select_option(label="small")
    page.get_by_label("Title").fill("Mornings")
    page.get_by_label("Votes per question").fill("1")

    page.get_by_role("button", name="Create study").click()
    go_to(page, "Settings")
    expect(page.get_by_role("heading", name="The study is a draft")).to_be_visible()


def choose_settings(page: Page) -> None:
    """Let people at one place join, write the consent, and leave out two steps."""
    page.get_by_label("people can join through the shared link").check()
    page.get_by_label("people at one place").check()
    save(page)

    open_group(page, "Texts for annotators")
    page.get_by_text("Default text (Consent)").click()
    write_consent(page)
    page.get_by_label("Show this step to annotators").nth(2).uncheck()
    page.get_by_label("Show this step to annotators").nth(3).uncheck()
    save(page)
    expect(page.get_by_role("heading", name="Texts for annotators")).to_be_visible()
    open_group(page, "Before you open")


def save(page: Page) -> None:
    page.get_by_role("button", name="Save settings").click()
    expect(page.get_by_text("Settings saved.")).to_be_visible()


def answer_everything(guest: Page, study: Study) -> None:
    guest.goto(f"/join/{study.join_code}/")
    begin(guest)

    for votes in range(12):
        judged(guest, votes)
        press(guest, "1")

    expect(guest.get_by_role("heading", name="Thank you")).to_be_visible()


def add_votes(page: Page) -> None:
    open_group(page, "More votes, copy, delete")
    page.get_by_label("Votes per question").fill("2")
    page.get_by_role("button", name="Add votes").click()
    expect(page.get_by_text("12 more votes are needed.")).to_be_visible()


def copy_it(page: Page) -> None:
    open_group(page, "More votes, copy, delete")
    page.get_by_role("button", name="Copy this study").click()
    expect(page.get_by_role("heading", name="Mornings (copy)")).to_be_visible()


CONSENT = "You will **compare** sentences."


def write_consent(page: Page) -> None:
    """Its reading stands beside it while it is typed."""
    reading = page.locator("#preview-consent")
    expect(reading).to_contain_text("This is a study of how people compare")

    page.get_by_label("Consent", exact=True).fill(CONSENT)
    expect(reading.locator("strong")).to_have_text("compare")

    page.get_by_label("Consent", exact=True).fill("")
    page.get_by_role("button", name="Start from the default text").first.click()

    expect(page.get_by_label("Consent", exact=True)).to_have_value(
        re.compile("^This is a study")
    )

    page.get_by_label("Consent", exact=True).fill(CONSENT)


def try_it(page: Page) -> None:
    page.get_by_role("button", name="Try it as an annotator").click()
    expect(page.get_by_text("You are testing this study")).to_be_visible()
    expect(page.get_by_text("You will compare sentences.")).to_be_visible()

    begin(page)
    press(page, "1")
    judged(page, 1)
    page.get_by_role("button", name="Leave the test").click()
    page.wait_for_url(re.compile(r"/settings/$"))


def begin(page: Page) -> None:
    page.get_by_role("button", name="I agree and begin").click()
    page.get_by_role("button", name="I have read this").click()

    expect(
        page.get_by_role("group", name="Which sentence is more similar")
    ).to_be_visible()

    page.wait_for_load_state()


def test_links_are_copied_with_a_button(
    new_context: NewContext, study: Study, researcher: User
) -> None:
    context = new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    log_in(page, "researcher")
    page.goto(f"/studies/{study.name}/people/")
    page.get_by_label("Names, one per line").fill("Kim\nLee")
    page.get_by_role("button", name="Create links").click()

    page.get_by_role("button", name="Copy Link of Lee").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()

    token = study.annotators.get(label="Lee").token
    assert copied(page).endswith(f"/me/{token}/")


def test_the_language_of_a_new_study_follows_the_dataset_until_somebody_changes_it(
    page: Page, study: Study, researcher: User, tmp_path: Path
) -> None:
    folder = dataset_folder(tmp_path / "german", references=GERMAN)
    import_dataset(load(folder), "german", folder)
    log_in(page, "researcher")
    page.goto("/studies/new/")

    dataset, language = page.get_by_label("Dataset"), page.get_by_label("Language")
    expect(language).to_have_value("")

    dataset.select_option(label="small")
    expect(language).to_have_value("en")

    dataset.select_option(label="german")
    expect(language).to_have_value("de")
    expect(page.get_by_role("status")).to_contain_text(
        "1 reference = 4 triplets, 12 votes"
    )

    page.get_by_label("Votes per question").fill("5")
    expect(page.get_by_role("status")).to_contain_text(
        "1 reference = 4 triplets, 20 votes"
    )

    language.fill("de-AT")
    with page.expect_response("**/studies/new/?dataset=*"):
        dataset.select_option(label="small")

    settled(page)
    expect(language).to_have_value("de-AT")


def test_setting_up_works_without_javascript(
    new_context: NewContext, study: Study, researcher: User
) -> None:
    page = new_context(java_script_enabled=False).new_page()
    log_in(page, "researcher")
    page.goto(f"/studies/{study.name}/people/")
    page.get_by_role("link", name="Open or close these entry points").click()
    expect(page.get_by_role("group", name="Accounts that may judge")).to_be_visible()

    open_group(page, "Texts for annotators")
    page.get_by_text("Default text (Instructions)").click()
    page.get_by_label("Instructions", exact=True).fill("Read *well*.")
    with page.expect_popup() as opened:
        page.get_by_role("button", name="Preview all texts in a new tab").click()

    expect(opened.value.locator("#preview-instructions em")).to_have_text("well")

    page.get_by_role("button", name="Save settings").click()
    expect(page.get_by_text("Settings saved.")).to_be_visible()

    study.refresh_from_db()
    assert study.instructions == "Read *well*."


def test_the_fold_of_a_questionnaire_says_that_it_is_written(
    page: Page, study: Study, researcher: User
) -> None:
    log_in(page, "researcher")
    page.goto(f"/studies/{study.name}/settings/")
    open_group(page, "Questionnaires")
    fold = page.locator("#settings summary").first
    fold.click()

    page.get_by_label("Questionnaire before judging", exact=True).fill("Age?")
    expect(fold).to_contain_text("Custom text")

    page.get_by_label("Questionnaire before judging", exact=True).fill("")
    expect(fold).to_contain_text("No questionnaire yet")
    expect(page.get_by_text("Unsaved changes")).to_be_visible()

    page.get_by_role("button", name="Start from an example").first.click()
    expect(fold).to_contain_text("Custom text")
    expect(page.locator("#preview-questionnaire-before")).to_contain_text(
        "How old are you?"
    )


def test_choosing_gold_does_not_jump_to_the_top(
    new_context: NewContext, study: Study, researcher: User
) -> None:
    page = new_context(java_script_enabled=False).new_page()
    log_in(page, "researcher")
    page.goto(f"/studies/{study.name}/gold/")

    page.get_by_role("button", name="C is right").nth(2).click()
    expect(page.get_by_text("1 gold question added.")).to_be_attached()
    assert page.url.endswith("/gold/?choice=1#choice-3")


def test_what_is_wrong_is_shown_where_it_is(
    page: Page, study: Study, researcher: User
) -> None:
    log_in(page, "researcher")
    page.goto(f"/studies/{study.name}/settings/")
    open_group(page, "Texts for annotators")
    page.get_by_text("Default text (Comprehension questions)").click()
    page.get_by_label("Comprehension questions", exact=True).fill("Only a question")

    page.get_by_role("button", name="Save settings").click()
    expect(page.get_by_text("Nothing has been saved")).to_be_visible()
    expect(page.get_by_label("Comprehension questions", exact=True)).to_be_visible()

    problem = page.get_by_role("list").filter(
        has_text="Line 1: give the question two options"
    )

    expect(problem).to_be_visible()


def test_a_request_is_tried_on_the_page_of_all_requests(
    page: Page, study: Study, researcher: User
) -> None:
    log_in(page, "researcher")
    page.goto(f"/studies/{study.name}/api/")
    page.get_by_role("button", name="Create a token").click()
    token = page.get_by_label("New token").input_value()

    page.get_by_role("link", name="All requests, to read and to try").click()
    page.get_by_role("button", name="Authorize").first.click()
    page.get_by_label("Value").first.fill(token)
    page.get_by_role("button", name="Apply credentials").first.click()
    page.get_by_role("button", name="Close").first.click()

    page.get_by_role("button", name="{name}/progress").first.click()
    page.get_by_role("button", name="Try it out").click()
    page.get_by_placeholder("name").fill(study.name)
    page.get_by_role("button", name="Execute").click()

    expect(page.locator(".live-responses-table")).to_contain_text('"needed": 36')
