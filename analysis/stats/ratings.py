"""Ratings: how a metric's scores correlate with ratings that people gave to single candidates.

Arrays: N rows, C candidates, G images, F sign flips, B resamples. A row is a rating, or a
candidate with the mean, the median, or the mode of its ratings: published figures differ by
which one it is.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import sqrt
from typing import Self

import numpy as np
import pandas as pd
import scipy

from analysis.dataset.schema import HUMAN
from analysis.stats.annotator_agreement import (
    Measure,
    intraclass_correlation_of,
    item_sums,
    measures,
    spearman_brown,
    summing,
)
from analysis.stats.correlation import (
    COEFFICIENTS,
    Coefficients,
    coefficients,
    fisher_interval,
    influence_of,
    standard_error,
)
from analysis.stats.resampling import Weights
from analysis.stats.significance import SignArray, compare_metrics
from analysis.texts import Text
from analysis.texts import gettext as _
from metrics import FloatArray, IntArray

EVERY, MEAN, MEDIAN, MODE = (
    "every rating",
    "mean rating",
    "median rating",
    "mode rating",
)
CONVENTIONS = (EVERY, MEAN, MEDIAN, MODE)
"""What a row is."""

MAX_RESAMPLES = 1_000
"""Enough for an interval of 95 % and for p = .001."""
LEAST_ROWS = 3
DECIMALS = 10
"""Means of ratings are rounded to so many decimals, so that equal means tie."""
ROUNDING = 1e-9

RATINGS_CONSTANT = _("All ratings are the same.")
SCORES_CONSTANT = _("The metric gives every candidate the same score.")
NO_INTERVAL = _("An interval needs several images and a coefficient below 1.")
DEPENDENT = _(
    "Of the ratings and the two scores, one follows from the others: there is no test."
)
ONE_RATING = _("No candidate has more than one rating.")

RATER = "one rater, against the mean of the others"
"""Stands beside the metrics in tables."""


@dataclass(frozen=True)
class Rows:
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
        return int(self.image.max(initial=-1)) + 1

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

        table = pd.DataFrame(
            {"candidate": self.candidate, "rating": self.rating}
        )
        ratings = table.groupby("candidate")["rating"]
        rating = (
            _mode(table)
            if convention == MODE
            else ratings.agg(convention.split()[0])
        )
        return replace(
            self,
            convention=convention,
            candidate=self.candidate[self.first],
            image=self.image[self.first],
            rating=np.asarray(rating, dtype=float).round(DECIMALS),
        )

    def scores(self, scores: FloatArray) -> FloatArray:
        """Return the score of each row (N,), from those of the candidates (C,)."""
        if not np.isfinite(scores).all():
            raise ValueError(
                "Every candidate needs a score: leave out those that have none."
            )

        return scores[self.candidate]

    def undefined(self, scores: FloatArray) -> str | Text:
        """Return why the ratings have no correlation with the scores (N,), or ""."""
        if len(self.rating) < LEAST_ROWS:
            return _(
                "Rows: {rows}; a correlation needs {least}.",
                rows=len(self.rating),
                least=LEAST_ROWS,
            )
        if np.ptp(self.rating) == 0:
            return RATINGS_CONSTANT
        return SCORES_CONSTANT if np.ptp(scores) == 0 else ""


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
    dropped
        How many candidates were left out because they are among the references of their image.
    """

    candidates: pd.DataFrame
    rows: Rows
    ratings: pd.DataFrame
    dropped: int

    @classmethod
    def of(cls, ratings: pd.DataFrame, references: pd.DataFrame) -> Self:
        """Number the candidates and images of ratings.

        Parameters
        ----------
        ratings
            Columns image, caption, rating (a number).
        references
            Columns image, caption. A rated caption that is among them is left out.

        Raises
        ------
        ValueError
            Where a rating is not a finite number.
        """
        if not np.isfinite(ratings["rating"]).all():
            raise ValueError("Every rating must be a finite number.")

        keys = ["image", "caption"]
        is_own = is_own_caption(ratings, references)
        dropped = len(ratings.loc[is_own, keys].drop_duplicates())

        kept = ratings[~is_own]
        image = (
            kept.groupby("image", sort=False)
            .ngroup()
            .to_numpy()
            .astype(np.int64)
        )
        order = np.argsort(image, kind="stable")
        kept = kept.iloc[order]

        rows = Rows(
            convention=EVERY,
            candidate=kept.groupby(keys, sort=False)
            .ngroup()
            .to_numpy()
            .astype(np.int64),
            image=image[order],
            rating=kept["rating"].to_numpy(dtype=float),
        )
        candidates = kept[keys].drop_duplicates().reset_index(drop=True)
        return cls(candidates, rows, kept, dropped)

    def by_aspect(self) -> Iterator[tuple[str, Self]]:
        """Yield each aspect with its ratings; "" where none is named."""
        none = self.ratings.iloc[:0]

        for aspect in self.ratings["aspect"].unique():
            yield (
                aspect,
                self.of(self.ratings[self.ratings["aspect"] == aspect], none),
            )


