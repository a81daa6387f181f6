import tracemalloc

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from scipy import optimize, stats
from scipy.special import expit

from tercet.analysis.stats.resampling import Resamples, Weights
from tercet.analysis.stats.scores.system_correlations import (
    FRACTION,
    ON_A_LINE,
    PEARSON,
    SPEARMAN,
    STRENGTH,
    Resampled,
    SystemCorrelation,
    correlation,
    correlations,
    interval_over_systems,
    not_told_apart,
)
from tercet.analysis.stats.systems import (
    PRIOR,
    SEPARATE,
    UNBOUNDED,
    SystemPairs,
    log_strengths,
    resampled_strengths,
    strengths,
    win_fractions,
)
from tercet.analysis.tables.schema import PEOPLE
from tercet.metrics import FloatArray
from tests.analysis.frames import rows_with

NAN = float("nan")
SOURCES = ("human", "lstm", "retrieval", "template")


def floats(values: ArrayLike) -> FloatArray:
    return np.array(values, dtype=float)


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def weights(images: int, size: int = 200, seed: int = 0) -> Weights:
    return Resamples.make(size, images, 1, generator(seed)).images


def contests(
    b: str, c: str, winner: ArrayLike, image: ArrayLike = (), **preferences: ArrayLike
) -> SystemPairs:
    """Pairs of sources named by one letter each ("." for an unknown one), an image each."""
    names = [
        np.array([name.strip(".") for name in side], dtype=object) for side in (b, c)
    ]
    sides = {name: floats(side) for name, side in preferences.items()}
    images = np.array(image if np.size(image) else range(len(b)), dtype=np.int64)

    return SystemPairs.of((names[0], names[1]), floats(winner), sides, images)


def many(seed: int, pairs: int = 120, images: int = 30) -> SystemPairs:
    """Random pairs of `SOURCES` with a metric that often agrees with people."""
    chance = generator(seed)
    b, c = (chance.choice(np.array(SOURCES, dtype=object), pairs) for _ in "bc")
    winner = chance.choice([1.0, -1.0, 0.0], pairs)
    metric = np.where(
        chance.random(pairs) < 0.6, winner, chance.choice([1.0, -1.0, 0.0], pairs)
    )
    image = chance.integers(0, images, pairs)

    return SystemPairs.of((b, c), winner, {"CIDEr": metric}, image)


def simulated(
    strength: FloatArray, pairs: int, chance: np.random.Generator
) -> SystemPairs:
    """Pairs of systems that win as Bradley and Terry say, each pair on its own image."""
    b, c = chance.permuted(np.tile(np.arange(len(strength)), (pairs, 1)), axis=1)[
        :, :2
    ].T
    won = chance.random(pairs) < 1 / (1 + np.exp(strength[c] - strength[b]))
    names = np.array(
        [f"system {number}" for number in range(len(strength))], dtype=object
    )

    return SystemPairs.of(
        (names[b], names[c]), np.where(won, 1.0, -1.0), {}, np.arange(pairs)
    )


def fraction_of(frame: pd.DataFrame, rater: str = PEOPLE) -> dict[str, float]:
    kept = rows_with(frame, rater=rater)
    return dict(zip(kept["source"], kept["fraction"], strict=True))


def test_a_win_counts_one_and_a_tie_half() -> None:
    frame = win_fractions(contests("aab", "bbc", [1, 0, -1]), weights(3))
    sources = frame["source"].tolist()
    assert sources == ["a", "b", "c"]

    wins = frame["wins"].tolist()
    assert wins == [1.5, 0.5, 1.0]

    pairs = frame["pairs"].tolist()
    assert pairs == [2, 3, 1]
    assert frame["fraction"].tolist() == pytest.approx([3 / 4, 1 / 6, 1])


def test_each_metric_is_a_rater_beside_people() -> None:
    made = contests("aa", "bb", [1, 1], CIDEr=[-1, 1], BLEU=[0, -1])
    frame = win_fractions(made, weights(2))

    assert frame["rater"].tolist() == [PEOPLE, PEOPLE, "CIDEr", "CIDEr", "BLEU", "BLEU"]
    assert frame["fraction"].tolist() == [1, 0, 0.5, 0.5, 0.25, 0.75]


