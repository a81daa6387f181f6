"""A researcher's whole day in the browser: from a messy file to the deletion of the study."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Locator, Page, expect
from pytest_django.fixtures import Settings

from tercet.annotation.models import Answer, Dataset, Event, FilledQuestionnaire, Study
from tests.browser.conftest import (
    NewContext,
    judged,
    log_in,
    open_group,
    page_of,
    press,
    work,
)

CAPTIONS = (
    "Bild;Satz\r\n"
    "dog;a dog runs over the grass\r\n"
    "dog;the dog of the café\r\n"
    "cat;a naïve cat sleeps\r\n"
    "cat;on the roof a cat dozes\r\n"
)
BATCH = (
    "HITId,WorkerId,Input.id,Input.foto,Input.one,Input.two,Input.kind\r\n"
    "3A1,W1,p1,dog,a dog runs,a red bus,HI\r\n"
    "3A2,W1,p2,cat,a cat on a façade,cat cat cat,HM\r\n"
    "3A3,W2,p3,plane,a plane lands,a car,HI\r\n"
    "3A4,W2,p4,dog,a dog, a ball,a cat,HI\r\n"
)
COLUMNS = {"Input.id": "pair", "Input.one": "caption", "Input.two": "caption"}
CONSENT = {
    "Institution": "University of Example",
    "Contact": "ethics@example.org",
    "Duration": "about 5 minutes",
    "Pay": "9 GBP per hour",
    "Withdrawal": "Write to us.",
}
PEOPLE = ("a" * 24, "b" * 24)
AGE = "How old are you?\n[age: number, 18 to 99, required]"
UNCLEAR = "Was anything unclear?\n[unclear: text]"


@pytest.mark.usefixtures("few_metrics", "no_drawings")
def test_from_a_messy_file_to_a_paid_crowd_study_and_its_deletion(
    page: Page,
    new_context: NewContext,
    researcher: User,
    tmp_path: Path,
    settings: Settings,
) -> None:
    settings.PROXIES = 1
    log_in(page, "researcher")
    import_messy_files(page, tmp_path)
    set_up(page)
    crowd_link = open_it(page)

    for person in PEOPLE:
        link = crowd_link.replace("{{%PROLIFIC_PID%}}", person)
        take_part(page_of(new_context, person), link, reports=person == PEOPLE[0])

    assert Answer.objects.valid().count() == 3
    assert FilledQuestionnaire.objects.count() == 4

    adjudicate(page)
    compute(page)
    pay(page)
    archive_and_delete(page)


def import_messy_files(page: Page, folder: Path) -> None:
    """A batch of a crowd platform beside captions, in Latin-1, with two faulty lines."""
    files = {"captions.csv": CAPTIONS, "Batch_17_batch_results.csv": BATCH}
    for name, text in files.items():
        (folder / name).write_bytes(text.encode("latin-1"))

    page.get_by_role("link", name="Datasets").click()
    page.get_by_role("link", name="Import a dataset").click()
    page.get_by_label("Dataset folder").set_input_files(
        [folder / name for name in files]
    )
    check(page.get_by_role("button", name="Check files"))

    expect(page.get_by_text("3 columns are not used: Input.id")).to_be_visible()
    expect(page.get_by_text("a cat on a façade")).to_be_visible()

    for name, role in COLUMNS.items():
        choose(page, f"Role of {name}", role)
    check(page.get_by_role("button", name="Check again").first)

    expect(page.get_by_text("2 problems. Nothing was imported.")).to_be_visible()

    page.get_by_label("Name").fill("photos")
    check(page.get_by_role("button", name="Import without these 2 lines").last)
    page.get_by_role("link", name="Dataset: photos").click()

    expect(
        page.get_by_text("The import left out 2 lines with problems.")
    ).to_be_visible()


def choose(group: Page, label: str, value: str) -> None:
    field = group.get_by_label(label, exact=True)
    field.select_option(value)


def check(button: Locator) -> None:
    """Press a button whose work the background worker does."""
    button.click()
    expect(button.page.get_by_text("Waiting for the background worker")).to_be_visible()

    work()
    expect(button.page.get_by_text("Waiting for the background worker")).to_be_hidden()


def set_up(page: Page) -> None:
    """Make a study with consent and forms, for people of a crowd platform."""
    page.get_by_role("link", name="New study").click()
    page.get_by_label("Title").fill("Photos, judged")
    page.get_by_label("Votes per question").fill("2")
    page.get_by_label("References per pair").fill("1")

    page.get_by_role("button", name="Create study").click()
    go_to(page, "Settings")
    expect(
        page.get_by_text("Only people with a personal link or a role")
    ).to_be_visible()

    for label, text in CONSENT.items():
        page.get_by_label(label, exact=True).fill(text)
    save(page)
    write_texts(page)

    open_group(page, "Judgments per person")
    page.get_by_label("People may skip a question").check()
    save(page)
    open_group(page, "Who can take part")
    page.get_by_label("people can join through the crowdsourcing link").check()
    save(page)
    open_group(page, "Checks")
    page.get_by_label("Reject votes faster than").fill("0")
    save(page)


def write_texts(page: Page) -> None:
    """Write the questionnaires, and leave out the steps after the consent."""
    open_group(page, "Texts for annotators")
    for step in (1, 2, 3):
        page.get_by_label("Show this step to annotators").nth(step).uncheck()
    save(page)

    open_group(page, "Questionnaires")
    for fold in page.locator("#settings summary").all():
        fold.click()
    for time, text in (("before", AGE), ("after", UNCLEAR)):
        page.locator(f"[name=questionnaire_{time}]").fill(text)
    save(page)


def save(page: Page) -> None:
    page.get_by_role("button", name="Save settings").click()
    expect(page.get_by_text("Settings saved.")).to_be_visible()


def open_it(page: Page) -> str:
    """Open the study, which lacks nothing; return the link for the platform."""
    open_group(page, "Before you open")
    expect(page.get_by_text("Not filled in for the consent")).to_be_hidden()
    page.get_by_role("button", name="Open the study").click()
    expect(page.get_by_text("The study is now open.")).to_be_visible()
    return page.get_by_label("Crowdsourcing link").input_value()


def take_part(page: Page, link: str, *, reports: bool) -> None:
    """Fill in both forms, and judge two questions, or report the first one and skip it."""
    page.goto(link)
    page.get_by_role("button", name="I agree and begin").click()
    page.get_by_label("How old are you?").fill("41")

    page.get_by_role("button", name="Continue").click()

    expect(page.locator("#answers")).to_be_visible()

    if reports:
        page.get_by_text("Report a problem or skip this question").click()
        page.get_by_label("What is wrong?").select_option("broken")
        page.get_by_role("button", name="Report problem and skip").click()

        expect(page.get_by_text("The problem is noted.")).to_be_visible()
    else:
        press(page, "1")
        judged(page, 1)

    press(page, "1")

    page.get_by_label("Was anything unclear?").fill("No.")
    page.get_by_role("button", name="Send and finish").click()

    expect(page.get_by_text("Your completion code:")).to_be_visible()


def adjudicate(page: Page) -> None:
    """Decide the reported pair, and let results use the decision."""
    go_to(page, "Pairs")
    choose_in_list(page, "with a reported problem")
    page.get_by_role("region", name="Pairs").get_by_role("link").click()

    expect(page.get_by_role("cell", name="broken or cut off")).to_be_visible()

    page.get_by_role("radio", name="C", exact=True).check()
    page.get_by_label("Reason").fill("B is cut off.")
    page.get_by_role("button", name="Save the decision").click()

    expect(page.get_by_text("The decision is saved. The results")).to_be_visible()

    go_to(page, "Pairs")
    choose_in_list(page, "adjudicated")

    expect(page.get_by_role("region", name="Pairs").get_by_role("link")).to_have_count(
        1
    )

    go_to(page, "Settings")
    open_group(page, "Adjudication")
    page.get_by_label("Adjudicated pairs by the decision").check()
    page.get_by_role("button", name="Save settings").click()


def go_to(page: Page, tab: str) -> None:
    tabs = page.get_by_role("navigation", name="This study")
    tabs.get_by_role("link", name=tab, exact=True).click()


def choose_in_list(page: Page, which: str) -> None:
    page.get_by_label("Adjudication").select_option(label=which)
    page.get_by_role("button", name="Show", exact=True).click()


def compute(page: Page) -> None:
    go_to(page, "Results")
    check(page.get_by_role("button", name="Compute results"))

    expect(
        page.get_by_text("Adjudicated pairs: 1. Their winner is the decision of one")
    ).to_be_visible()
    expect(page.get_by_role("heading", name="Winners by category")).to_be_visible()


def pay(page: Page) -> None:
    """Download the archive, look at people who were too quick, and whom to approve."""
    with page.expect_download() as archive:
        page.get_by_role("link", name="Complete archive, with names").click()

    assert archive.value.path().stat().st_size > 1000

    go_to(page, "Links and roles")
    page.get_by_role("link", name="Pay list").click()
    expect(page.get_by_role("heading", name="Look at 2 people first")).to_be_visible()
    for decision in page.get_by_label("Decision on").all():
        decision.select_option("approve")
    page.get_by_role("button", name="Save decisions").click()
    expect(page.get_by_text("2 decisions saved.")).to_be_visible()

    with page.expect_download() as approved:
        page.get_by_role("link", name="Download 2 ids to approve").click()

    assert sorted(approved.value.path().read_text().split()) == [*PEOPLE]


def archive_and_delete(page: Page) -> None:
    """Delete the study, then its dataset; the log keeps that it happened."""
    go_to(page, "Settings")
    page.get_by_role("button", name="Close the study").click()
    expect(page.get_by_text("The study is now closed.")).to_be_visible()
    go_to(page, "Settings")
    open_group(page, "More votes, copy, delete")

    page.get_by_role("button", name="Archive this study").click()
    expect(page.get_by_text("The study is archived.")).to_be_in_viewport()

    page.get_by_role("link", name="Archived (1)").click()
    page.get_by_role("link", name="Photos, judged").click()
    go_to(page, "Settings")

    open_group(page, "More votes, copy, delete")
    expect(page.get_by_role("button", name="Take out of the archive")).to_be_visible()

    delete(page, "Delete this study", "Photos, judged")
    assert not Study.objects.exists()

    page.get_by_role("link", name="Datasets").click()
    page.get_by_role("link", name="photos").click()
    delete(page, "Delete this dataset", "photos")

    assert not Dataset.objects.exists()

    whats = Event.objects.filter(study=None).values_list("what", flat=True)
    assert {"left out lines", "deleted study", "deleted dataset"} <= {*whats}


def delete(page: Page, name: str, title: str) -> None:
    page.get_by_text(name, exact=True).click()
    for typed, shown in (("Phot", "Nothing was deleted"), (title, "Take it back")):
        page.get_by_label("Type the title to confirm").fill(typed)
        page.get_by_role("button", name="Delete").click()
        expect(page.get_by_text(shown)).to_be_in_viewport()
