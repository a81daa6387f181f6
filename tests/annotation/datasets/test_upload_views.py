"""Uploads: a dry run, then the import, by the worker; on SQLite and on PostgreSQL."""

import csv
import json
import re
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from io import StringIO
from pathlib import Path
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connections
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django_tasks_db.models import DBTaskResult
from pytest_django.fixtures import Settings

from tercet.analysis.tables.schema import ANALYSIS_TABLES, STUDY_TABLES, TABLES
from tercet.analysis.tables.schema import Dataset as Frames
from tercet.annotation import jobs
from tercet.annotation.datasets import (
    dry_run,
    importing,
    tasks,
    upload_views,
    uploading,
)
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.datasets.tasks import process_upload
from tercet.annotation.models import (
    Answer,
    Dataset,
    Evaluation,
    Event,
    Image,
    Study,
    Upload,
    Worker,
)
from tercet.annotation.models.computation import JobState
from tercet.annotation.operations.workers import restart_lost_work
from tests.analysis.tables.test_unpacking import zipped
from tests.annotation.full import SVG, full_folder
from tests.support.folders import contents, dataset_folder, write_csv
from tests.support.pages import squeeze
from tests.support.published import FILES

pytestmark = [pytest.mark.voting, pytest.mark.django_db(transaction=True)]

FAULTY_ROWS = 1_234


def sent(office: Client, content: bytes, name: str = "small.zip") -> Upload:
    """Upload a file; the dry run comes next."""
    file = SimpleUploadedFile(name, content, "application/zip")
    response = office.post(reverse("upload"), {"file": file})
    row = Upload.objects.latest("created_at")

    assert response["Location"] == reverse("upload_check", args=[row.key])

    return row


def packed(folder: Path) -> bytes:
    return zipped(folder.parent / "packed.zip", contents(folder)).read_bytes()


def work() -> None:
    """Do what uploads wait for, as the worker does it."""
    for row in Upload.objects.filter(state=JobState.WAITING):
        process_upload.call(row.task_key)


def check(office: Client, row: Upload) -> str:
    work()
    return squeeze(office.get(reverse("upload_check", args=[row.key])).text)


def ask_for_import(
    office: Client, row: Upload, name: str = "small", **more: str
) -> HttpResponse:
    """Press the button of the dry run, and leave the rest to the worker."""
    check(office, row)
    address = reverse("upload_import", args=[row.key])
    response: object = office.post(address, {"name": name, **more})
    assert isinstance(response, HttpResponse)

    return response


def bring_in(office: Client, row: Upload, name: str = "small") -> str:
    response = ask_for_import(office, row, name)
    return (
        response.getvalue().decode()
        if response.status_code == 422
        else check(office, row)
    )


def figures(page: str) -> dict[str, str]:
    """The counts that a page shows."""
    counts = re.findall(r"<dt>([^<]+)</dt><dd>([^<]+)</dd>", page)
    return {name.casefold(): count for name, count in counts}


@pytest.fixture
def small(tmp_path: Path) -> bytes:
    return packed(dataset_folder(tmp_path / "a"))


@pytest.fixture
def full(tmp_path: Path) -> bytes:
    return packed(full_folder(tmp_path / "full"))


@pytest.fixture
def faulty(tmp_path: Path) -> bytes:
    votes = [("p1", 1, f"person {number}", "X") for number in range(FAULTY_ROWS)]
    return packed(dataset_folder(tmp_path / "faulty", votes=votes))


# The form


def test_the_page_names_every_file_and_column_that_an_import_reads(
    office: Client,
) -> None:
    page = office.get(reverse("upload")).getvalue().decode()

    for table in (*TABLES, *ANALYSIS_TABLES, *STUDY_TABLES):
        assert table.file in page
    for name in ("score_b", "aspect", "reference_count", "tuple", "span", "word"):
        assert re.search(rf"\b{name}\b", page)


def test_the_page_names_every_layout(office: Client) -> None:
    shown = " ".join(office.get(reverse("upload")).text.split())
    for name in ("Label Studio", "Qualtrics", "Karpathy", "VATEX", "any other table"):
        assert name.casefold() in shown.casefold()


