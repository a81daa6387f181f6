"""Small studies of each kind, about the same images, captions and pairs."""

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tercet.analysis.dataset.folder import load
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.judging.kinds import kind_of
from tercet.annotation.judging.kinds.kind import Character
from tercet.annotation.models import Lease, Study
from tercet.annotation.models.study import LinkUsers
from tercet.annotation.studies.creation import create_study
from tests.support.folders import dataset_folder, write_csv

SENT: dict[str, dict[str, str]] = {
    "triplet": {"side": "left"},
    "pairwise": {"side": "left"},
    "rating": {"aspect-quality": "3"},
    "sentence": {"text": "A brown dog is running over the green grass."},
}
"""What a page may send in answer to a question, by the kind of a new study."""
CANDIDATES = [
    ("dog", "a dog runs", "human"),
    ("dog", "a dog runs", "net"),
    ("dog", "a red bus", "net"),
    ("cat", "a cat sleeps", "human"),
    ("cat", "cat cat", "net"),
]
IMAGES = [
    (name, f"https://example.org/{name}.png", f"a {name} in a picture")
    for name in ("dog", "cat")
]


def study_of(kind: str, folder: Path, **settings: object) -> Study:
    """A study of two images, by a shared link for people at one place.

    There are twelve triplets, four pairs, four captions to be rated, or two images to describe.
    """
    dataset_folder(folder, candidates=CANDIDATES)
    write_csv(folder / "images.csv", ("image", "url", "alt"), IMAGES)
    usual = {"steps": [], "link_users": LinkUsers.PLACE, "enforced_seconds": 0}
    return create_study(
        Study(
            dataset=import_dataset(load(folder), folder.name, folder),
            protocol=kind,
            **(usual | settings),
        )
    )


def simulated(lease: Lease) -> Mapping[str, Any]:
    """What somebody who is often right sends in answer to the question of a lease."""
    return kind_of(lease.annotator.study).simulate(
        lease, Character(0.9, {}, random.Random())
    )