def test_pairs_of_one_source_or_of_an_unknown_one_are_left_out() -> None:
    frame = win_fractions(contests("a.aba", "baabb", [1, 1, 1, 1, -1]), weights(5))
    assert frame["pairs"].tolist() == [2, 2]
    assert frame["wins"].tolist() == [1, 1]


def test_all_raters_are_asked_about_the_same_pairs() -> None:
    made = contests("aaa", "bbb", [1, NAN, -1], CIDEr=[1, 1, 1], BLEU=[-1, 1, NAN])
    assert win_fractions(made, weights(3))["pairs"].tolist() == [1] * 6


def test_a_mask_leaves_pairs_out() -> None:
    b, c = (
        np.array(["human", "x", "x"], dtype=object),
        np.array(["x", "y", "human"], dtype=object),
    )
    kept = (b != "human") & (c != "human")
    made = SystemPairs.of((b, c), floats([1, 1, -1]), {}, np.arange(3), kept)

    assert fraction_of(win_fractions(made, weights(3))) == {"x": 1, "y": 0}


def test_the_human_is_a_system_like_others() -> None:
    made = contests("h", "x", [1])
    assert made.sources == ("h", "x")
    assert fraction_of(win_fractions(made, weights(1))) == {"h": 1, "x": 0}


def slow_fraction(
    made: SystemPairs, rater: str, source: int, times: FloatArray
) -> float:
    """The win fraction with each image so many times, one pair after the other."""
    won = met = 0.0
    for b, c, side, image in zip(
        made.b, made.c, made.sides[rater], made.image, strict=True
    ):
        if source in (b, c):
            met += times[image]
            better = side if b == source else -side
            won += times[image] * {1.0: 1.0, 0.0: 0.5, -1.0: 0.0}[better]

    return won / met


@pytest.mark.parametrize("rater", [PEOPLE, "CIDEr"])
def test_fractions_and_intervals_are_those_of_a_plain_bootstrap(rater: str) -> None:
    made, drawn = many(seed=1), weights(30, size=80)
    frame = win_fractions(made, drawn)
    found = rows_with(frame, rater=rater)

    for place, (fraction, low, high) in enumerate(
        found[["fraction", "low", "high"]].to_numpy()
    ):
        expected = slow_fraction(made, rater, place, np.ones(30))
        resampled = [slow_fraction(made, rater, place, times) for times in drawn]

        assert fraction == pytest.approx(expected)
        assert (low, high) == pytest.approx(
            tuple(np.percentile(resampled, [2.5, 97.5]))
        )


@given(st.integers(0, 10_000))
def test_every_comparison_is_won_once_altogether(seed: int) -> None:
    made = many(seed, pairs=12)
    frame = win_fractions(made, weights(30, size=2))

    for _, rows in frame.groupby("rater"):
        assert rows["wins"].sum() == len(made.b)
        assert rows["pairs"].sum() == 2 * len(made.b)


@given(st.integers(0, 10_000))
def test_it_does_not_matter_which_candidate_is_b(seed: int) -> None:
    made, drawn = many(seed, pairs=40), weights(30, size=20)
    turned = {rater: -side for rater, side in made.sides.items()}
    other = SystemPairs(made.sources, made.c, made.b, made.image, turned)
    pd.testing.assert_frame_equal(
        win_fractions(made, drawn), win_fractions(other, drawn)
    )
    pd.testing.assert_frame_equal(strengths(made), strengths(other))


def test_a_source_seen_on_one_image_has_no_interval() -> None:
    made = contests("aabba", "bbccb", [1, -1, 1, 1, -1], image=[0, 1, 1, 1, 2])
    fractions, fitted = win_fractions(made, weights(3)), strengths(made)

    assert fractions["low"].isna().tolist() == [False, False, True]
    assert fitted["strength_low"].isna().tolist() == [False, False, True]


def test_without_known_sources_there_is_nothing_to_tell() -> None:
    made = contests("..", "..", [1, -1], CIDEr=[1, 1])
    assert made.sources == ()


def of(coefficient: str, people: ArrayLike, scored: ArrayLike) -> SystemCorrelation:
    blank = SystemCorrelation("CIDEr", FRACTION, coefficient, np.size(people), 100)
    return correlation(floats(people), floats(scored), blank)


