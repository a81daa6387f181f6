"""People against people, and metrics on the same split of the triplets (section 7.4)."""

from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd

from analysis.dataset.schema import PEOPLE
from analysis.dataset.winners import UNFINISHED
from analysis.evaluation.evidence import Evidence
from analysis.evaluation.judging import AS_MANY, GIVEN, OTHER_TRIPLETS, Tally
from analysis.figures.differences import inflation_figure
from analysis.figures.points import humans_figure
from analysis.findings.finding import Finding
from analysis.stats.accuracy import percentiles
from metrics import IntArray

NO_TRIPLETS = "Some pairs have one triplet: people cannot be judged by other people."
NO_FINISHED = "No pair has all its votes yet."
NO_REFERENCES = "Under the pairwise protocol nobody is shown references: there is no split of them."
UNFINISHED_TOO = "{:,} unfinished pairs have part in it as far as their triplets go."
SOME_ASKED = (
    "People were asked about some of the references only: metrics cannot be given just those of "
    "the same triplets."
)


def humans(evidence: Evidence) -> Finding:
    """People and metrics, given one half of the references, judged by the triplets of the other."""
    finished = (evidence.judged.pairs.table["state"] != UNFINISHED).to_numpy()
    triplets = evidence.ballots.sum(axis=1)[finished]
    half = int(triplets.min()) // 2 if len(triplets) else 0
    found = Finding(
        "humans",
        "People against people",
        "CIDEr paper, section 7.4",
        f"The triplets of each pair are split: the majority of {half} of them, and each metric "
        f"given the {half} references of the same triplets, are judged by the majority of the "
        "others. Inflation is how much higher a metric's accuracy is where it was given the very "
        "references that the judging triplets show, against as many triplets of others.",
    )
    if reason := obstacle(evidence, triplets, evidence.judged.pairs.reference_counts[finished]):
        return found.without(reason)
    split, inflation = split_table(evidence, half), inflation_table(evidence, half)
    shown = evidence.headline
    return found.having(
        notes=(UNFINISHED_TOO.format((~finished).sum()),) if not finished.all() else (),
        tables={"humans": split, "inflation": inflation},
        plots={
            "humans": partial(humans_figure, split[split["judge"].isin([PEOPLE, *shown])]),
            "inflation": partial(inflation_figure, inflation[inflation["metric"].isin(shown)]),
        },
    )


def obstacle(evidence: Evidence, triplets: IntArray, references: IntArray) -> str:
    """Why there is no split of the finished pairs, which have so many of each; or ""."""
    if evidence.dataset.protocol == "pairwise":
        return NO_REFERENCES
    if not len(triplets):
        return NO_FINISHED
    if triplets.min() < 2:
        return NO_TRIPLETS
    return SOME_ASKED if (triplets < references).any() else ""


def split_table(evidence: Evidence, half: int) -> pd.DataFrame:
    """A row for people and each metric, and each group."""
    everybody = {PEOPLE: evidence.judged.people} | evidence.judged.tallies
    return pd.DataFrame(
        row | {"triplets": half}
        for name, tally in everybody.items()
        for row in at_half(evidence, name, tally, half)
    )


def inflation_table(evidence: Evidence, half: int) -> pd.DataFrame:
    """A row for each metric and count."""
    tallies = evidence.judged.tallies.items()
    return pd.concat([inflation_of(evidence, name, tally, half) for name, tally in tallies])


def at_half(
    evidence: Evidence, name: str, tally: Tally, half: int
) -> Iterator[dict[str, str | float]]:
    for group in evidence.groups:
        at = slice(half - 1, half)
        sample = evidence.samples.of(tally, group, OTHER_TRIPLETS, at)
        columns = sample.estimate(evidence.samples.resamples).columns
        row = {key: float(columns[key][0]) for key in ("accuracy", "low", "high")}
        yield {"judge": name, "category": group} | row


def inflation_of(evidence: Evidence, name: str, tally: Tally, half: int) -> pd.DataFrame:
    """By how much the given references flatter a metric at each count, of the main group."""
    given, others = (
        evidence.samples.of(tally, evidence.main_group, judge, slice(half))
        for judge in (GIVEN, AS_MANY)
    )
    low, high = percentiles(given.resampled - others.resampled)
    return pd.DataFrame(
        {
            "metric": name,
            "reference_count": np.arange(1, half + 1),
            "inflation": given.value - others.value,
            "low": low,
            "high": high,
        }
    )
