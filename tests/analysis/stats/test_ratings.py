from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analysis.dataset.csv_tables import read_table
from analysis.dataset.schema import RATINGS
from analysis.stats.accuracy import Resamples
from analysis.stats.ratings import (
    COEFFICIENTS,
    DEPENDENT,
    EVERY,
    FEW_IMAGES,
    MEAN,
    RATINGS_CONSTANT,
    SCORES_CONSTANT,
    Correlation,
    Rated,
    Rows,
    Williams,
    coefficients,
    compare,
    correlation,
    correlations,
    williams,
    williams_test,
)
from metrics import FloatArray
from tests import folders

NO_REFERENCES = pd.DataFrame({"image": [], "caption": []}, dtype="str")


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def weights(images: int, size: int = 100, seed: int = 0) -> FloatArray:
    return Resamples.make(size, images, 1, generator(seed)).images


def swaps(images: int, size: int = 100, seed: int = 0) -> np.ndarray:
    return generator(seed).random((size, images)) < 0.5


def ratings(*rows: tuple[str, str, float]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["image", "caption", "rating"])


def by_scipy(scores: FloatArray, rating: FloatArray) -> FloatArray:
    """The coefficients in the order of `COEFFICIENTS`."""
    found = (
        stats.kendalltau(scores, rating, variant="b"),
        stats.kendalltau(scores, rating, variant="c"),
        stats.spearmanr(scores, rating),
        stats.pearsonr(scores, rating),
    )
    return np.array([each.statistic for each in found], dtype=float)


def difference_by_scipy(a: FloatArray, b: FloatArray, rating: FloatArray) -> FloatArray:
    return by_scipy(a, rating) - by_scipy(b, rating)


class World:
    """Candidates of some images, three ratings 1..4 of each, and scores with ties."""

    def __init__(self, seed: int, images: int = 12, candidates: int = 40) -> None:
        chance = generator(seed)
        of_image = np.concatenate([np.arange(images), chance.integers(0, images, candidates)])
        quality = chance.normal(size=len(of_image))
        noise = chance.normal(size=(3, len(of_image)))
        frame = pd.DataFrame({"image": [f"image {number}" for number in of_image]})
        frame["caption"] = [f"caption {number}" for number in range(len(of_image))]
        frame["quality"] = quality
        rated = [frame.assign(rating=np.clip(np.round(2.5 + quality + e), 1, 4)) for e in noise]
        self.frame = pd.concat(rated).sample(frac=1, random_state=chance)
        self.rated = Rated.of(self.frame, NO_REFERENCES)
        known = self.frame.drop_duplicates("caption").set_index("caption")["quality"]
        own = known[self.rated.candidates["caption"]].to_numpy()
        self.scores = {
            name: np.round(own + spread * chance.normal(size=len(own)), 1)
            for name, spread in (("CIDEr", 1.0), ("BLEU-4", 2.0))
        }
        self.images = images

    @property
    def conventions(self) -> tuple[Rows, Rows]:
        return self.rated.rows, self.rated.rows.averaged()


def values(found: Sequence[Correlation]) -> list[float | None]:
    return [each.value for each in found]


def repeated(rows: Rows, times: FloatArray) -> np.ndarray:
    """The rows of a resample that holds each image so many times."""
    return np.repeat(np.arange(len(rows.image)), times[rows.image].astype(int))


def test_ratings_are_read_from_their_table(tmp_path: Path) -> None:
    header = ("image", "caption", "rating", "source")
    folders.write_csv(tmp_path / RATINGS.file, header, [("dog", "a dog runs", "3", "human")])
    sheet = read_table(tmp_path / "ratings.csv", RATINGS)
    assert not sheet.problems
    columns = ["image", "caption", "rating", "annotator", "source", "line"]
    assert sheet.frame[columns].iloc[0].tolist() == ["dog", "a dog runs", "3", "", "human", 2]


def test_a_caption_rated_twice_is_one_candidate_of_its_image() -> None:
    rated = Rated.of(
        ratings(("dog", "runs", 3), ("cat", "sits", 1), ("dog", "runs", 4), ("cat", "runs", 2)),
        NO_REFERENCES,
    )
    assert rated.candidates.to_numpy().tolist() == [
        ["dog", "runs"],
        ["cat", "sits"],
        ["cat", "runs"],
    ]
    assert rated.rows.candidate.tolist() == [0, 0, 1, 2]
    assert rated.rows.image.tolist() == [0, 0, 1, 1]
    assert rated.rows.rating.tolist() == [3, 4, 1, 2]
    assert rated.dropped == 0