def test_five_systems_tell_little() -> None:
    low, high = interval_over_systems(0.67, 5)
    assert low == pytest.approx(-0.519, abs=5e-4)
    assert high == pytest.approx(0.976, abs=5e-4)


@pytest.mark.parametrize("seed", range(5))
def test_pearson_and_its_interval_are_those_of_scipy(seed: int) -> None:
    people, scored = generator(seed).random((2, 7))
    found, expected = of(PEARSON, people, scored), stats.pearsonr(people, scored)

    assert found.value == pytest.approx(expected.statistic)
    assert (found.low, found.high) == pytest.approx(
        tuple(expected.confidence_interval())
    )
    assert (found.metric, found.systems, found.reason) == ("CIDEr", 7, "")


@pytest.mark.parametrize("seed", range(5))
def test_spearman_is_that_of_scipy_with_ties(seed: int) -> None:
    people, scored = generator(seed).integers(0, 4, (2, 9))
    found = of(SPEARMAN, people, scored)
    r = float(stats.spearmanr(people, scored).statistic)

    assert found.value == pytest.approx(r)

    margin = 1.959964 * np.sqrt((1 + r**2 / 2) / 6)
    expected = np.tanh([np.arctanh(r) - margin, np.arctanh(r) + margin])

    assert (found.low, found.high) == pytest.approx(tuple(expected), abs=1e-6)


@pytest.mark.parametrize("turn", [1, -1])
def test_equal_orders_of_few_systems_still_have_a_wide_interval(turn: int) -> None:
    found = of(SPEARMAN, [1, 2, 3, 4, 5], turn * floats([1, 4, 9, 16, 25]))
    assert found.value == pytest.approx(turn)

    bounds = sorted(turn * np.array([found.low, found.high], dtype=float))
    margin = 1.959964 * np.sqrt((1 + 0.9**2 / 2) / 2)

    assert bounds == pytest.approx([np.tanh(np.arctanh(0.9) - margin), 1], abs=1e-6)


def test_fractions_on_a_line_have_no_interval_by_fisher() -> None:
    found = of(PEARSON, [0.1, 0.2, 0.3, 0.6], [0.2, 0.3, 0.4, 0.7])
    assert found.value == pytest.approx(1)
    assert (found.low, found.high, found.reason) == (None, None, ON_A_LINE)


@pytest.mark.parametrize("coefficient", [PEARSON, SPEARMAN])
@pytest.mark.parametrize(
    ("people", "scored", "reason"),
    [
        (
            [0.2, 0.5, 0.8],
            [0.1, 0.6, 0.7],
            "Systems with a value: 3; a correlation needs 4.",
        ),
        (
            [0.5, 0.5, 0.5, 0.5],
            [0.1, 0.6, 0.7, 0.6],
            "People let all systems win equally often.",
        ),
        (
            [0.1, 0.6, 0.7, 0.6],
            [0.5] * 4,
            "The metric lets all systems win equally often.",
        ),
    ],
)
def test_what_has_no_correlation_has_a_reason(
    coefficient: str, people: ArrayLike, scored: ArrayLike, reason: str
) -> None:
    found = of(coefficient, people, scored)
    assert (found.value, found.low, found.high) == (None, None, None)
    assert str(found.reason) == reason
    assert found.systems == np.size(people)


def test_correlations_are_those_of_win_fractions_and_of_strengths() -> None:
    made = many(seed=2)
    table = win_fractions(made, weights(30)).merge(
        strengths(made), on=["rater", "source"]
    )
    found = correlations(made, table, weights(30))

    assert [(each.of, each.coefficient) for each in found] == [
        (of, coefficient)
        for of in (FRACTION, STRENGTH)
        for coefficient in (PEARSON, SPEARMAN)
    ]
    assert {(each.metric, each.systems, each.pairs) for each in found} == {
        ("CIDEr", 4, len(made.b))
    }

    for (pearson, spearman), column in zip(
        (found[:2], found[2:]), ("fraction", "strength"), strict=True
    ):
        people, metric = (
            table.loc[table["rater"] == rater, column].to_numpy()
            for rater in (PEOPLE, "CIDEr")
        )

        assert pearson.value == pytest.approx(stats.pearsonr(people, metric).statistic)
        assert spearman.value == pytest.approx(
            stats.spearmanr(people, metric).statistic
        )


