"""Ratings: how a metric's scores correlate with ratings that people gave to single candidates.

Arrays: N rows, C candidates, G images, F sign flips, B resamples. A row is a rating, or a
candidate with the mean, the median, or the mode of its ratings: published figures differ by
which one it is.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import sqrt
from typing import Any, Self, get_args

import numpy as np
import pandas as pd
import scipy
from numpy.typing import NDArray

from tercet.analysis import reasons
from tercet.analysis.dataset.sorted_annotators import ratings_are_sorted
from tercet.analysis.stats.people.annotator_agreement import (
    Measure,
    Sums,
    intraclass_correlation_of,
    measures,
    reliability_of_mean,
    spearman_brown,
    summing,
)
from tercet.analysis.stats.people.rater_effects import Level, krippendorff_alpha
from tercet.analysis.stats.resampling import Weights, group_count, group_numbers
from tercet.analysis.stats.scores.correlation import (
    COEFFICIENTS,
    Coefficients,
    coefficients,
    dense_ranks,
    influence_of,
    interval_over_images,
    standard_error,
    standardised,
)
from tercet.analysis.stats.significance import SignArray, compare_metrics
from tercet.analysis.tables.rows import are_among
from tercet.analysis.tables.schema import CAPTION
from tercet.metrics import FloatArray, IntArray

EVERY, MEAN, MEDIAN, MODE = (
    "every rating",
    "mean rating",
    "median rating",
    "mode rating",
)
CONVENTIONS = (EVERY, MEAN, MEDIAN, MODE)
"""What a row is."""
ANOTHER, OTHERS = "another rating", "mean of the other ratings"
TARGETS = (ANOTHER, OTHERS)
"""What one rater is compared with, and metrics as well: ratings by other raters."""

MOST_COMPARED = 1_000_000
"""Rows that one rater is compared with another on, where raters are many."""
MAX_RESAMPLES = 1_000
"""Enough for an interval of 95 % and for p = .001."""
_LEAST_ROWS = 3
DECIMALS = 10
"""Decimals to which means of ratings are rounded, so that equal means tie."""
ROUNDING = 1e-9

RATINGS_CONSTANT = "All ratings are the same."
SCORES_CONSTANT = "The metric gives every candidate the same score."
NO_INTERVAL = "An interval needs several images and a coefficient below 1."
DEPENDENT = (
    "Of the ratings and the two scores, one follows from the others: there is no test."
)

RATER = "one rater"
"""Stands beside the metrics in tables."""


@dataclass(frozen=True)
class RatingRows:
    """What is correlated with scores.

    Attributes
    ----------
    convention
        What a row is: one of `CONVENTIONS`.
    candidate
        Index of each row's candidate, below C: shape (N,).
    image
        Index of each row's image, below G, in ascending order: shape (N,).
    rating
        Shape (N,).
    """

    convention: str
    candidate: IntArray
    image: IntArray
    rating: FloatArray

    @property
    def images(self) -> int:
        """The number of images, G."""
        return group_count(self.image)

    @property
    def first(self) -> IntArray:
        """The first row of each candidate: shape (C,)."""
        return np.unique(self.candidate, return_index=True)[1]

    def summarised(self, convention: str) -> Self:
        """Return a row for each candidate, with the mean, median, or mode of its ratings.

        Of several modes the mode is the lowest. With `EVERY` the rows stay as they are.
        """
        if convention == EVERY:
            return self

        table = pd.DataFrame({"candidate": self.candidate, "rating": self.rating})
        ratings = table.groupby("candidate")["rating"]
        rating = (
            _mode(table) if convention == MODE else ratings.agg(convention.split()[0])
        )
        first = self.first
        return replace(
            self,
            convention=convention,
            candidate=self.candidate[first],
            image=self.image[first],
            rating=np.asarray(rating, dtype=float).round(DECIMALS),
        )

    def scores(self, scores: FloatArray) -> FloatArray:
        """Return the score of each row (N,), from the scores of candidates (C,)."""
        if not np.isfinite(scores).all():
            raise ValueError(
                "Every candidate needs a score: leave out those that have none."
            )

        return scores[self.candidate]

    def undefined(self, scores: FloatArray) -> str:
        """Return why the ratings have no correlation with the scores (N,), or ""."""
        rows = len(self.rating)
        return reasons.first_lack(
            (rows < _LEAST_ROWS, f"Rows: {rows}; a correlation needs {_LEAST_ROWS}."),
            (rows > 0 and np.ptp(self.rating) == 0, RATINGS_CONSTANT),
            (rows > 0 and np.ptp(scores) == 0, SCORES_CONSTANT),
        )


@dataclass(frozen=True)
class Rated:
    """Candidates with ratings.

    Attributes
    ----------
    candidates
        C rows with the columns image and caption, which a metric is to score in this order. A
        caption that an image has twice is one candidate.
    rows
        Each rating of these candidates.
    ratings
        The ratings that are rows, with the columns that were given.
    is_own
        Whether each candidate is among the references of its image: shape (C,).
    dropped, dropped_ratings
        How many candidates were left out because they are among the references of their image,
        and how many ratings they have.
    are_sorted
        Whether the annotators may be columns: the ratings of each caption are sorted.
    """

    candidates: pd.DataFrame
    rows: RatingRows
    ratings: pd.DataFrame
    is_own: NDArray[np.bool_]
    dropped: int
    dropped_ratings: int
    are_sorted: bool

    @classmethod
    def of(
        cls,
        ratings: pd.DataFrame,
        references: pd.DataFrame,
        keep_own: bool = False,
        for_all: bool = False,
    ) -> Self:
        """Number the candidates and images of ratings.

        Parameters
        ----------
        ratings
            Columns image, caption, rating (a number).
        references
            Columns image, caption. A rated caption that is among them is left out.
        keep_own
            Keep it if its image has another reference, which it can be compared with.
        for_all
            No caption is compared with such a reference: keep what has another one.

        Raises
        ------
        ValueError
            Where a rating is not a finite number.
        """
        if not np.isfinite(ratings["rating"]).all():
            raise ValueError("Every rating must be a finite number.")

        is_own = are_among(ratings, references, CAPTION)
        has_others = _has_other_references(ratings, references)
        is_dropped = is_own & ~(keep_own & has_others)
        if for_all:
            others = without_rated(references, ratings)
            is_dropped = ~ratings["image"].isin(others["image"])
        kept = ratings[~is_dropped]
        image = group_numbers(kept, ["image"])
        order = np.argsort(image, kind="stable")
        kept = kept.iloc[order]

        rows = RatingRows(
            convention=EVERY,
            candidate=group_numbers(kept, CAPTION),
            image=image[order],
            rating=kept["rating"].to_numpy(dtype=float),
        )
        candidates = kept[CAPTION].drop_duplicates().reset_index(drop=True)

        return cls(
            candidates,
            rows,
            kept,
            is_own=are_among(candidates, references, CAPTION).to_numpy(),
            dropped=len(ratings.loc[is_dropped, CAPTION].drop_duplicates()),
            dropped_ratings=int(is_dropped.sum()),
            are_sorted=ratings_are_sorted(kept),
        )

    @property
    def means_by_rater(self) -> pd.DataFrame:
        """The columns candidate, image (indices), annotator, and rating: the annotator's mean.

        Ratings without an annotator are left out: nobody knows whether two of them, of a caption
        that several systems wrote, are by two people.
        """
        table = pd.DataFrame(
            {
                "candidate": self.rows.candidate,
                "image": self.rows.image,
                "annotator": self.ratings["annotator"].to_numpy(),
                "rating": self.rows.rating,
            }
        )
        named = table[(table["annotator"] != "") & (not self.are_sorted)]
        keys = ["candidate", "image", "annotator"]
        means: pd.DataFrame = named.groupby(keys)["rating"].mean().reset_index()
        return means.assign(
            rating=means["rating"].round(DECIMALS),
            rater=pd.factorize(means["annotator"], sort=True)[0],
        )

    @property
    def by_rater(self) -> RatingRows:
        """A row for each candidate and named annotator (`means_by_rater`)."""
        means = self.means_by_rater
        return RatingRows(
            convention=EVERY,
            candidate=means["candidate"].to_numpy(dtype=np.int64),
            image=means["image"].to_numpy(dtype=np.int64),
            rating=means["rating"].to_numpy(dtype=float),
        )

    def by_aspect(self) -> Iterator[tuple[str, Self]]:
        """Yield each aspect with its ratings; "" where none is named."""
        none = self.ratings.iloc[:0]

        for aspect in self.ratings["aspect"].unique():
            own = self.ratings[self.ratings["aspect"] == aspect]
            yield aspect, replace(self.of(own, none), are_sorted=self.are_sorted)


def without_rated(references: pd.DataFrame, ratings: pd.DataFrame) -> pd.DataFrame:
    """Return the references that equal no rated caption of their image."""
    return references[~are_among(references, ratings, CAPTION)]


def _has_other_references(
    captions: pd.DataFrame, references: pd.DataFrame
) -> "pd.Series[bool]":
    """Return whether the image of each caption has a reference that differs from it."""
    of_image = references.groupby("image").size()
    equal = references.groupby(CAPTION).size()

    own = pd.MultiIndex.from_frame(captions[CAPTION])
    everything = captions["image"].map(of_image).fillna(0)
    return everything > equal.reindex(own, fill_value=0).to_numpy()


@dataclass(frozen=True)
class RatingCorrelation:
    """How a metric's scores correlate with the ratings.

    Attributes
    ----------
    metric, convention, coefficient
        What is correlated, over which rows, and how.
    rows, images
        How many there are.
    value, low, high
        The coefficient, -1..1, and its 95 % interval. What does not exist is None.
    reason
        Why something is None, else "".
    """

    metric: str
    convention: str
    coefficient: str
    rows: int
    images: int
    value: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str = ""


def correlations(
    metric: str, rows: RatingRows, scores: FloatArray
) -> list[RatingCorrelation]:
    """Compute every coefficient of the scores of candidates (C,) by one metric.

    The interval is by Fisher's z, with the standard error over images of
    `tercet.analysis.stats.scores.correlation`; the time is proportional to N log N. Raises
    ValueError where a score is not finite.
    """
    values = rows.scores(scores)
    return _correlations(metric, rows, values)


def _correlations(
    name: str, rows: RatingRows, values: FloatArray
) -> list[RatingCorrelation]:
    """Correlate the ratings with one or more sets of values: (N,) or (S, N)."""
    size = len(rows.rating)
    reason = rows.undefined(values)
    blank = [
        RatingCorrelation(name, rows.convention, each, size, rows.images, reason=reason)
        for each in COEFFICIENTS
    ]
    if reason:
        return blank

    found = _coefficients(rows, values)
    return [_with_interval(each, found, number) for number, each in enumerate(blank)]


def _coefficients(rows: RatingRows, values: FloatArray) -> Coefficients:
    """Compute the coefficients of the ratings and all sets of values (S, N) together."""
    sets = np.atleast_2d(values)
    rating, image = np.tile(rows.rating, len(sets)), np.tile(rows.image, len(sets))
    return coefficients(sets.ravel(), rating, image)


def _with_interval(
    blank: RatingCorrelation, found: Coefficients, number: int
) -> RatingCorrelation:
    value = float(found.value[number])
    error = np.nan
    if blank.images > 1:
        influence = found.influence[number]
        error = float(standard_error(influence))

    low, high = interval_over_images(value, error, blank.images)
    if np.isnan(low):
        return replace(blank, value=value, reason=NO_INTERVAL)
    return replace(blank, value=value, low=low, high=high)


def differences(
    rows: RatingRows, scores: Mapping[str, FloatArray], signs: SignArray
) -> pd.DataFrame:
    """Compare the coefficients of every two metrics.

    The test exchanges the contributions of the two metrics image by image, with random signs: to
    first order, this is the permutation test that swaps the two standardised metrics on each
    image (Deutsch, Dror and Roth, TACL 2021). Williams' test, which is one of Pearson's r, is
    added to the rows of Pearson's r for comparison with the literature.

    Parameters
    ----------
    rows
        The ratings.
    scores
        The scores of the candidates, by metric: shape (C,) each.
    signs
        +1 or -1 for each sign flip and image: shape (F, G).

    Returns
    -------
    DataFrame
        A row for every two metrics that have a correlation, and each coefficient. Columns:
        metric_a, metric_b, convention, coefficient, rows, images; difference, of the
        coefficients, with its 95 % interval low, high; p, two-sided; p_adjusted, for all pairs of
        metrics together (step-down maxT); and for Pearson t_williams, p_williams, williams (why
        there is none).
    """
    scored = {name: rows.scores(each) for name, each in scores.items()}
    names = [name for name, each in scored.items() if not rows.undefined(each)]
    if len(names) < 2:
        return pd.DataFrame()

    found = [coefficients(scored[name], rows.rating, rows.image) for name in names]
    by_image = np.stack([each.by_image for each in found])

    tables = [
        compare_contributions(names, by_image[:, number], found[0].rows, signs).assign(
            coefficient=name
        )
        for number, name in enumerate(COEFFICIENTS)
    ]
    table = pd.concat(tables, ignore_index=True).assign(
        convention=rows.convention, rows=len(rows.rating), images=rows.images
    )
    tests = [_williams_row(rows, a, b, scored) for a, b in combinations(names, 2)]

    keys = ["metric_a", "metric_b", "coefficient"]
    table = table.merge(pd.DataFrame(tests), on=keys, how="left")
    table["williams"] = table["williams"].fillna("")

    first = [*keys[:2], "convention", keys[2], "rows", "images"]
    return table[[*first, *(name for name in table if name not in first)]]


def compare_contributions(
    names: Sequence[str], by_image: FloatArray, rows: IntArray, signs: SignArray
) -> pd.DataFrame:
    """Compare one coefficient of every two metrics by the contributions of images.

    Parameters
    ----------
    names
        The M metrics.
    by_image
        The contributions, which add up to the coefficient: shape (M, G).
    rows
        How many rows each image has: shape (G,).
    signs
        As for `differences`.

    Returns
    -------
    DataFrame
        Columns metric_a, metric_b, difference, p, p_adjusted, low, high, as in `differences`.
    """
    table = compare_metrics(names, by_image, signs)
    a, b = np.triu_indices(len(names), k=1)
    images = by_image.shape[1]

    if images < 2:
        return table.assign(low=np.nan, high=np.nan)

    margin = _margin(by_image[a] - by_image[b], rows)
    difference = table["difference"]
    return table.assign(low=difference - margin, high=difference + margin)


def _williams_row(
    rows: RatingRows, a: str, b: str, scored: Mapping[str, FloatArray]
) -> dict[str, object]:
    test = williams(rows.rating, scored[a], scored[b])

    return {
        "metric_a": a,
        "metric_b": b,
        "coefficient": "Pearson",
        "t_williams": test.t,
        "p_williams": test.p,
        "williams": test.reason,
    }


@dataclass(frozen=True)
class Williams:
    """Williams' test: t with df degrees of freedom, p two-sided; None where `reason` says why."""

    t: float | None = None
    df: int | None = None
    p: float | None = None
    reason: str = ""