def test_candidates_among_their_own_references_are_dropped_and_counted() -> None:
    references = pd.DataFrame({"image": ["dog", "cat"], "caption": ["runs", "flies"]})
    rated = Rated.of(
        ratings(("dog", "runs", 4), ("dog", "flies", 1), ("cat", "runs", 2), ("dog", "runs", 3)),
        references,
    )
    assert rated.dropped == 1
    assert rated.candidates.to_numpy().tolist() == [["dog", "flies"], ["cat", "runs"]]
    assert rated.rows.rating.tolist() == [1, 2]


def test_ratings_of_a_candidate_are_averaged() -> None:
    world = World(seed=1)
    rows = world.rated.rows.averaged()
    expected = world.frame.groupby(["image", "caption"])["rating"].mean()
    keys = pd.MultiIndex.from_frame(world.rated.candidates.iloc[rows.candidate])
    assert rows.rating == pytest.approx(expected[keys].to_numpy())
    assert rows.convention == MEAN


def test_equal_means_tie_whatever_the_order_of_the_ratings() -> None:
    order = [(0.1, 0.2, 0.3), (0.3, 0.2, 0.1)]
    rated = Rated.of(
        ratings(*(("dog", str(n), rating) for n, row in enumerate(order) for rating in row)),
        NO_REFERENCES,
    )
    first, second = rated.rows.averaged().rating
    assert first == second


@pytest.mark.parametrize("seed", range(4))
def test_values_are_those_of_scipy_in_both_conventions(seed: int) -> None:
    world = World(seed)
    found = correlations(world.rated, world.scores, weights(world.images))
    expected = [
        (rows, name, by_scipy(scores[rows.candidate], rows.rating))
        for rows in world.conventions
        for name, scores in world.scores.items()
    ]
    assert values(found) == pytest.approx([each for *_, four in expected for each in four])
    assert [(each.convention, each.metric, each.coefficient, each.rows) for each in found] == [
        (rows.convention, name, coefficient, len(rows.rating))
        for rows, name, _ in expected
        for coefficient in COEFFICIENTS
    ]
    assert {each.images for each in found} == {world.images}


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 4), st.integers(0, 2)), min_size=3, max_size=25
    )
)
def test_coefficients_are_those_of_scipy_with_any_ties(rows: list[tuple[int, int, int]]) -> None:
    image, x, y = np.array(sorted(rows)).T
    image = np.unique(image, return_inverse=True)[1]
    scores, rating = x.astype(float), y.astype(float)
    found = coefficients(scores, rating, image, np.ones((1, image.max() + 1)))[:, 0]
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        assert np.isnan(found).all()
    else:
        assert found == pytest.approx(by_scipy(scores, rating))


@pytest.mark.parametrize("place", [0, 1])
def test_intervals_are_those_of_a_plain_bootstrap_over_images(place: int) -> None:
    world, drawn = World(seed=7), weights(12, size=60)
    rows, scores = world.conventions[place], world.scores["CIDEr"]
    resampled = []
    for times in drawn:
        kept = repeated(rows, times)
        resampled.append(by_scipy(scores[rows.candidate[kept]], rows.rating[kept]))
    found = correlation("CIDEr", rows, scores, drawn)
    low, high = np.percentile(resampled, [2.5, 97.5], axis=0)
    assert [each.low for each in found] == pytest.approx(low)
    assert [each.high for each in found] == pytest.approx(high)


def test_large_inputs_are_taken_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    world, drawn = World(seed=8), weights(12, size=30)
    whole = correlations(world.rated, world.scores, drawn)
    monkeypatch.setattr("analysis.stats.ratings.CELLS", 500)
    for one, other in zip(whole, correlations(world.rated, world.scores, drawn), strict=True):
        assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high))


def test_95_of_100_intervals_hold_the_true_correlation() -> None:
    chance, rho = generator(2015), 0.6
    truth = [2 / np.pi * np.arcsin(rho)] * 2 + [6 / np.pi * np.arcsin(rho / 2), rho]
    image = np.arange(120) // 2
    held = []
    for _ in range(150):
        rating, noise = chance.normal(size=(2, 120))
        rows = Rows(EVERY, np.arange(120), image, rating)
        drawn = Resamples.make(200, 60, 1, chance).images
        found = correlation("CIDEr", rows, rho * rating + 0.8 * noise, drawn)
        held.append([(e.low or 0) <= t <= (e.high or 0) for e, t in zip(found, truth, strict=True)])
    assert (np.mean(held, axis=0) > 0.89).all()
    assert (np.mean(held, axis=0) < 0.99).all()


