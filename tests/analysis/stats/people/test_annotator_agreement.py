from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import krippendorff
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import f_oneway
from statsmodels.stats import inter_rater

from tercet.analysis.dataset.winners import pair_winners
from tercet.analysis.stats.people.annotator_agreement import (
    NO_INTERVAL,
    NO_SECOND_VOTE,
    ONE_CATEGORY,
    ONE_ITEM,
    Measure,
    agreement,
    annotators,
    margin,
    one_against_others,
    reliability,
    spearman_brown,
    strata,
)
from tercet.analysis.stats.resampling import Resamples, Weights
from tercet.analysis.tables.schema import VOTES
from tercet.metrics import FloatArray, IntArray
from tests.analysis.frames import frame, loaded

RAW, KAPPA, ALPHA, ICC = (
    "raw agreement",
    "Fleiss' kappa",
    "Krippendorff's alpha",
    "ICC(1)",
)
SIDES = {"B": 1, "C": -1, "tie": 0}

rows = st.tuples(*[st.integers(0, 4)] * 3)
tables = st.lists(rows, min_size=2, max_size=8).map(lambda made: np.array(made))


def weights(images: int, size: int = 50, seed: int = 0) -> Weights:
    generator = np.random.default_rng(seed)
    return Resamples.make(size, images, 1, generator).images


def own_images(counts: IntArray) -> tuple[IntArray, Weights]:
    """Each item of an image of its own."""
    return np.arange(len(counts)), weights(len(counts))


def found(counts: IntArray) -> dict[str, Measure]:
    return {made.name: made for made in agreement(counts, *own_images(counts))}


def reliabilities(counts: IntArray, sizes: Sequence[int]) -> pd.DataFrame:
    return reliability(counts, *own_images(counts), sizes)


def votes_of(row: Sequence[int]) -> list[int]:
    """The sides of the single votes of an item."""
    return [
        side
        for side, number in zip((1, -1, 0), row, strict=True)
        for _ in range(number)
    ]


def majority(votes: Sequence[int]) -> int:
    return int(np.sign(sum(votes)))


def credit(side: int, winner: int) -> float:
    return 0.5 if 0 in (side, winner) else float(side == winner)


def sides_with_gaps(counts: IntArray) -> FloatArray:
    """The single votes, an annotator a row and an item a column, NaN where one is missing."""
    columns = [pd.Series(votes_of(row), dtype=float) for row in counts.tolist()]
    return pd.concat(columns, axis=1).to_numpy()


@given(tables)
def test_raw_agreement_is_the_share_of_equal_pairs_of_votes(counts: IntArray) -> None:
    several = [row for row in counts.tolist() if sum(row) > 1]
    assume(several)
    shares = [
        np.mean([x == y for x, y in combinations(votes_of(row), 2)]) for row in several
    ]

    assert found(counts)[RAW].value == pytest.approx(np.mean(shares))


@given(st.integers(2, 6), st.integers(2, 8), st.integers(0, 1000))
def test_kappa_is_that_of_statsmodels(votes: int, items: int, seed: int) -> None:
    generator = np.random.default_rng(seed)
    categories = generator.integers(0, 3, (items, votes))
    table, _ = inter_rater.aggregate_raters(categories, n_cat=3)
    assume((table.sum(axis=0) > 0).sum() > 1)

    assert found(table)[KAPPA].value == pytest.approx(inter_rater.fleiss_kappa(table))


def test_each_item_weighs_the_same_in_kappa_whatever_its_votes() -> None:
    counts = np.array([[2, 0, 0], [30, 10, 0], [0, 4, 0]])
    observed = (1 + (30 * 29 + 10 * 9) / (40 * 39) + 1) / 3
    chance = (1.75 / 3) ** 2 + (1.25 / 3) ** 2

    assert found(counts)[KAPPA].value == pytest.approx(
        (observed - chance) / (1 - chance)
    )