def williams(rating: FloatArray, a: FloatArray, b: FloatArray) -> Williams:
    """Test whether the ratings correlate (Pearson) alike with the scores of two metrics.

    It treats rows as independent, which those of one image, or one candidate, are not: for
    comparison with the literature only.

    Parameters
    ----------
    rating, a, b
        Ratings and scores of the rows, none of them constant: shape (N,).
    """
    if len(rating) < 4:
        return Williams(reason="Rows: 3; the test needs 4.")

    standard = np.stack([standardised(each) for each in (rating, a, b)])
    matrix = standard @ standard.T / len(rating)
    with_a, with_b, between = [float(matrix[pair]) for pair in ((0, 1), (0, 2), (1, 2))]
    return williams_test(with_a, with_b, between, len(a))


def williams_test(with_a: float, with_b: float, between: float, size: int) -> Williams:
    """Compute Williams' test from correlations.

    Source: Williams (1959), as in Steiger (1980) and Graham and Baldwin (EMNLP 2014).

    Parameters
    ----------
    with_a, with_b
        Pearson's r of the ratings with each of the two metrics.
    between
        That of the two metrics.
    size
        Number of rows, above 3.
    """
    determinant = 1 - with_a**2 - with_b**2 - between**2 + 2 * with_a * with_b * between
    mean = (with_a + with_b) / 2
    spread = 2 * determinant * (size - 1) / (size - 3) + mean**2 * (1 - between) ** 3

    if spread < ROUNDING:
        return Williams(reason=DEPENDENT)

    t = (with_a - with_b) * sqrt((size - 1) * (1 + between) / spread)
    return Williams(float(t), size - 3, float(2 * scipy.stats.t.sf(abs(t), size - 3)))


