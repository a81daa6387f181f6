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
from analysis.winners import UNFINISHED

NO_TRIPLETS = "Some pairs have one triplet: people cannot be judged by other people."
NO_FINISHED = "No pair has all its votes yet."
NO_REFERENCES = "Under the pairwise protocol nobody is shown references: there is no split of them."
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
        "others; a tie earns half. In the table of human curves accuracy_drop leaves ties out. "
        "Inflation is how much higher a metric's accuracy is where it was given the very "
        "references that the judging triplets show, against as many triplets of others.",
    )
    if evidence.dataset.protocol == "pairwise":
        return found.without(NO_REFERENCES)
    if not len(triplets):
        return found.without(NO_FINISHED)
    if not half:
        return found.without(NO_TRIPLETS)
    if (triplets < evidence.judged.pairs.reference_counts[finished]).any():
        return found.without(SOME_ASKED)
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
    left = int((~finished).sum())
    return found.having(
        notes=(f"{left:,} unfinished pairs have part in it as far as their triplets go.",)
        if left
        else (),
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
