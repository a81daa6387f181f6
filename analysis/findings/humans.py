"""People against people, and metrics on the same split of the triplets (section 7.4)."""

from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.dataset.schema import PEOPLE
from analysis.dataset.winners import UNFINISHED
from analysis.evaluation.results import Results
from analysis.evaluation.tallies import AS_MANY, GIVEN, NOT_GIVEN, MetricTally
from analysis.figures.differences import inflation_figure
from analysis.figures.points import humans_figure
from analysis.findings.finding import Content, Definition, Need
from analysis.findings.needs import PAIRS, TRIPLETS, VOTES
from analysis.stats.accuracy import percentiles

MEANING = (
    "The triplets of each pair are split: the majority of {half} of them, and each metric "
    "given {references} of the same triplets, are judged by the majority of the "
    "others. Inflation is how much higher a metric's accuracy is where it was given the very "
    "references that the judging triplets show, against as many triplets of others."
)
UNFINISHED_TOO = (
    "{:,} unfinished pairs have part in it as far as their triplets go."
)


def humans(results: Results) -> Content:
    """Judge people and metrics, given one half of the references, by the triplets of the other."""
    finished = _finished(results)
    half = int(_triplets(results).min()) // 2
    split = _split_table(results, half)
    inflation = _inflation_table(results, half)

    headline = results.headline
    split_shown = split[split["rater"].isin([PEOPLE, *headline])]
    inflation_shown = inflation[inflation["metric"].isin(headline)]

    unfinished = int((~finished).sum())
    return Content(
        tables={"humans": split, "inflation": inflation},
        plots={
            "humans": partial(humans_figure, split_shown),
            "inflation": partial(inflation_figure, inflation_shown),
        },
        notes=(UNFINISHED_TOO.format(unfinished),) if unfinished else (),
        meaning=MEANING.format(half=half, references=f"the {half} references"),
    )


def _finished(results: Results) -> NDArray[np.bool_]:
    """Return which pairs (P,) have all their votes."""
    return (results.scored.pairs.table["state"] != UNFINISHED).to_numpy()


def _triplets(results: Results) -> NDArray[np.int64]:
    """Return how many triplets each finished pair has."""
    triplets: NDArray[np.int64] = results.people.ballots.sum(axis=1)
    return triplets[_finished(results)]


def _all_references_asked(results: Results) -> bool:
    references = results.scored.pairs.reference_counts[_finished(results)]
    return bool((_triplets(results) >= references).all())


FINISHED_PAIRS = Need(
    "No pair has all its votes yet.",
    lambda results: bool(_finished(results).any()),
)
TWO_TRIPLETS = Need(
    "Some pairs have one triplet: people cannot be judged by other people.",
    lambda results: bool((_triplets(results) >= 2).all()),
)
ALL_REFERENCES_ASKED = Need(
    "People were asked about some of the references only: metrics cannot be given just those of "
    "the same triplets.",
    _all_references_asked,
)


def _split_table(results: Results, half: int) -> pd.DataFrame:
    """Return a row for people and each metric, and each group."""
    raters = {PEOPLE: results.scored.people} | results.scored.tallies

    rows = []
    for name, tally in raters.items():
        for group in results.groups:
            accuracy = _accuracy_at(results, tally, group, half)
            rows.append(
                {"rater": name, "category": group}
                | accuracy
                | {"triplets": half}
            )
    return pd.DataFrame(rows)


def _accuracy_at(
    results: Results, tally: MetricTally, group: str, half: int
) -> dict[str, float]:
    """Return the accuracy with `half` references by the triplets of the others."""
    at_half = slice(half - 1, half)
    sample = results.samples.of_metric(tally, group, NOT_GIVEN, at_half)
    estimate = sample.estimate(results.samples.resamples)

    return {
        "accuracy": float(estimate.accuracy[0]),
        "low": float(estimate.low[0]),
        "high": float(estimate.high[0]),
    }


def _inflation_table(results: Results, half: int) -> pd.DataFrame:
    """Return a row for each metric and count."""
    tallies = results.scored.tallies.items()
    tables = [
        _inflation(results, tally, half).assign(metric=name)
        for name, tally in tallies
    ]

    columns = ["metric", "reference_count", "inflation", "low", "high"]
    return pd.concat(tables)[columns]


def _inflation(
    results: Results, tally: MetricTally, half: int
) -> pd.DataFrame:
    """Return by how much the given references raise a metric's accuracy, in the main group."""
    group, counts = results.main_group, slice(half)
    given = results.samples.of_metric(tally, group, GIVEN, counts)
    others = results.samples.of_metric(tally, group, AS_MANY, counts)

    low, high = percentiles(given.resampled - others.resampled)
    columns = {
        "reference_count": np.arange(1, half + 1),
        "inflation": given.value - others.value,
        "low": low,
        "high": high,
    }
    return pd.DataFrame(columns)


DEFINITION = Definition(
    name="humans",
    title="People against people",
    source="CIDEr paper, section 7.4",
    meaning=MEANING.format(half="one half", references="the references"),
    needs=(
        PAIRS,
        VOTES,
        TRIPLETS,
        FINISHED_PAIRS,
        TWO_TRIPLETS,
        ALL_REFERENCES_ASKED,
    ),
    make=humans,
)
