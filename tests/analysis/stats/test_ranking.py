from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import rankdata, spearmanr

from tercet import metrics
from tercet.analysis.stats import ranking
from tercet.analysis.stats.ranking import (
    RankCorrelation,
    rank_correlation,
    rank_references,
    ranks_against_ranks,
)
from tercet.analysis.stats.resampling import Resamples, Weights
from tercet.metrics import FloatArray
from tests.analysis.frames import dataset, loaded, random_dataset, rows_with
from tests.support.examples import examples

NAMES = ("CIDEr", "CIDEr-D", "BLEU-4", "ROUGE-L")


def left_out_by_hand(
    references: pd.DataFrame,
    image: str,
    names: Sequence[str],
    tokenize: metrics.Tokenize,
) -> dict[str, FloatArray]:
    """Scores of an image's references, each with a virtual image of the others."""
    pool = references.groupby("image", sort=False)["caption"].agg(list)
    own = pool[image]
    others = [own[:place] + own[place + 1 :] for place in range(len(own))]
    documents = metrics.count_documents(pool.tolist(), tokenize)
    scores = metrics.score(
        references=others,
        candidates=own,
        metrics=names,
        tokenize=tokenize,
        documents=documents,
    )

    return dict(scores.captions)


def of(
    table: pd.DataFrame, image: str, metric: str, column: str = "score"
) -> FloatArray:
    chosen = rows_with(table, image=image, metric=metric)
    ordered = chosen.sort_values("number")
    return ordered[column].to_numpy()


def ranked(**scores: list[list[float]]) -> pd.DataFrame:
    """A ranking with such scores by metric, a list an image."""
    return pd.DataFrame(
        [
            (f"image {image}", number, "", metric, score, rank)
            for metric, images in scores.items()
            for image, row in enumerate(images)
            for number, (score, rank) in enumerate(
                zip(row, rankdata([-score for score in row]), strict=True), start=1
            )
        ],
        columns=list(ranking.COLUMNS),
    )


def weights(images: int, size: int = 200) -> Weights:
    return Resamples.make(size, images, 1, np.random.default_rng(0)).images


@pytest.mark.parametrize("tokenize", [metrics.ptb, metrics.plain])
def test_scores_are_those_of_a_virtual_image_of_the_others(
    tokenize: metrics.Tokenize,
) -> None:
    references = random_dataset(3, [2, 5, 3, 7, 4]).references
    table = rank_references(references, NAMES, tokenize)

    for image in references["image"].unique():
        expected = left_out_by_hand(references, image, NAMES, tokenize)
        for name in NAMES:
            assert of(table, image, name) == pytest.approx(expected[name], abs=1e-12), (
                name
            )


def test_ranks_are_those_of_the_scores_and_ties_share_the_mean() -> None:
    made = random_dataset(5, [4, 6, 9])
    references = made.references
    table = rank_references(references)

    assert (of(table, "image 2", "CIDEr") > 0).any()

    for name in ("CIDEr", "CIDEr-D"):
        for image in references["image"].unique():
            expected = rankdata(-of(table, image, name).round(9))
            assert of(table, image, name, "rank").tolist() == expected.tolist()


def test_each_metric_has_every_reference_once_and_captions_stay_with_their_numbers() -> (
    None
):
    references = dataset().references
    table = rank_references(references)

    assert list(table.columns) == [
        "image",
        "number",
        "caption",
        "metric",
        "score",
        "rank",
    ]

    for name in ("CIDEr", "CIDEr-D"):
        rows = rows_with(table, metric=name)
        part = rows.reset_index(drop=True)
        expected = references[["image", "number", "caption"]].reset_index(drop=True)
        own = part[["image", "number", "caption"]]
        pd.testing.assert_frame_equal(own, expected)


def test_images_may_stand_in_any_order_in_the_file() -> None:
    made = random_dataset(1, [3, 4, 5])
    references = made.references
    mixed = references.sample(frac=1, random_state=0)
    key = ["metric", "image", "number"]
    one, other = (
        rank_references(each).sort_values(key, ignore_index=True)
        for each in (references, mixed)
    )

    pd.testing.assert_frame_equal(
        one.drop(columns="score"), other.drop(columns="score")
    )

    np.testing.assert_allclose(one["score"], other["score"], atol=1e-12)


TWINS = (
    ("park", "a dog runs in the park"),
    ("park", "the weather is very nice today"),
    ("park", "a dog runs in the park"),
    ("park", "some kind of green landscape here"),
    ("sea", "two boats on the water"),
    ("sea", "a boat at sea"),
)


