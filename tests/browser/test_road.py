"""The whole road in a browser: from CSV to the plot."""

import re
import shutil
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from tercet.annotation.models import Answer, Study
from tests.browser.conftest import NewContext, log_in, press, work
from tests.browser.test_day import go_to
from tests.support.folders import dataset_folder


def upload(page: Page, archive: str) -> None:
    page.get_by_role("link", name="Datasets").click()
    page.get_by_role("link", name="Import a dataset").click()
    page.get_by_label("Dataset folder as a zip file").set_input_files(archive)

    page.get_by_role("button", name="Check files").click()
    expect(page.get_by_text("Waiting for the background worker")).to_be_visible()

    work()


def import_checked(page: Page) -> None:
    page.get_by_role("button", name=re.compile("^Import")).click()
    expect(page.get_by_text("Waiting for the background worker")).to_be_visible()

    work()
    expect(page.get_by_text("Imported.")).to_be_visible()


def judge_everything(page: Page, join_link: str, keys: str) -> int:
    """Judge by keyboard alone until there is nothing left; gives the number of votes."""
    page.goto(join_link)
    begin(page)
    votes = 0

    while page.locator("#answers").is_visible():
        press(page, keys[votes % len(keys)])
        votes += 1

        expect(
            page.get_by_text(
                re.compile(rf"\b{votes} judged, all saved|judged {votes} questions")
            )
        ).to_be_visible()

    return votes


def begin(page: Page) -> None:
    """Go through the steps before judging."""
    page.get_by_role("button", name="I agree and begin").click()
    page.get_by_role("button", name="I have read this").click()
    page.get_by_label("meaning is closer to A").check()
    page.get_by_label("first impression").check()
    page.get_by_role("button", name="Send my answers").click()

    for number, name in enumerate(
        ("Next practice", "Next practice", "Begin judging"), start=1
    ):
        expect(page.get_by_text(f"Practice {number} of 3")).to_be_visible()

        press(page, "1")
        page.get_by_role("button", name=name).click()

    expect(page.locator("#judge")).to_be_visible()


@pytest.mark.usefixtures("few_metrics")
def test_from_csv_to_votes_of_three_people_to_winners_to_the_plot(
    page: Page, new_context: NewContext, researcher: User, tmp_path: Path
) -> None:
    folder = dataset_folder(tmp_path / "animals")
    archive = shutil.make_archive(str(folder), "zip", tmp_path, "animals")

    log_in(page, "researcher")
    upload(page, archive)

    expect(page.get_by_text("What will be imported")).to_be_visible()

    import_checked(page)
    join_link = open_study(page)
    people = [new_context().new_page() for _ in range(3)]
    votes = [
        judge_everything(person, join_link, keys)
        for person, keys in zip(people, ("1", "2", "12"), strict=True)
    ]

    assert votes == [8, 8, 8]
    assert Answer.objects.valid().count() == 24

    page.get_by_role("link", name="Results", exact=True).click()
    expect(page.get_by_text("100 % of all votes")).to_be_visible()

    page.get_by_role("button", name="Compute results").click()
    expect(page.get_by_text("Waiting for the background worker")).to_be_visible()

    work()
    expect(page.get_by_role("heading", name="Winners by category")).to_be_visible()

    see_results(page)
    download_all(page)


def open_study(page: Page) -> str:
    """Make a study of the imported dataset and open it; return its shared link."""
    page.get_by_role("link", name="animals").click()
    page.get_by_role("link", name="New study").click()
    page.get_by_label("Title").fill("Animals, judged")
    page.get_by_label("References per pair").fill("2")

    page.get_by_role("button", name="Create study").click()
    expect(page.get_by_text("Created 8 questions")).to_be_visible()

    go_to(page, "Settings")
    page.get_by_role("link", name="Open an entry point").click()
    page.get_by_label("people can join through the shared link").check()
    page.get_by_label("people at one place").check()
    page.get_by_role("button", name="Save settings").click()
    page.get_by_role("button", name="Open the study").click()
    page.get_by_role("link", name="Links and roles", exact=True).click()

    return page.get_by_label("Shared link").input_value()


def see_results(page: Page) -> None:
    plot = page.get_by_role("slider", name="References per image")
    expect(plot.locator("svg").first).to_be_visible()

    accuracies = page.get_by_role(
        "table", name=re.compile("Accuracy with 3 references")
    )
    expect(accuracies.get_by_role("row", name=re.compile("CIDEr-D"))).to_be_visible()
    page.get_by_role("heading", name="Not applicable").click()
    expect(
        page.get_by_text("People were asked about some of the references")
    ).to_be_visible()


def download_all(page: Page) -> None:
    for name in (
        "Differences between metrics",
        "Accuracy by category",
        "Accuracy against reference count",
    ):
        page.get_by_role("heading", name=name).click()
    page.get_by_text("Tables, votes and files of the report").click()

    for name in (
        "Votes (CSV)",
        "Winners of pairs",
        "PDF of accuracy",
        "differences.csv",
        "table.tex",
        "The whole report as a zip file",
        "Dataset folder with votes",
    ):
        with page.expect_download() as download:
            page.get_by_role("link", name=name, exact=True).click()
        assert download.value.path().stat().st_size > 100


def test_a_faulty_dataset_is_met_with_a_list_of_its_faults(
    page: Page, researcher: User, tmp_path: Path
) -> None:
    pairs = (("p1", "dog", "a dog", "a dog", "HC"), ("p2", "bird", "a bird", "", "HC"))
    folder = dataset_folder(tmp_path / "faulty", pairs=pairs)
    archive = shutil.make_archive(str(folder), "zip", folder)
    log_in(page, "researcher")

    upload(page, archive)
    expect(page.get_by_text("2 problems. Nothing was imported.")).to_be_visible()

    row = page.get_by_role("row", name=re.compile("unknown image"))
    expect(row).to_contain_text("pairs.csv")
    expect(row).to_contain_text("bird")

    with page.expect_download() as download:
        page.get_by_role("link", name="Download all problems (CSV)").click()

    assert len(download.value.path().read_text().splitlines()) == 3
    assert not Study.objects.exists()
