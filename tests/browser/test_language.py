"""Judging in German, by keyboard."""

from playwright.sync_api import expect

from tercet.annotation.models import Answer, Candidate, Reference, Study
from tests.browser.conftest import NewContext, join, press, settled


def test_judging_in_german_by_keyboard(new_context: NewContext, study: Study) -> None:
    page = new_context(locale="de-DE").new_page()
    page.goto(f"/join/{study.join_code}/")

    expect(page.locator("html")).to_have_attribute("lang", "de")

    page.get_by_role("button", name="Beginnen").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/judge/")
    count = page.locator("#count")

    press(page, "1")
    expect(count).to_have_text("1 Urteil, alles gespeichert")

    press(page, "2")
    expect(count).to_have_text("2 Urteile, alles gespeichert")

    press(page, "u")
    expect(count).to_have_text("1 Urteil, alles gespeichert")
    expect(page.locator("#status")).to_have_text("Letzte Antwort zurückgenommen.")
    assert Answer.objects.valid().count() == 1

    page.get_by_role("button", name="English").click()
    expect(count).to_have_text("1 judged, all saved")


def test_the_next_question_has_the_language_of_its_captions(
    new_context: NewContext, study: Study
) -> None:
    Study.objects.update(language="en")
    Candidate.objects.update(caption="a dog on the grass")
    texts = ("a dog in the snow", "un chien court dans la neige")
    for number, reference in enumerate(Reference.objects.order_by("pk")):
        reference.caption = f"{texts[number % 2]}, {number}"
        reference.save()

    page = new_context().new_page()
    join(page, study)
    languages = set()
    for _question in range(6):
        settled(page)
        sentence = page.locator("#a")
        language = sentence.get_attribute("lang")
        is_english = sentence.inner_text().startswith("a dog")
        assert language == ("en" if is_english else "")
        languages.add(language)
        press(page, "1")

    assert languages == {"", "en"}
