from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from tercet.analysis.stats.people.annotator_agreement import Measure
from tercet.analysis.stats.resampling import Resamples, Weights
from tercet.analysis.stats.scores.correlation import COEFFICIENTS
from tercet.analysis.stats.scores.ratings import (
    CONVENTIONS,
    DEPENDENT,
    EVERY,
    MEAN,
    MEDIAN,
    MODE,
    NO_INTERVAL,
    RATER,
    RATINGS_CONSTANT,
    SCORES_CONSTANT,
    Rated,
    RatingCorrelation,
    RatingRows,
    Williams,
    correlations,
    differences,
    headroom,
    rater_agreement,
    targets,
    williams,
    williams_test,
    with_target,
)
from tercet.analysis.stats.significance import SignArray, flip_signs
from tercet.analysis.tables.schema import RATINGS
from tercet.metrics import FloatArray
from tests.support import folders
from tests.support.sheets import read_table

NO_REFERENCES = pd.DataFrame({"image": [], "caption": []}, dtype="str")


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def weights(images: int, size: int = 100, seed: int = 0) -> Weights:
    return Resamples.make(size, images, 1, generator(seed)).images


def signs(images: int, size: int = 199, seed: int = 0) -> SignArray:
    return flip_signs(size, images, generator(seed))


def ratings(*rows: tuple[str, str, float]) -> pd.DataFrame:
    table = pd.DataFrame(rows, columns=["image", "caption", "rating"])
    return table.assign(annotator="", source="", aspect="")


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
        of_image = np.concatenate(
            [np.arange(images), chance.integers(0, images, candidates)]
        )
        quality = chance.normal(size=len(of_image))
        noise = chance.normal(size=(3, len(of_image)))
        frame = pd.DataFrame({"image": [f"image {number}" for number in of_image]})
        frame["caption"] = [f"caption {number}" for number in range(len(of_image))]
        frame["quality"] = quality
        frame[["annotator", "source", "aspect"]] = ""
        rated = [
            frame.assign(rating=np.clip(np.round(2.5 + quality + e), 1, 4))
            for e in noise
        ]
        self.frame = pd.concat(rated).sample(frac=1, random_state=chance)
        self.rated = Rated.of(self.frame, NO_REFERENCES)
        distinct = self.frame.drop_duplicates("caption")
        known = distinct.set_index("caption")["quality"]
        captions = self.rated.candidates["caption"]
        own = known[captions].to_numpy()
        self.scores = {
            name: np.round(own + spread * chance.normal(size=len(own)), 1)
            for name, spread in (("CIDEr", 1.0), ("BLEU-4", 2.0))
        }
        self.images = images


def values(found: Sequence[RatingCorrelation]) -> list[float | None]:
    return [each.value for each in found]


def test_ratings_are_read_from_their_table(tmp_path: Path) -> None:
    header = ("image", "caption", "rating", "source")
    path = tmp_path / RATINGS.file
    folders.write_csv(path, header, [("dog", "a dog runs", "3", "human")])
    sheet = read_table(tmp_path / "ratings.csv", RATINGS)

    assert not sheet.problems

    columns = ["image", "caption", "rating", "annotator", "source", "aspect", "line"]
    row = ["dog", "a dog runs", "3", "", "human", "", 2]

    assert sheet.frame[columns].iloc[0].tolist() == row


def test_a_caption_rated_twice_is_one_candidate_of_its_image() -> None:
    rated = Rated.of(
        ratings(
            ("dog", "runs", 3),
            ("cat", "sits", 1),
            ("dog", "runs", 4),
            ("cat", "runs", 2),
        ),
        NO_REFERENCES,
    )

    assert rated.candidates.to_numpy().tolist() == [
        ["dog", "runs"],
        ["cat", "sits"],
        ["cat", "runs"],
    ]

    candidates = rated.rows.candidate.tolist()
    assert candidates == [0, 0, 1, 2]
    assert rated.rows.image.tolist() == [0, 0, 1, 1]

    assert rated.rows.rating.tolist() == [3, 4, 1, 2]
    assert rated.dropped == 0