@given(tables)
def test_alpha_is_that_of_krippendorff_with_missing_votes(counts: IntArray) -> None:
    votes = counts.sum(axis=1)
    several = counts[votes > 1]
    assume((several.sum(axis=0) > 0).sum() > 1)
    expected = krippendorff.alpha(
        sides_with_gaps(counts), level_of_measurement="nominal"
    )

    assert found(counts)[ALPHA].value == pytest.approx(expected)


@given(tables)
def test_the_icc_is_that_of_the_analysis_of_variance(counts: IntArray) -> None:
    groups = [votes_of(row) for row in counts.tolist() if sum(row)]
    sizes = np.array([len(group) for group in groups])
    assume(
        len(groups) > 1
        and sizes.max() > 1
        and any(len(set(group)) > 1 for group in groups)
    )
    f = f_oneway(*groups).statistic

    size = (sizes.sum() - (sizes**2).sum() / sizes.sum()) / (len(sizes) - 1)
    assert found(counts)[ICC].value == pytest.approx((f - 1) / (f - 1 + size))


def test_people_who_always_agree_are_wholly_reliable() -> None:
    measures = found(np.array([[3, 0, 0], [0, 3, 0], [3, 0, 0]]))
    assert [measure.value for measure in measures.values()] == [1, 1, 1, 1, 1]


def test_items_without_votes_change_nothing() -> None:
    counts = np.array([[3, 1, 0], [0, 4, 1], [2, 2, 0], [0, 0, 0]])
    few, all_of_them = found(counts[:3]), found(counts)

    assert [few[name].value for name in few] == [
        all_of_them[name].value for name in few
    ]


@pytest.mark.parametrize(
    ("icc", "votes", "expected"),
    [(0.5, 1, 0.5), (0.5, 2, 2 / 3), (0.13, 48, 0.878), (0, 9, 0)],
)
def test_the_mean_of_more_votes_is_more_reliable(
    icc: float, votes: int, expected: float
) -> None:
    assert spearman_brown(icc, votes) == pytest.approx(expected, abs=1e-3)


def test_an_icc_below_zero_is_no_reliability() -> None:
    measures = found(np.array([[2, 2, 0], [2, 2, 0], [2, 2, 0]]))
    assert measures[ICC].value == pytest.approx(-1 / 3)
    assert measures["reliability of the mean of 4 votes"].value == 0


def test_the_reliability_is_that_at_the_mean_number_of_votes() -> None:
    measures = found(np.array([[5, 1, 0], [1, 3, 0], [0, 0, 0], [2, 1, 0], [0, 4, 1]]))
    icc = measures[ICC].value
    assert icc is not None

    expected = 4.5 * icc / (1 + 3.5 * icc)
    assert measures["reliability of the mean of 4.5 votes"].value == pytest.approx(
        expected
    )


def test_intervals_are_those_of_images_drawn_again() -> None:
    generator = np.random.default_rng(5)
    counts = generator.integers(0, 6, (30, 3))
    image = generator.integers(0, 12, 30)
    drawn = weights(12, size=40)
    measures = agreement(counts, image, drawn)
    repeated = [
        agreement(np.repeat(counts, row[image].astype(int), axis=0), *fresh(row, image))
        for row in drawn
    ]

    # The mean number of votes is that of the study, not of the resample: the last has no part.
    for place, measure in enumerate(measures[:4]):
        values = [again[place].value for again in repeated]
        expected = np.percentile(np.array(values, dtype=float), [2.5, 97.5])

        assert (measure.low, measure.high) == pytest.approx(tuple(expected)), (
            measure.name
        )


def fresh(row: FloatArray, image: IntArray) -> tuple[IntArray, FloatArray]:
    """The images of the items of a resample, and no resampling of it."""
    return np.repeat(image, row[image].astype(int)), np.ones((1, len(row)))


