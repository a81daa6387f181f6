import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from scipy import optimize, stats
from scipy.special import expit

from analysis.dataset.schema import PEOPLE
from analysis.stats.accuracy import Resamples
from analysis.stats.systems import (
    ON_A_LINE,
    PEARSON,
    PRIOR,
    SEPARATE,
    SPEARMAN,
    UNBOUNDED,
    Contests,
    Correlation,
    correlation,
    correlations,
    fisher_interval,
    log_strengths,
    strengths,
    win_fractions,
)
from metrics import FloatArray

NAN = float("nan")
SOURCES = ("human", "lstm", "retrieval", "template")


def floats(values: ArrayLike) -> FloatArray:
    return np.array(values, dtype=float)


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def weights(images: int, size: int = 200, seed: int = 0) -> FloatArray:
    return Resamples.make(size, images, 1, generator(seed)).images


def contests(
    b: str, c: str, winner: ArrayLike, image: ArrayLike = (), **preferences: ArrayLike
) -> Contests:
    """Pairs of sources named by one letter each ("." for an unknown one), an image each."""
    names = [np.array([name.strip(".") for name in side], dtype=object) for side in (b, c)]
    sides = {name: floats(side) for name, side in preferences.items()}
    images = np.array(image if np.size(image) else range(len(b)), dtype=np.int64)
    return Contests.of(names[0], names[1], floats(winner), sides, images)


def many(seed: int, pairs: int = 120, images: int = 30) -> Contests:
    """Random pairs of `SOURCES` with a metric that often agrees with people."""
    chance = generator(seed)
    b, c = (chance.choice(np.array(SOURCES, dtype=object), pairs) for _ in "bc")
    winner = chance.choice([1.0, -1.0, 0.0], pairs)
    metric = np.where(chance.random(pairs) < 0.6, winner, chance.choice([1.0, -1.0, 0.0], pairs))
    image = chance.integers(0, images, pairs)
    return Contests.of(b, c, winner, {"CIDEr": metric}, image)


def simulated(strength: FloatArray, pairs: int, chance: np.random.Generator) -> Contests:
    """Pairs of systems that win as Bradley and Terry say, each pair on its own image."""
    b, c = chance.permuted(np.tile(np.arange(len(strength)), (pairs, 1)), axis=1)[:, :2].T
    won = chance.random(pairs) < 1 / (1 + np.exp(strength[c] - strength[b]))
    names = np.array([f"system {number}" for number in range(len(strength))], dtype=object)
    return Contests.of(names[b], names[c], np.where(won, 1.0, -1.0), {}, np.arange(pairs))


def fraction_of(frame: pd.DataFrame, judge: str = PEOPLE) -> dict[str, float]:
    kept = frame[frame["judge"] == judge]
    return dict(zip(kept["source"], kept["fraction"], strict=True))


def test_a_win_counts_one_and_a_tie_half() -> None:
    frame = win_fractions(contests("aab", "bbc", [1, 0, -1]), weights(3))
    assert frame["source"].tolist() == ["a", "b", "c"]
    assert frame["wins"].tolist() == [1.5, 0.5, 1.0]
    assert frame["comparisons"].tolist() == [2, 3, 1]
    assert frame["fraction"].tolist() == pytest.approx([3 / 4, 1 / 6, 1])


def test_each_metric_is_a_judge_beside_people() -> None:
    made = contests("aa", "bb", [1, 1], CIDEr=[-1, 1], BLEU=[0, -1])
    frame = win_fractions(made, weights(2))
    assert frame["judge"].tolist() == [PEOPLE, PEOPLE, "CIDEr", "CIDEr", "BLEU", "BLEU"]
    assert frame["fraction"].tolist() == [1, 0, 0.5, 0.5, 0.25, 0.75]


def test_pairs_of_one_source_or_of_an_unknown_one_are_left_out() -> None:
    frame = win_fractions(contests("a.aba", "baabb", [1, 1, 1, 1, -1]), weights(5))
    assert frame["comparisons"].tolist() == [2, 2]
    assert frame["wins"].tolist() == [1, 1]