def rater_agreement(
    rows: pd.DataFrame, weights: Weights, of_raters: Weights
) -> list[Measure]:
    """Compute how far raters agree, and the highest correlation that their noise allows.

    A metric that knew the true quality of every candidate would have the correlation (Pearson)
    √reliability with ratings (attenuation: Spearman 1904): that of a single rating, or of the
    mean of a candidate's ratings.

    Parameters
    ----------
    rows
        A row for each candidate and rater (`Rated.means_by_rater`).
    weights, of_raters
        How often each resample holds each image, (B, G), and each rater, (B, R). Only
        Krippendorff's alpha is resampled by raters.
    """
    candidate, rating = dense_ranks(rows["candidate"]), rows["rating"].to_numpy()
    size = np.bincount(candidate)
    mean_size = len(rating) / max(len(size), 1)
    first = np.unique(candidate, return_index=True)[1]
    image = rows["image"].to_numpy()[first]

    icc = reliability_of_rating(rows, summing(image, weights))
    of_mean = spearman_brown(icc, mean_size)

    figures = {
        "ICC(1), reliability of one rating": icc,
        reliability_of_mean(mean_size, "rating"): of_mean,
        "highest Pearson, every rating": np.sqrt(np.maximum(icc, 0)),
        "highest Pearson, mean rating": np.sqrt(of_mean),
    }
    for level in get_args(Level):
        alpha = krippendorff_alpha(rows, level, weights, of_raters)
        figures[f"Krippendorff's alpha, {level}"] = alpha
    shared = rating[size[candidate] > 1]
    distinct = len(np.unique(rating)), len(np.unique(shared))
    why = reasons.of_raters(len(size), int((size > 1).sum()), *distinct)
    return measures(figures, image[size > 1], why)