EXCEL = [["Image", "Sentence"], ["dog", "ein Hund"], ["cat", "eine Katze"]]


@pytest.mark.parametrize("file", [None, SimpleUploadedFile("a.zip", b"")])
def test_without_a_file_the_form_asks_for_one(
    office: Client, file: SimpleUploadedFile | None
) -> None:
    response = office.post(
        reverse("upload"), {"file": file} if file else {"other": "x"}
    )

    assert response.status_code == 422
    assert 'class="errorlist' in response.getvalue().decode()
    assert not Upload.objects.exists()


def test_a_file_that_is_too_large_is_refused(
    office: Client, small: bytes, settings: Settings
) -> None:
    settings.UPLOAD_LIMIT = len(small) - 1
    response = office.post(
        reverse("upload"), {"file": SimpleUploadedFile("a.zip", small)}
    )

    assert response.status_code == 422
    assert "The file is larger than" in response.getvalue().decode()
    assert not Upload.objects.exists()


@pytest.mark.parametrize(
    ("file", "name"),
    [("My dogs.zip", "my-dogs"), ("丘.zip", "dataset"), (f"{'a' * 90}.zip", "a" * 80)],
)
def test_an_upload_is_called_after_its_file(
    office: Client, small: bytes, file: str, name: str
) -> None:
    row = sent(office, small, file)
    assert row.name == name
    assert f'value="{name}"' in check(office, row)


def test_a_path_in_the_name_of_a_file_leads_nowhere(
    office: Client, small: bytes, data_dir: Path
) -> None:
    sent(office, small, "../../../evil.zip")
    assert list(contents(data_dir)) == ["media/uploads/evil.zip"]


def test_old_uploads_are_removed_with_their_files(
    office: Client, small: bytes, faulty: bytes, data_dir: Path
) -> None:
    old, fresh = sent(office, faulty, "old.zip"), sent(office, small, "fresh.zip")
    check(office, old)

    assert old.problems_file.is_file()

    Upload.objects.filter(pk=old.pk).update(
        created_at=timezone.now() - timedelta(days=2, hours=1)
    )
    Upload.objects.filter(pk=fresh.pk).update(
        created_at=timezone.now() - timedelta(days=1)
    )
    sent(office, small, "new.zip")

    assert sorted(Upload.objects.values_list("name", flat=True)) == ["fresh", "new"]
    assert set(contents(data_dir)) == {
        "media/uploads/fresh.zip",
        "media/uploads/new.zip",
    }


# The dry run


def test_a_dry_run_counts_and_writes_nothing(
    office: Client, full: bytes, data_dir: Path
) -> None:
    row = sent(office, full)
    before = contents(data_dir)
    shown = check(office, row)

    assert "What will be imported" in shown
    assert "note error" not in shown
    assert figures(shown) == {
        "images": "3",
        "references": "6",
        "candidates": "4",
        "pairs": "4",
        "image without a pair": "1",
        "votes": "13",
    }

    assert not Dataset.objects.exists()
    assert contents(data_dir) == before


def test_a_dry_run_can_be_looked_at_again(office: Client, small: bytes) -> None:
    row = sent(office, small)
    assert figures(check(office, row)) == figures(check(office, row)) != {}


def test_a_dry_run_shows_what_is_left_out(office: Client, tmp_path: Path) -> None:
    folder = dataset_folder(tmp_path / "a")
    columns = ("image", "caption", "source", "mood <b>")
    write_csv(folder / "candidates.csv", columns, [("dog", "x", "human", "y")])

    shown = check(office, sent(office, packed(folder)))
    assert "mood &lt;b&gt;" in shown
    assert "is not used" in shown


def test_a_dry_run_says_that_what_people_wrote_is_not_imported(
    office: Client, tmp_path: Path
) -> None:
    folder = dataset_folder(tmp_path / "small")
    (folder / "people").mkdir()
    (folder / "people" / "remarks.csv").write_text("annotator,text\nann,Hello\n")

    shown = check(office, sent(office, packed(folder)))
    assert "What annotators wrote (the folder people) stays with the study" in shown