def test_equal_captions_of_two_authors_are_compared_and_share_their_rank() -> None:
    made = dataset(references=TWINS)
    table = rank_references(made.references)
    assert of(table, "park", "CIDEr", "rank").tolist()[::2] == [1.5, 1.5]
    assert of(table, "park", "CIDEr")[0] == pytest.approx(10 / 3)


def test_a_reference_is_not_compared_with_itself() -> None:
    made = dataset(references=TWINS)
    table = rank_references(made.references)
    assert of(table, "park", "CIDEr")[1] == 0


def test_rounding_does_not_part_what_is_equal() -> None:
    references = [("one", "a b c d"), ("two", "e f g h i j")]
    sizes = ("d e f", "a b x y", "p q a b c", "c b a d", "a c d e b")
    references += [
        ("one", text) for text in (*sizes, "a b c d", *sizes[::-1], "a b c d")
    ]
    made = dataset(references=references)
    table = rank_references(made.references)

    chosen = table.query("image == 'one' and metric == 'CIDEr'")
    assert (chosen.groupby("caption")["rank"].nunique() == 1).all()


def test_the_only_reference_of_an_image_has_neither_score_nor_rank() -> None:
    references = random_dataset(2, [1, 3]).references
    table = rank_references(references)
    alone = table["image"] == "image 0"

    assert table.loc[alone, ["score", "rank"]].isna().all(axis=None)
    assert table.loc[~alone, ["score", "rank"]].notna().all(axis=None)


def test_nobody_has_a_rank_where_every_image_has_one_reference() -> None:
    made = random_dataset(2, [1, 1])
    table = rank_references(made.references)
    values = table[["score", "rank"]]
    assert values.isna().all(axis=None)


def test_an_unknown_metric_is_an_error() -> None:
    with pytest.raises(ValueError, match="unknown metric ROUGH"):
        rank_references(dataset().references, ["ROUGH"])


def test_the_correlation_is_the_mean_of_scipys_over_images() -> None:
    references = random_dataset(7, [5, 8, 6, 12]).references
    table = rank_references(references)
    images = references["image"].unique()
    ranks = [
        [of(table, image, name, "rank") for name in ("CIDEr", "CIDEr-D")]
        for image in images
    ]
    expected = [spearmanr(pair[0], pair[1]).statistic for pair in ranks]

    found = rank_correlation(table, "CIDEr", "CIDEr-D", weights(4))
    assert found.rho == pytest.approx(np.mean(expected))
    assert (found.images, found.too_few, found.constant) == (4, 0, 0)


SCORES = st.lists(
    st.integers(3, 8).flatmap(
        lambda size: arrays(int, (2, size), elements=st.integers(0, 4)).map(
            lambda both: both.astype(float)
        )
    ),
    min_size=1,
    max_size=6,
)


def from_arrays(scores: list[FloatArray]) -> pd.DataFrame:
    return ranked(
        x=[each[0].tolist() for each in scores], y=[each[1].tolist() for each in scores]
    )


@examples(50)
@given(SCORES)
def test_the_correlation_is_that_of_looking_at_each_image(
    scores: list[FloatArray],
) -> None:
    useful = [each for each in scores if min(np.ptp(each, axis=1)) > 0]
    found = rank_correlation(from_arrays(scores), "x", "y", weights(len(scores)))

    assert (found.images, found.constant) == (len(useful), len(scores) - len(useful))

    if useful:
        expected = np.mean([spearmanr(*each).statistic for each in useful])
        assert found.rho == pytest.approx(expected)
    else:
        assert found.rho is None


@examples(50)
@given(SCORES)
def test_two_metrics_correlate_the_same_in_either_order(
    scores: list[FloatArray],
) -> None:
    table, drawn = from_arrays(scores), weights(len(scores))
    one, other = (
        rank_correlation(table, "x", "y", drawn),
        rank_correlation(table, "y", "x", drawn),
    )

    assert replace(one, first="y", second="x") == other


def test_a_metric_correlates_wholly_with_itself_and_its_reverse() -> None:
    scores = [[1.0, 2, 3, 4], [4.0, 1, 3, 3], [2.0, 2, 1, 5]]
    reverse = [[-score for score in row] for row in scores]
    table = ranked(x=scores, y=reverse)

    assert rank_correlation(table, "x", "x", weights(3)).rho == pytest.approx(1)
    assert rank_correlation(table, "x", "y", weights(3)).rho == pytest.approx(-1)