def reliability_of_rating(rows: pd.DataFrame, sums: Sums) -> FloatArray:
    """Compute the reliability of a single rating, ICC(1).

    Parameters
    ----------
    rows
        As for `rater_agreement`.
    sums
        Sums values over the candidates.
    """
    candidate, rating = dense_ranks(rows["candidate"]), rows["rating"].to_numpy()
    size = np.bincount(candidate).astype(float)
    total, squares = (
        np.bincount(candidate, each).astype(float) for each in (rating, rating**2)
    )
    return intraclass_correlation_of(size, total, squares, sums)


@dataclass(frozen=True)
class Target:
    """Ratings that one rater and metrics are compared with: those of `rows`.

    `own` (S, N) are ratings of the same candidates by a rater who has no part in the row's
    target, in S sets that count alike.
    """

    rows: RatingRows
    own: FloatArray


def targets(rows: RatingRows) -> list[Target]:
    """Return what one rater, and metrics, are compared with: another rating, and the others' mean.

    With another rating, the rater is in turn each of the others of the candidate. Candidates with
    a single rater are left out.

    Parameters
    ----------
    rows
        A row for each candidate and rater (`Rated.by_rater`), in the order of the candidates.
    """
    of_row = dense_ranks(rows.candidate)
    ratings = np.bincount(of_row)
    compared = ratings[of_row] > 1
    rows = replace(
        rows,
        candidate=rows.candidate[compared],
        image=dense_ranks(rows.image[compared]),
        rating=rows.rating[compared],
    )

    return [_another_rating(rows), _mean_of_others(rows)]


