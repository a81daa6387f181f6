from itertools import combinations
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import pearsonr, spearmanr
from statsmodels.stats.inter_rater import cohens_kappa

from tercet.analysis.stats.metric_agreement import (
    CONSTANT,
    NO_CANDIDATES,
    NO_CHOICE,
    NO_PAIRS,
    Matrix,
    clustered,
    correlation,
    kappa,
    share_agreed,
)
from tercet.metrics import FloatArray

B, C, TIE, NONE = 1.0, -1.0, 0.0, np.nan
SHAPES = st.tuples(st.integers(2, 5), st.integers(1, 30))
PREFERENCES = SHAPES.flatmap(
    lambda shape: arrays(float, shape, elements=st.sampled_from([B, C, TIE, NONE]))
)
SCORES = st.tuples(st.integers(2, 5), st.integers(2, 30)).flatmap(
    lambda shape: arrays(float, shape, elements=st.integers(0, 5).map(float))
)


def preferences(*rows: list[float]) -> FloatArray:
    return np.array(rows, dtype=float)


def table_of(one: FloatArray, other: FloatArray) -> FloatArray:
    return np.array(
        [[((one == a) & (other == b)).sum() for b in (B, TIE, C)] for a in (B, TIE, C)]
    )


def same(one: Matrix, other: Matrix) -> None:
    np.testing.assert_allclose(one.values, other.values, atol=1e-12)
    assert (one.reasons == other.reasons).all()


def test_metrics_agree_on_the_share_of_pairs_with_the_same_preference() -> None:
    found = share_agreed(preferences([B, B, C, TIE], [B, C, C, C], [TIE, B, B, TIE]))
    expected = [[1, 0.5, 0.5], [0.5, 1, 0], [0.5, 0, 1]]

    assert found.values.tolist() == expected
    assert (found.reasons == "").all()


def test_a_tie_agrees_with_a_tie_only() -> None:
    assert share_agreed(preferences([TIE, TIE, TIE], [TIE, B, C])).values[
        0, 1
    ] == pytest.approx(1 / 3)


def test_a_pair_without_a_preference_does_not_count() -> None:
    found = preferences([B, NONE, C, B], [B, B, NONE, C])
    shares = share_agreed(found).values
    assert shares[0, 1] == 0.5

    same(kappa(np.c_[found, [NONE, B], [C, NONE]]), kappa(found))


def test_kappa_of_a_table_computed_by_hand() -> None:
    one = preferences([B] * 25 + [C] * 25, [B] * 20 + [C] * 5 + [B] * 10 + [C] * 15)
    assert kappa(one).values[0, 1] == pytest.approx((0.7 - 0.5) / (1 - 0.5))


@given(PREFERENCES)
def test_kappa_is_that_of_statsmodels(found: FloatArray) -> None:
    matrix = kappa(found)
    for one, other in combinations(range(len(found)), 2):
        table = table_of(found[one], found[other])
        if matrix.reasons[one, other]:
            assert table.max() == table.sum()
        else:
            expected = cohens_kappa(table, return_results=False)
            assert matrix.values[one, other] == pytest.approx(expected, abs=1e-12)


@given(PREFERENCES)
def test_the_share_agreed_is_that_of_counting(found: FloatArray) -> None:
    matrix = share_agreed(found)
    for one, other in combinations(range(len(found)), 2):
        table = table_of(found[one], found[other])
        if table.sum() == 0:
            assert matrix.reasons[one, other] == NO_PAIRS
        else:
            assert matrix.values[one, other] == pytest.approx(
                np.trace(table) / table.sum()
            )


@given(PREFERENCES)
def test_b_and_c_are_alike_to_agreement(found: FloatArray) -> None:
    same(kappa(-found), kappa(found))
    same(share_agreed(-found), share_agreed(found))


@given(PREFERENCES, st.randoms(use_true_random=False))
def test_the_order_of_metrics_changes_no_figure(
    found: FloatArray, random: Random
) -> None:
    order = random.sample(range(len(found)), len(found))
    for matrix in (kappa, share_agreed, correlation):
        whole = matrix(found)
        shuffled = Matrix(whole.values[order][:, order], whole.reasons[order][:, order])
        same(matrix(found[order]), shuffled)


def test_kappa_without_a_pair_of_both_is_undefined() -> None:
    matrix = kappa(preferences([B, C, NONE, NONE], [NONE, NONE, B, C]))
    assert np.isnan(matrix.values[0, 1])
    assert matrix.reasons.tolist() == [["", NO_PAIRS], [NO_PAIRS, ""]]


