"""Columns of a set of ratings: correlations, pairwise accuracy, and the order of systems.

Arrays: C candidates, N rows, G images, B resamples, S systems.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import pandas as pd

from tercet.analysis.bench.cells import BenchColumn, Value, value_of
from tercet.analysis.bench.system_columns import order_column, soft_column
from tercet.analysis.bench.tied_columns import TiedPairs, tied_columns
from tercet.analysis.evaluation.results import Results
from tercet.analysis.scoring.options import RATINGS, Options
from tercet.analysis.scoring.sources import scores_of_captions
from tercet.analysis.stats.people.annotator_agreement import spearman_brown
from tercet.analysis.stats.resampling import Resamples, Weights, group_numbers
from tercet.analysis.stats.scores.correlation import (
    COEFFICIENTS,
    coefficients,
    influence_of,
    interval_over_images,
    standard_error,
)
from tercet.analysis.stats.scores.ratings import (
    ANOTHER,
    DECIMALS,
    EVERY,
    MAX_RESAMPLES,
    MEAN,
    OTHERS,
    Rated,
    RatingRows,
    reliability_of_rating,
    targets,
    with_target,
)
from tercet.analysis.stats.scores.source_means import source_correlations
from tercet.analysis.stats.scores.system_correlations import SPEARMAN, SystemCorrelation
from tercet.analysis.stats.scores.tie_calibration import (
    BoolArray,
    agrees,
    pairs_of_images,
    shuffled,
)
from tercet.analysis.tables.rows import where
from tercet.metrics import FloatArray, IntArray

TAU_A = "tau_a"
"""Kendall's (C - D) / all pairs of rows, whatever ties there are."""


def rating_columns(
    results: Results, convention: str, is_fitted_here: bool
) -> Iterator[BenchColumn]:
    """Yield the columns of each aspect, that of the chosen coefficient first.

    `convention` says what is correlated, every rating or a summary of a caption's ratings; pairs of
    captions are always compared by their mean ratings.
    """
    lacking = dict(_lacking(results))
    aspects = [*results.ratings.by_aspect()]
    for aspect, rated, scores in aspects:
        of_metrics = {str(name): scores[name].to_numpy(dtype=float) for name in scores}
        prefix = f"{aspect} " if len(aspects) > 1 else ""
        of_aspect = _Aspect(
            prefix, rated, of_metrics, results.options, convention, lacking
        )
        yield from of_aspect.correlations()
        yield from of_aspect.pairwise(is_fitted_here)
        yield from of_aspect.systems()


def _lacking(results: Results) -> Iterator[tuple[str, str]]:
    """Yield the metrics of scores.csv that do not score every rated caption, and how many."""
    captions = results.ratings.rated.candidates
    supplied = scores_of_captions(results.dataset.scores, captions, 1)
    for name, scores in supplied.items():
        count = np.count_nonzero(np.isfinite(scores))
        if name not in results.ratings.scores:
            yield name, f"It scores {count:,} of {len(captions):,} captions: left out."