def test_the_interval_of_the_reliability_is_that_of_the_icc() -> None:
    counts = np.random.default_rng(1).integers(0, 6, (40, 3))
    *_, icc, mean = agreement(counts, *own_images(counts))
    votes = counts.sum() / len(counts)
    assert icc.low is not None

    assert icc.high is not None
    # Percentiles between two resamples are mixed before one curve and after the other.
    assert mean.low == pytest.approx(float(spearman_brown(icc.low, votes)), abs=0.01)
    assert mean.high == pytest.approx(float(spearman_brown(icc.high, votes)), abs=0.01)


@pytest.mark.parametrize(
    ("counts", "undefined", "why"),
    [
        ([[1, 0, 0], [0, 1, 0], [0, 0, 1]], {RAW, KAPPA, ALPHA, ICC}, NO_SECOND_VOTE),
        ([[0, 0, 0], [0, 0, 0]], {RAW, KAPPA, ALPHA, ICC}, NO_SECOND_VOTE),
        ([[3, 0, 0], [5, 0, 0]], {KAPPA, ALPHA, ICC}, ONE_CATEGORY),
        ([[0, 0, 2], [0, 0, 2]], {KAPPA, ALPHA, ICC}, ONE_CATEGORY),
        ([[3, 0, 0], [0, 1, 0]], {KAPPA, ALPHA}, ONE_CATEGORY),
        ([[3, 1, 0], [0, 0, 0]], {ICC}, ONE_ITEM),
    ],
)
def test_what_is_undefined_is_explained(
    counts: list[list[int]], undefined: set[str], why: str
) -> None:
    measures = found(np.array(counts))
    assert {
        name for name in (RAW, KAPPA, ALPHA, ICC) if measures[name].value is None
    } == undefined
    assert {measures[name].why for name in undefined} == {why}
    assert all(measures[name].low is None for name in undefined)


@given(tables)
def test_a_figure_is_a_number_with_its_interval_or_a_reason(counts: IntArray) -> None:
    image, drawn = own_images(counts)
    for measure in [
        *agreement(counts, image, drawn),
        one_against_others(counts, image, drawn),
    ]:
        figures = [measure.value, measure.low, measure.high]
        assert not any(figure is not None and np.isnan(figure) for figure in figures)
        assert (None in figures) == bool(measure.why)


def test_one_image_has_no_interval() -> None:
    counts, image = np.array([[3, 1, 0], [1, 3, 0]]), np.array([0, 0])
    measures = agreement(counts, image, weights(1))
    measures.append(one_against_others(counts, image, weights(1)))

    assert all(
        measure.value is not None and measure.low is None for measure in measures
    )
    assert {measure.why for measure in measures} == {NO_INTERVAL}


@given(st.lists(rows, min_size=1, max_size=3))
def test_reliability_is_that_of_every_choice_of_votes(
    made: list[tuple[int, int, int]],
) -> None:
    sizes = range(1, 13)
    table = reliabilities(np.array(made), sizes).set_index("votes")

    for size in sizes:
        enough = [votes_of(row) for row in made if sum(row) >= 2 * size]
        assert (size in table.index) == bool(enough)

        if enough:
            mean = np.mean([chance(votes, size) for votes in enough])
            assert table["agreement"][size] == pytest.approx(mean)
            assert table["pairs"][size] == len(enough)


def chance(votes: list[int], size: int) -> float:
    """The mean credit of every choice of `size` votes, against the votes not chosen."""
    earned = []
    for chosen in combinations(range(len(votes)), size):
        others = [vote for place, vote in enumerate(votes) if place not in chosen]
        earned.append(
            credit(majority([votes[place] for place in chosen]), majority(others))
        )

    return float(np.mean(earned))


def test_an_even_split_of_either_part_earns_half() -> None:
    assert reliabilities(np.array([[2, 1, 0]]), [1])[
        "agreement"
    ].tolist() == pytest.approx([1 / 3])
    assert reliabilities(np.array([[2, 2, 0]]), [2])[
        "agreement"
    ].tolist() == pytest.approx([1 / 3])