@pytest.mark.parametrize("side", [B, C, TIE])
def test_kappa_is_undefined_where_there_is_no_choice(side: float) -> None:
    matrix = kappa(preferences([side, side], [side, side], [B, C]))
    assert np.isnan(matrix.values[0, 1])
    assert matrix.reasons[0].tolist() == [NO_CHOICE, NO_CHOICE, ""]
    assert matrix.values[0, 2] == 0


def test_kappa_of_metrics_that_always_differ_is_defined() -> None:
    matrix = kappa(preferences([B, B], [C, C]))
    assert (matrix.values[0, 1], matrix.reasons[0, 1]) == (0, "")


@given(SCORES)
def test_correlations_are_those_of_scipy(scores: FloatArray) -> None:
    rank, line = correlation(scores), correlation(scores, "pearson")
    for one, other in combinations(range(len(scores)), 2):
        if min(np.ptp(scores[[one, other]], axis=1)) == 0:
            assert rank.reasons[one, other] == line.reasons[one, other] == CONSTANT
            assert np.isnan([rank.values[one, other], line.values[one, other]]).all()
        else:
            pair = scores[one], scores[other]
            assert rank.values[one, other] == pytest.approx(
                spearmanr(*pair).statistic, abs=1e-9
            )
            assert line.values[one, other] == pytest.approx(
                pearsonr(*pair).statistic, abs=1e-9
            )


def test_spearman_is_blind_to_the_scale_and_pearson_is_not() -> None:
    scores = np.array([[1.0, 2, 3, 4], [1, 10, 100, 1000]])
    assert correlation(scores).values[0, 1] == pytest.approx(1)

    correlations = correlation(scores, "pearson").values
    assert correlations[0, 1] < 0.9


def test_a_candidate_without_a_score_does_not_count() -> None:
    scores = np.array([[1.0, 2, 3, 9, NONE], [1, 3, 2, NONE, 0], [4, 3, 2, 1, 0]])
    for method, expected in (("spearman", spearmanr), ("pearson", pearsonr)):
        matrix = correlation(scores, method)  # type: ignore[arg-type]
        assert matrix.values[0, 1] == pytest.approx(
            expected([1, 2, 3], [1, 3, 2]).statistic
        )
        assert matrix.values[0, 2] == pytest.approx(
            expected([1, 2, 3, 9], [4, 3, 2, 1]).statistic
        )


def test_one_candidate_of_both_is_no_correlation() -> None:
    matrix = correlation(np.array([[1.0, 2, NONE], [NONE, 1, 2]]))
    assert matrix.reasons.tolist() == [["", NO_CANDIDATES], [NO_CANDIDATES, ""]]
    assert np.isnan(matrix.values[0, 1])


def similar(values: FloatArray) -> Matrix:
    return Matrix(values, np.full(values.shape, "", dtype=object))


def test_metrics_that_are_alike_stand_together() -> None:
    family = np.array([0, 1, 2, 0, 1, 2, 0])
    values = np.where(family[:, None] == family, 0.9, 0.1)
    order = clustered(similar(values))

    indices = sorted(order.tolist())
    assert indices == list(range(7))

    changes = np.count_nonzero(np.diff(family[order]))
    assert changes == 2


def test_a_chain_of_metrics_is_laid_out_as_a_chain() -> None:
    place = np.array([2.0, 0, 3, 1])
    values = 1 - np.abs(place[:, None] - place) / 4
    assert place[clustered(similar(values))].tolist() in ([0, 1, 2, 3], [3, 2, 1, 0])


def test_a_metric_that_is_undefined_stands_at_an_end() -> None:
    values = np.array(
        [[1.0, np.nan, 0.9], [np.nan, np.nan, np.nan], [0.9, np.nan, 1.0]]
    )
    order = clustered(similar(values))

    assert order.tolist().index(1) in (0, 2)


@pytest.mark.parametrize("metrics", [0, 1, 2])
def test_few_metrics_have_an_order_too(metrics: int) -> None:
    assert sorted(clustered(similar(np.eye(metrics))).tolist()) == list(range(metrics))


@given(PREFERENCES)
def test_the_order_holds_every_metric_once_and_is_always_the_same(
    found: FloatArray,
) -> None:
    order = clustered(kappa(found))
    assert sorted(order.tolist()) == list(range(len(found)))
    assert order.tolist() == clustered(kappa(found)).tolist()