@pytest.mark.parametrize(
    ("coefficient", "systems", "truth"),
    [(PEARSON, 6, 0.6), (PEARSON, 15, 0.9), (SPEARMAN, 15, 6 / np.pi * np.arcsin(0.3))],
)
def test_95_of_100_intervals_hold_the_true_correlation(
    coefficient: str, systems: int, truth: float
) -> None:
    chance, rho = generator(2015), truth if coefficient == PEARSON else 0.6
    held = []

    for _ in range(2_000):
        people, noise = chance.normal(size=(2, systems))
        found = of(coefficient, people, rho * people + np.sqrt(1 - rho**2) * noise)
        assert found.low is not None
        assert found.high is not None
        held.append(found.low <= truth <= found.high)

    assert 0.935 <= np.mean(held) <= 0.965


def with_metric(pairs: int, seed: int = 0) -> tuple[SystemPairs, Weights]:
    """Pairs of twelve systems on an image each, by people and by a metric of their own mind."""
    strength = np.linspace(-2, 2, 12)
    people = simulated(strength, pairs, generator(seed))
    of_source = strength[[int(name.split()[1]) for name in people.sources]]
    by_metric = of_source + generator(seed + 2).normal(size=12) / 2
    difference = by_metric[people.b] - by_metric[people.c]
    metric = np.where(generator(seed + 1).random(pairs) < expit(difference), 1.0, -1.0)
    both = SystemPairs(
        people.sources,
        people.b,
        people.c,
        people.image,
        people.sides | {"CIDEr": metric},
    )

    return both, weights(pairs, 400)


def width(found: SystemCorrelation) -> float:
    """How wide the interval is in Fisher's z."""
    assert found.low is not None
    assert found.high is not None
    return float(np.arctanh(found.high) - np.arctanh(found.low))


@pytest.mark.parametrize("coefficient", [PEARSON, SPEARMAN])
def test_intervals_hold_the_sampling_error_of_win_fractions(coefficient: str) -> None:
    """Of few images they are wider than Fisher's; of very many, they are Fisher's."""
    ratios = []
    for pairs in (60, 20_000):
        made, drawn = with_metric(pairs)
        table = win_fractions(made, drawn).merge(
            strengths(made), on=["rater", "source"]
        )
        rows = correlations(made, table, drawn)
        [found] = [e for e in rows if (e.of, e.coefficient) == (FRACTION, coefficient)]
        people, scored = (
            table.loc[table["rater"] == rater, "fraction"].to_numpy()
            for rater in (PEOPLE, "CIDEr")
        )
        known = of(coefficient, people, scored)
        widths = [width(each) for each in (found, known)]
        ratios.append(widths[0] / widths[1])

    assert ratios[0] > 1.1
    assert ratios[1] == pytest.approx(1, abs=0.05)


def test_strengths_of_resamples_are_near_those_that_are_fitted_to_them() -> None:
    made, drawn = with_metric(600)
    of_people = strengths(made).query("rater == 'people'")
    strength = of_people["strength"].to_numpy()
    found = resampled_strengths(PEOPLE, made, strength, drawn[:20])

    for held, approximate in zip(drawn[:20].astype(int), found, strict=True):
        rows = np.repeat(np.arange(600), held)
        sides = {PEOPLE: made.sides[PEOPLE][rows]}
        again = SystemPairs(made.sources, made.b[rows], made.c[rows], rows, sides)

        fitted = strengths(again)["strength"].to_numpy()
        assert np.corrcoef(fitted, approximate)[0, 1] > 0.99
        assert np.abs(fitted - approximate).max() < 0.5


def test_a_resample_without_a_system_does_not_count() -> None:
    people = floats([[0.1, 0.5, 0.7, 0.9], [0.1, np.nan, 0.7, 0.9]])
    z = Resampled(people, floats([[0.2, 0.4, 0.6, 0.9]] * 2)).z(PEARSON)
    assert np.isnan(z).tolist() == [False, True]


