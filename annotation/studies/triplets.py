"""The triplets of a study: made from references and pairs in one step."""

from collections.abc import Mapping

import numpy as np
from django.contrib.humanize.templatetags.humanize import intcomma
from django.db import transaction
from django.utils.text import slugify
from django.utils.translation import gettext as _

from analysis.dataset.schema import LONGEST_TITLE
from analysis.dataset.triplet_generation import draw_triplets
from analysis.progress import Progress, silent
from annotation.models import Dataset, Reference, Study, Triplet
from annotation.models.bulk import write_rows

Key = tuple[int, int | None]
"""A question: the keys of its pair and of its reference (None under `pairwise`)."""


class NoPairs(ValueError):
    """A study needs pairs to ask about."""

    def __init__(self, dataset: Dataset) -> None:
        words = _("%(dataset)s has no pairs yet: make some from its candidates first.")
        super().__init__(words % {"dataset": dataset.name})


class NoPictures(ValueError):
    """A pairwise study shows the image of each pair."""

    def __init__(self, dataset: Dataset, images: int) -> None:
        super().__init__(
            _(
                "Pairwise shows the image of each pair. "
                "%(images)s images of %(dataset)s have none. "
                "Name a file or url for each in images.csv, or ask triplets."
            )
            % {"images": intcomma(images), "dataset": dataset.name}
        )


@transaction.atomic
def create_study(study: Study, progress: Progress = silent) -> Study:
    """Save a new study under a free name and make its triplets; raises NoPairs, NoPictures."""
    Dataset.objects.select_for_update().get(pk=study.dataset_id)
    if not study.dataset.pairs.exists():
        raise NoPairs(study.dataset)
    bare = study.dataset.images.filter(file="", url="", pairs__isnull=False).distinct().count()
    if study.shows_image and bare:
        raise NoPictures(study.dataset, bare)
    study.name = free_name(study)
    study.title = study.title or usual_title(study.dataset, study.protocol)
    study.save()
    write_triplets(study, progress=progress)
    return study


def usual_title(dataset: Dataset, protocol: str) -> str:
    return f"{dataset.title}, {protocol}"[:LONGEST_TITLE]


def free_name(study: Study) -> str:
    stem = slugify(f"{study.dataset.name}-{study.protocol}")
    taken = set(Study.objects.filter(name__startswith=stem).values_list("name", flat=True))
    names = (f"{stem}-{number}" for number in range(2, len(taken) + 3))
    return next(name for name in (stem, *names) if name not in taken)


def write_triplets(
    study: Study, votes: Mapping[Key, int] | None = None, progress: Progress = silent
) -> dict[Key, int]:
    """The keys of the new triplets, by question.

    `votes` says how many votes a question has already; it gets a triplet even if the seed did
    not draw it, and is never asked for fewer votes than it has.
    """
    votes = votes or {}
    drawn, positions = draw(study)
    keys = list(dict.fromkeys(drawn) | dict.fromkeys(votes))
    places = [*positions, *range(len(drawn), len(keys))]
    rows = (
        Triplet(
            study=study,
            pair_id=key[0],
            reference_id=key[1],
            position=place,
            votes=votes.get(key, 0),
            needed=max(study.votes, votes.get(key, 0)),
        )
        for key, place in zip(keys, places, strict=True)
    )
    written = write_rows(Triplet.objects, rows, len(keys), "Triplets", progress)
    return dict(zip(keys, written, strict=True))


def draw(study: Study) -> tuple[list[Key], list[int]]:
    """The study's questions and their positions, decided by its settings and seed alone."""
    generator = np.random.default_rng(study.seed)
    pairs = list(study.dataset.pairs.order_by("pk").values_list("pk", "image_id"))
    if study.shows_image:
        order = generator.permutation(len(pairs)).tolist()
        return [(pair, None) for pair, _ in pairs], order
    references = references_by_image(study.dataset)
    counts = np.array([len(references[image]) for _, image in pairs], dtype=np.int64)
    triplets = draw_triplets(counts, study.references, generator)
    keys: list[Key] = [
        (pairs[pair][0], references[pairs[pair][1]][number - 1])
        for pair, number in zip(triplets.pair.tolist(), triplets.reference.tolist(), strict=True)
    ]
    return keys, triplets.position.tolist()


def references_by_image(dataset: Dataset) -> dict[int, list[int]]:
    """The keys of each image's references, in their order."""
    found: dict[int, list[int]] = {
        image: [] for image in dataset.images.values_list("pk", flat=True)
    }
    rows = Reference.objects.filter(image__dataset=dataset).order_by("image_id", "number")
    for image, reference in rows.values_list("image_id", "pk"):
        found[image].append(reference)
    return found
