"""A small finished challenge for the demo: its captions are those of the demo's systems."""

import json
from datetime import timedelta
from pathlib import Path

from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.utils import timezone

from tercet.analysis.tables.schema import PAIRS
from tercet.analysis.tables.schema import Dataset as Frames
from tercet.annotation.challenges.comparisons import ComparisonPlan, create_comparison
from tercet.annotation.challenges.creation import create_challenge
from tercet.annotation.challenges.submissions import Details
from tercet.annotation.challenges.tasks import (
    accept_submission,
    compute_boards,
    compute_scores,
)
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.models import Challenge, Submission
from tercet.annotation.models.challenge import HIDDEN, METRICS
from tercet.annotation.models.study import State
from tercet.annotation.participation.simulation import simulate
from tercet.annotation.studies.lifecycle import set_state

NAME = "demo-challenge"
SYSTEMS = {
    "template": "Objects of the scene in a sentence that is always the same.",
    "bigram": "Words drawn from a bigram model of the references.",
    "nouns": "Nouns of the scene, in any order.",
}
SHORT, SHORT_WORDS = "template-short", 5
_SHORT_DESCRIPTION = "The captions of template, cut after five words."
ORDER = ("human", "template", SHORT, "nouns", "bigram")
"""What the simulated annotators prefer: the former to the latter."""
IMAGES, ANNOTATORS, RELIABILITY = 12, 6, 0.8
RULES = """\
1. One caption of each image.
2. The captions of the demo may be used for training.
"""


def load_demo_challenge(source: Frames, folder: Path, owner: User) -> None:
    """Create the challenge, its scored submissions, and a study with simulated votes."""
    hidden = Frames(
        references=source.references,
        pairs=PAIRS.empty(),
        images=source.images,
        info={"title": "Demo challenge: hidden references"},
    )
    dataset = import_dataset(hidden, NAME, folder)
    challenge = create_challenge(
        Challenge(
            title="Demo challenge",
            description="Describe the 24 drawn scenes of the demo. The systems are toys, and the "
            "votes in the human column are simulated.",
            rules=RULES,
            dataset=dataset,
            metrics=list(METRICS),
            counts=[5, None],
            per_day=5,
            in_all=20,
            closes_at=timezone.now() - timedelta(days=1),
        ),
        owner,
    )

    submissions = [
        _submit(challenge, owner, details, captions)
        for details, captions in _systems(source)
    ]
    _compare(challenge, submissions, owner)

    for submission in submissions:
        compute_scores.call(submission.pk)
    compute_boards.call(challenge.pk)


def _systems(source: Frames) -> list[tuple[Details, dict[str, str]]]:
    """Return what is said about each system, and its caption of each image."""
    captions = {}
    for system in SYSTEMS:
        rows = source.candidates[source.candidates["source"] == system]
        captions[system] = dict(zip(rows["image"], rows["caption"], strict=True))

    captions[SHORT] = {
        image: " ".join(caption.split()[:SHORT_WORDS])
        for image, caption in captions["template"].items()
    }
    descriptions = SYSTEMS | {SHORT: _SHORT_DESCRIPTION}
    return [
        (Details(system, descriptions[system], training="the demo"), own)
        for system, own in captions.items()
    ]


def _submit(
    challenge: Challenge, user: User, details: Details, captions: dict[str, str]
) -> Submission:
    results = [
        {"image_id": image, "caption": caption} for image, caption in captions.items()
    ]
    text = json.dumps(results)
    name = f"{details.system}.json"
    file = ContentFile(text.encode(), name)
    return accept_submission(challenge, user, details, file, [HIDDEN])


def _compare(challenge: Challenge, submissions: list[Submission], owner: User) -> None:
    """Let simulated annotators compare the submissions with each other and human captions."""
    plan = ComparisonPlan(submissions, IMAGES, votes=1, human=True)
    study = create_comparison(challenge, plan, owner)
    set_state(study, State.OPEN, owner)

    numbers = range(1, ANNOTATORS + 1)
    beliefs = {}
    for pair in study.dataset.pairs.select_related("b", "c"):
        b, c = (ORDER.index(each.source.split(" ")[0]) for each in (pair.b, pair.c))
        beliefs[pair.name] = "B" if b < c else "C"
    for _ in simulate(study, numbers, RELIABILITY, beliefs, seed=0):
        pass
    set_state(study, State.CLOSED, owner)