def undefined(rows: Sequence[tuple[str, str, float]], scores: Sequence[float]) -> set[object]:
    rated = Rated.of(ratings(*rows), NO_REFERENCES)
    found = correlation("CIDEr", rated.rows, np.array(scores), weights(rated.rows.images))
    assert [each.coefficient for each in found] == list(COEFFICIENTS)
    assert {(each.value, each.low, each.high) for each in found} == {(None, None, None)}
    return {each.reason for each in found}


def test_what_has_no_correlation_has_a_reason() -> None:
    three = [("dog", "runs", 3.0), ("dog", "sits", 1.0), ("cat", "sits", 2.0)]
    same = [(image, caption, 2.0) for image, caption, _ in three]
    assert undefined(three[:2], [0.1, 0.2]) == {"Rows: 2; a correlation needs 3."}
    assert undefined(three, [0.1, 0.1, 0.1]) == {SCORES_CONSTANT}
    assert undefined(same, [0.1, 0.2, 0.3]) == {RATINGS_CONSTANT}


def test_nothing_left_to_correlate_has_a_reason() -> None:
    references = pd.DataFrame({"image": ["dog"], "caption": ["runs"]})
    rated = Rated.of(ratings(("dog", "runs", 4)), references)
    found = correlations(rated, {"CIDEr": np.zeros(0)}, np.ones((5, 0)))
    assert {each.reason for each in found} == {"Rows: 0; a correlation needs 3."}


def test_one_image_gives_a_value_without_interval() -> None:
    rows = [("dog", "runs", 3.0), ("dog", "sits", 1.0), ("dog", "sleeps", 2.0)]
    rated = Rated.of(ratings(*rows), NO_REFERENCES)
    found = correlation("CIDEr", rated.rows, np.array([0.3, 0.1, 0.2]), np.ones((50, 1)))
    assert values(found) == pytest.approx([1, 1, 1, 1])
    assert {(each.low, each.high, each.reason) for each in found} == {(None, None, FEW_IMAGES)}


def test_what_is_not_a_number_is_refused() -> None:
    with pytest.raises(ValueError, match="rating must be a finite number"):
        Rated.of(ratings(("dog", "runs", float("nan"))), NO_REFERENCES)
    world = World(seed=1)
    scores = np.where(np.arange(len(world.rated.candidates)) == 3, np.nan, 0.5)
    with pytest.raises(ValueError, match="candidate needs a score"):
        correlations(world.rated, {"CIDEr": scores}, weights(world.images))


@pytest.mark.parametrize("place", [0, 1])
def test_a_difference_is_that_of_the_correlations_with_a_paired_interval(place: int) -> None:
    world, drawn = World(seed=9), weights(12, size=60)
    rows, (a, b) = world.conventions[place], world.scores.values()
    found = compare(("CIDEr", "BLEU-4"), rows, (a, b), drawn, swaps(12))
    a, b = a[rows.candidate], b[rows.candidate]
    assert [each.value for each in found] == pytest.approx(difference_by_scipy(a, b, rows.rating))
    resampled = []
    for times in drawn:
        kept = repeated(rows, times)
        resampled.append(difference_by_scipy(a[kept], b[kept], rows.rating[kept]))
    low, high = np.percentile(resampled, [2.5, 97.5], axis=0)
    assert [each.low for each in found] == pytest.approx(low)
    assert [each.high for each in found] == pytest.approx(high)
    assert [each.coefficient for each in found] == list(COEFFICIENTS)


@pytest.mark.parametrize("place", [0, 1])
def test_the_test_swaps_the_standardised_metrics_of_whole_images(place: int) -> None:
    world, swapped = World(seed=10), swaps(12, size=60)
    rows = world.conventions[place]
    a, b = (stats.zscore(scores[rows.candidate]) for scores in world.scores.values())
    extreme = np.ones(4)
    observed = difference_by_scipy(a, b, rows.rating)
    for swap in swapped:
        first, second = np.where(swap[rows.image], [b, a], [a, b])
        permuted = difference_by_scipy(first, second, rows.rating)
        extreme += np.abs(permuted) >= np.abs(observed)
    scores = (world.scores["CIDEr"], world.scores["BLEU-4"])
    found = compare(("CIDEr", "BLEU-4"), rows, scores, weights(12), swapped)
    assert [each.p for each in found] == pytest.approx(extreme / 61)


