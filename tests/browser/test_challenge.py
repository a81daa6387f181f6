"""A challenge in a browser: hidden references, submissions, a broken file, the human column."""

import json
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from tercet.annotation.models import Challenge
from tests.annotation.challenges.conftest import new_challenge
from tests.browser.conftest import NewContext, log_in, press, work
from tests.browser.test_road import begin, import_checked, upload
from tests.support.folders import dataset_folder

FIRST = {"dog": "a dog runs over the green grass", "cat": "a cat sleeps on the roof"}
SECOND = {"dog": "some animal", "cat": "the grey cat is on a wall"}


def write(path: Path, captions: dict[str, str]) -> Path:
    results = [{"image_id": image, "caption": text} for image, text in captions.items()]
    path.write_text(json.dumps(results))
    return path


@pytest.mark.usefixtures("no_drawings")
def test_a_challenge_from_its_references_to_the_human_column(
    page: Page, new_context: NewContext, researcher: User, tmp_path: Path
) -> None:
    folder = dataset_folder(tmp_path / "hidden", pairs=None)
    log_in(page, "researcher")
    upload(page, str(folder / "references.csv"))
    import_checked(page)
    page.get_by_role("link", name="Dataset: references").click()
    page.get_by_role("link", name="New challenge").click()
    page.get_by_label("Title").fill("Two animals")
    page.get_by_label("Reference counts").fill("2, all")

    page.get_by_role("button", name="Create challenge").click()
    expect(page.get_by_role("heading", name="Two animals")).to_be_visible()

    work()

    submit_files(page, tmp_path)
    stranger = new_context().new_page()
    stranger.goto("/challenges/two-animals/leaderboard/")

    for name in ("first", "second", "Human caption", "Most frequent caption"):
        expect(stranger.get_by_role("rowheader", name=name)).to_be_visible()

    stranger.get_by_role("link", name="BLEU-1").click()
    stranger.get_by_role("link", name="all", exact=True).click()
    sorted_by = stranger.get_by_role("columnheader", name="BLEU-1")

    expect(sorted_by).to_have_attribute("aria-sort", "descending")

    judge_the_submissions(page)
    stranger.reload()

    expect(stranger.get_by_role("columnheader", name="Human")).to_be_visible()
    expect(
        stranger.get_by_role("rowheader", name="Agreement with people")
    ).to_be_visible()


def submit_files(page: Page, folder: Path) -> None:
    """Submit a broken file and two good ones; the page follows the worker."""
    page.get_by_role("link", name="Submit captions").click()
    send(page, write(folder / "broken.json", {"dog": "a dog"}), "broken")

    expect(
        page.get_by_text("1 problem in broken.json. Nothing was submitted.")
    ).to_be_visible()

    send(page, write(folder / "first.json", FIRST), "first", "Check only")
    expect(page.get_by_text("first.json is valid: 2 captions")).to_be_visible()

    send(page, folder / "first.json", "first")
    expect(page.get_by_text("Waiting for the background worker")).to_be_visible()

    work()
    expect(page.get_by_role("heading", name="Scores")).to_be_visible()

    page.get_by_role("link", name="Submit", exact=True).click()
    send(page, write(folder / "second.json", SECOND), "second")
    work()

    expect(page.get_by_role("heading", name="Scores")).to_be_visible()


def send(page: Page, file: Path, system: str, button: str = "Submit") -> None:
    page.get_by_label("Result file").set_input_files(file)
    page.get_by_label("Name of the system").fill(system)
    page.get_by_role("button", name=button, exact=True).click()


def judge_the_submissions(page: Page) -> None:
    """Make a study of the submissions, judge all of it, and update the column."""
    page.get_by_role("link", name="Human column").click()
    page.get_by_label("Votes per question").fill("1")
    page.get_by_role("button", name="Estimate again").click()

    expect(page.get_by_text("Questions, at most")).to_be_visible()

    page.get_by_role("button", name="Create study").click()
    page.get_by_role("button", name="Open the study").click()

    challenge = Challenge.objects.get()
    page.goto(f"/challenges/{challenge.name}/studies/")
    page.get_by_role("link", name="Judge in this study").click()
    begin(page)

    for votes in range(1, 3):
        press(page, "1")
        if votes < 2:
            expect(page.get_by_text(f"{votes} judged, all saved")).to_be_visible()

    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()

    page.goto(f"/challenges/{challenge.name}/studies/")
    page.get_by_role("button", name="Update the human column").click()

    expect(page.get_by_text("The human column is being computed.")).to_be_visible()

    work()


def test_times_are_shown_and_taken_in_the_time_zone_of_the_viewer(
    new_context: NewContext, researcher: User, tmp_path: Path
) -> None:
    challenge = new_challenge(tmp_path / "hidden", researcher)
    settings = f"/challenges/{challenge.name}/settings/"
    page = new_context(timezone_id="Asia/Tokyo").new_page()
    log_in(page, "researcher")
    page.goto(settings)

    closes = page.get_by_label("Closes (Asia/Tokyo)")
    closes.fill("2099-07-01T08:30")
    page.get_by_role("button", name="Save").click()
    expect(closes).to_have_value("2099-07-01T08:30")
    expect(page.locator("#phase time")).to_have_text("1 Jul 2099, 08:30 GMT+9")
    challenge.refresh_from_db()
    assert challenge.closes_at
    assert challenge.closes_at.isoformat() == "2099-06-30T23:30:00+00:00"

    page = new_context(java_script_enabled=False).new_page()
    log_in(page, "researcher")
    page.goto(settings)
    expect(page.get_by_label("Closes (UTC)")).to_have_value("2099-06-30T23:30")
    expect(page.locator("#phase time")).to_have_text("30 Jun 2099, 23:30 UTC")


def test_a_host_closes_a_challenge_by_one_click(
    page: Page, researcher: User, tmp_path: Path
) -> None:
    challenge = new_challenge(tmp_path / "hidden", researcher)
    log_in(page, "researcher")
    page.goto(challenge.get_absolute_url())

    page.get_by_role("button", name="Close now").click()
    expect(page.locator("#phase")).to_contain_text("Closed since")
    expect(page.get_by_role("button", name="Reopen")).to_be_visible()