def test_the_interval_is_that_of_the_mean_over_resampled_images() -> None:
    generator = np.random.default_rng(4)
    scores = [generator.random((2, 6)) for _ in range(20)]
    drawn = weights(20, 500)
    found = rank_correlation(from_arrays(scores), "x", "y", drawn)
    rho = np.array([spearmanr(*each).statistic for each in scores])

    means = [np.repeat(rho, row.astype(int)).mean() for row in drawn]
    assert [found.low, found.high] == pytest.approx(
        np.percentile(means, [2.5, 97.5]).tolist()
    )


def test_images_left_out_are_counted_and_change_nothing() -> None:
    x = [[1.0, 2.0, 3.0], [1.0, 2.0], [2.0, 2.0, 2.0], [1.0, 3.0, 2.0], [5.0]]
    y = [[1.0, 3.0, 2.0], [2.0, 1.0], [1.0, 2.0, 3.0], [1.0, 3.0, 2.0], [5.0]]
    found = rank_correlation(
        ranked(x=x, y=y), "x", "y", np.array([[2.0, 1, 1, 1, 0]] * 9)
    )

    assert found.rho == pytest.approx((0.5 + 1) / 2)
    assert (found.images, found.too_few, found.constant) == (2, 2, 1)
    assert found.low == found.high == pytest.approx((2 * 0.5 + 1) / 3)


def test_an_image_with_one_reference_is_too_few() -> None:
    made = random_dataset(2, [1, 4, 5])
    table = rank_references(made.references)
    found = rank_correlation(table, "CIDEr", "CIDEr-D", weights(3))
    assert (found.images, found.too_few) == (2, 1)


def test_without_an_image_of_use_the_reason_is_told() -> None:
    found = rank_correlation(ranked(x=[[1.0, 2]], y=[[1.0, 2]]), "x", "y", weights(1))
    reason = "No image has 3 references with different scores."
    assert found == RankCorrelation("x", "y", None, None, None, 0, 1, 0, reason)


def test_one_image_of_use_has_no_interval() -> None:
    table = ranked(x=[[1.0, 2, 3], [1, 2]], y=[[1.0, 2, 3], [1, 2]])
    found = rank_correlation(table, "x", "y", weights(2))

    assert found.rho == pytest.approx(1)
    assert (found.low, found.high) == (None, None)
    assert str(found.reason) == "Too few images for an interval."


def test_a_metric_that_is_not_ranked_is_an_error() -> None:
    with pytest.raises(ValueError, match="ranked by z"):
        rank_correlation(ranked(x=[[1.0, 2]]), "x", "z", weights(1))


def test_weights_of_other_images_are_an_error() -> None:
    with pytest.raises(ValueError, match="Weights of 2 images"):
        rank_correlation(ranked(x=[[1.0, 2, 3]]), "x", "x", weights(2))


def test_abstract50s_is_ranked_as_by_virtual_images(abstract50s: Path) -> None:
    references = loaded(abstract50s).references
    table = rank_references(references)

    assert len(table) == 2 * 24_000

    image = references["image"].unique()[250]
    by_hand = left_out_by_hand(references, image, ("CIDEr", "CIDEr-D"), metrics.ptb)

    for name, scores in by_hand.items():
        assert of(table, image, name) == pytest.approx(scores, abs=1e-12)

    found = rank_correlation(table, "CIDEr", "CIDEr-D", weights(500))
    one, other = (rows_with(table, metric=name) for name in ("CIDEr", "CIDEr-D"))
    columns = (
        each["score"].to_numpy().round(9).reshape(500, 48) for each in (one, other)
    )

    expected = [spearmanr(*both).statistic for both in zip(*columns, strict=True)]
    assert found.rho == pytest.approx(np.mean(expected))


def test_ranks_are_held_against_ranks() -> None:
    table = ranked(x=[[4.0, 3, 2, 1], [1, 2, 3, 4]], y=[[4.0, 3, 1, 2], [1, 2, 3, 4]])
    found = ranks_against_ranks(table, "x", "y")

    ranks = found["rank"].tolist()
    assert ranks == [1, 2, 3, 4]

    means = found["mean"].tolist()
    assert means == [1, 2, 3.5, 3.5]

    references = found["references"].tolist()
    assert references == [2, 2, 2, 2]

    assert (found["low"] <= found["mean"]).all()
    assert (found["mean"] <= found["high"]).all()
