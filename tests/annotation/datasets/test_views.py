import zipfile
from io import BytesIO
from pathlib import Path

import pytest
from django.contrib.messages import get_messages
from django.test import Client
from django.urls import reverse

from tercet.analysis.dataset.folder import load
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.models import (
    Candidate,
    Dataset,
    Event,
    Image,
    Pair,
    Reference,
    Study,
)
from tercet.annotation.models.study import State
from tercet.annotation.operations.deletion.deleting import delete_study, hasten_purge
from tercet.annotation.operations.deletion.purging import purge_due
from tercet.annotation.studies.creation import create_study
from tercet.annotation.studies.lifecycle import set_state
from tests.annotation.full import STUDY_FILES, SVG, full_folder
from tests.support.folders import contents, dataset_folder
from tests.support.pages import squeeze

pytestmark = pytest.mark.django_db


@pytest.fixture
def full(tmp_path: Path) -> Dataset:
    folder = full_folder(tmp_path / "full")
    return import_dataset(load(folder), "full", folder)


@pytest.fixture
def bare(tmp_path: Path) -> Dataset:
    """Candidates, and no pairs yet."""
    candidates = [
        (image, f"{source} sees a {image}", source)
        for image in ("dog", "cat")
        for source in ("human", "system")
    ]
    folder = dataset_folder(tmp_path / "bare", pairs=None, candidates=candidates)

    return import_dataset(load(folder), "bare", folder)


def page(office: Client, name: str, *args: str) -> str:
    return office.get(reverse(name, args=args)).getvalue().decode()


def make(office: Client, **counts: int) -> tuple[int, str]:
    wanted = {"HC": 0, "HI": 0, "HM": 0, "MM": 0, "seed": 0} | counts
    response = office.post(reverse("dataset_pairs", args=["bare"]), wanted)
    told = [str(message) for message in get_messages(response.wsgi_request)]

    return response.status_code, response.getvalue().decode() + " ".join(told)


def test_the_list_counts_images_and_pairs_of_each_dataset(
    office: Client, dataset: Dataset, full: Dataset, bare: Dataset
) -> None:
    shown = squeeze(page(office, "datasets"))
    assert shown.index("bare") < shown.index("Hills &amp; lakes") < shown.index("small")
    assert "2 images · 0 pairs" in shown

    assert "3 images · 4 pairs" in shown
    assert "2 images · 4 pairs" in shown


def test_an_empty_list_shows_the_way(office: Client) -> None:
    assert reverse("upload") in page(office, "datasets")


def test_a_dataset_shows_what_it_holds(office: Client, full: Dataset) -> None:
    shown = page(office, "dataset", "full")
    for text in (
        "Hills &amp; lakes",
        "Two places.",
        "CC0",
        "Nobody (2026)",
        "a green hill",
        "Who is nearer?",
    ):
        assert text in shown, text

    picture = Image.objects.get(name="hill")
    assert reverse("image", args=["full", picture.pk]) in shown


def test_the_samples_are_called_what_they_are(
    office: Client, dataset: Dataset, full: Dataset
) -> None:
    assert "Sample images" in page(office, "dataset", "full")

    shown = page(office, "dataset", "small")
    assert "Sample references" in shown
    assert "Sample images" not in shown


def test_what_a_dataset_says_about_itself_is_changed_and_logged(
    office: Client, dataset: Dataset
) -> None:
    texts = {
        "title": "Hills",
        "licence": "CC0",
        "citation": "A book",
        "description": "",
        "url": "",
    }
    address = reverse("dataset_about", args=[dataset.name])
    shown = office.post(address, texts, follow=True).text

    assert "<h1>Hills</h1>" in shown
    assert "Cite: A book." in shown

    office.post(address, texts)
    event = Event.objects.get(what="changed dataset")

    assert event.details == {
        "name": "small",
        "settings": ["title", "licence", "citation"],
    }