def is_own_caption(
    ratings: pd.DataFrame, references: pd.DataFrame
) -> "pd.Series[bool]":
    """Return whether each rated caption is among the references of its image."""
    keys = ["image", "caption"]
    known = pd.MultiIndex.from_frame(references[keys])

    return pd.Series(
        pd.MultiIndex.from_frame(ratings[keys]).isin(known),
        index=ratings.index,
    )


def without_rated_captions(
    references: pd.DataFrame, ratings: pd.DataFrame
) -> pd.DataFrame:
    """Leave out the references that were rated as candidates in their own right.

    These are captions with the source `human`. Where no rating names a source, they are all
    rated captions that are references, if every rated image has one: so data sets were built in
    which one of an image's captions was rated beside those of systems. Then metrics are given the
    other references, for all candidates of the image.

    Parameters
    ----------
    references
        Columns image, caption.
    ratings
        Columns image, caption, source.

    Returns
    -------
    DataFrame
        The references that remain. An image keeps its references where none would remain.
    """
    own = ratings[is_own_caption(ratings, references)]

    if (ratings["source"] != "").any():
        own = own[own["source"] == HUMAN]
    elif own["image"].nunique() < ratings["image"].nunique():
        return references

    is_rated = is_own_caption(references, own)
    has_others = (~is_rated).groupby(references["image"]).transform("any")
    return references[~is_rated | ~has_others]


@dataclass(frozen=True)
class Correlation:
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
    reason: str | Text = ""


def correlations(
    metric: str, rows: Rows, scores: FloatArray
) -> list[Correlation]:
    """Compute every coefficient of one metric.

    The interval is by Fisher's z, with the standard error of `analysis.stats.correlation` over
    images; the time is proportional to N log N.

    Parameters
    ----------
    metric
        Its name.
    rows
        The ratings.
    scores
        Of the candidates: shape (C,).

    Raises
    ------
    ValueError
        Where a score is not finite.
    """
    scored = rows.scores(scores)
    reason = rows.undefined(scored)
    blank = [
        Correlation(
            metric,
            rows.convention,
            name,
            len(scored),
            rows.images,
            reason=reason,
        )
        for name in COEFFICIENTS
    ]
    if reason:
        return blank

    found = coefficients(scored, rows.rating, rows.image)
    return [
        _with_interval(each, found, number)
        for number, each in enumerate(blank)
    ]


def _with_interval(
    blank: Correlation, found: Coefficients, number: int
) -> Correlation:
    value = float(found.value[number])
    error = (
        float(standard_error(found.influence[number]))
        if blank.images > 1
        else np.nan
    )
    low, high = fisher_interval(value, error, blank.images)

    if np.isnan(low):
        return replace(blank, value=value, reason=NO_INTERVAL)
    return replace(blank, value=value, low=low, high=high)


def differences(
    rows: Rows, scores: Mapping[str, FloatArray], signs: SignArray
) -> pd.DataFrame:
    """Compare the coefficients of every two metrics.

    The test exchanges the contributions of the two metrics image by image, with random signs: to
    first order, this is the permutation test that swaps the two standardised metrics on each
    image (Deutsch, Dror and Roth, TACL 2021). Williams' test is added for comparison with the
    literature.

    Parameters
    ----------
    rows
        The ratings.
    scores
        Those of the candidates, by metric: shape (C,) each.
    signs
        +1 or -1 for each sign flip and image: shape (F, G).

    Returns
    -------
    DataFrame
        A row for every two metrics that have a correlation, and each coefficient. Columns:
        metric_a, metric_b, convention, coefficient, rows, images; difference, of the
        coefficients, with its 95 % interval low, high; p, two-sided; p_adjusted, for all pairs of
        metrics together (step-down maxT); t_williams, p_williams, williams (why there is none).
    """
    scored = {name: rows.scores(each) for name, each in scores.items()}
    names = [name for name, each in scored.items() if not rows.undefined(each)]
    if len(names) < 2:
        return pd.DataFrame()

    found = [
        coefficients(scored[name], rows.rating, rows.image) for name in names
    ]
    by_image = np.stack([each.by_image for each in found])

    tables = [
        _differences_of(
            names, by_image[:, number], found[0].rows, signs
        ).assign(coefficient=name)
        for number, name in enumerate(COEFFICIENTS)
    ]
    table = pd.concat(tables, ignore_index=True).assign(
        convention=rows.convention, rows=len(rows.rating), images=rows.images
    )
    tests = [
        _williams_row(rows, a, b, scored) for a, b in combinations(names, 2)
    ]

    table = table.merge(pd.DataFrame(tests), on=["metric_a", "metric_b"])
    first = [
        "metric_a",
        "metric_b",
        "convention",
        "coefficient",
        "rows",
        "images",
    ]
    return table[[*first, *(name for name in table if name not in first)]]