def test_candidates_among_their_own_references_are_dropped_and_counted() -> None:
    references = pd.DataFrame({"image": ["dog", "cat"], "caption": ["runs", "flies"]})
    rated = Rated.of(
        ratings(
            ("dog", "runs", 4),
            ("dog", "flies", 1),
            ("cat", "runs", 2),
            ("dog", "runs", 3),
        ),
        references,
    )

    assert rated.dropped == 1
    assert rated.candidates.to_numpy().tolist() == [["dog", "flies"], ["cat", "runs"]]
    assert rated.rows.rating.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("convention", "expected"),
    [(MEAN, [2.25, 3.0]), (MEDIAN, [2.0, 3.0]), (MODE, [1.0, 3.0])],
)
def test_ratings_of_a_candidate_are_summarised(
    convention: str, expected: list[float]
) -> None:
    rated = Rated.of(
        ratings(
            *(("dog", "runs", rating) for rating in (4, 1, 3, 1)), ("cat", "sits", 3)
        ),
        NO_REFERENCES,
    )
    rows = rated.rows.summarised(convention)

    assert rows.rating.tolist() == expected
    assert rows.candidate.tolist() == rows.image.tolist() == [0, 1]
    assert rows.convention == convention
    assert rated.rows.summarised(EVERY) is rated.rows


def test_of_several_modes_the_lowest_counts() -> None:
    rated = Rated.of(
        ratings(*(("dog", "runs", n) for n in (4, 2, 4, 2, 3))), NO_REFERENCES
    )

    assert rated.rows.summarised(MODE).rating.tolist() == [2]


def test_equal_means_tie_whatever_the_order_of_the_ratings() -> None:
    order = [(0.1, 0.2, 0.3), (0.3, 0.2, 0.1)]
    rated = Rated.of(
        ratings(
            *(("dog", str(n), rating) for n, row in enumerate(order) for rating in row)
        ),
        NO_REFERENCES,
    )
    means = rated.rows.summarised(MEAN)
    first, second = means.rating

    assert first == second


def test_own_captions_are_kept_while_another_reference_is_left() -> None:
    references = pd.DataFrame(
        {
            "image": ["dog", "dog", "cat", "cat"],
            "caption": ["runs", "barks", "sits", "sits"],
        }
    )
    rated = Rated.of(
        ratings(
            ("dog", "runs", 4),
            ("dog", "flies", 1),
            ("cat", "sits", 3),
            ("cat", "sits", 2),
        ),
        references,
        keep_own=True,
    )

    assert rated.candidates.to_numpy().tolist() == [["dog", "runs"], ["dog", "flies"]]
    assert rated.is_own.tolist() == [True, False]
    assert (rated.dropped, rated.dropped_ratings) == (1, 2)


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_values_are_those_of_scipy_in_every_convention(convention: str) -> None:
    world = World(seed=3)
    rows = world.rated.rows.summarised(convention)

    for name, scores in world.scores.items():
        found = correlations(name, rows, scores)
        assert values(found) == pytest.approx(
            by_scipy(scores[rows.candidate], rows.rating)
        )
        assert [each.coefficient for each in found] == list(COEFFICIENTS)

        assert {(each.metric, each.convention) for each in found} == {
            (name, convention)
        }
        assert {(each.rows, each.images) for each in found} == {
            (len(rows.rating), world.images)
        }
        for each in found:
            assert (each.low or 1) < (each.value or 0) < (each.high or 0)


def undefined(
    rows: Sequence[tuple[str, str, float]], scores: Sequence[float]
) -> set[object]:
    table = ratings(*rows)
    rated = Rated.of(table, NO_REFERENCES)
    found = correlations("CIDEr", rated.rows, np.array(scores))

    assert [each.coefficient for each in found] == list(COEFFICIENTS)
    assert {(each.value, each.low, each.high) for each in found} == {(None, None, None)}

    return {str(each.reason) for each in found}


def test_what_has_no_correlation_has_a_reason() -> None:
    three = [("dog", "runs", 3.0), ("dog", "sits", 1.0), ("cat", "sits", 2.0)]
    same = [(image, caption, 2.0) for image, caption, _ in three]

    assert undefined(three[:2], [0.1, 0.2]) == {"Rows: 2; a correlation needs 3."}
    assert undefined(three, [0.1, 0.1, 0.1]) == {str(SCORES_CONSTANT)}
    assert undefined(same, [0.1, 0.2, 0.3]) == {str(RATINGS_CONSTANT)}