def test_a_pair_has_other_votes_to_compare_with() -> None:
    table = reliabilities(np.array([[4, 1, 0], [9, 0, 0]]), [3])
    assert table[["pairs", "agreement"]].to_numpy().tolist() == [[1, 1.0]]
    assert reliabilities(np.array([[1, 0, 0], [0, 0, 0]]), [1, 3]).empty


def test_the_interval_of_reliability_is_over_images() -> None:
    counts = np.array([[9, 0, 0], [5, 4, 0], [7, 2, 0], [1, 8, 0]])
    image, drawn = np.array([0, 0, 1, 2]), weights(3)
    table = reliability(counts, image, drawn, [1])
    # The vote drawn is of the larger side, against the rest; 5 to 4 becomes a tie.
    each = np.array([1, 5 / 9 / 2, 7 / 9, 8 / 9])
    resampled = [np.average(each, weights=row[image]) for row in drawn]

    low, high = np.percentile(resampled, [2.5, 97.5])
    bounds = table[["low", "high"]]
    assert bounds.to_numpy()[0] == pytest.approx([low, high])


@given(tables)
def test_one_person_is_held_against_all_others(counts: IntArray) -> None:
    several = [votes_of(row) for row in counts.tolist() if sum(row) > 1]
    assume(several)
    expected = [
        np.mean(
            [
                credit(vote, majority(votes[:i] + votes[i + 1 :]))
                for i, vote in enumerate(votes)
            ]
        )
        for votes in several
    ]

    measure = one_against_others(counts, *own_images(counts))
    assert measure.value == pytest.approx(np.mean(expected))


def test_one_person_alone_has_nobody_to_agree_with() -> None:
    counts = np.array([[1, 0, 0], [0, 0, 0]])
    assert one_against_others(counts, *own_images(counts)).why == NO_SECOND_VOTE


def test_the_margin_is_the_lead_as_a_share_of_all_votes() -> None:
    counts = np.array([[3, 0, 0], [0, 3, 0], [2, 2, 4], [3, 1, 4], [0, 0, 0]])
    np.testing.assert_array_equal(margin(counts), [1, 1, 0, 0.25, np.nan])


def test_strata_are_thirds_of_the_pairs() -> None:
    made = strata(np.array([0.9, 0.0, 0.5, 0.1, 1.0, 0.4]))
    assert made.stratum.tolist() == [
        "clear",
        "contested",
        "middle",
        "contested",
        "clear",
        "middle",
    ]

    assert {name: str(text) for name, text in made.bounds.items()} == {
        "contested": "margin 0.00 to 0.10 (2 pairs)",
        "middle": "margin 0.40 to 0.50 (2 pairs)",
        "clear": "margin 0.90 to 1.00 (2 pairs)",
    }


@pytest.mark.parametrize("unanimous", [1, 5, 9])
def test_two_margins_are_contested_and_clear(unanimous: int) -> None:
    made = strata(np.array([1 / 3] * (10 - unanimous) + [1.0] * unanimous))
    assert (
        made.stratum.tolist()
        == ["contested"] * (10 - unanimous) + ["clear"] * unanimous
    )
    assert list(made.bounds) == ["contested", "clear"]


def test_equal_margins_are_one_stratum() -> None:
    made = strata(np.full(7, 0.2))
    assert set(made.stratum) == {"all alike"}
    assert {name: str(text) for name, text in made.bounds.items()} == {
        "all alike": "margin 0.20 to 0.20 (7 pairs)"
    }


def test_a_pair_without_votes_is_in_no_stratum() -> None:
    assert strata(np.array([np.nan, 0.2, 0.9])).stratum.tolist() == [
        "",
        "contested",
        "clear",
    ]
    assert strata(np.array([np.nan])).bounds == {}