def _differences_of(
    names: Sequence[str],
    by_image: FloatArray,
    rows: IntArray,
    signs: SignArray,
) -> pd.DataFrame:
    """Compare one coefficient of every two metrics, from contributions of shape (M, G)."""
    table = compare_metrics(names, by_image, signs)
    a, b = np.triu_indices(len(names), k=1)
    images = by_image.shape[1]

    if images < 2:
        return table.assign(low=np.nan, high=np.nan)

    error = standard_error(influence_of(by_image[a] - by_image[b], rows))
    margin = scipy.stats.t.ppf(0.975, images - 1) * error

    return table.assign(
        low=table["difference"] - margin, high=table["difference"] + margin
    )


def _williams_row(
    rows: Rows, a: str, b: str, scored: Mapping[str, FloatArray]
) -> dict[str, object]:
    test = williams(rows.rating, scored[a], scored[b])

    return {
        "metric_a": a,
        "metric_b": b,
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
    reason: str | Text = ""


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
        return Williams(reason=_("Rows: 3; the test needs 4."))

    with_a, with_b, between = np.corrcoef([rating, a, b])[[0, 0, 1], [1, 2, 2]]
    return williams_test(with_a, with_b, between, len(a))


def williams_test(
    with_a: float, with_b: float, between: float, size: int
) -> Williams:
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
    determinant = (
        1 - with_a**2 - with_b**2 - between**2 + 2 * with_a * with_b * between
    )
    mean = (with_a + with_b) / 2
    spread = (
        2 * determinant * (size - 1) / (size - 3)
        + mean**2 * (1 - between) ** 3
    )

    if spread < ROUNDING:
        return Williams(reason=DEPENDENT)

    t = (with_a - with_b) * sqrt((size - 1) * (1 + between) / spread)
    return Williams(
        float(t), size - 3, float(2 * scipy.stats.t.sf(abs(t), size - 3))
    )


def rater_agreement(rows: Rows, weights: Weights) -> list[Measure]:
    """Compute how far raters agree, and the highest correlation that their noise allows.

    A metric that knew the true quality of every candidate would have the correlation (Pearson)
    √reliability with ratings (attenuation: Spearman 1904): that of a single rating, or of the
    mean of a candidate's ratings.

    Parameters
    ----------
    rows
        Every rating.
    weights
        How often each resample holds each image: shape (B, G).
    """
    size = np.bincount(rows.candidate)
    mean_size = len(rows.rating) / len(size)
    image = rows.image[rows.first]

    sums = summing(image, weights)
    icc = intraclass_correlation_of(
        item_sums(rows.rating, rows.candidate), sums
    )
    of_mean = spearman_brown(icc, mean_size)

    figures = {
        "ICC(1), reliability of one rating": icc,
        f"reliability of the mean of {round(mean_size, 1):g} ratings": of_mean,
        "highest Pearson, every rating": np.sqrt(np.maximum(icc, 0)),
        "highest Pearson, mean rating": np.sqrt(of_mean),
    }
    return measures(figures, image[size > 1], ONE_RATING)


def one_against_others(rows: Rows) -> list[Correlation]:
    """Correlate each rating with the mean of the other ratings of its candidate.

    It is what one rater reaches, to compare metrics with. Candidates with a single rating are
    left out.
    """
    size = np.bincount(rows.candidate)[rows.candidate]
    total = np.bincount(rows.candidate, rows.rating)[rows.candidate]

    has_others = size > 1
    others = (total - rows.rating)[has_others] / (size - 1)[has_others]

    compared = Rows(
        convention=EVERY,
        candidate=np.arange(len(others)),
        image=np.unique(rows.image[has_others], return_inverse=True)[1].astype(
            np.int64
        ),
        rating=rows.rating[has_others],
    )
    return correlations(RATER, compared, others.round(DECIMALS))


def _mode(table: pd.DataFrame) -> "pd.Series[float]":
    """Return the most frequent rating of each candidate, the lowest of several."""
    counts = (
        table.groupby(["candidate", "rating"])
        .size()
        .rename("count")
        .reset_index()
    )
    most_first = counts.sort_values(
        ["candidate", "count"], ascending=[True, False], kind="stable"
    )

    return most_first.drop_duplicates("candidate")["rating"]