def test_a_dataset_keeps_its_title_where_none_is_given(
    office: Client, dataset: Dataset
) -> None:
    refused = office.post(reverse("dataset_about", args=[dataset.name]), {"title": ""})
    assert refused.status_code == 422
    assert '<details id="about" open>' in refused.text
    assert "<h1>small</h1>" in refused.text


def test_what_a_dataset_holds_is_never_markup(office: Client, dataset: Dataset) -> None:
    Dataset.objects.update(title="<script>alert(1)</script>", description="<b>")
    Reference.objects.update(caption="<i>dog</i>")
    shown = page(office, "dataset", "small") + page(office, "datasets")

    assert "<script>alert" not in shown
    assert "<b>" not in shown
    assert "<i>dog" not in shown


def test_pairs_are_made_from_candidates(office: Client, bare: Dataset) -> None:
    assert make(office, HI=2, HM=1) == (302, "Created 3 pairs.")
    assert bare.pairs.count() == 3


def test_generating_pairs_comes_first_while_there_are_none(
    office: Client, bare: Dataset
) -> None:
    shown = page(office, "dataset", "bare")
    order = ["<h2>Generate pairs", "Change the title", "Candidates for pairs"]
    assert sorted(order, key=shown.index) == order

    make(office, HI=1)
    shown = page(office, "dataset", "bare")
    assert "<h2>Generate pairs" not in shown


def test_only_pairs_that_are_possible_are_asked_for(
    office: Client, bare: Dataset
) -> None:
    shown = page(office, "dataset", "bare")
    asked = [name for name in ("HC", "HI", "HM", "MM") if f'name="{name}"' in shown]
    assert asked == ["HI", "HM"]
    assert "of 0" not in shown

    address = reverse("dataset_pairs", args=["bare"])
    assert office.post(address, {"HI": 1, "HM": 0, "seed": 0}).status_code == 302
    assert bare.pairs.count() == 1


def test_candidates_that_allow_no_pairs_are_told(office: Client, bare: Dataset) -> None:
    Candidate.objects.filter(source="system").delete()
    Candidate.objects.filter(image__name="cat").delete()
    shown = page(office, "dataset", "bare")
    assert "The candidates allow no pairs" in shown
    assert 'name="seed"' not in shown


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        ({"MM": 1}, "MM: 1 wanted, 0 possible"),
        ({}, "Enter a number of pairs"),
        ({"HI": -1}, "greater than or equal to 0"),
        ({"HI": 1, "seed": -1}, "greater than or equal to 0"),
        ({"HI": 1, "seed": 2**31}, "less than or equal to"),
    ],
)
def test_pairs_that_cannot_be_made_are_told(
    office: Client, bare: Dataset, counts: dict[str, int], told: str
) -> None:
    status, shown = make(office, **counts)
    assert status == 422
    assert told in shown
    assert not bare.pairs.exists()


def test_more_pairs_are_made_and_taken_back(office: Client, bare: Dataset) -> None:
    make(office, HI=1)
    make(office, HM=2)
    shown = page(office, "dataset", "bare")
    assert "Generate more pairs" in shown
    assert "Take back the 2 pairs generated last" in squeeze(shown)

    back = reverse("dataset_pairs_back", args=["bare"])
    told = office.post(back, {"batch": "2"}, follow=True).content.decode()
    assert "Took back 2 pairs." in told
    assert [pair.category for pair in bare.pairs.all()] == ["HI"]


@pytest.mark.parametrize(
    "batch", ["2", "0", "", "²", "1; drop", "1" * 5000], ids=lambda each: each[:7]
)
def test_pairs_that_are_not_the_last_are_not_taken_back(
    office: Client, bare: Dataset, batch: str
) -> None:
    make(office, HI=1)
    back = reverse("dataset_pairs_back", args=["bare"])
    told = office.post(back, {"batch": batch}, follow=True).content.decode()
    assert "Look at them, and try again." in told
    assert bare.pairs.count() == 1