def test_nothing_left_to_correlate_has_a_reason() -> None:
    references = pd.DataFrame({"image": ["dog"], "caption": ["runs"]})
    table = ratings(("dog", "runs", 4))
    rated = Rated.of(table, references)
    found = correlations("CIDEr", rated.rows, np.zeros(0))

    assert {str(each.reason) for each in found} == {"Rows: 0; a correlation needs 3."}


def test_one_image_gives_a_value_without_interval() -> None:
    rows = [("dog", "runs", 3.0), ("dog", "sits", 1.0), ("dog", "sleeps", 2.0)]
    table = ratings(*rows)
    rated = Rated.of(table, NO_REFERENCES)
    found = correlations("CIDEr", rated.rows, np.array([0.3, 0.1, 0.2]))

    assert values(found) == pytest.approx([1, 1, 1, 1])
    assert {(each.low, each.high, each.reason) for each in found} == {
        (None, None, NO_INTERVAL)
    }


def test_what_is_not_a_number_is_refused() -> None:
    with pytest.raises(ValueError, match="rating must be a finite number"):
        Rated.of(ratings(("dog", "runs", float("nan"))), NO_REFERENCES)

    world = World(seed=1)
    scores = np.where(np.arange(len(world.rated.candidates)) == 3, np.nan, 0.5)

    with pytest.raises(ValueError, match="candidate needs a score"):
        correlations("CIDEr", world.rated.rows, scores)


def test_a_difference_is_that_of_the_correlations() -> None:
    world = World(seed=9)
    rows = world.rated.rows.summarised(MEAN)
    table = differences(rows, world.scores, signs(12))

    a, b = (scores[rows.candidate] for scores in world.scores.values())
    found = table["difference"].tolist()
    assert found == pytest.approx(difference_by_scipy(a, b, rows.rating))

    coefficients = table["coefficient"].tolist()
    assert coefficients == list(COEFFICIENTS)

    assert (table[["metric_a", "metric_b"]] == ["CIDEr", "BLEU-4"]).all(axis=None)
    assert table["t_williams"].notna().tolist() == [False, False, False, True]
    assert table["williams"].tolist() == [""] * 4

    assert (table["low"] < table["difference"]).all()
    assert (table["difference"] < table["high"]).all()


@pytest.mark.parametrize("seed", [10, 11, 12])
def test_p_is_near_that_of_swapping_the_standardised_metrics_of_whole_images(
    seed: int,
) -> None:
    world, flips = World(seed, images=60, candidates=120), signs(60, size=200)
    rows = world.rated.rows.summarised(MEAN)
    a, b = (stats.zscore(scores[rows.candidate]) for scores in world.scores.values())
    observed, extreme = difference_by_scipy(a, b, rows.rating), np.ones(4)

    for flip in flips:
        first, second = np.where(flip[rows.image] > 0, [a, b], [b, a])
        permuted = difference_by_scipy(first, second, rows.rating)
        extreme += np.abs(permuted) >= np.abs(observed)

    found = differences(rows, world.scores, flips)["p"].to_numpy()
    assert found == pytest.approx(extreme / 201, abs=0.06)


def test_metrics_of_one_quality_are_told_apart_once_in_twenty() -> None:
    chance, image = generator(1960), np.arange(40)
    p = []

    for number in range(400):
        rating, *noise = chance.normal(size=(3, 40))
        a, b = (0.6 * rating + 0.8 * each for each in noise)
        rows = RatingRows(EVERY, image, image, rating)
        p.append(differences(rows, {"a": a, "b": b}, signs(40, 99, number))["p"])

    is_rejected = np.array(p, dtype=float) <= 0.05
    rejected = np.mean(is_rejected, axis=0)
    assert (rejected >= 0.03).all()
    assert (rejected <= 0.08).all()


def test_a_much_better_metric_is_told_apart() -> None:
    chance, image = generator(3), np.arange(200) // 2
    rating, *noise = chance.normal(size=(3, 200))
    rows = RatingRows(EVERY, np.arange(200), image, rating)
    scores = {"good": rating + noise[0], "poor": rating + 4 * noise[1]}

    table = differences(rows, scores, signs(100))
    expected = [1 / 200] * 4
    assert table["p"].tolist() == pytest.approx(expected)
    assert table["p_adjusted"].tolist() == pytest.approx([1 / 200] * 4)
    assert (table["low"] > 0).all()


