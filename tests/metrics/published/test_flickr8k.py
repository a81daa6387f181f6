"""Correlation with the experts of Flickr8k-Expert, as published, where the data is at hand."""

import csv
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kendalltau

from tests.metrics.conftest import SHARED
from tests.metrics.scores import caption_scores

FOLDER = SHARED / "data" / "flickr8k_expert"

# Kendall's tau b and tau c, times 100, of all single ratings; a candidate that is one of its
# image's own references is left out.
PUBLISHED = {
    "BLEU-1": (32.175, 32.324),
    "BLEU-4": (30.599, 30.776),
    "METEOR": (41.538, 41.822),
    "ROUGE-L": (32.139, 32.314),
    "CIDEr-D": (43.602, 43.891),
}


def test_published_correlations_come_out_with_documents_counted_by_row() -> None:
    assert correlations(PUBLISHED) == PUBLISHED


def correlations(names: Iterable[str]) -> dict[str, tuple[float, float]]:
    """Kendall's tau b and c of metrics, times 100, with document frequencies counted by row."""
    references = _references(FOLDER / "references.csv")
    ratings = _ratings(FOLDER / "ratings.csv", references)
    numbers = {image: number for number, image in enumerate(references)}

    scores = caption_scores(
        list(references.values()),
        [caption for _, caption in ratings],
        [numbers[image] for image, _ in ratings],
        list(names),
        documents="rows",
    )

    repeats = [len(given) for given in ratings.values()]
    experts = np.concatenate(list(ratings.values()))
    found: dict[str, tuple[float, float]] = {}

    for name in names:
        repeated = np.repeat(scores[name], repeats)
        tau_b = kendalltau(repeated, experts, variant="b").statistic
        tau_c = kendalltau(repeated, experts, variant="c").statistic
        found[name] = (round(100 * tau_b, 3), round(100 * tau_c, 3))

    return found


def _references(path: Path) -> dict[str, list[str]]:
    if not path.exists():
        pytest.skip("Flickr8k-Expert is not on this machine")

    references: dict[str, list[str]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            references.setdefault(row["image"], []).append(row["caption"])

    return references


def _ratings(
    path: Path, references: dict[str, list[str]]
) -> dict[tuple[str, str], list[int]]:
    """The ratings of each candidate, by image and caption."""
    ratings: dict[tuple[str, str], list[int]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["caption"] not in references[row["image"]]:
                key = row["image"], row["caption"]
                ratings.setdefault(key, []).append(int(row["rating"]))

    return ratings