def test_the_pairs_of_a_study_are_neither_more_nor_fewer(
    office: Client, bare: Dataset
) -> None:
    make(office, HI=1)
    create_study(Study(dataset=bare, title="Dogs"))
    shown = page(office, "dataset", "bare")
    assert "Generate more pairs" not in shown
    assert "generated last" not in shown

    make(office, HM=1)
    assert "its pairs stay as they are" in page(office, "dataset", "bare")
    assert bare.pairs.count() == 1


def test_pairs_wait_until_a_deleted_study_is_gone_for_good(
    office: Client, bare: Dataset
) -> None:
    told = "Only what was deleted within a day uses the dataset"
    make(office, HI=1)
    study = create_study(Study(dataset=bare, title="Dogs"))
    assert told not in page(office, "dataset", "bare")

    set_state(study, State.CLOSED, None)
    delete_study(study, None)

    shown = page(office, "dataset", "bare")
    assert told in shown
    assert "Generate more pairs" not in shown


@pytest.mark.django_db(transaction=True)
def test_a_dataset_is_removed_with_all_it_holds(office: Client, tmp_path: Path) -> None:
    folder = full_folder(tmp_path / "full")
    for file in STUDY_FILES:
        (folder / file).unlink()

    row = import_dataset(load(folder), "full", folder)
    assert contents(row.folder)

    sent = {"title": row.title}
    response = office.post(reverse("dataset_delete", args=["full"]), sent)

    assert response["Location"] == reverse("datasets")
    hasten_purge(Dataset.everything.get(), None)
    purge_due()
    for model in (Dataset, Image, Reference, Candidate, Pair):
        assert not model._default_manager.exists()
    assert contents(row.folder) == {}


def test_a_dataset_that_a_study_uses_stays(office: Client, full: Dataset) -> None:
    sent = {"title": full.title}
    response = office.post(reverse("dataset_delete", args=["full"]), sent, follow=True)

    assert (
        "cannot be deleted, because a study or a challenge uses it"
        in response.getvalue().decode()
    )
    assert Pair.objects.count() == 4
    assert Study.objects.count() == 1
    assert contents(full.folder) == {"pictures/hill.svg": SVG.encode()}


def test_a_download_is_the_folder_that_was_imported(
    office: Client, full: Dataset, tmp_path: Path
) -> None:
    response = office.get(reverse("dataset_download", args=["full"]))
    assert response["Content-Disposition"] == 'attachment; filename="full.zip"'

    with zipfile.ZipFile(BytesIO(response.getvalue())) as archive:
        found = {
            name: archive.read(name) for name in archive.namelist() if name[-1] != "/"
        }

    wanted = contents(tmp_path / "full")
    for file in STUDY_FILES:
        wanted.pop(file)

    assert found == {f"full/{name}": content for name, content in wanted.items()}


def test_a_dataset_whose_title_is_its_name_is_named_once(
    dataset: Dataset, office: Client
) -> None:
    assert str(dataset) == "small"
    assert "<code>small</code>" not in office.get(reverse("datasets")).text

    dataset.title = "Dogs"
    dataset.save()

    assert str(dataset) == "Dogs (small)"
    assert "<code>small</code>" in office.get(reverse("datasets")).text


def test_deleting_a_dataset_says_what_stays_of_its_files(
    dataset: Dataset, office: Client
) -> None:
    page = office.get(dataset.get_absolute_url()).text
    assert "The uploaded files were not kept after the import" in page
    assert "stay under Imports for 2 days" in page


def test_pairs_of_equal_captions_are_counted(office: Client, dataset: Dataset) -> None:
    address = dataset.get_absolute_url()
    assert "equal captions" not in office.get(address).text

    pair = dataset.pairs.earliest("pk")
    pair.b.caption = pair.c.caption
    pair.b.save()
    page = " ".join(office.get(address).text.split())
    assert "1 of 4 pairs has two equal captions: nobody is asked about it" in page
