from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from tercet.analysis.stats.accuracy import (
    Credit,
    Estimate,
    HumanWinners,
    Sample,
    preference,
)
from tercet.analysis.stats.resampling import Resamples
from tercet.metrics import FloatArray, IntArray

SIDES = (1.0, 0.0, -1.0)
NAN = float("nan")


def floats(values: ArrayLike) -> FloatArray:
    return np.array(values, dtype=float)


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def judged(
    winner: ArrayLike,
    preferred: ArrayLike,
    human_ties: str = "half",
    metric_ties: str = "half",
) -> Credit:
    """The credit of one draw with one reference count."""
    sides = floats(winner)
    humans = HumanWinners(sides, np.full(sides.shape, NAN), human_ties, metric_ties)  # type: ignore[arg-type]
    return humans.credit(floats(preferred)[:, None], generator())


def sample(draws: list[Credit], image: IntArray, resamples: Resamples) -> Sample:
    shape = draws[0].earned.shape
    total = Credit.zero(shape)
    for draw in draws:
        total += draw

    by_draw = np.array([draw.accuracy for draw in draws])
    weights = resamples.images.astype(np.float32)
    return Sample.of(total.earned, total.counted, by_draw, image, weights)


def earnings(earned: ArrayLike) -> Credit:
    """The credit of pairs without ties (P,) for one reference count."""
    row = floats(earned)[None, :]
    ones = np.ones(row.shape)
    return Credit(ones, ones, row, 0 * ones, 0 * ones)


def test_the_preference_is_the_candidate_that_scores_higher() -> None:
    b, c = (
        floats([[0.2, 0.5], [0.7, 0.5], [0.0, NAN]]),
        floats([[0.1, 0.9], [0.8, 0.5], [0.0, NAN]]),
    )
    expected = [[1, -1], [-1, 0], [0, NAN]]

    found = preference(b, c)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("difference", "side"), [(9e-12, 0), (1.2e-11, 1), (-1.2e-11, -1)]
)
def test_a_difference_below_rounding_is_a_tie(difference: float, side: float) -> None:
    b, c = floats([[10.0], [5.0 + difference]]), floats([[1.0], [5.0]])
    assert preference(b, c)[1, 0] == side


def test_rounding_is_judged_by_the_scores_of_the_same_reference_count() -> None:
    b, c = floats([[1e6, 1e-6], [0.0, 2e-9]]), floats([[0.0, 0.0], [1e-7, 1e-9]])
    np.testing.assert_array_equal(preference(b, c), [[1, 1], [0, 1]])


def test_no_scores_at_all_are_no_preference() -> None:
    assert np.isnan(preference(floats([[NAN]]), floats([[NAN]]))).all()


def test_no_score_differs_where_all_are_zero() -> None:
    assert preference(np.zeros((2, 1)), np.zeros((2, 1))).tolist() == [[0], [0]]


@pytest.mark.parametrize(
    ("human_ties", "metric_ties", "earned", "counted"),
    [
        ("half", "half", 4.0, 7),
        ("half", "wrong", 2.5, 7),
        ("half", "drop", 2.5, 4),
        ("half", "first", 5.0, 7),
        ("drop", "half", 3.0, 5),
        ("drop", "wrong", 2.0, 5),
        ("drop", "drop", 2.0, 3),
        ("drop", "first", 4.0, 5),
    ],
)
def test_ties_earn_what_the_policies_say(
    human_ties: str, metric_ties: str, earned: float, counted: int
) -> None:
    winner = [1, -1, -1, 0, 0, 1, 1]
    preferred = [1, -1, 1, 1, 0, 0, 0]
    credit = judged(winner, preferred, human_ties, metric_ties)

    assert credit.earned.sum() == earned
    assert credit.counted.sum() == counted
    assert credit.accuracy == pytest.approx([earned / counted])
    assert credit.tied.sum() == 3


def test_a_coin_gives_a_whole_point_or_none_half_of_the_time() -> None:
    ties = np.zeros(4_000)
    for human, metric in ((ties, ties + 1), (ties - 1, ties), (ties, ties)):
        earned = judged(human, metric, "coin", "coin").earned
        assert set(earned.ravel()) == {0.0, 1.0}
        assert earned.mean() == pytest.approx(0.5, abs=0.03)


def test_a_coin_is_tossed_for_ties_only() -> None:
    assert judged([1, -1], [1, 1], "coin", "coin").earned.tolist() == [[1, 0]]


def test_a_pair_without_winner_or_score_does_not_count() -> None:
    credit = judged([NAN, 1, 1], [1, NAN, 1])
    counted = credit.counted.tolist()
    assert counted == [[0, 0, 1]]

    scored = credit.scored.tolist()
    assert scored == [[1, 0, 1]]
    assert credit.accuracy.tolist() == [1.0]