@given(st.lists(st.integers(0, 6), min_size=1, max_size=30))
def test_strata_never_part_equal_margins_and_keep_their_order(votes: list[int]) -> None:
    values = np.array(votes) / 6
    made = strata(values)
    place = [list(made.bounds).index(name) for name in made.stratum]

    places = pd.DataFrame({"margin": values, "place": place})
    table = places.groupby("margin")["place"]
    assert (table.nunique() == 1).all()
    assert table.first().is_monotonic_increasing
    assert set(place) == set(range(len(made.bounds)))


def test_an_annotator_is_held_against_the_others_of_the_pair() -> None:
    votes = frame(
        VOTES,
        [
            ("p1", 1, "ann", "B"),
            ("p1", 2, "ann", "C"),
            ("p1", 1, "bob", "B"),
            ("p1", 2, "", "B"),
            ("p2", 1, "ann", "C"),
            ("p2", 1, "bob", "tie"),
            ("p3", 1, "cay", "B"),
        ],
    )
    table = annotators(votes)

    # ann: right, wrong, and half on p2, where bob cannot tell; bob: right (B, C and B), half.
    assert table["annotator"].tolist() == ["ann", "bob"]
    assert table["votes"].tolist() == [3, 2]
    assert table["agreement"].tolist() == pytest.approx([0.5, 0.75])


votes_made = st.lists(
    st.tuples(
        st.sampled_from("pqr"), st.just(1), st.sampled_from(["", "ann", "bob", "cay"]),
        st.sampled_from(["B", "C", "tie"]),
    ),
    max_size=20,
)  # fmt: skip


@given(votes_made)
def test_annotators_agree_as_counted_one_vote_after_the_other(
    made: list[tuple[str, int, str, str]],
) -> None:
    expected: dict[str, list[float]] = {}
    for pair, _, annotator, choice in made:
        others = [SIDES[c] for p, _, a, c in made if p == pair and a != annotator]
        if annotator and others:
            earned = credit(SIDES[choice], majority(others))
            expected.setdefault(annotator, []).append(earned)

    votes = frame(VOTES, made)
    table = annotators(votes).set_index("annotator")
    assert table["votes"].to_dict() == {
        name: len(each) for name, each in expected.items()
    }

    means = {name: float(np.mean(each)) for name, each in expected.items()}
    assert table["agreement"].to_dict() == pytest.approx(means)


Abstract = tuple[IntArray, IntArray, Weights]


@pytest.fixture
def abstract(abstract50s: Path) -> Abstract:
    winners = pair_winners(loaded(abstract50s))
    image = pd.factorize(winners["image"])[0]
    counts = winners[["b", "c", "ties"]]
    return counts.to_numpy(), image, weights(image.max() + 1, 1000)


def test_the_reliability_of_abstract50s_is_that_of_independent_scripts(
    abstract: Abstract,
) -> None:
    *_, icc, mean = agreement(*abstract)
    assert icc.value is not None

    assert icc.value == pytest.approx(0.130, abs=0.0005)
    assert mean.name == "reliability of the mean of 48 votes"
    assert mean.value == pytest.approx(0.88, abs=0.005)
    assert spearman_brown(icc.value, 24) == pytest.approx(0.78, abs=0.005)


def test_the_majorities_of_abstract50s_are_those_of_independent_scripts(
    abstract: Abstract,
) -> None:
    sizes = [1, 3, 5, 24, 31]
    table = reliability(*abstract, sizes)
    expected = [0.653, 0.716, 0.754, 0.839]

    assert table["agreement"].to_numpy() == pytest.approx(expected, abs=0.002)
    assert set(table["pairs"]) == {400}


def test_one_person_in_abstract50s_agrees_as_the_human_curve_begins(
    abstract: Abstract,
) -> None:
    assert one_against_others(*abstract).value == pytest.approx(0.65, abs=0.005)
