"""Metrics against ratings instead of choices."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from itertools import combinations

import pandas as pd

from analysis.evaluation.headline import headline
from analysis.evaluation.options import RATINGS as RATINGS_STREAM
from analysis.evaluation.results import Results
from analysis.findings.finding import Content, Definition
from analysis.findings.needs import RATED_CANDIDATES, RATINGS
from analysis.stats.accuracy import Resamples
from analysis.stats.ratings import Rated, compare, correlations, williams
from analysis.stats.significance import SignArray, flip_signs
from metrics import FloatArray

MEANING = (
    "Correlation of each metric's scores, with all references, with the ratings of people: "
    "Kendall's tau b and c, Spearman's rho, Pearson's r, with 95 % intervals over images. "
    "Every rating can be a row, or the mean of a candidate's ratings: published numbers "
    "differ by that alone. Differences of two metrics are tested by swapping their "
    "standardised scores image by image, and by Williams' test. Intervals and tests are of at "
    "most 1,000 resamples and swaps."
)
MOST_RESAMPLES = 1_000
"""Of rank correlations, which take long; so many are enough for an interval of 95 %."""
DROPPED = "{:,} rated captions are among their own references and left out."


def ratings(results: Results) -> Content:
    """Tabulate how each metric's scores correlate with the ratings, and which do better."""
    options, rated, scores = results.options, results.ratings.rated, results.ratings.scores
    generator = options.generator(RATINGS_STREAM)
    images = rated.rows.images

    resamples = min(options.resamples, MOST_RESAMPLES)
    weights = Resamples.make(resamples, images, 1, generator).images
    swaps = flip_signs(min(options.flips, MOST_RESAMPLES), images, generator)

    table = [asdict(each) for each in correlations(rated, scores, weights)]
    shown = {name: scores[name] for name in headline(list(scores))}
    compared = _differences(rated, shown, weights, swaps)
    return Content(
        tables={"ratings": pd.DataFrame(table), "ratings_differences": pd.DataFrame(compared)},
        notes=(DROPPED.format(rated.dropped),) if rated.dropped else (),
    )


def _differences(
    rated: Rated, scores: Mapping[str, FloatArray], weights: FloatArray, swaps: SignArray
) -> Iterator[dict[str, object]]:
    """Yield a row for every two metrics and each coefficient, of mean ratings."""
    rows = rated.rows.averaged()

    for a, b in combinations(scores, 2):
        test = williams(rows, scores[a], scores[b])
        columns = {"t_williams": test.t, "p_williams": test.p, "williams": test.reason}

        for difference in compare((a, b), rows, (scores[a], scores[b]), weights, swaps > 0):
            yield asdict(difference) | columns


DEFINITION = Definition(
    name="ratings",
    title="Ratings",
    source="Beside the CIDEr paper: Kendall, 1938; Williams, 1959; Deutsch, Dror and Roth, 2021",
    meaning=MEANING,
    needs=(RATINGS, RATED_CANDIDATES),
    make=ratings,
)
