"""Make studies in which people compare the submissions of a challenge."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, count, product

import numpy as np
import pandas as pd
from django.contrib.auth.models import User
from django.db import transaction

from tercet.analysis.tables.schema import HUMAN, IMAGES, PAIRS, REFERENCES
from tercet.analysis.tables.schema import Dataset as Frames
from tercet.annotation.challenges.references import References, images_of, references_of
from tercet.annotation.challenges.scoring import captions_of
from tercet.annotation.datasets.exporting import IMAGE_FIELDS
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.judging.kinds import kind_for
from tercet.annotation.models import (
    Challenge,
    ChallengeStudy,
    Dataset,
    Study,
    Submission,
)
from tercet.annotation.names import first_free
from tercet.annotation.studies.creation import caption_language, create_draft
from tercet.annotation.studies.forecast import Forecast, pace_under

SAMPLE = 5
"""The purpose of the random numbers that choose images and sides."""


@dataclass(frozen=True)
class ComparisonPlan:
    """Which submissions people compare, on how many images, with how many votes per question.

    `human` adds the last reference of each image as one more source.
    """

    submissions: Sequence[Submission]
    images: int
    votes: int
    human: bool

    @property
    def pairs_per_image(self) -> int:
        sources = len(self.submissions) + self.human
        return sources * (sources - 1) // 2


def forecast_of(challenge: Challenge, plan: ComparisonPlan, wage: float) -> Forecast:
    """Estimate what the study of a plan takes, at most: equal captions are not asked about."""
    rate = Study._meta.get_field("repeat_rate")
    checks: float = rate.get_default()
    return Forecast(
        votes=plan.images * plan.pairs_per_image * plan.votes,
        checks=checks,
        pace=pace_under(kind_for(challenge.dataset).name),
        votes_each=plan.votes,
        max_judgments=None,
        wage=wage,
        fee=0,
    )


@transaction.atomic
def create_comparison(challenge: Challenge, plan: ComparisonPlan, by: User) -> Study:
    """Create a dataset of sampled images, and a draft of a study of it; raises Unsuitable.

    Nobody can join until its owner lets them, as people who judge may see references.
    """
    images = images_of(challenge.dataset)
    chance = np.random.default_rng([challenge.seed, SAMPLE])
    size = min(plan.images, len(images))
    chosen = chance.choice(len(images), size, replace=False)
    names = [images[index] for index in sorted(chosen)]
    frames = _frames(challenge, plan, images, names)

    earlier = challenge.comparisons.count()
    numbers = count(earlier + 1)
    free = (f"{challenge.name}-compared-{number}" for number in numbers)
    name = first_free(free, Dataset.objects)
    dataset = import_dataset(frames, name, challenge.dataset.folder, by)

    kind = kind_for(challenge.dataset)
    study = Study(
        dataset=dataset,
        title=f"{challenge.title}: people compare systems",
        protocol=kind.name,
        language=caption_language(dataset),
        votes=plan.votes,
        references=1 if kind.has_reference else None,
        seed=challenge.seed,
    )
    create_draft(study, by)
    ChallengeStudy.objects.create(challenge=challenge, study=study)
    return study


def _frames(
    challenge: Challenge, plan: ComparisonPlan, images: list[str], names: list[str]
) -> Frames:
    """Return the dataset of a comparison.

    A caption that is compared as the human one is no reference in it.
    """
    position = {name: index for index, name in enumerate(images)}
    captions: dict[str, Sequence[str]] = {}
    for submission in plan.submissions:
        read = captions_of(submission)
        captions[str(submission)] = [read[position[name]] for name in names]

    given = references_of(challenge.dataset, names)
    if plan.human:
        captions[HUMAN] = [given[name][-1] for name in names]
        given = {name: rows[:-1] or rows for name, rows in given.items()}

    sampled = challenge.dataset.images.filter(name__in=names)
    pictures = sampled.values_list(*IMAGE_FIELDS)
    chance = np.random.default_rng([challenge.seed, SAMPLE + 1])
    title = f"{challenge.title}: compared captions"
    return Frames(
        references=_reference_frame(given),
        pairs=_frame(PAIRS.columns, _pairs(captions, names, chance)),
        images=_frame(IMAGES.columns, pictures.order_by("pk").iterator()),
        info={"title": title},
    )


def _pairs(
    captions: Mapping[str, Sequence[str]], names: list[str], chance: np.random.Generator
) -> Iterator[tuple[str, ...]]:
    """Yield the pairs of all two sources, of each image; chance decides which is B."""
    pairs = product(enumerate(names), combinations(captions, 2))
    for number, ((index, image), sources) in enumerate(pairs, start=1):
        b, c = chance.permutation(sources)
        category = "HM" if HUMAN in sources else "MM"
        name = f"{category}-{number:04}"

        shown = captions[b][index], captions[c][index]
        yield (name, image, *shown, category, str(b), str(c), "")


def _frame(columns: Sequence[str], rows: Iterator[tuple[str, ...]]) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=list(columns), dtype="str")


def _reference_frame(given: References) -> pd.DataFrame:
    rows = (
        (image, caption, "", "")
        for image, captions in given.items()
        for caption in captions
    )
    frame = _frame(REFERENCES.columns, rows)
    return frame.assign(number=frame.groupby("image").cumcount() + 1)
