"""The whole way through a study, consent to code, in the ways that people go it."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tercet.annotation.models import Answer, Exit, FilledQuestionnaire, Lease, Study
from tercet.annotation.models.study import SWITCHES, Outcome, Time
from tercet.annotation.participation import views
from tercet.annotation.participation.texts import EXAMPLES
from tests.browser.conftest import NewContext, copied, join, press, settled

PHONE = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
}
CODE = re.compile("[A-Z2-9]{4}-[A-Z2-9]{4}")


@pytest.fixture
def study(study: Study) -> Study:
    """With every step, two judgments a person, and a break after the first."""
    Study.objects.update(steps=SWITCHES, max_judgments=2, break_every=1)
    study.refresh_from_db()
    return study


def see(page: Page, heading: str) -> None:
    expect(page.get_by_role("heading", name=heading)).to_be_visible()


def ended_well(page: Page) -> None:
    see(page, "Thank you")
    expect(page.locator("#code")).to_have_text(CODE)
    assert Answer.objects.valid().count() == 2


def reach(page: Page, name: str) -> None:
    """Go with Tab to a button, and press it."""
    button = page.get_by_role("button", name=name)
    expect(button).to_be_visible()

    for _ in range(20):
        if button.evaluate("button => button === document.activeElement"):
            return page.keyboard.press("Enter")
        page.keyboard.press("Tab")

    raise AssertionError(f"Tab does not reach {name}")


def test_by_keyboard_alone(page: Page, study: Study) -> None:
    page.goto(f"/join/{study.join_code}/")
    reach(page, "I agree and begin")
    see(page, "How to judge")
    reach(page, "I have read this")
    see(page, "Before you begin")

    for option in (0, 1):
        quiz = page.locator("fieldset").nth(option).locator("input")
        while not quiz.first.evaluate("input => input === document.activeElement"):
            page.keyboard.press("Tab")

        page.keyboard.press("ArrowDown" if option else "Space")

    reach(page, "Send my answers")
    for number, key in enumerate("122", start=1):
        see(page, f"Practice {number} of 3")
        press(page, key)
        said = (
            "Yes, most people choose this one."
            if number < 3
            else "Most people choose the other"
        )

        expect(page.locator("#feedback")).to_contain_text(said)

        press(page, "Enter")

    expect(page.locator("#judge")).to_be_visible()

    press(page, "1")
    see(page, "Time for a break?")
    press(page, "Enter")

    expect(page.locator("#judge")).to_be_visible()

    press(page, "ArrowRight")
    ended_well(page)


def walk(page: Page, touch: Callable[[Locator], None], *, has_script: bool) -> None:
    """All pages by pointer; without JavaScript a choice is sent by its button."""

    def button(name: str) -> None:
        touch(page.get_by_role("button", name=name))

    def choose(confirmed_by: str) -> None:
        if has_script:
            settled(page)

        touch(page.locator("label.option").first)
        if not has_script:
            button(confirmed_by)

    button("I agree and begin")
    button("I have read this")
    touch(page.get_by_label("meaning is closer to A"))
    touch(page.get_by_label("first impression"))
    button("Send my answers")

    for number, following in enumerate(
        ("Next practice", "Next practice", "Begin judging"), start=1
    ):
        see(page, f"Practice {number} of 3")
        choose("Check my choice")
        button(following)

    expect(page.locator("#judge")).to_be_visible()

    choose("Save and continue")
    button("Continue judging")

    expect(page.locator("#judge")).to_be_visible()

    choose("Save and continue")


def test_by_touch_on_a_phone(new_context: NewContext, study: Study) -> None:
    page = new_context(**PHONE).new_page()
    page.goto(f"/join/{study.join_code}/")
    walk(page, Locator.tap, has_script=True)
    ended_well(page)


def test_without_javascript(new_context: NewContext, study: Study) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.goto(f"/join/{study.join_code}/")
    walk(page, Locator.click, has_script=False)
    ended_well(page)


def test_who_is_wrong_twice_is_thanked(page: Page, study: Study) -> None:
    Study.objects.update(steps=["comprehension"])
    page.goto(f"/join/{study.join_code}/")
    page.get_by_role("button", name="Begin").click()

    for said in ("you have one more try", "Thank you for your time"):
        page.get_by_label("longer").check()
        page.get_by_label("first impression").check()
        page.get_by_role("button", name="Send my answers").dblclick()

        expect(page.get_by_text(said)).to_be_visible()

    expect(page.locator("#code")).to_have_count(0)


def test_who_declines_may_think_again(page: Page, study: Study) -> None:
    page.goto(f"/join/{study.join_code}/")
    page.get_by_role("button", name="I do not want to take part").click()
    see(page, "You are not taking part")
    page.get_by_role("button", name="Change my mind").click()
    page.get_by_role("button", name="I agree").click()
    see(page, "How to judge")


def test_the_last_button_copies_the_code_and_leaves(
    new_context: NewContext, study: Study
) -> None:
    context = new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    Study.objects.update(steps=["consent"], max_judgments=1)
    address = "/login/?code={code}"
    Exit.objects.create(study=study, outcome=Outcome.DONE, code="C0-DE", url=address)
    page.goto(f"/join/{study.join_code}/")
    page.get_by_role("button", name="I agree and begin").click()
    press(page, "1")
    see(page, "Thank you")
    page.get_by_role("link", name="Copy code and finish").click()

    page.wait_for_url("**/login/?code=C0-DE")
    assert copied(page) == "C0-DE"


def test_a_code_without_an_address_is_copied(
    new_context: NewContext, study: Study
) -> None:
    page = new_context(permissions=["clipboard-read", "clipboard-write"]).new_page()
    Study.objects.update(steps=["consent"], max_judgments=1)
    page.goto(f"/join/{study.join_code}/")
    page.get_by_role("button", name="I agree and begin").click()
    press(page, "1")

    page.get_by_role("button", name="Copy code").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert copied(page) == study.annotators.get().code


def end(page: Page, study: Study) -> None:
    """Come to the last page of a study with a redirect URL."""
    Study.objects.update(steps=[], max_judgments=1)
    Exit.objects.create(
        study=study, outcome=Outcome.DONE, code="C0-DE", url="/login/?code={code}"
    )
    join(page, study)
    study.annotators.update(judged=1)
    Lease.objects.all().delete()
    page.goto(f"/studies/{study.name}/judge/")
    see(page, "Thank you")


def test_the_last_page_goes_on_by_itself(
    page: Page, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "REDIRECT_SECONDS", 1)
    end(page, study)
    page.wait_for_url("**/login/?code=C0-DE")


def test_who_wants_to_stay_on_the_last_page_does(
    page: Page, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "REDIRECT_SECONDS", 9000)
    end(page, study)

    expect(page.locator("#seconds")).to_have_text(re.compile("89.."))

    page.get_by_label("anything you would like to tell us").fill("Nice.")
    expect(page.locator("#leaving")).to_be_hidden()

    page.reload()
    page.get_by_role("button", name="Stay on this page").click()

    expect(page.locator("#leaving")).to_be_hidden()


def test_questionnaires_are_filled_in_before_and_after(
    page: Page, study: Study
) -> None:
    texts = {f"questionnaire_{time}": str(EXAMPLES[time]) for time in Time}
    Study.objects.update(steps=["consent"], max_judgments=1, **texts)
    page.goto(f"/join/{study.join_code}/")
    page.get_by_role("button", name="I agree and begin").click()
    see(page, "About you")
    page.get_by_label("How old are you?").fill("41")
    page.get_by_role("radio", name="now and then").check()

    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_text("Which sentence is more similar to A?")).to_be_visible()

    press(page, "1")
    see(page, "Before you go")
    page.get_by_label("Was anything unclear?").fill("1 2 u")
    page.get_by_role("button", name="Send and finish").click()
    see(page, "Thank you")

    filled = {each.time: each.answers for each in FilledQuestionnaire.objects.all()}
    assert filled == {
        Time.BEFORE: {"age": "41", "experience": "now and then"},
        Time.AFTER: {"unclear": "1 2 u"},
    }
    assert Answer.objects.count() == 1


def test_an_open_page_of_a_deleted_study_goes_on_to_what_became_of_it(
    page: Page, study: Study
) -> None:
    Study.objects.update(steps=[])
    join(page, study)
    study.delete()
    press(page, "1")
    see(page, "There is no study at this link")
