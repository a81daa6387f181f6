"""Columns of ratings, against naive versions: tau a, one rater against the others, the ceiling."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from tercet.analysis import Dataset, Options, evaluate
from tercet.analysis.bench.cells import BenchColumn
from tercet.analysis.bench.rating_columns import rating_columns
from tercet.analysis.stats.scores.ratings import EVERY

WORDS = ("a dog runs", "a dog", "the cat sleeps", "a man on a bench")
GENERATOR = np.random.default_rng(5)
RATINGS = pd.DataFrame(
    [
        (f"i{image}", f"{words} {image}", int(GENERATOR.integers(1, 5)), rater)
        for image in range(8)
        for words in WORDS
        for rater in ("ann", "bob", "eve")
    ],
    columns=["image", "caption", "rating", "annotator"],
)
REFERENCES = pd.DataFrame(
    [(f"i{image}", f"a dog runs fast {image}") for image in range(8)],
    columns=["image", "caption"],
)


@pytest.fixture(scope="module")
def columns() -> dict[str, BenchColumn]:
    dataset = Dataset.from_frames(references=REFERENCES, ratings=RATINGS)
    options = Options(metrics=("BLEU-1", "length"), resamples=50, flips=19)
    found = rating_columns(evaluate(dataset, options), EVERY, False)
    return {column.name: column for column in found}


def test_tau_a_counts_all_pairs_of_rows(columns: dict[str, BenchColumn]) -> None:
    length = [len(caption.split()) for caption in RATINGS["caption"]]
    rows = [*zip(RATINGS["rating"], length, strict=True)]
    signs = [
        np.sign(a[0] - b[0]) * np.sign(a[1] - b[1]) for a, b in combinations(rows, 2)
    ]

    assert columns["tau_a"].values["length"].value == pytest.approx(np.mean(signs))


def test_one_rater_is_compared_with_the_mean_of_the_others(
    columns: dict[str, BenchColumn],
) -> None:
    table = RATINGS.pivot(
        index=["image", "caption"], columns="annotator", values="rating"
    )
    agreed = []
    for rater in table:
        others = table.drop(columns=rater).mean(axis=1)
        for _, rows in pd.DataFrame({"own": table[rater], "others": others}).groupby(
            "image"
        ):
            for a, b in combinations(rows.to_numpy(), 2):
                agreed.append(np.sign(a[0] - b[0]) == np.sign(round(a[1] - b[1], 9)))

    assert columns["acc_eq"].people.value == pytest.approx(np.mean(agreed))


def test_the_first_column_is_that_of_the_chosen_coefficient(
    columns: dict[str, BenchColumn],
) -> None:
    assert next(iter(columns)) == "tau_c"
    assert np.isnan(columns["tau_c"].ceiling)
    assert 0 <= columns["Pearson"].ceiling <= 1


def test_what_images_contribute_adds_up_to_the_value(
    columns: dict[str, BenchColumn],
) -> None:
    for column in columns.values():
        for metric, by_image in column.by_image.items():
            assert by_image.sum() == pytest.approx(column.values[metric].value)