@dataclass(frozen=True)
class _Aspect:
    """The ratings of one aspect, and the scores of the candidates (C,) by metric."""

    prefix: str
    rated: Rated
    scores: Mapping[str, FloatArray]
    options: Options
    convention: str
    lacking: Mapping[str, str]

    @cached_property
    def rows(self) -> RatingRows:
        """What is correlated."""
        return self.rated.rows.summarised(self.convention)

    @cached_property
    def resamples(self) -> Weights:
        generator = self.options.generator(RATINGS)
        size = min(self.options.resamples, MAX_RESAMPLES)
        return Resamples.make(size, self.rated.rows.images, 1, generator).images

    def correlations(self) -> Iterator[BenchColumn]:
        """Yield a column for each coefficient."""
        notes, found = {**self.lacking}, {}
        for name, scores in self.scores.items():
            values = self.rows.scores(scores)
            notes[name] = self.rows.undefined(values)
            if not notes[name]:
                found[name] = dict(_with_each_coefficient(self.rows, values))

        people = self._one_rater()
        for name in dict.fromkeys((self.options.coefficient, *COEFFICIENTS, TAU_A)):
            missing = dict.fromkeys(notes, Value())
            known = {metric: each[name] for metric, each in found.items()}
            yield BenchColumn(
                name=f"{self.prefix}{name}",
                scale=name,
                values=missing | {metric: each for metric, (each, _) in known.items()},
                by_image={metric: each for metric, (_, each) in known.items()},
                rows=len(self.rows.rating),
                images=self.rows.images,
                at_random=Value(0.0),
                people=people.get(name, Value()),
                ceiling=self._ceiling() if name == "Pearson" else np.nan,
                notes=notes,
            )

    def _one_rater(self) -> dict[str, Value]:
        """Return how one rater correlates with the others, by coefficient; nothing if unknown."""
        means = self.rated.by_rater
        if not len(means.rating):
            return {}

        convention = ANOTHER if self.convention == EVERY else OTHERS
        by_convention = {each.rows.convention: each for each in targets(means)}
        target = by_convention[convention]
        found = with_target(target, {}) if len(target.rows.rating) else []
        return {
            each.coefficient: value_of(each.value, each.low, each.high)
            for each in found
        }

    def _ceiling(self) -> float:
        """Return √reliability, the Pearson of a metric that knows the true quality; or NaN."""
        means = self.rated.means_by_rater
        if means.empty:
            return np.nan

        [icc] = reliability_of_rating(means, partial(np.sum, keepdims=True))
        if self.convention != EVERY:
            raters = len(means) / means["candidate"].nunique()
            icc = spearman_brown(icc, raters)
        return float(np.sqrt(np.maximum(icc, 0)))

    def pairwise(self, is_fitted_here: bool) -> Iterator[BenchColumn]:
        """Yield the columns of pairwise accuracy by mean ratings."""
        means = self.rated.rows.summarised(MEAN)
        order = np.argsort(means.candidate)
        rating, image = means.rating[order], means.image[order]
        first, second = pairs_of_images(image)
        candidates = self.rated.candidates["image"].to_numpy()
        starts = np.unique(image, return_index=True)[1]
        pairs = TiedPairs(
            human=rating[first] - rating[second],
            image=image[first],
            images=tuple(candidates[starts]),
            scores=self.scores,
            difference=lambda scores: scores[first] - scores[second],
            exchange=lambda scores, generator: shuffled(scores, image, generator),
            people=self._raters_agree(),
        )
        yield from tied_columns(
            pairs, self.prefix, self.resamples, self.options, is_fitted_here
        )

    def _raters_agree(self) -> tuple[BoolArray, IntArray]:
        """Return whether one rater agrees with the mean of the others on each pair, and its image.

        Pairs are of two captions that the rater and others rated.
        """
        means = self.rated.means_by_rater
        of_candidate = means.groupby("candidate")["rating"]
        others = of_candidate.transform("size") - 1
        total = of_candidate.transform("sum") - means["rating"]
        mean = total / others.where(others > 0)
        rated = means.assign(others=mean.round(DECIMALS))
        rated = rated.dropna(subset="others")

        rater = group_numbers(rated, ["image", "annotator"])
        first, second = pairs_of_images(rater)
        both = (rated[each].to_numpy() for each in ("others", "rating"))
        human, one = (each[first] - each[second] for each in both)
        return agrees(human, one, 0.0), rated["image"].to_numpy()[first]

    def systems(self) -> Iterator[BenchColumn]:
        """Yield the order of systems, and soft pairwise accuracy, where sources are known."""
        table = source_correlations(self.rated, self.scores, self.resamples)
        if len(table):
            of_pairs = table.rename(columns={"captions": "pairs"})
            ranked = where(of_pairs, coefficient=SPEARMAN)
            found = [SystemCorrelation(*row) for row in ranked.to_numpy()]
            yield order_column(self.prefix, found, self.rated.rows.images)

        candidate = self.rated.rows.candidate
        people = self._by_system(self.rated.rows.rating)
        scores = {
            name: self._by_system(each[candidate]) for name, each in self.scores.items()
        }
        yield from soft_column(
            self.prefix, people, scores, self.resamples, self.options
        )

    def _by_system(self, values: FloatArray) -> FloatArray:
        """Return the mean value (N,) of each named system on each image: (S, G)."""
        table = pd.DataFrame(
            {
                "source": self.rated.ratings["source"].to_numpy(),
                "image": self.rated.rows.image,
                "value": values,
            }
        )
        named = table[table["source"] != ""]
        of_system = named.groupby(["source", "image"])["value"]
        means = of_system.mean().unstack()
        images = range(self.rated.rows.images)
        of_images = means.reindex(columns=images)
        return of_images.to_numpy(dtype=float)


def _with_each_coefficient(
    rows: RatingRows, values: FloatArray
) -> Iterator[tuple[str, tuple[Value, FloatArray]]]:
    """Yield each coefficient of values (N,), with what each image contributes to it (G,)."""
    found = coefficients(values, rows.rating, rows.image)
    by_name = dict(zip(COEFFICIENTS, found.by_image, strict=True))

    size = len(values)
    distinct = len(np.unique(values))
    fewer = min(distinct, len(np.unique(rows.rating)))
    of_all_pairs = (fewer - 1) / fewer * size / (size - 1)
    by_name[TAU_A] = by_name["tau_c"] * of_all_pairs
    for name, by_image in by_name.items():
        value = float(by_image.sum())
        error = np.nan
        if rows.images > 1:
            influence = influence_of(by_image, found.rows)
            error = float(standard_error(influence))
        bounds = interval_over_images(value, error, rows.images)
        yield name, (Value(value, *bounds), by_image)
