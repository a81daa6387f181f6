"""How many references are enough (CIDEr paper, section 7.1)."""

from functools import partial

import pandas as pd

from analysis.evaluation.evidence import Evidence
from analysis.figures.differences import gains_figure
from analysis.findings.finding import Finding
from analysis.stats import saturation as curve


def enough(evidence: Evidence) -> Finding:
    """What each doubling of the references gains a metric, and where its curve stops to gain."""
    group = evidence.main_group
    gains, stops = [], []
    for name, tally in evidence.judged.tallies.items():
        sample = evidence.samples.of(tally, group)
        value, resampled = sample.value[: evidence.full], sample.shifted(evidence.samples.resamples)
        resampled = resampled[:, : evidence.full]
        gains.append(curve.gains(value, resampled).assign(metric=name))
        stops.append(curve.enough(value, resampled).assign(metric=name))
    gained = pd.concat(gains, ignore_index=True)
    shown = gained[gained["metric"].isin(evidence.headline)]
    table = pd.concat(stops, ignore_index=True)[
        ["metric", "reference_count", "low", "high", "reason"]
    ]
    return Finding(
        "enough",
        "How many references are enough",
        "CIDEr paper, section 7.1",
        "The count from which on a metric's accuracy stays within half a point of that with all "
        "references, with the range of that count over resampled images and orders; and what each "
        f"doubling of the references gains. Accuracy is that of {evidence.main_name}.",
        tables={
            "enough": table,
            "gains": gained[["metric", "from_count", "to_count", "gain", "low", "high"]],
        },
        plots={"gains": partial(gains_figure, shown)} if len(shown) else {},
    )