def test_no_pair_that_counts_is_no_accuracy() -> None:
    assert np.isnan(judged([0, 0], [1, 1], "drop").accuracy).all()


def slow_credit(
    winner: float, preferred: float, human_ties: str, metric_ties: str
) -> tuple[bool, float]:
    """Whether a pair counts, and what it earns, one case after the other."""
    if np.isnan(preferred):
        return False, 0.0
    if winner == 0 and human_ties == "drop":
        return False, 0.0

    if preferred == 0:
        if metric_ties == "drop":
            return False, 0.0
        if metric_ties == "wrong":
            return True, 0.0
        if metric_ties == "first":
            preferred = 1
    if winner == 0 or preferred == 0:
        return True, 0.5

    return True, 1.0 if winner == preferred else 0.0


@given(
    st.lists(
        st.tuples(
            st.sampled_from(SIDES),
            st.sampled_from([0, 0.25, 0.5, 0.75, 1, NAN]),
            st.lists(st.sampled_from([*SIDES, NAN]), min_size=3, max_size=3),
        ),
        min_size=1,
        max_size=12,
    ),
    st.sampled_from(["half", "drop"]),
    st.sampled_from(["half", "wrong", "drop", "first"]),
)
def test_credit_is_that_of_plain_loops(
    pairs: list[tuple[float, float, list[float]]], human_ties: str, metric_ties: str
) -> None:
    winner = floats([side for side, _, _ in pairs])
    vote_share = floats([votes for _, votes, _ in pairs])
    preferred = floats([sides for _, _, sides in pairs])
    humans = HumanWinners(winner, vote_share, human_ties, metric_ties)  # type: ignore[arg-type]
    credit = humans.credit(preferred, generator())

    for k in range(3):
        total, count = 0.0, 0
        for place, (side, votes, sides) in enumerate(pairs):
            counts, earned = slow_credit(side, sides[k], human_ties, metric_ties)
            total, count = total + earned, count + counts

            assert credit.counted[k, place] == counts
            assert credit.earned[k, place] == earned
            assert credit.tied[k, place] == (sides[k] == 0)

            share = {1.0: votes, -1.0: 1 - votes, 0.0: 0.5}.get(sides[k], 0.0)
            assert credit.votes[k, place] == (
                0.0 if np.isnan(share) or np.isnan(votes) else share
            )

        expected = total / count if count else NAN
        assert credit.accuracy[k] == pytest.approx(expected, nan_ok=True)


def test_a_resample_holds_as_many_images_and_draws_as_there_are() -> None:
    resamples = Resamples.make(50, 7, 3, generator())
    assert resamples.images.shape == (50, 7)
    assert resamples.draws.shape == (50, 3)

    assert (resamples.images.sum(axis=1) == 7).all()
    assert (resamples.draws.sum(axis=1) == 3).all()


@dataclass(frozen=True)
class Made:
    """Pairs of several images with what they earn in each draw: earned is (R, P)."""

    image: IntArray
    earned: FloatArray
    resamples: Resamples

    @classmethod
    def up(cls, seed: int, images: int, draws: int, size: int = 1_000) -> "Made":
        chance = generator(seed)
        image = np.repeat(np.arange(images), chance.integers(1, 4, images))
        easy = chance.beta(2, 1, images)[image]
        earned = (chance.random((draws, len(image))) < easy).astype(float)

        return cls(image, earned, Resamples.make(size, images, draws, chance))

    @property
    def estimate(self) -> Estimate:
        draws = [earnings(earned) for earned in self.earned]
        return sample(draws, self.image, self.resamples).estimate(self.resamples)


def test_the_interval_is_that_of_a_plain_bootstrap_over_images() -> None:
    made = Made.up(seed=3, images=25, draws=1, size=500)
    earned = made.earned[0]
    resampled = []

    for weights in made.resamples.images.astype(int):
        drawn = [g for g, times in enumerate(weights) for _ in range(times)]
        values = np.concatenate([earned[made.image == g] for g in drawn])
        resampled.append(values.mean())

    low, high = np.percentile(resampled, [2.5, 97.5])
    assert made.estimate.accuracy == pytest.approx([earned.mean()])
    assert made.estimate.low == pytest.approx([low])

    assert made.estimate.high == pytest.approx([high])
    assert made.estimate.se_images == pytest.approx([np.std(resampled)])
    assert made.estimate.sd_draws.tolist() == [0]


