"""People against people, and metrics on the same split of the triplets (section 7.4)."""

from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd

from analysis.accuracy import percentiles
from analysis.charts import humans_figure, inflation_figure
from analysis.dataset import PEOPLE
from analysis.evidence import Evidence
from analysis.findings.finding import Finding
from analysis.judging import AS_MANY, GIVEN, OTHER_TRIPLETS, Tally

NO_TRIPLETS = "No pair has two triplets: people cannot be judged by other people."


def humans(evidence: Evidence) -> Finding:
    """People and metrics, given one half of the references, judged by the triplets of the other."""
    half = int(evidence.ballots.sum(axis=1).min()) // 2
    found = Finding(
        "humans",
        "People against people",
        "CIDEr paper, section 7.4",
        f"The triplets of each pair are split: the majority of {half} of them, and each metric "
        f"given the {half} references of the same triplets, are judged by the majority of the "
        "others; a tie earns half. In the table of human curves accuracy_drop leaves ties out. "
        "Inflation is how much higher a metric's accuracy is where it was given the very "
        "references that the judging triplets show, against as many triplets of others.",
    )
    if not half:
        return found.without(NO_TRIPLETS)
    everybody = {PEOPLE: evidence.judged.people} | evidence.judged.tallies
    split = pd.DataFrame(
        row | {"triplets": half}
        for name, tally in everybody.items()
        for row in at_half(evidence, name, tally, half)
    )
    inflation = pd.concat(
        [
            inflation_of(evidence, name, tally, half)
            for name, tally in evidence.judged.tallies.items()
        ]
    )
    shown = evidence.headline
    return found.having(
        tables={"humans": split, "inflation": inflation},
        plots={
            "humans": partial(humans_figure, split[split["judge"].isin([PEOPLE, *shown])]),
            "inflation": partial(inflation_figure, inflation[inflation["metric"].isin(shown)]),
        },
    )


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
