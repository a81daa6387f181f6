"""What a dry run says about a dataset."""

from pathlib import Path

import pytest

from tercet.analysis.dataset.folder import load
from tercet.annotation.datasets.dry_run import counts_of, notes_of, preview
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.models import Answer, Candidate, Image, Pair, Reference
from tests.annotation.full import full_folder
from tests.support.folders import PAIRS, REFERENCES, dataset_folder, write_csv

pytestmark = pytest.mark.django_db


def test_the_preview_counts_what_is_written(tmp_path: Path) -> None:
    folder = full_folder(tmp_path / "full")
    counts = preview(load(folder))
    import_dataset(load(folder), "full", folder)

    assert counts == {
        "images": Image.objects.count(),
        "references": Reference.objects.count(),
        "candidates": Candidate.objects.filter(listed=True).count(),
        "pairs": Pair.objects.count(),
        "image without a pair": Image.objects.exclude(
            pk__in=Pair.objects.values("image")
        ).count(),
        "votes": Answer.objects.count(),
    }


def test_one_of_a_kind_is_counted_in_the_singular(tmp_path: Path) -> None:
    folder = dataset_folder(tmp_path / "one", REFERENCES[:1], PAIRS[:1])
    assert counts_of(load(folder)) == {"image": 1, "reference": 1, "pair": 1}


def test_images_with_fewer_references_than_others_are_noted(tmp_path: Path) -> None:
    assert list(notes_of(load(dataset_folder(tmp_path / "even")))) == []

    [note] = notes_of(load(dataset_folder(tmp_path / "uneven", REFERENCES[1:])))
    fewest = REFERENCES[0][0]

    assert note.startswith(
        f"Images with pairs have 2 to 3 references (fewest: 2, {fewest})."
    )


def test_images_without_references_are_noted(tmp_path: Path) -> None:
    folder = dataset_folder(tmp_path / "bare")
    write_csv(folder / "images.csv", ("image",), [("dog",), ("cat",), ("bus",)])
    [note] = notes_of(load(folder))

    assert note == "1 image has no references, so it can have no pairs"