def test_a_metric_that_orders_systems_as_people_do_is_told_apart_from_one_that_does_not() -> (
    None
):
    made, drawn = with_metric(20_000)
    coins = generator(9).choice([1.0, -1.0], 20_000)
    sides = made.sides | {"coin": coins, "twin": made.sides["CIDEr"]}

    pairs = SystemPairs(made.sources, made.b, made.c, made.image, sides)
    assert not_told_apart(pairs, ["coin", "CIDEr", "twin"], drawn) == ["CIDEr", "twin"]


def test_metrics_are_told_apart_with_many_systems_and_images_only() -> None:
    made, drawn = with_metric(60)
    noisy = np.where(
        generator(5).random(60) < 0.8, made.sides["CIDEr"], -made.sides["CIDEr"]
    )
    pairs = SystemPairs(
        made.sources, made.b, made.c, made.image, made.sides | {"noisy": noisy}
    )

    assert {*not_told_apart(pairs, ["CIDEr", "noisy"], drawn)} == {"CIDEr", "noisy"}


def design(made: SystemPairs) -> FloatArray:
    """A row a pair: +1 for the source of B, -1 for that of C."""
    rows = np.arange(len(made.b))
    matrix = np.zeros((len(rows), len(made.sources)))
    matrix[rows, made.b], matrix[rows, made.c] = 1, -1

    return matrix


@pytest.mark.parametrize("rater", [PEOPLE, "CIDEr"])
def test_strengths_are_those_of_a_logistic_regression(rater: str) -> None:
    made = many(seed=5, pairs=6_000, images=500)
    won = (1 + made.sides[rater]) / 2
    fitted = sm.GLM(won, design(made)[:, 1:], family=sm.families.Binomial()).fit()
    expected = np.concatenate([[0.0], fitted.params])
    frame = strengths(made)

    rows = rows_with(frame, rater=rater)
    found = rows["strength"].to_numpy()
    assert found == pytest.approx(expected - expected.mean(), abs=1e-4)


@pytest.mark.parametrize("seed", range(4))
def test_strengths_are_the_most_likely_ones_under_the_prior(seed: int) -> None:
    made = many(seed, pairs=12)
    wins = made.wins(PEOPLE)

    def cost(strength: FloatArray) -> float:
        likelihood = (
            wins * -np.logaddexp(0, strength[None, :] - strength[:, None])
        ).sum()
        prior = (
            -(np.logaddexp(0, strength) + np.logaddexp(0, -strength)).sum() * PRIOR / 2
        )

        return float(-likelihood - prior)

    best = optimize.minimize(
        cost, np.zeros(len(wins)), method="BFGS", options={"gtol": 1e-8}
    )

    assert log_strengths(wins) == pytest.approx(best.x - best.x.mean(), abs=1e-5)


def test_of_two_systems_the_strengths_are_the_log_odds() -> None:
    made = contests("a" * 400, "b" * 400, [1] * 300 + [-1] * 80 + [0] * 20)
    first, second = strengths(made)["strength"]

    assert first - second == pytest.approx(np.log(310 / 90), abs=1e-3)
    assert first + second == pytest.approx(0)


def test_simulated_strengths_are_recovered() -> None:
    truth = floats([-1.2, -0.4, 0, 0.5, 1.1])
    made = simulated(truth, 20_000, generator(3))
    found = strengths(made)["strength"]

    assert found.to_numpy() == pytest.approx(truth, abs=0.07)


def test_95_of_100_intervals_contain_the_true_strength() -> None:
    truth, chance = floats([-0.8, -0.1, 0.2, 0.7]), generator(4)
    contains = []

    for _ in range(300):
        frame = strengths(simulated(truth, 250, chance))
        contains.append(
            (frame["strength_low"] <= truth) & (truth <= frame["strength_high"])
        )

    assert 0.93 <= np.mean(contains) <= 0.975