def test_problems_that_are_the_same_are_one_line_and_all_are_in_the_csv(
    office: Client, faulty: bytes
) -> None:
    row = sent(office, faulty, "faulty.zip")
    shown = check(office, row)

    assert "1,234 problems. Nothing was imported." in shown
    assert shown.count("<td>votes.csv</td>") == 1
    assert "2, 3, 4 and 1,231 more</td>" in shown
    assert "are shown" not in shown

    address = reverse("upload_problems", args=[row.key])
    assert address in shown

    response = office.get(address)
    assert (
        response["Content-Disposition"] == 'attachment; filename="faulty-problems.csv"'
    )

    problems = list(csv.DictReader(StringIO(response.getvalue().decode())))
    assert [problem["line"] for problem in problems] == [
        str(2 + n) for n in range(FAULTY_ROWS)
    ]
    assert {
        (problem["file"], problem["column"], problem["value"]) for problem in problems
    } == {("votes.csv", "choice", "X")}
    assert all(problem["what"] and problem["remedy"] for problem in problems)


def test_the_same_problem_of_several_values_is_one_line(
    office: Client, tmp_path: Path
) -> None:
    votes = [
        ("p1", 1, f"person {number}", f"X{number}") for number in range(FAULTY_ROWS)
    ]
    folder = dataset_folder(tmp_path / "a", votes=votes)
    shown = check(office, sent(office, packed(folder)))

    assert shown.count("<td>votes.csv</td>") == 1
    assert "<code>X0, X1, X2 and 1,231 more</code>" in shown


def test_the_first_different_problems_are_shown(
    office: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dry_run, "MAX_PROBLEMS", 1)
    votes = [("p1", 1, "Ann", "X"), ("nowhere", 1, "Ann", "B")]
    folder = dataset_folder(tmp_path / "a", votes=votes)
    shown = check(office, sent(office, packed(folder)))

    assert shown.count("<td>votes.csv</td>") == 1
    assert "The first 1 are shown; the CSV file contains 2." in shown


def test_few_problems_are_all_shown(office: Client, tmp_path: Path) -> None:
    pairs = [("p1", "<i>same</i>", "a", "b", "HC")]
    shown = check(
        office, sent(office, packed(dataset_folder(tmp_path / "a", pairs=pairs)))
    )

    assert "1 problem. Nothing was imported." in shown
    assert "&lt;i&gt;same&lt;/i&gt;" in shown

    assert "are shown" not in shown
    assert "<button>Import" not in shown


@pytest.mark.parametrize("content", [b"no zip", b"PK\x03\x04"])
def test_what_is_no_zip_is_told_as_a_problem(office: Client, content: bytes) -> None:
    shown = check(office, sent(office, content))
    assert "1 problem. Nothing was imported." in shown
    assert "is not a zip file that can be read" in shown


def test_an_unknown_upload_is_missing(office: Client) -> None:
    for name in ("upload_check", "upload_problems"):
        assert office.get(reverse(name, args=[uuid4()])).status_code == 404
    assert office.post(reverse("upload_import", args=[uuid4()])).status_code == 404


# Foreign files


def test_the_files_of_a_folder_may_come_one_by_one(
    office: Client, tmp_path: Path
) -> None:
    folder = dataset_folder(tmp_path / "a")
    (folder / "references.csv").rename(folder / "captions.csv")
    files = [
        SimpleUploadedFile(path.name, path.read_bytes())
        for path in sorted(folder.iterdir())
    ]
    office.post(reverse("upload"), {"file": files})

    row = Upload.objects.get()
    assert row.name == "captions"

    assert "What will be imported" in check(office, row)
    assert "Imported." in bring_in(office, row, "dogs")
    assert Dataset.objects.get().title == "dogs"


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("references.csv",), "references"),
        (("pairs.csv", "references.csv"), "dataset"),
        (("references.csv", "Batch 7.csv", "votes.csv"), "batch-7"),
        (("丘.csv", "dataset.json", "dogs.csv"), "dogs"),
    ],
)
def test_files_are_called_after_the_first_with_a_name_of_its_own(
    office: Client, names: tuple[str, ...], expected: str
) -> None:
    files = [SimpleUploadedFile(name, b"img,text\nd,a\n") for name in names]
    office.post(reverse("upload"), {"file": files})
    assert Upload.objects.get().name == expected