def _another_rating(rows: RatingRows) -> Target:
    """Compare each rating with each other one of its candidate: in each set with one of them."""
    number = np.arange(len(rows.rating))
    of_row = dense_ranks(rows.candidate)
    size = np.bincount(of_row)[of_row]
    start = np.searchsorted(of_row, of_row)

    most = max(MOST_COMPARED // max(len(number), 1), 1)
    sets = min(int(size.max(initial=2)) - 1, most)
    steps = 1 + np.arange(sets)[:, None] % (size - 1)
    own = rows.rating[start + (number - start + steps) % size]

    compared = replace(rows, convention=ANOTHER)
    return Target(compared, own)


def _mean_of_others(rows: RatingRows) -> Target:
    of_row = dense_ranks(rows.candidate)
    size = np.bincount(of_row)[of_row]
    total = np.bincount(of_row, rows.rating)[of_row]

    others = ((total - rows.rating) / (size - 1)).round(DECIMALS)
    return Target(replace(rows, convention=OTHERS, rating=others), rows.rating[None])


def with_target(
    target: Target, scores: Mapping[str, FloatArray]
) -> list[RatingCorrelation]:
    """Correlate metrics, by their scores of the candidates (C,), and one rater with a target."""
    found: list[RatingCorrelation] = []
    for name, own in scores.items():
        found += correlations(name, target.rows, own)

    found += _correlations(RATER, target.rows, target.own)
    return found


def headroom(target: Target, scores: Mapping[str, FloatArray]) -> list[dict[str, Any]]:
    """Compare one rater with the best metric by each coefficient, both with the same target.

    Parameters
    ----------
    target
        What both are compared with.
    scores
        The scores of the candidates, by metric: shape (C,) each.

    Returns
    -------
    list of dict
        By coefficient: target, coefficient; rater, the rater's coefficient; metric, the one with
        the highest, and its value; headroom, the rater's less the metric's, with its 95 %
        interval low, high: None with a single image.
    """
    rows = target.rows
    own = {name: rows.scores(each) for name, each in scores.items()}
    defined = {name: each for name, each in own.items() if not rows.undefined(each)}
    if not defined or rows.undefined(target.own):
        return []

    rater = _coefficients(rows, target.own)
    of_metrics = {name: _coefficients(rows, each) for name, each in defined.items()}
    return [
        _headroom(rows, rater, of_metrics, number)
        for number in range(len(COEFFICIENTS))
    ]


def _headroom(
    rows: RatingRows,
    rater: Coefficients,
    of_metrics: Mapping[str, Coefficients],
    number: int,
) -> dict[str, Any]:
    """Compare one coefficient of one rater with the highest of the metrics."""
    best = max(of_metrics, key=lambda name: of_metrics[name].value[number])
    metric = of_metrics[best]
    difference = rater.by_image[number] - metric.by_image[number]
    ahead = float(difference.sum())

    low, high = None, None
    if rows.images > 1:
        margin = float(_margin(difference, metric.rows))
        low = ahead - margin
        high = ahead + margin
    return {
        "target": rows.convention,
        "coefficient": COEFFICIENTS[number],
        "rater": float(rater.value[number]),
        "metric": best,
        "value": float(metric.value[number]),
        "headroom": ahead,
        "low": low,
        "high": high,
    }


def _margin(by_image: FloatArray, rows: IntArray) -> FloatArray:
    """Return half of the 95 % interval of the sums of contributions (..., G): (...,)."""
    influence = influence_of(by_image, rows)
    error = standard_error(influence)
    margin: FloatArray = scipy.stats.t.ppf(0.975, len(rows) - 1) * error

    return margin


def _mode(table: pd.DataFrame) -> "pd.Series[float]":
    """Return the most frequent rating of each candidate, the lowest of several."""
    counts = table.groupby(["candidate", "rating"]).size()
    most = counts.groupby("candidate").idxmax()
    return pd.Series([rating for _candidate, rating in most])
