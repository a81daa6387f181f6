"""What a challenge scores: images with their references, under its rules."""

from collections.abc import Callable, Collection
from dataclasses import replace
from itertools import groupby

import pandas as pd

from tercet.analysis.leaderboard.rules import Rules, board_metrics
from tercet.analysis.scoring.enabled import EnabledMetric, load_metrics
from tercet.analysis.tables.csv_injection import escaped
from tercet.analysis.tables.csv_tables import csv_text
from tercet.annotation.enabled_metrics import enabled_metrics, see_hidden_references
from tercet.annotation.models import Challenge, Dataset, Reference, Study
from tercet.annotation.models.challenge import METRICS

_COLUMNS = ("image", "url")
References = dict[str, list[str]]
"""The references of each image, in the order of the file, by the image's name."""


def references_of(dataset: Dataset, names: Collection[str] | None = None) -> References:
    """Return the references of each image that has any, or only of the images of these names."""
    rows = Reference.objects.filter(image__dataset=dataset)
    if names is not None:
        rows = rows.filter(image__name__in=names)

    ordered = rows.order_by("image_id", "number")
    values = ordered.values_list("image__name", "caption")
    return {
        image: [caption for _, caption in group]
        for image, group in groupby(values.iterator(), key=lambda row: row[0])
    }


def images_of(dataset: Dataset) -> list[str]:
    """Return the names of the images of a dataset that have references, in their order."""
    rows = dataset.images.filter(references__number=1)
    return list(rows.order_by("pk").values_list("name", flat=True))


def has_hidden_references(dataset: Dataset) -> bool:
    """Return whether a challenge, or a study that compares submissions, uses a dataset."""
    compared = dataset.studies.filter(comparison__isnull=False)
    return dataset.challenges.exists() or compared.exists()


def metrics_for(study: Study) -> dict[str, EnabledMetric]:
    """Return the metrics from outside that may score the references of a study, by name."""
    is_hidden = has_hidden_references(study.dataset)
    return see_hidden_references() if is_hidden else enabled_metrics()


def available_metrics() -> list[str]:
    """Return the names of the metrics that a challenge may have, COCO's first.

    By all of them higher scores are better.
    """
    others = [name for name in board_metrics() if name not in METRICS]
    outside = see_hidden_references().values()
    rising = [each.name for each in outside if each.higher_is_better]
    return [*METRICS, *others, *rising]


def in_board_order(names: Collection[str]) -> list[str]:
    """Return metrics as columns of a board, which is ordered by the last: CIDEr-D if it may."""
    outside = see_hidden_references()
    others = [name for name in names if name not in {*METRICS, *outside}]
    coco = [name for name in METRICS if name in names]
    return [*others, *coco, *(name for name in outside if name in names)]


def rules_of(challenge: Challenge) -> Rules:
    """Return how a challenge scores, as the analysis knows it; all metrics by name."""
    metrics = tuple(challenge.metrics)
    counts = tuple(challenge.counts)
    return Rules(metrics, counts, challenge.seed)


def scoring_rules_of(challenge: Challenge) -> Rules:
    """Return how a challenge scores, with its metrics from outside, which only the worker loads.

    Raises ValueError where one is not enabled for hidden references, or not what was enabled.
    """
    loaded = load_metrics(see_hidden_references(), challenge.metrics)
    return replace(rules_of(challenge), metrics=loaded)


def images_csv(dataset: Dataset, absolute: Callable[[str], str]) -> str:
    """Return the names of images, and where their pictures are, as CSV.

    `absolute` completes the address of a picture on this site.
    """
    images = dataset.images.select_related("dataset")
    pictures = {image.name: image.source for image in images}
    urls = {name: source and absolute(source) for name, source in pictures.items()}
    rows = [(name, urls[name]) for name in images_of(dataset)]
    frame = pd.DataFrame(rows, columns=list(_COLUMNS), dtype="str")
    return csv_text(escaped(frame), _COLUMNS)
