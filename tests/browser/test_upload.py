"""A dataset made elsewhere comes in by choosing from a form, without JavaScript."""

import shutil
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from tercet.analysis.dataset.folder import load
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.models import Dataset, Reference
from tests.browser.conftest import NewContext, log_in, work
from tests.browser.test_layout import overflow
from tests.browser.test_road import import_checked, upload
from tests.support.folders import dataset_folder


def foreign_zip(folder: Path) -> str:
    """References and pairs with columns of other names, in Windows-1252."""
    folder.mkdir()
    references = "key;sentence\ndog;a dog runs\ndog;“the café dog”\n"
    pairs = "pair_id;img;caption1;caption2;type\np1;dog;a dog;une naïve chatte;HC\n"
    (folder / "references.csv").write_bytes(references.encode("windows-1252"))
    (folder / "pairs.csv").write_bytes(pairs.encode("windows-1252"))

    return shutil.make_archive(str(folder), "zip", folder)


def test_a_foreign_zip_is_imported_by_choosing_from_the_form(
    new_context: NewContext, researcher: User, tmp_path: Path
) -> None:
    page = new_context(java_script_enabled=False).new_page()
    log_in(page, "researcher")
    upload(page, foreign_zip(tmp_path / "dogs"))

    references = page.get_by_role("group", name="references.csv")
    expect(references.get_by_label("Encoding")).to_have_value("windows-1252")
    expect(references.get_by_role("cell", name="“the café dog”")).to_be_visible()

    references.get_by_label("Role of key").select_option("image")
    page.get_by_role("button", name="Check again").click()
    work()

    expect(page.get_by_text("The files are valid")).to_be_visible()

    import_checked(page)
    assert Dataset.objects.get().pairs.get().c.caption == "une naïve chatte"
    assert Reference.objects.get(number=2).caption == "“the café dog”"


def test_the_form_for_foreign_files_fits_a_phone(
    new_context: NewContext, researcher: User, tmp_path: Path
) -> None:
    page = new_context(viewport={"width": 320, "height": 800}).new_page()
    log_in(page, "researcher")
    upload(page, foreign_zip(tmp_path / "dogs"))

    expect(page.get_by_role("button", name="Check again")).to_be_visible()
    assert overflow(page) <= 0


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_pairs_are_generated_on_the_first_screen(
    new_context: NewContext, researcher: User, tmp_path: Path, width: int, height: int
) -> None:
    candidates = [("dog", f"{source} sees a dog", source) for source in "abc"]
    folder = dataset_folder(tmp_path / "bare", pairs=None, candidates=candidates)
    dataset = import_dataset(load(folder), "bare", folder)

    page = new_context(viewport={"width": width, "height": height}).new_page()
    log_in(page, "researcher")
    page.goto(dataset.get_absolute_url())
    expect(page.get_by_label("HC")).to_have_count(0)
    button = page.get_by_role("button", name="Generate pairs")
    expect(button).to_be_in_viewport(ratio=1)

    button.click()
    expect(page.get_by_text("Created 3 pairs.")).to_be_visible()


@pytest.mark.usefixtures("no_drawings")
def test_an_import_without_faulty_lines_goes_on_while_its_page_is_left(
    page: Page, researcher: User, tmp_path: Path
) -> None:
    votes = [("p1", 1, f"person {number}", "B") for number in range(4)]
    folder = dataset_folder(tmp_path / "dogs", votes=[*votes, ("p9", 1, "ann", "B")])
    log_in(page, "researcher")

    upload(page, shutil.make_archive(str(folder), "zip", folder))
    expect(page.get_by_text("1 problem. Nothing was imported.")).to_be_visible()

    page.get_by_role("button", name="Import without this line").last.click()
    expect(page.get_by_text("Waiting for the background worker")).to_be_visible()

    page.get_by_role("link", name="Datasets").first.click()
    imports = page.get_by_role("region", name="Imports")

    expect(imports).to_contain_text("Waiting for the background worker")

    address = imports.get_by_role("link", name="dogs").get_attribute("href")
    work()

    expect(imports.get_by_role("listitem")).to_have_count(0)

    page.goto(str(address))
    expect(page.get_by_text("Imported.")).to_be_visible()

    page.get_by_role("link", name="Dataset: dogs").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the list (CSV)").click()

    assert "votes.csv,6,pair,p9,is an unknown pair" in download.value.path().read_text()