def test_the_interval_of_several_draws_resamples_images_and_draws() -> None:
    made = Made.up(seed=4, images=25, draws=6, size=500)
    by_draw = made.earned.mean(axis=1)
    resampled = []

    for images, draws in zip(made.resamples.images, made.resamples.draws, strict=True):
        weights = images[made.image]
        of_images = (made.earned.mean(axis=0) * weights).sum() / weights.sum()
        resampled.append(of_images + (by_draw * draws).sum() / 6 - by_draw.mean())

    low, high = np.percentile(np.clip(resampled, 0, 1), [2.5, 97.5])
    assert made.estimate.low == pytest.approx([low])
    assert made.estimate.high == pytest.approx([high])
    assert made.estimate.sd_draws == pytest.approx([by_draw.std(ddof=1)])


@pytest.mark.parametrize("seed", range(5))
def test_an_interval_holds_its_accuracy_and_stays_between_0_and_1(seed: int) -> None:
    estimate = Made.up(seed, images=4, draws=3).estimate
    assert 0 <= estimate.low[0] <= estimate.accuracy[0] <= estimate.high[0] <= 1


def test_an_interval_never_leaves_the_possible() -> None:
    resamples = Resamples.make(500, 3, 2, generator())
    draws = [earnings([1, 1, 1, 1]), earnings([1, 1, 0, 0])]
    estimate = sample(draws, np.array([0, 1, 2, 2]), resamples).estimate(resamples)

    assert estimate.high.tolist() == [1.0]
    assert estimate.low[0] >= 0


@pytest.mark.parametrize("image", [[0, 0, 0], [1, 1, 1]])
def test_one_image_gives_no_interval(image: list[int]) -> None:
    resamples = Resamples.make(100, max(image) + 1, 1, generator())
    estimate = sample([earnings([1, 0, 1])], np.array(image), resamples).estimate(
        resamples
    )

    assert estimate.accuracy == pytest.approx([2 / 3])
    assert np.isnan([estimate.low, estimate.high, estimate.se_images]).all()


def test_a_mean_has_no_interval_where_a_category_has_none() -> None:
    resamples = Resamples.make(100, 2, 1, generator())
    one = sample([earnings([1, 0])], np.array([0, 0]), resamples)
    two = sample([earnings([1, 0])], np.array([0, 1]), resamples)

    estimate = Sample.mean([one, two]).estimate(resamples)
    assert estimate.accuracy == pytest.approx([0.5])
    assert np.isnan([estimate.low, estimate.high]).all()


def test_the_mean_weighs_categories_alike() -> None:
    resamples = Resamples.make(2_000, 60, 1, generator())
    good = sample([earnings(np.ones(10))], np.arange(10), resamples)
    fair = sample([earnings(np.arange(50) % 2)], np.arange(10, 60), resamples)

    estimate = Sample.mean([good, fair]).estimate(resamples)
    assert estimate.accuracy == pytest.approx([0.75])
    assert estimate.se_images == pytest.approx(np.sqrt([0.25 / 50]) / 2, rel=0.1)


@dataclass(frozen=True)
class Study:
    """A world of images, as easy as a Beta distribution has it, and of orders that help or harm."""

    images: int = 80
    draws: int = 20
    order_effect: float = 0.04
    truth: float = 0.7

    def made(self, chance: np.random.Generator) -> Estimate:
        image = np.repeat(np.arange(self.images), chance.integers(1, 4, self.images))
        easy = chance.beta(3.5, 1.5, self.images)
        earned = (chance.random(len(image)) < easy[image]).astype(float)
        draws = [
            earnings(earned + each)
            for each in chance.normal(0, self.order_effect, self.draws)
        ]
        resamples = Resamples.make(600, self.images, self.draws, chance)

        return sample(draws, image, resamples).estimate(resamples)


@pytest.fixture(scope="module")
def estimates() -> Estimate:
    """Those of 500 studies."""
    chance = generator(2015)
    columns = [vars(Study().made(chance)) for _ in range(500)]
    return Estimate(
        **{
            name: np.concatenate([each[name] for each in columns])
            for name in columns[0]
        }
    )


def test_95_of_100_intervals_hold_the_truth(estimates: Estimate) -> None:
    held = (estimates.low <= Study.truth) & (estimates.high >= Study.truth)
    assert 0.93 <= held.mean() <= 0.97


def test_the_standard_error_has_a_part_of_images_and_a_part_of_draws(
    estimates: Estimate,
) -> None:
    parts = estimates.se_images**2 + estimates.sd_draws**2 / Study.draws
    assert np.sqrt(parts.mean()) == pytest.approx(estimates.accuracy.std(), rel=0.1)

    width = (estimates.high - estimates.low) / 2
    assert width == pytest.approx(1.96 * np.sqrt(parts), rel=0.2)
    assert width.mean() == pytest.approx(1.96 * np.sqrt(parts).mean(), rel=0.03)


def test_the_spread_between_draws_is_that_of_the_orders(estimates: Estimate) -> None:
    assert estimates.sd_draws.mean() == pytest.approx(Study.order_effect, rel=0.05)
