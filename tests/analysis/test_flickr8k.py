"""The published correlations of Flickr8k-Expert, skipped without the data."""

from pathlib import Path

import pytest

from analysis.dataset.folder import load
from analysis.evaluation.options import Options
from analysis.evaluation.results import evaluate
from analysis.evaluation.training import without_images
from analysis.findings import find
from tests.metrics.tuples.conftest import parsing

__all__ = ["parsing"]

PUBLISHED = {
    "BLEU-1": (32.175, 32.324),
    "BLEU-4": (30.599, 30.776),
    "METEOR": (41.538, 41.822),
    "ROUGE-L": (32.139, 32.314),
    "CIDEr-D": (43.602, 43.891),
}


@pytest.mark.parametrize("exclude_identical", [False, True])
def test_the_published_rows_come_out_to_the_third_decimal(
    flickr8k: Path, exclude_identical: bool
) -> None:
    options = Options(
        metrics=tuple(PUBLISHED),
        documents="rows",
        exclude_identical=exclude_identical,
        resamples=100,
        flips=99,
    )
    [found] = find(evaluate(load(flickr8k), options), ["ratings"])
    table = found.tables["ratings"]
    every = table[table["convention"] == "every rating"]
    assert set(every.loc[every["metric"].isin(list(PUBLISHED)), "rows"]) == {16_992}

    for name, expected in PUBLISHED.items():
        for coefficient, value in zip(("tau_b", "tau_c"), expected, strict=True):
            is_row = (every["metric"] == name) & (every["coefficient"] == coefficient)
            [found] = every.loc[is_row, "value"].to_numpy(dtype=float)
            assert round(100 * found, 3) == value, (name, coefficient)


@pytest.mark.usefixtures("parsing")
def test_tuples_agree_with_ratings_more_than_words_do(flickr8k: Path) -> None:
    """On the first 100 images, as parsing takes time."""
    whole = load(flickr8k)
    images = whole.references["image"].unique()
    some = without_images(whole, images[100:])
    options = Options(metrics=("METEOR", "tuple-F", "tuple-C"), resamples=20, flips=19)
    [found] = find(evaluate(some, options), ["ratings"])

    table = found.tables["ratings"]
    is_row = (table["convention"] == "every rating") & (table["coefficient"] == "tau_c")
    tau = table[is_row].set_index("metric")["value"].to_dict()
    assert tau["METEOR"] == pytest.approx(0.390, abs=1e-3)
    assert tau["tuple-F"] == pytest.approx(0.437, abs=1e-3)
    assert tau["tuple-C"] == pytest.approx(0.445, abs=1e-3)