def test_all_judges_are_asked_about_the_same_pairs() -> None:
    made = contests("aaa", "bbb", [1, NAN, -1], CIDEr=[1, 1, 1], BLEU=[-1, 1, NAN])
    assert win_fractions(made, weights(3))["comparisons"].tolist() == [1] * 6


def test_a_mask_leaves_pairs_out() -> None:
    b, c = np.array(["human", "x", "x"], dtype=object), np.array(["x", "y", "human"], dtype=object)
    kept = (b != "human") & (c != "human")
    made = Contests.of(b, c, floats([1, 1, -1]), {}, np.arange(3), kept)
    assert fraction_of(win_fractions(made, weights(3))) == {"x": 1, "y": 0}


def test_the_human_is_a_system_like_others() -> None:
    made = contests("h", "x", [1])
    assert made.sources == ("h", "x")
    assert fraction_of(win_fractions(made, weights(1))) == {"h": 1, "x": 0}


def slow_fraction(made: Contests, judge: str, source: int, times: FloatArray) -> float:
    """The win fraction with each image so many times, one pair after the other."""
    won = met = 0.0
    for b, c, side, image in zip(made.b, made.c, made.sides[judge], made.image, strict=True):
        if source in (b, c):
            met += times[image]
            better = side if b == source else -side
            won += times[image] * {1.0: 1.0, 0.0: 0.5, -1.0: 0.0}[better]
    return won / met


@pytest.mark.parametrize("judge", [PEOPLE, "CIDEr"])
def test_fractions_and_intervals_are_those_of_a_plain_bootstrap(judge: str) -> None:
    made, drawn = many(seed=1), weights(30, size=80)
    frame = win_fractions(made, drawn)
    found = frame[frame["judge"] == judge]
    for place, (fraction, low, high) in enumerate(found[["fraction", "low", "high"]].to_numpy()):
        expected = slow_fraction(made, judge, place, np.ones(30))
        resampled = [slow_fraction(made, judge, place, times) for times in drawn]
        assert fraction == pytest.approx(expected)
        assert (low, high) == pytest.approx(tuple(np.percentile(resampled, [2.5, 97.5])))


@given(st.integers(0, 10_000))
def test_every_comparison_is_won_once_altogether(seed: int) -> None:
    made = many(seed, pairs=12)
    frame = win_fractions(made, weights(30, size=2))
    for _, rows in frame.groupby("judge"):
        assert rows["wins"].sum() == len(made.b)
        assert rows["comparisons"].sum() == 2 * len(made.b)


@given(st.integers(0, 10_000))
def test_it_does_not_matter_which_candidate_is_b(seed: int) -> None:
    made, drawn = many(seed, pairs=40), weights(30, size=20)
    turned = {judge: -side for judge, side in made.sides.items()}
    other = Contests(made.sources, made.c, made.b, made.image, turned)
    pd.testing.assert_frame_equal(win_fractions(made, drawn), win_fractions(other, drawn))
    pd.testing.assert_frame_equal(strengths(made, drawn), strengths(other, drawn))


def test_a_source_seen_on_one_image_has_no_interval() -> None:
    made = contests("aabb", "bbcc", [1, -1, 1, 1], image=[0, 1, 1, 1])
    for frame in (win_fractions(made, weights(2)), strengths(made, weights(2))):
        assert frame["low"].isna().tolist() == [False, False, True]
        assert frame["high"].isna().tolist() == [False, False, True]


def test_without_known_sources_there_is_nothing_to_tell() -> None:
    made = contests("..", "..", [1, -1], CIDEr=[1, 1])
    assert win_fractions(made, weights(2)).empty
    assert strengths(made, weights(2)).empty
    assert {each.value for each in correlations(made)} == {None}
    assert {each.reason for each in correlations(made)} == {"Systems: 0; a correlation needs 4."}


def of(coefficient: str, people: ArrayLike, scored: ArrayLike) -> Correlation:
    return correlation("CIDEr", floats(people), floats(scored), coefficient)


def test_five_systems_tell_little() -> None:
    low, high = fisher_interval(0.67, 5, 1.0)
    assert low == pytest.approx(-0.519, abs=5e-4)
    assert high == pytest.approx(0.976, abs=5e-4)