def test_files_in_the_formats_of_coco_come_one_by_one(office: Client) -> None:
    caption = {"image_id": 7, "caption": "a dog"}
    references = json.dumps({"annotations": [caption]}).encode()
    files = [
        SimpleUploadedFile("captions.json", references),
        SimpleUploadedFile("m2.json", json.dumps([caption]).encode()),
    ]
    office.post(reverse("upload"), {"file": files})

    page = check(office, Upload.objects.get())
    assert figures(page) == {"image": "1", "reference": "1", "candidate": "1"}


def test_a_problem_of_an_entry_is_shown_with_its_number(office: Client) -> None:
    files = [
        SimpleUploadedFile("references.csv", b"image,caption\n7,a dog\n"),
        SimpleUploadedFile("m2.json", b'[{"image_id": 8, "caption": "a cat"}]'),
    ]
    office.post(reverse("upload"), {"file": files})
    page = check(office, Upload.objects.get())

    assert '<td>m2.json</td><td class="number word">entry 1</td>' in page


def test_a_file_of_its_own_is_called_after_itself(office: Client) -> None:
    office.post(
        reverse("upload"), {"file": SimpleUploadedFile("Dogs.csv", b"img,text\nd,a\n")}
    )
    row = Upload.objects.get()

    assert row.name == "dogs"


SERIES = """image;text_1;text_2;ref1;ref2;ref3;thema
hund;Ein Hund läuft.;Eine Katze.;Ein Hund rennt im Gras.;Ein brauner Hund rennt.;;Tiere
zug;Ein Zug im Dorf.;Ein Bus.;Ein Zug fährt.;Ein Zug fährt.;Ein Zug fährt über Land.;Bahn
"""


# The import


def test_an_import_brings_in_what_the_dry_run_counted(
    office: Client, administrator: User, full: bytes, data_dir: Path
) -> None:
    row = sent(office, full)
    counted = figures(check(office, row))
    shown = bring_in(office, row, "hills")

    assert "Imported." in shown

    del counted["image without a pair"]
    assert figures(shown) == counted

    dataset = Dataset.objects.get()
    assert (dataset.name, dataset.created_by) == ("hills", administrator)
    assert f'href="{dataset.get_absolute_url()}"' in shown

    assert f'href="{Study.objects.get().get_absolute_url()}"' in shown
    assert Answer.objects.count() == 13
    assert contents(data_dir) == {
        "media/datasets/hills/pictures/hill.svg": SVG.encode()
    }


def test_the_page_of_an_import_may_be_left_and_shows_its_progress(
    office: Client, full: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "SECONDS_BETWEEN_REPORTS", 0)
    Worker.objects.create(name="w", heard_at=timezone.now())
    monkeypatch.setattr(upload_views, "PATIENCE", 0)
    row = sent(office, full)
    address = reverse("upload_check", args=[row.key])
    shown: list[str] = []

    def look(self: tasks.ReporterOutside, share: float, doing: str) -> None:
        report(self, share, doing)
        places = (address, reverse("datasets"))
        shown.extend(office.get(place).getvalue().decode() for place in places)

    report = tasks.ReporterOutside.__call__
    ask_for_import(office, row)
    monkeypatch.setattr(tasks.ReporterOutside, "__call__", look)
    work()
    how_read = "".join(shown)
    steps = (
        "Reading votes.csv",
        "Checking every line",
        "References:",
        "Votes: 13 of 13",
    )

    places = [how_read.index(step) for step in steps]
    assert places == sorted(places)
    assert "data-unfinished" in shown[0]

    assert f'href="{address}"' in shown[1]
    assert "Imported." in check(office, row)