def test_metrics_of_one_worth_are_told_apart_once_in_twenty() -> None:
    chance, image = generator(1960), np.arange(20)
    p = []
    for _ in range(4_000):
        rating, *noise = chance.normal(size=(3, 20))
        a, b = (0.6 * rating + 0.8 * each for each in noise)
        rows = Rows(EVERY, image, image, rating)
        found = compare(("a", "b"), rows, (a, b), np.ones((1, 20)), chance.random((99, 20)) < 0.5)
        p.append([each.p for each in found])
    rejected = np.mean(np.array(p, dtype=float) <= 0.05, axis=0)
    assert (rejected >= 0.04).all()
    assert (rejected <= 0.06).all()


def test_a_much_better_metric_is_told_apart() -> None:
    chance, image = generator(3), np.arange(200) // 2
    rating, *noise = chance.normal(size=(3, 200))
    rows = Rows(EVERY, np.arange(200), image, rating)
    scores = (rating + noise[0], rating + 4 * noise[1])
    for found in compare(("good", "poor"), rows, scores, weights(100), swaps(100, size=199)):
        assert found.p == pytest.approx(1 / 200)
        assert found.low is not None
        assert found.low > 0


def test_a_metric_does_not_differ_from_itself() -> None:
    world = World(seed=4)
    scores = world.scores["CIDEr"]
    for found in compare(
        ("a", "a"), world.rated.rows, (scores, 2 * scores), weights(12), swaps(12)
    ):
        assert found.value == pytest.approx(0)
        assert found.p == 1


def test_a_constant_metric_is_compared_with_none() -> None:
    world = World(seed=4)
    scores = (world.scores["CIDEr"], np.zeros(len(world.rated.candidates)))
    for found in compare(("CIDEr", "none"), world.rated.rows, scores, weights(12), swaps(12)):
        assert (found.value, found.low, found.p) == (None, None, None)
        assert found.reason == SCORES_CONSTANT


def test_williams_gives_the_published_example() -> None:
    """Of the public nlp-williams, one-sided: r = .65 and .55, .30 between the metrics, n = 50."""
    found = williams_test(0.65, 0.55, 0.3, 50)
    assert found.p == pytest.approx(2 * 0.20928617286753592)
    assert found.df == 47


def test_williams_gives_the_example_of_steiger() -> None:
    """As R's psych prints it for n = 103, r = .5 and .4, and .1 between: t = .89, p < .37."""
    found = williams_test(0.5, 0.4, 0.1, 103)
    assert found.t == pytest.approx(0.89, abs=0.005)
    assert found.p == pytest.approx(0.37, abs=0.005)


@pytest.mark.parametrize("place", [0, 1])
def test_williams_is_that_of_the_matrix_of_correlations(place: int) -> None:
    world = World(seed=5)
    rows, (a, b) = world.conventions[place], world.scores.values()
    matrix = np.corrcoef([rows.rating, a[rows.candidate], b[rows.candidate]])
    n, spread = len(rows.rating), 1 - matrix[1, 2]
    error = 2 * (n - 1) / (n - 3) * np.linalg.det(matrix)
    error += (matrix[0, 1] + matrix[0, 2]) ** 2 / 4 * spread**3
    t = (matrix[0, 1] - matrix[0, 2]) * np.sqrt((n - 1) * (2 - spread) / error)
    found = williams(rows, a, b)
    assert found.t == pytest.approx(t)
    assert found.df == n - 3
    assert found.p == pytest.approx(2 * stats.t.cdf(-abs(t), n - 3))


def test_williams_tells_metrics_of_one_worth_apart_once_in_twenty() -> None:
    chance, image = generator(1959), np.arange(25)
    p = []
    for _ in range(4_000):
        rating, *noise = chance.normal(size=(3, 25))
        a, b = (0.6 * rating + 0.8 * each for each in noise)
        p.append(williams(Rows(EVERY, image, image, rating), a, b).p)
    assert 0.04 <= np.mean(np.array(p, dtype=float) <= 0.05) <= 0.06


def test_what_has_no_williams_test_has_a_reason() -> None:
    rows = Rows(EVERY, np.arange(5), np.arange(5), np.array([1.0, 3, 2, 5, 4]))
    scores = np.array([0.3, 0.1, 0.4, 0.2, 0.6])
    assert williams(rows, scores, 2 * scores) == Williams(reason=DEPENDENT)
    assert williams(rows, scores, -scores) == Williams(reason=DEPENDENT)
    assert williams(rows, scores, np.zeros(5)) == Williams(reason=SCORES_CONSTANT)
    few = Rows(EVERY, np.arange(3), np.arange(3), np.array([1.0, 2, 4]))
    assert williams(few, scores[:3], scores[1:4]) == Williams(reason="Rows: 3; the test needs 4.")