def test_the_standard_error_is_that_of_a_regression_with_clusters() -> None:
    made = many(seed=5, pairs=6_000, images=500)
    won = (1 + made.sides["CIDEr"]) / 2
    fitted = sm.GLM(won, design(made)[:, 1:], family=sm.families.Binomial()).fit(
        cov_type="cluster", cov_kwds={"groups": made.image}
    )
    centre = np.eye(4)[:, 1:] - 1 / 4
    errors = np.sqrt(np.diag(centre @ fitted.cov_params() @ centre.T))
    frame = strengths(made)
    found = frame.query("rater == 'CIDEr'")

    half_widths = (found["strength_high"] - found["strength_low"]).to_numpy() / 2
    assert half_widths == pytest.approx(stats.t.ppf(0.975, 499) * errors, rel=5e-3)


def test_a_strength_allows_for_whom_a_source_met() -> None:
    """c wins 6 of 10 against the strong b, and d 8 of 10 against the weak a."""
    won = [1] * 9 + [-1] + [1] * 6 + [-1] * 4 + [1] * 8 + [-1] * 2
    made = contests("b" * 10 + "c" * 10 + "d" * 10, "a" * 10 + "b" * 10 + "a" * 10, won)
    fraction = fraction_of(win_fractions(made, weights(30)))

    strength = strengths(made).set_index("source")["strength"]
    assert fraction["d"] > fraction["c"]
    assert strength["c"] > strength["d"]


def test_a_source_that_always_won_has_a_finite_strength_and_a_note() -> None:
    made = contests("aabcbc", "bccbcb", [1, 1, 1, 1, 0, 1])
    frame = strengths(made).set_index("source")

    assert frame["strength"].idxmax() == "a"
    assert np.isfinite(frame["strength"]).all()
    assert frame["note"].to_dict() == {"a": UNBOUNDED, "b": "", "c": ""}
    assert frame["strength_low"].isna().tolist() == [True, False, False]


def test_sources_outside_the_largest_group_have_no_strength_but_a_note() -> None:
    made = contests("aabbccdede", "bbccaaeded", [1, -1, 1, -1, 1, -1, 1, 0, 0, 1])
    frame = strengths(made).set_index("source")

    assert frame["strength"].isna().tolist() == [False, False, False, True, True]
    assert frame["note"].tolist() == ["", "", "", SEPARATE, SEPARATE]
    assert frame["strength"].sum() == pytest.approx(0)


def test_hundreds_of_sources_take_seconds_and_little_memory() -> None:
    chance = generator(6)
    names = np.array([f"system {number:03}" for number in range(449)], dtype=object)
    b, c = chance.permuted(np.tile(names, (3_000, 1)), axis=1)[:, :2].T
    made = SystemPairs.of(
        (b, c), chance.choice([1.0, -1.0], 3_000), {}, np.arange(3_000) // 3
    )
    tracemalloc.start()
    table = win_fractions(made, weights(1_000, 500)).merge(
        strengths(made), on=["rater", "source"]
    )
    _, peak = tracemalloc.get_traced_memory()

    tracemalloc.stop()
    assert len(table) == len(made.sources) > 440
    assert peak < 60e6


def test_strengths_with_nothing_in_their_way_have_no_note() -> None:
    frame = strengths(many(seed=6))
    assert set(frame["note"]) == {""}
    assert frame.groupby("rater")["strength"].sum().to_numpy() == pytest.approx([0, 0])


def unexplained(wins: FloatArray) -> FloatArray:
    """The wins of each source less those that its strength makes expect."""
    found = log_strengths(wins)
    assert found.sum() == pytest.approx(0, abs=1e-8)

    expected = (wins + wins.T) * expit(found[:, None] - found[None, :])
    left: FloatArray = (wins - expected).sum(axis=1)
    return left


@given(st.lists(st.integers(0, 10**6), min_size=12, max_size=12))
def test_strengths_expect_the_wins_that_were_seen_but_for_the_prior(
    counts: list[int],
) -> None:
    wins = np.zeros((4, 4))
    wins[~np.eye(4, dtype=bool)] = counts
    assert (np.abs(unexplained(wins)) <= PRIOR / 2 + 1e-4).all()


def test_sources_that_always_won_in_a_row_do_not_throw_the_search_off() -> None:
    wins = np.zeros((5, 5))
    wins[0, 3], wins[1, 2], wins[1, 3], wins[2, 0] = 5, 1_789, 16_271, 290_740
    assert (np.abs(unexplained(wins)) <= PRIOR / 2 + 1e-4).all()