def test_an_upload_whose_worker_died_is_begun_again(
    office: Client, full: bytes
) -> None:
    row = sent(office, full)
    check(office, row)
    ask_for_import(office, row)
    Upload.objects.update(state=JobState.RUNNING, attempts=1)
    DBTaskResult.objects.all().delete()

    restart_lost_work()
    assert DBTaskResult.objects.ready().count() == 1
    assert "Imported." in check(office, row)
    assert Upload.objects.get().attempts == 2


def test_an_import_that_was_begun_again_elsewhere_takes_everything_back(
    office: Client, full: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = sent(office, full)
    ask_for_import(office, row)
    real = importing.Import.write_study_details

    def elsewhere(self: importing.Import) -> None:
        Upload.objects.update(attempts=2)
        real(self)

    monkeypatch.setattr(importing.Import, "write_study_details", elsewhere)
    work()

    assert not Dataset.objects.exists()
    assert not Answer.objects.exists()


def test_a_page_waits_a_little_for_a_quick_worker(
    office: Client, small: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    Worker.objects.create(name="w", heard_at=timezone.now())
    row = sent(office, small)
    monkeypatch.setattr(time, "sleep", lambda _: work())

    address = reverse("upload_check", args=[row.key])
    assert "What will be imported" in office.get(address).getvalue().decode()


def test_an_upload_that_waits_for_a_busy_worker_says_for_what(
    office: Client, small: bytes, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upload_views, "PATIENCE", 0)
    Worker.objects.create(name="w", heard_at=timezone.now())
    Evaluation.objects.create(study=study, state=JobState.RUNNING)
    address = reverse("upload_check", args=[sent(office, small).key])

    how_read = f"The background worker is computing the results of {study.title}."
    assert how_read in office.get(address).text

    Evaluation.objects.update(state=JobState.DONE)
    assert "is computing" not in office.get(address).text


def test_the_results_of_imported_votes_are_asked_for(
    office: Client, full: bytes
) -> None:
    bring_in(office, sent(office, full))
    assert Evaluation.objects.get().study == Study.objects.get()


def test_an_import_leaves_no_file_and_a_page_that_says_what_was_imported(
    office: Client, small: bytes, data_dir: Path
) -> None:
    row = sent(office, small)
    bring_in(office, row)

    assert Dataset.objects.get().pairs.count() == 4
    assert contents(data_dir) == {}
    assert "Imported." in check(office, row)
    assert (
        row.name
        not in office.get(reverse("datasets")).getvalue().decode().split("<h2>")[0]
    )

    Dataset.objects.get().delete()
    assert "has been deleted" in check(office, row)


def test_a_dataset_without_a_title_is_called_as_it_is_named_at_its_import(
    office: Client, small: bytes
) -> None:
    bring_in(office, sent(office, small, "upload.zip"), "dogs")
    assert Dataset.objects.get().title == "dogs"


@pytest.mark.parametrize("name", ["small", "SMALL", "upload"])
def test_a_taken_name_is_asked_for_again(
    office: Client, dataset: Dataset, small: bytes, name: str
) -> None:
    row = sent(office, small)
    response = ask_for_import(office, row, name)

    assert response.status_code == 422
    assert "Choose another name" in response.getvalue().decode()
    assert "Imported." in bring_in(office, row, "another")
    assert Dataset.objects.count() == 2


@pytest.mark.parametrize("name", ["", "two words", "a/b", "x" * 81])
def test_a_wrong_name_is_asked_for_again(
    office: Client, small: bytes, name: str
) -> None:
    row = sent(office, small)
    response = ask_for_import(office, row, name)

    assert response.status_code == 422
    assert not Dataset.objects.exists()


def test_a_name_that_is_taken_during_the_import_is_told_and_nothing_is_lost(
    office: Client, full: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = sent(office, full)

    def overtaken(
        source: Frames, name: str, files: Path, *rest: object, **more: object
    ) -> Dataset:
        import_dataset(source, name, files)
        return import_dataset(source, name, files)

    monkeypatch.setattr(uploading, "import_dataset", overtaken)
    shown = bring_in(office, row)

    assert "There is already a dataset named small" in shown

    dataset = Dataset.objects.get()
    assert contents(dataset.folder) == {"pictures/hill.svg": SVG.encode()}

    monkeypatch.undo()
    assert "Imported." in bring_in(office, row, "another")


def test_an_upload_that_is_not_imported_can_be_discarded(
    office: Client, small: bytes
) -> None:
    row = sent(office, small)
    address = reverse("upload_discard", args=[row.key])
    office.post(address)

    assert Upload.objects.exists()

    check(office, row)
    assert address in office.get(reverse("datasets")).text
    assert "Removed small." in office.post(address, follow=True).text

    assert not Upload.objects.exists()
    assert not Path(row.file.path).exists()


def test_uploads_of_one_name_are_told_apart_and_the_page_says_how_long_they_stay(
    office: Client, small: bytes, faulty: bytes
) -> None:
    for content in (small, faulty):
        check(office, sent(office, content))

    page = squeeze(office.get(reverse("datasets")).text)
    assert page.count("uploaded <time") == 2
    assert "Checked: ready to import." in page

    assert "Checked: 1,234 problems." in page
    assert "Files that are not imported are deleted after 2 days." in page


def test_an_imported_upload_is_not_discarded(office: Client, small: bytes) -> None:
    row = sent(office, small)
    bring_in(office, row)
    office.post(reverse("upload_discard", args=[row.key]))

    assert Upload.objects.exists()


def test_a_faulty_zip_is_not_imported(office: Client, faulty: bytes) -> None:
    assert "1,234 problems. Nothing was imported." in bring_in(
        office, sent(office, faulty)
    )
    assert not Dataset.objects.exists()


def test_a_broken_zip_is_not_imported(office: Client) -> None:
    assert "is not a zip file that can be read" in bring_in(
        office, sent(office, b"no zip")
    )
    assert not Dataset.objects.exists()


def test_a_failure_in_the_middle_is_told_and_takes_everything_back(
    office: Client, full: bytes, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError("No space left on device")

    row = sent(office, full)
    before = contents(data_dir)
    ask_for_import(office, row)

    monkeypatch.setattr(importing, "copy_images", fail)
    with pytest.raises(OSError, match="No space left on device"):
        work()
    assert "nothing was saved" in check(office, row)

    assert not Dataset.objects.exists()
    assert contents(data_dir) == before
    assert "Failed" in office.get(reverse("datasets")).getvalue().decode()

    monkeypatch.undo()
    office.post(reverse("upload_check", args=[row.key]))

    assert "Imported." in bring_in(office, row)


def test_others_can_read_while_an_import_writes(
    office: Client, small: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bool] = []
    real = importing.Import.write_content

    def look(self: importing.Import) -> None:
        real(self)
        with ThreadPoolExecutor(1) as other:
            seen.append(other.submit(Dataset.objects.exists).result())
            other.submit(connections.close_all).result()

    row = sent(office, small)
    ask_for_import(office, row)
    monkeypatch.setattr(importing.Import, "write_content", look)

    work()
    assert seen == [False]
    assert Image.objects.count() == 2


# Warnings

REPEATED = """image,caption
dog,a dog
dog,a dog
cat,a cat
"""


def test_warnings_are_shown_beside_problems_and_after_the_import(
    office: Client, tmp_path: Path
) -> None:
    pairs = [("p1", "dog", "x", "x", "HC"), ("p2", "dog", "", "y", "HC")]
    folder = dataset_folder(tmp_path / "a", pairs=pairs)
    (folder / "references.csv").write_text(REPEATED)
    row = sent(office, packed(folder))

    shown, imported = check(office, row), bring_in(office, row)
    for page in (shown, imported):
        assert "1 pair has two equal candidates (line 2)" in page
        assert "1 reference repeats an earlier one of its image (line 3): kept" in page
    assert "Imported." in imported


# Leaving lines out


@pytest.fixture
def partly_faulty(tmp_path: Path) -> bytes:
    """One vote for an unknown pair, one of an unknown choice, and four others."""
    votes = [("p1", 1, f"person {number}", "B") for number in range(4)]
    faults = [("p9", 1, "ann", "B"), ("p1", 2, "ann", "X")]
    return packed(dataset_folder(tmp_path / "faulty", votes=[*faults, *votes]))


def test_faulty_lines_are_left_out_by_a_button_and_their_list_is_kept(
    office: Client, administrator: User, partly_faulty: bytes
) -> None:
    row = sent(office, partly_faulty)
    shown = check(office, row)

    assert "2 problems. Nothing was imported." in shown
    assert shown.count("Import without these 2 lines") == 1
    assert figures(shown)["votes"] == "4"

    receipt = bring_in(office, row)
    assert "Imported." in receipt
    assert Answer.objects.count() == 4

    event = Event.objects.get(what="left out lines")
    assert (event.by, event.details) == (administrator, {"name": "small", "lines": 2})

    page = office.get(reverse("dataset", args=["small"])).getvalue().decode()
    address = reverse("dataset_left_out", args=["small"])

    for shown in (receipt, page):
        assert "The import left out 2 lines with problems." in shown
        assert address in shown

    listed = list(csv.DictReader(StringIO(office.get(address).getvalue().decode())))
    assert [(each["file"], each["line"]) for each in listed] == [
        ("votes.csv", "2"),
        ("votes.csv", "3"),
    ]


def test_an_import_without_faults_keeps_no_list(office: Client, small: bytes) -> None:
    bring_in(office, sent(office, small))
    page = office.get(reverse("dataset", args=["small"])).getvalue().decode()
    assert reverse("dataset_left_out", args=["small"]) not in page


def test_where_others_would_change_nothing_is_left_out(
    office: Client, tmp_path: Path
) -> None:
    pairs = [("p1", "dog", "", "a cat", "HC"), ("p2", "dog", "a dog", "a cat", "HC")]
    folder = dataset_folder(tmp_path / "a", pairs=pairs, votes=[("p1", 1, "ann", "B")])
    row = sent(office, packed(folder))

    assert "Import without" not in check(office, row)

    office.post(reverse("upload_import", args=[row.key]), {"name": "small"})
    assert "Nothing was imported." in check(office, row)
    assert not Dataset.objects.exists()


# Votes without a study.json


def test_the_dry_run_asks_whether_collection_is_finished(
    office: Client, tmp_path: Path
) -> None:
    folder = dataset_folder(tmp_path / "a", votes=[("p1", 1, "", "B")])
    assert 'name="collection"' in check(office, sent(office, packed(folder)))


def test_files_that_say_so_themselves_are_not_asked_about(
    office: Client, small: bytes, full: bytes
) -> None:
    for content in (small, full):
        assert 'name="collection"' not in check(office, sent(office, content))


def test_a_study_of_votes_has_the_language_of_its_captions(
    office: Client, tmp_path: Path
) -> None:
    german = [("dog", "Ein Hund läuft über das Gras."), ("cat", "Die Katze schläft.")]
    votes = [("p1", 1, "", "B")]
    folder = dataset_folder(tmp_path / "a", references=german, votes=votes)

    bring_in(office, sent(office, packed(folder)), "german")
    assert Study.objects.get().language == "de"


@pytest.mark.parametrize(
    ("collection", "state"),
    [("", "closed"), ("finished", "closed"), ("unfinished", "open")],
)
def test_the_study_comes_in_as_it_was_answered(
    office: Client, tmp_path: Path, collection: str, state: str
) -> None:
    folder = dataset_folder(tmp_path / "a", votes=[("p1", 1, "", "B")])
    row = sent(office, packed(folder))
    ask_for_import(office, row, "votes", collection=collection)

    work()
    assert Dataset.objects.get().studies.get().state == state


def test_a_published_set_is_imported_from_its_files(
    office: Client, tmp_path: Path
) -> None:
    content = zipped(tmp_path / "set.zip", FILES["audiocaps-eval"]).read_bytes()
    row = sent(office, content)
    assert "AudioCaps-Eval: votes" in check(office, row)

    bring_in(office, row)
    pairs = Dataset.objects.get().pairs.order_by("name")
    assert [pair.category for pair in pairs] == ["HC", "HI", "HM", "MM"]
