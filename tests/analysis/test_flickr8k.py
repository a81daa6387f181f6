"""The published correlations of Flickr8k-Expert, skipped without the data."""

from dataclasses import replace
from pathlib import Path

import pytest

from tercet.analysis.dataset.folder import load
from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.evaluation.training_examples import without_images
from tercet.analysis.findings import find
from tercet.analysis.scoring.options import Options
from tercet.analysis.tables.schema import Dataset
from tests.analysis.frames import one_row
from tests.lab.tuples.conftest import parsing

__all__ = ["parsing"]

PUBLISHED = {
    "BLEU-1": (32.175, 32.324),
    "BLEU-4": (30.599, 30.776),
    "METEOR": (41.538, 41.822),
    "ROUGE-L": (32.139, 32.314),
    "CIDEr-D": (43.602, 43.891),
}
RATINGS = 16_992
"""Of captions that are not among the references themselves."""


def published_rows(dataset: Dataset) -> tuple[int, dict[str, tuple[float, ...]]]:
    """How many ratings count, and tau_b and tau_c in percent with every one of them."""
    options = Options(
        metrics=tuple(PUBLISHED), documents="rows", resamples=100, flips=99
    )
    [found] = find(evaluate(dataset, options), ["ratings"])
    every = found.tables["ratings"].query("convention == 'every rating'")
    [rows] = set(every.loc[every["metric"].isin(list(PUBLISHED)), "rows"])

    values = every.set_index(["metric", "coefficient"])["value"].astype(float)
    figures = {
        name: (values[name, "tau_b"], values[name, "tau_c"]) for name in PUBLISHED
    }
    return rows, {
        name: tuple(round(100 * value, 3) for value in both)
        for name, both in figures.items()
    }


def test_the_published_rows_come_out_to_the_third_decimal(flickr8k: Path) -> None:
    assert published_rows(load(flickr8k)) == (RATINGS, PUBLISHED)


def test_raters_that_are_columns_are_compared_with_nobody(flickr8k: Path) -> None:
    options = Options(metrics=("ROUGE-L",), resamples=20, flips=19)
    [found] = find(evaluate(load(flickr8k), options), ["ratings"])

    assert "ratings_headroom" not in found.tables
    assert any("annotators may be columns, not people" in note for note in found.notes)


def test_own_captions_are_compared_with_the_other_four_references(
    flickr8k: Path,
) -> None:
    usual, excluded = (
        evaluate(
            load(flickr8k), Options(metrics=("ROUGE-L",), exclude_identical=is_excluded)
        )
        for is_excluded in (False, True)
    )

    assert excluded.provenance["ratings_left_out"] == 0
    assert usual.provenance["ratings_left_out"] == 474
    assert int(excluded.ratings.rated.is_own.sum()) == 158

    is_own = excluded.ratings.rated.is_own
    assert excluded.ratings.scores["ROUGE-L"][~is_own] == pytest.approx(
        usual.ratings.scores["ROUGE-L"]
    )
    assert excluded.ratings.scores["ROUGE-L"][is_own].mean() < 0.9


def test_all_captions_are_compared_with_references_that_nobody_rated(
    flickr8k: Path,
) -> None:
    """The rule of Composite, by data that are at hand: own captions count, and compare nothing."""
    options = Options(metrics=("ROUGE-L",), exclude_rated=True)
    dataset = load(flickr8k)
    scored = evaluate(dataset, options).ratings

    rated = {*map(tuple, dataset.ratings[["image", "caption"]].to_numpy())}
    known = {*map(tuple, dataset.references[["image", "caption"]].to_numpy())}
    assert len(scored.rated.rows.rating) == 17_466
    assert int(scored.rated.is_own.sum()) == len(rated & known) == 158

    captions = dataset.references[["image", "caption"]].apply(tuple, axis=1)
    left = dataset.references[~captions.isin(rated)]
    without = replace(dataset, references=left)
    expected = evaluate(without, Options(metrics=("ROUGE-L",))).ratings
    assert scored.scores["ROUGE-L"] == pytest.approx(expected.scores["ROUGE-L"])
    assert expected.rated.dropped == 0


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


@pytest.mark.usefixtures("parsing")
def test_tau_b_denies_what_a_learned_metric_gains_by_tau_c(flickr8k: Path) -> None:
    """On 300 images, as parsing takes time. With all of them and all metrics, the gain is .031."""
    whole = load(flickr8k)
    images = whole.references["image"].unique()
    some = without_images(whole, images[300:])
    names = ("CIDEr", "CIDEr-stem", "METEOR", "BLEU-1", "BLEU-4", "tuple-F", "tuple-C")
    options = Options(metrics=names, resamples=20, flips=999)
    [found] = find(evaluate(some, options), ["learned_ratings"])

    by_c, by_b, single_c, single_b = (
        one_row(found.tables["learned_ratings"], coefficient=coefficient, model=model)
        for model in ("rating model", "best single metric")
        for coefficient in ("tau_c", "tau_b")
    )

    assert single_c["metric"].startswith("CIDEr-stem")
    assert single_b["metric"].startswith("tuple-")
    assert by_c["difference_low"] > 0
    assert by_b["difference_high"] < 0
