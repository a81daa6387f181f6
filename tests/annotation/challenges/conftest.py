"""A challenge of two images with three references each, and files that suit it or do not."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.test import Client

from tercet.analysis.dataset.folder import read
from tercet.annotation.challenges.creation import create_challenge
from tercet.annotation.challenges.submissions import Details
from tercet.annotation.challenges.tasks import (
    accept_submission,
    compute_boards,
    compute_scores,
)
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.models import Challenge, Submission
from tests.support.browsers import logged_in
from tests.support.folders import dataset_folder

CAPTIONS = {"dog": "a dog runs on the grass", "cat": "a cat on a roof"}
OTHERS = {"dog": "a brown dog chases a ball", "cat": "the grey cat sleeps on the roof"}

Submit = Callable[..., Submission]


def results(captions: Mapping[str, str] = CAPTIONS) -> bytes:
    """A result file of these captions."""
    entries = [{"image_id": image, "caption": text} for image, text in captions.items()]
    return json.dumps(entries).encode()


def new_challenge(folder: Path, by: User, **settings: object) -> Challenge:
    """A challenge of a new dataset without pairs."""
    dataset_folder(folder, pairs=None)
    frames = read(folder, references_alone=True).sound()
    hidden = import_dataset(frames, folder.name, folder)

    given = {
        "title": "Small challenge",
        "metrics": ["BLEU-1", "CIDEr-D"],
        "counts": [2, None],
    }
    return create_challenge(Challenge(dataset=hidden, **given | settings), by)


@pytest.fixture
def challenge(administrator: User, tmp_path: Path) -> Challenge:
    return new_challenge(tmp_path / "hidden", administrator)


@pytest.fixture
def submitter(person: User) -> Client:
    """The browser of somebody with an account."""
    return logged_in(person)


def submit(
    challenge: Challenge,
    user: User,
    system: str = "system",
    captions: Mapping[str, str] = CAPTIONS,
) -> Submission:
    """Submit captions; spaces at the end of the file make it another one each time."""
    spaces = b" " * challenge.submissions.count()
    file = ContentFile(results(captions) + spaces, "results.json")
    return accept_submission(challenge, user, Details(system), file, ["hidden"])


def score(submission: Submission) -> Submission:
    """What the worker does with a submission."""
    compute_scores.call(submission.pk)
    compute_boards.call(submission.challenge_id)
    return Submission.objects.get(pk=submission.pk)
