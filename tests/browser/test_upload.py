"""Files of other tools are brought to an import, at 1280 and at 390 pixels, without JavaScript."""

import json
import re
import shutil
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Locator, Page, expect

from tercet.analysis.dataset.folder import load
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.models import Answer, Dataset, Reference
from tests.browser.conftest import NewContext, log_in, work
from tests.browser.test_layout import overflow
from tests.browser.test_road import import_checked, upload
from tests.support.folders import dataset_folder
from tests.support.xlsx import write_xlsx

IMAGES = ("harbour", "bakery", "tram")
PEOPLE = ("W1", "W2", "W3")


def text_of(image: str, number: int) -> str:
    return f"the {image} is seen in picture {number}"


def messy(folder: Path) -> Path:
    names = [f"Ref {number}" for number in range(1, 6)]
    rows = [";".join(["Bild", *names, "System X", "System Y", "System Z", "Bemerkung"])]
    for image in IMAGES:
        cells = [text_of(image, number) for number in range(8)]
        rows.append(";".join([image, *cells, "schön"]))
    path = folder / "Tabelle.csv"
    path.write_bytes("\r\n".join(rows).encode("windows-1252"))
    return path


def batch(folder: Path) -> Path:
    names = "image reference caption_a caption_b".split()  # noqa: SIM905
    rows = [["HITId", "WorkerId", "AssignmentStatus", *(f"Input.{n}" for n in names)]]
    rows[0].append("Answer.choice")
    for image in IMAGES:
        texts = [text_of(image, number) for number in range(3)]
        rows += [["H", one, "Approved", image, *texts, "A"] for one in PEOPLE]
    path = folder / "Batch_1_results.csv"
    path.write_text("\n".join(",".join(row) for row in rows))
    return path


def label_studio(folder: Path) -> Path:
    answer = {
        "from_name": "comparison",
        "type": "pairwise",
        "value": {"selected": "left"},
    }
    tasks = []
    for image in IMAGES:
        names = ("reference", "text1", "text2")
        texts = {name: text_of(image, n) for n, name in enumerate(names)}
        annotations = [
            {"completed_by": {"email": f"{one}@example.org"}, "result": [answer]}
            for one in PEOPLE
        ]
        data = {"image": image, **texts}
        tasks.append({"data": data, "annotations": annotations})
    path = folder / "project.json"
    path.write_text(json.dumps(tasks))
    return path


def karpathy(folder: Path) -> Path:
    images = [
        {
            "filename": f"{image}.jpg",
            "split": "test",
            "sentences": [{"raw": text_of(image, n), "sentid": n} for n in range(5)],
        }
        for image in IMAGES
    ]
    path = folder / "dataset.json"
    path = path.with_name("dataset_flickr.json")
    path.write_text(json.dumps({"images": images, "dataset": "flickr"}))
    return path


def two_headers(folder: Path) -> Path:
    rows: list[list[str]] = [
        ["Bild", "Referenz", "Text A", "Text B", "Person", "Urteil"],
        ["Name", "von Menschen", "erste", "zweite", "Kürzel", "A besser?"],
    ]
    for image in IMAGES:
        texts = [text_of(image, number) for number in range(3)]
        rows += [
            [image, *texts, one, "ja" if one == "W1" else "nein"] for one in PEOPLE
        ]
    return write_xlsx(folder / "Urteile.xlsx", {"Daten": rows})


CASES = {
    "messy sheet": (messy, {"References": "15", "Candidates": "9"}),
    "batch": (batch, {"Pairs": "3", "Votes": "9"}),
    "Label Studio": (label_studio, {"Pairs": "3", "Votes": "9"}),
    "Karpathy": (karpathy, {"Images": "3", "References": "15"}),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("width", [1280, 390])
def test_a_file_of_another_tool_goes_in_without_a_question(
    new_context: NewContext, researcher: User, tmp_path: Path, case: str, width: int
) -> None:
    """Four clicks: the page of the import, the file, Check files, Import."""
    make, counts = CASES[case]
    size = {"width": width, "height": 844}
    page = new_context(viewport=size, java_script_enabled=False).new_page()
    log_in(page, "researcher")
    upload(page, str(make(tmp_path)))

    for name, count in counts.items():
        expect(page.locator(f"dt:text-is('{name}') + dd")).to_have_text(count)
    assert overflow(page) <= 0
    import_checked(page)
    assert Reference.objects.filter(image__dataset=Dataset.objects.get()).exists()


def meaning_of(page: Page, value: str) -> Locator:
    """The field of what a value in the column Urteil means."""
    name = re.compile(rf"^{value} .*in Urteil means")
    return page.get_by_role("combobox", name=name)


@pytest.mark.parametrize("width", [1280, 390])
def test_a_sheet_with_two_header_rows_goes_in_after_three_answers(
    new_context: NewContext, researcher: User, tmp_path: Path, width: int
) -> None:
    size = {"width": width, "height": 844}
    page = new_context(viewport=size, java_script_enabled=False).new_page()
    log_in(page, "researcher")
    upload(page, str(two_headers(tmp_path)))

    expect(page.get_by_text("Does row 2 explain the columns?")).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("^Import"))).to_be_disabled()
    page.get_by_label("Row 2").select_option("out")
    meaning_of(page, "ja").select_option("B")
    meaning_of(page, "nein").select_option("C")
    page.get_by_role("button", name="Check again").first.click()
    work()

    expect(page.locator("dt:text-is('Votes') + dd")).to_have_text("9")
    assert overflow(page) <= 0
    import_checked(page)
    assert Answer.objects.filter(choice="B").count() == 3


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
