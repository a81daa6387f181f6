"""The whole road of a new set of images in a browser: pictures, sentences, pairs, votes, figure."""

import re
import shutil
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from tercet.annotation.models import Answer, Dataset, Image, Reference, Study
from tercet.annotation.participation.simulation import simulate
from tests.browser.conftest import NewContext, judged, log_in, work
from tests.browser.judging.test_writing import save
from tests.browser.test_axe import faults_here
from tests.browser.test_day import go_to
from tests.browser.test_road import import_checked, upload
from tests.support.folders import DEMO, write_csv

SCENES = ("kite-on-the-hill", "dog-and-red-ball")
WRITTEN = {
    "kite-on-the-hill": [
        "A girl in a red dress holds the string of a kite.",
        "A girl flies a yellow kite on a green hill.",
        "On a hill a child in red is flying a kite.",
        "A child with a kite stands on top of a green hill.",
    ],
    "dog-and-red-ball": [
        "A brown dog runs over the grass after a red ball.",
        "A dog chases a red ball on the green grass.",
        "The dog in front of a fence is chasing a ball.",
        "A brown dog and a red ball on some grass near a tree.",
    ],
}


def pictures_folder(folder: Path) -> Path:
    (folder / "images").mkdir(parents=True)
    rows = [(name, f"images/{name}.svg") for name in SCENES]
    for _name, file in rows:
        shutil.copy(DEMO / file, folder / file)
    write_csv(folder / "images.csv", ("image", "file"), rows)
    return folder


def open_for_people_here(page: Page) -> str:
    """Open the study and its shared link; return the link: seven clicks."""
    go_to(page, "Settings")
    page.get_by_role("link", name="Open an entry point").click()
    page.get_by_label("people can join through the shared link").check()
    page.get_by_label("people at one place").check()
    page.get_by_role("button", name="Save settings").click()
    page.get_by_role("button", name="Open the study").click()
    page.get_by_role("link", name="Links and roles", exact=True).click()
    return page.get_by_label("Shared link").input_value()


def begin_writing(page: Page, link: str) -> None:
    page.goto(link)
    page.get_by_role("button", name="I agree and begin").click()
    page.get_by_role("button", name="I have read this").click()
    page.get_by_label("One sentence about what matters").check()
    page.get_by_label("A woman is smiling at a dog").check()
    page.get_by_role("button", name="Send my answers").click()


def write_all(page: Page, number: int) -> None:
    """Write the sentences of one person about both pictures, by keyboard alone."""
    for count in (1, 2):
        address = page.locator("#image").get_attribute("src") or ""
        name = Image.objects.get(pk=int(address.rstrip("/").split("/")[-1])).name
        save(page, WRITTEN[name][number])
        if count == 1:
            judged(page, 1)
    expect(page.get_by_text("judged 2 questions")).to_be_visible()


def review_and_use(page: Page) -> None:
    """Accept all sentences, and make a dataset of them: four clicks."""
    go_to(page, "Sentences")
    expect(page.get_by_role("heading", name="8 sentences to review")).to_be_visible()
    assert faults_here(page, "study_sentences") == []
    page.get_by_role("button", name="Accept all 8 on this page").click()
    expect(page.get_by_text("8 sentences accepted.")).to_be_visible()
    page.get_by_role("link", name="Results", exact=True).first.click()
    expect(page.get_by_text("8 of 8 sentences")).to_be_visible()
    assert faults_here(page, "results of sentences") == []
    page.get_by_role("button", name="Use as references").click()
    expect(page.get_by_text("now the references of this dataset")).to_be_visible()
    made = Dataset.objects.latest("pk")
    assert Reference.objects.filter(image__dataset=made).count() == 4


def compare(page: Page, sentences: Study) -> None:
    """Generate pairs, ask people about them, and look at the figure."""
    page.get_by_label(re.compile("^HC")).fill("2")
    page.get_by_role("button", name="Generate pairs").click()
    page.get_by_role("link", name="New study").click()
    page.get_by_label("Title").fill("Scenes, compared")
    page.get_by_role("button", name="Create study").click()
    triplets = Study.objects.exclude(pk=sentences.pk).get()
    asked = triplets.questions.count()
    assert asked > 0
    expect(page.get_by_text(f"Created {asked} questions")).to_be_visible()
    open_for_people_here(page)

    assert len(list(simulate(triplets, range(3), 0.9, {}, 0))) == 3 * asked
    page.get_by_role("link", name="Results", exact=True).click()
    page.get_by_role("button", name="Compute results").click()
    expect(page.get_by_text("Waiting for the background worker")).to_be_visible()
    work()
    plot = page.get_by_role("slider", name="References per image")
    expect(plot.locator("svg").first).to_be_visible()


@pytest.mark.usefixtures("few_metrics")
def test_from_pictures_to_sentences_to_pairs_to_votes_to_the_figure(
    page: Page, new_context: NewContext, researcher: User, tmp_path: Path
) -> None:
    folder = pictures_folder(tmp_path / "scenes")
    archive = shutil.make_archive(str(folder), "zip", tmp_path, "scenes")
    log_in(page, "researcher")
    upload(page, archive)  # three clicks
    import_checked(page)  # one click

    page.get_by_role("link", name="scenes").click()
    page.get_by_role("link", name="Collect sentences").click()
    page.get_by_label("Title").fill("Scenes, described")
    page.get_by_label("Votes per question").fill("4")
    page.get_by_role("button", name="Create study").click()
    expect(page.get_by_text("Created 2 questions")).to_be_visible()
    link = open_for_people_here(page)

    study = Study.objects.get()
    Study.objects.update(enforced_seconds=0)
    for number in range(4):
        person = new_context().new_page()
        begin_writing(person, link)
        write_all(person, number)
    assert Answer.objects.valid().count() == 8

    review_and_use(page)
    compare(page, study)