@pytest.mark.parametrize("seed", range(5))
def test_pearson_and_its_interval_are_those_of_scipy(seed: int) -> None:
    people, scored = generator(seed).random((2, 7))
    found, expected = of(PEARSON, people, scored), stats.pearsonr(people, scored)
    assert found.value == pytest.approx(expected.statistic)
    assert (found.low, found.high) == pytest.approx(tuple(expected.confidence_interval()))
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
        ([0.2, 0.5, 0.8], [0.1, 0.6, 0.7], "Systems: 3; a correlation needs 4."),
        ([0.5, 0.5, 0.5, 0.5], [0.1, 0.6, 0.7, 0.6], "People let all systems win equally often."),
        ([0.1, 0.6, 0.7, 0.6], [0.5] * 4, "The metric lets all systems win equally often."),
    ],
)
def test_what_has_no_correlation_has_a_reason(
    coefficient: str, people: ArrayLike, scored: ArrayLike, reason: str
) -> None:
    found = of(coefficient, people, scored)
    assert (found.value, found.low, found.high) == (None, None, None)
    assert found.reason == reason
    assert found.systems == np.size(people)


def test_correlations_are_those_of_the_win_fractions() -> None:
    made = many(seed=2)
    frame = win_fractions(made, weights(30))
    people, metric = (list(fraction_of(frame, judge).values()) for judge in (PEOPLE, "CIDEr"))
    pearson, spearman = correlations(made)
    assert (pearson.metric, pearson.coefficient, pearson.systems) == ("CIDEr", PEARSON, 4)
    assert pearson.value == pytest.approx(stats.pearsonr(people, metric).statistic)
    assert spearman.coefficient == SPEARMAN
    assert spearman.value == pytest.approx(stats.spearmanr(people, metric).statistic)