def test_a_metric_does_not_differ_from_itself() -> None:
    world = World(seed=4)
    scores = {"one": world.scores["CIDEr"], "same": 2 * world.scores["CIDEr"]}
    table = differences(world.rated.rows, scores, signs(12))

    found = table["difference"].tolist()
    assert found == pytest.approx([0] * 4)
    assert table["p"].tolist() == [1] * 4


def test_a_constant_metric_is_compared_with_none() -> None:
    world = World(seed=4)
    scores = {
        "CIDEr": world.scores["CIDEr"],
        "none": np.zeros(len(world.rated.candidates)),
    }

    assert differences(world.rated.rows, scores, signs(12)).empty


def test_one_image_gives_a_difference_without_interval() -> None:
    rows = RatingRows(
        EVERY, np.arange(6), np.zeros(6, dtype=int), np.array([1.0, 2, 3, 4, 2, 1])
    )
    scores = {"a": np.array([0.1, 0.3, 0.2, 0.4, 0.3, 0.1]), "b": np.arange(6) / 6}
    table = differences(rows, scores, signs(1))

    bounds = table[["low", "high"]]
    assert bounds.isna().all(axis=None)


def agreement(rows: RatingRows, of_images: Weights) -> list[Measure]:
    """Each rating of a candidate is by another of two raters."""
    columns = {
        "candidate": rows.candidate,
        "image": rows.image,
        "rater": np.arange(len(rows.rating)) % 2,
        "rating": rows.rating,
    }
    of_raters = np.ones((len(of_images), 2))
    return rater_agreement(pd.DataFrame(columns), of_images, of_raters)


def test_agreement_of_raters_bounds_the_correlation_of_metrics() -> None:
    """Ratings of variance 1 + 1: half of a rating, and 2/3 of the mean of two, is quality."""
    chance = generator(5)
    quality = np.repeat(chance.normal(size=3_000), 2)
    rows = RatingRows(
        EVERY,
        np.repeat(np.arange(3_000), 2),
        np.repeat(np.arange(1_500), 4),
        quality + chance.normal(size=6_000),
    )

    found = agreement(rows, weights(1_500, 100))
    assert [each.value for each in found] == pytest.approx(
        [1 / 2, 2 / 3, np.sqrt(1 / 2), np.sqrt(2 / 3), 1 / 2, 1 / 2], abs=0.03
    )
    assert all(each.low < each.value < each.high for each in found)  # type: ignore[operator]

    reached = correlations("truth", rows, quality[::2])[
        COEFFICIENTS.index("Pearson")
    ].value

    assert reached == pytest.approx(found[2].value, abs=0.02)


def test_single_ratings_tell_nothing_of_agreement() -> None:
    rows = RatingRows(EVERY, np.arange(5), np.arange(5), np.array([1.0, 3, 2, 5, 4]))
    agreements = agreement(rows, weights(5))
    assert {each.why for each in agreements} == {
        "No candidate has ratings by two annotators."
    }
    assert [len(target.rows.rating) for target in targets(rows)] == [0, 0]


THREE = np.array([[1, 2, 4], [2, 2, 3], [4, 3, 4], [1, 1, 1]], dtype=float)
"""Ratings of four captions by three raters."""


def of_three() -> RatingRows:
    index = np.repeat(np.arange(4), 3)
    return RatingRows(EVERY, index, index, THREE.ravel())


def test_one_rater_and_metrics_have_the_mean_of_the_others_as_their_target() -> None:
    totals = THREE.sum(axis=1, keepdims=True)
    others = ((totals - THREE) / 2).ravel()
    scores = np.array([0.3, 0.1, 0.4, 0.2])
    target = targets(of_three())[1]
    found = with_target(target, {"CIDEr": scores})

    metric, rater = found[:4], found[4:]
    assert values(rater) == pytest.approx(by_scipy(others, THREE.ravel()))
    assert values(metric) == pytest.approx(by_scipy(np.repeat(scores, 3), others))
    assert [each.metric for each in (*metric, *rater)] == ["CIDEr"] * 4 + [RATER] * 4