@pytest.mark.parametrize(
    ("coefficient", "systems", "truth"),
    [
        (PEARSON, 6, 0.6),
        (PEARSON, 15, 0.9),
        (SPEARMAN, 15, 6 / np.pi * np.arcsin(0.3)),
    ],
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


def design(made: Contests) -> FloatArray:
    """A row a pair: +1 for the source of B, -1 for that of C."""
    rows = np.arange(len(made.b))
    matrix = np.zeros((len(rows), len(made.sources)))
    matrix[rows, made.b], matrix[rows, made.c] = 1, -1
    return matrix


@pytest.mark.parametrize("judge", [PEOPLE, "CIDEr"])
def test_strengths_are_those_of_a_logistic_regression(judge: str) -> None:
    made = many(seed=5, pairs=6_000, images=500)
    won = (1 + made.sides[judge]) / 2
    fitted = sm.GLM(won, design(made)[:, 1:], family=sm.families.Binomial()).fit()
    expected = np.concatenate([[0.0], fitted.params])
    frame = strengths(made, weights(500, size=2))
    found = frame[frame["judge"] == judge]["strength"].to_numpy()
    assert found == pytest.approx(expected - expected.mean(), abs=1e-4)


@pytest.mark.parametrize("seed", range(4))
def test_strengths_are_the_most_likely_ones_under_the_prior(seed: int) -> None:
    made = many(seed, pairs=12)
    wins = made.wins(PEOPLE)

    def cost(strength: FloatArray) -> float:
        likelihood = (wins * -np.logaddexp(0, strength[None, :] - strength[:, None])).sum()
        prior = -(np.logaddexp(0, strength) + np.logaddexp(0, -strength)).sum() * PRIOR / 2
        return float(-likelihood - prior)

    best = optimize.minimize(cost, np.zeros(len(wins)), method="BFGS", options={"gtol": 1e-8})
    assert log_strengths(wins[None])[0] == pytest.approx(best.x - best.x.mean(), abs=1e-5)


def test_of_two_systems_the_strengths_are_the_log_odds() -> None:
    made = contests("a" * 400, "b" * 400, [1] * 300 + [-1] * 80 + [0] * 20)
    first, second = strengths(made, weights(400, size=2))["strength"]
    assert first - second == pytest.approx(np.log(310 / 90), abs=1e-3)
    assert first + second == pytest.approx(0)


def test_simulated_strengths_are_recovered() -> None:
    truth = floats([-1.2, -0.4, 0, 0.5, 1.1])
    made = simulated(truth, 20_000, generator(3))
    found = strengths(made, weights(20_000, size=2))["strength"]
    assert found.to_numpy() == pytest.approx(truth, abs=0.07)


def test_95_of_100_intervals_hold_the_true_strength() -> None:
    truth, chance = floats([-0.8, -0.1, 0.2, 0.7]), generator(4)
    held = []
    for _ in range(150):
        drawn = Resamples.make(300, 250, 1, chance).images
        frame = strengths(simulated(truth, 250, chance), drawn)
        held.append((frame["low"] <= truth) & (truth <= frame["high"]))
    assert 0.91 <= np.mean(held) <= 0.98


def test_a_strength_allows_for_whom_a_source_met() -> None:
    """c wins 6 of 10 against the strong b, and d 8 of 10 against the weak a."""
    won = [1] * 9 + [-1] + [1] * 6 + [-1] * 4 + [1] * 8 + [-1] * 2
    made = contests("b" * 10 + "c" * 10 + "d" * 10, "a" * 10 + "b" * 10 + "a" * 10, won)
    fraction = fraction_of(win_fractions(made, weights(30)))
    strength = strengths(made, weights(30)).set_index("source")["strength"]
    assert fraction["d"] > fraction["c"]
    assert strength["c"] > strength["d"]


def test_a_source_that_always_won_has_a_finite_strength_and_a_note() -> None:
    made = contests("aabcb", "bccbc", [1, 1, 1, 1, 0])
    frame = strengths(made, weights(5))
    assert frame["strength"].idxmax() == 0
    assert np.isfinite(frame[["strength", "low", "high"]].to_numpy()).all()
    assert set(frame["note"]) == {UNBOUNDED}


def test_groups_that_never_met_have_no_strengths_but_a_note() -> None:
    frame = strengths(contests("aabcdc", "bbadcd", [1, -1, 1, 1, 0, 0]), weights(6))
    assert frame[["strength", "low", "high"]].isna().to_numpy().all()
    assert set(frame["note"]) == {SEPARATE}


def test_strengths_with_nothing_in_their_way_have_no_note() -> None:
    frame = strengths(many(seed=6), weights(30))
    assert set(frame["note"]) == {""}
    assert frame.groupby("judge")["strength"].sum().to_numpy() == pytest.approx([0, 0])


def unexplained(wins: FloatArray) -> FloatArray:
    """The wins of each source less those that its strength makes expect."""
    found = log_strengths(wins[None])[0]
    assert found.sum() == pytest.approx(0, abs=1e-8)
    expected = (wins + wins.T) * expit(found[:, None] - found[None, :])
    left: FloatArray = (wins - expected).sum(axis=1)
    return left


@given(st.lists(st.integers(0, 10**6), min_size=12, max_size=12))
def test_strengths_expect_the_wins_that_were_seen_but_for_the_prior(counts: list[int]) -> None:
    wins = np.zeros((4, 4))
    wins[~np.eye(4, dtype=bool)] = counts
    assert (np.abs(unexplained(wins)) <= PRIOR / 2 + 1e-4).all()


def test_sources_that_always_won_in_a_row_do_not_throw_the_search_off() -> None:
    wins = np.zeros((5, 5))
    wins[0, 3], wins[1, 2], wins[1, 3], wins[2, 0] = 5, 1_789, 16_271, 290_740
    assert (np.abs(unexplained(wins)) <= PRIOR / 2 + 1e-4).all()


def test_a_resample_without_a_source_says_nothing_of_its_strength() -> None:
    """The source z lost on both of its images, and some resamples hold neither."""
    made = contests("ab" * 10 + "az", "ba" * 10 + "zb", [1] * 20 + [1, -1])
    drawn = weights(22, size=500)
    absent = drawn[:, 20:].sum(axis=1) == 0
    assert absent.mean() > 0.1
    frame = strengths(made, drawn).set_index("source")
    assert frame["high"]["z"] < -1