def test_one_rater_is_compared_with_each_single_other_rating() -> None:
    pairs = [
        (first, second) for first in range(3) for second in range(3) if first != second
    ]
    own, other = (
        np.concatenate([THREE[:, pair[side]] for pair in pairs]) for side in (0, 1)
    )
    scores = np.array([0.3, 0.1, 0.4, 0.2])
    [another, _] = targets(of_three())
    found = with_target(another, {"CIDEr": scores})

    metric, rater = found[:4], found[4:]
    assert values(rater) == pytest.approx(by_scipy(own, other))

    every = correlations("CIDEr", of_three(), scores)
    assert values(metric) == pytest.approx(values(every))


def test_headroom_is_what_one_rater_is_ahead_of_the_best_metric() -> None:
    chance, candidate = generator(6), np.repeat(np.arange(80), 3)
    quality = chance.normal(size=80)
    rating = np.round(quality[candidate] + 0.5 * chance.normal(size=240))
    rows = RatingRows(EVERY, candidate, candidate, rating)
    scores = {"good": quality + chance.normal(size=80), "poor": chance.normal(size=80)}

    for target in targets(rows):
        table = {each["coefficient"]: each for each in headroom(target, scores)}
        by_name = {
            (e.metric, e.coefficient): e.value for e in with_target(target, scores)
        }

        for name, found in table.items():
            assert found["metric"] == "good"
            assert found["value"] == pytest.approx(by_name["good", name])
            assert found["rater"] == pytest.approx(by_name[RATER, name])
            difference = found["rater"] - found["value"]
            assert found["headroom"] == pytest.approx(difference)
            assert 0 < found["low"] < found["headroom"]


def test_many_raters_are_compared_with_some_of_the_others_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tercet.analysis.stats.scores.ratings.MOST_COMPARED", 24)
    assert [target.own.shape for target in targets(of_three())] == [(2, 12), (1, 12)]

    monkeypatch.setattr("tercet.analysis.stats.scores.ratings.MOST_COMPARED", 23)
    assert targets(of_three())[0].own.shape == (1, 12)


def test_a_rater_is_the_annotator_and_counts_once_for_each_caption() -> None:
    """The caption was rated as that of two systems; Ann saw it twice."""
    table = ratings(
        ("dog", "runs", 4), ("dog", "runs", 2), ("dog", "runs", 1), ("dog", "sits", 3)
    )
    rated = Rated.of(table.assign(annotator=["Ann", "Ann", "Bo", ""]), NO_REFERENCES)

    candidates = rated.by_rater.candidate.tolist()
    assert candidates == [0, 0]
    assert rated.by_rater.rating.tolist() == [3, 1]


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


def test_williams_is_that_of_the_matrix_of_correlations() -> None:
    world = World(seed=5)
    rows = world.rated.rows
    a, b = (scores[rows.candidate] for scores in world.scores.values())
    matrix = np.corrcoef([rows.rating, a, b])
    n, spread = len(rows.rating), 1 - matrix[1, 2]
    error = 2 * (n - 1) / (n - 3) * np.linalg.det(matrix)
    error += (matrix[0, 1] + matrix[0, 2]) ** 2 / 4 * spread**3
    t = (matrix[0, 1] - matrix[0, 2]) * np.sqrt((n - 1) * (2 - spread) / error)

    found = williams(rows.rating, a, b)
    assert found.t == pytest.approx(t)
    assert found.df == n - 3
    assert found.p == pytest.approx(2 * stats.t.cdf(-abs(t), n - 3))


def test_williams_tells_metrics_of_one_worth_apart_once_in_twenty() -> None:
    chance = generator(1959)
    p = []

    for _ in range(4_000):
        rating, *noise = chance.normal(size=(3, 25))
        a, b = (0.6 * rating + 0.8 * each for each in noise)
        found = williams(rating, a, b)
        p.append(found.p)

    assert 0.04 <= np.mean(np.array(p, dtype=float) <= 0.05) <= 0.06


def test_what_has_no_williams_test_has_a_reason() -> None:
    rating = np.array([1.0, 3, 2, 5, 4])
    scores = np.array([0.3, 0.1, 0.4, 0.2, 0.6])

    assert williams(rating, scores, 2 * scores) == Williams(reason=DEPENDENT)
    assert williams(rating, scores, -scores) == Williams(reason=DEPENDENT)

    few = williams(rating[:3], scores[:3], scores[1:4])
    assert few == Williams(reason="Rows: 3; the test needs 4.")
