"""Metrics against each other: tests of every pair of them, and differences over the curve."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations

import numpy as np
import pandas as pd

from analysis.evaluation.evidence import Evidence
from analysis.figures.differences import difference_figure
from analysis.findings.finding import Finding
from analysis.stats.accuracy import percentiles
from analysis.stats.significance import holm, mcnemar, simultaneous_band
from metrics import FloatArray

ONE_METRIC = "There is one metric only: nothing to compare."
PARTLY = "{} does not score every pair with {} references: it is not compared there."
ONE_IMAGE = "{} has pairs of one image only: metrics cannot be compared on it."


def differences(evidence: Evidence) -> Finding:
    """Every two metrics at the shown counts (of the mean; of each group at the largest), and the
    best against the others at every count."""
    groups = [group for group in evidence.groups if evidence.images_of(group) > 1]
    wanted = [(evidence.main_group, count) for count in evidence.counts]
    wanted += [(g, evidence.counts[-1]) for g in groups if g != evidence.main_group]
    tables = [tests(evidence, group, count) for group, count in wanted if group in groups]
    curves = pd.concat([pd.DataFrame(), *difference_curves(evidence)], ignore_index=True)
    return Finding(
        "differences",
        "Differences between metrics",
        "Beside the CIDEr paper: Westfall and Young, 1993; McNemar, 1947",
        "The difference of two accuracies on the same pairs, with its 95 % interval over images. p "
        "is that of a sign-flip permutation test over images, p_adjusted holds for all pairs of "
        "metrics together (step-down maxT). The bands of the curves hold at all counts at once.",
        tables={
            "differences": pd.concat([pd.DataFrame(), *tables], ignore_index=True),
            "difference_curves": curves,
        },
        plots={"differences": partial(difference_figure, curves)} if len(curves) else {},
        notes=(
            *(ONE_IMAGE.format(group) for group in evidence.groups if group not in groups),
            *incomplete(evidence),
            *([ONE_METRIC] if len(evidence.judged.names) == 1 else []),
        ),
    )


def incomplete(evidence: Evidence) -> list[str]:
    """Which metrics cannot be compared, as they do not score every pair."""
    counts = {k: set(evidence.complete(k)) for k in evidence.counts}
    return [
        PARTLY.format(name, ", ".join(map(str, missing)))
        for name in evidence.judged.names
        if (missing := [k for k, complete in counts.items() if name not in complete])
    ]


def tests(evidence: Evidence, group: str, count: int) -> pd.DataFrame:
    """A row for every two metrics: difference, its interval, the tests."""
    names = evidence.complete(count)
    table = evidence.compared(group, count)
    resampled = resampled_at(evidence, names, group, count)
    a, b = np.triu_indices(len(names), k=1)
    low, high = percentiles(resampled[:, a] - resampled[:, b])
    table = table.assign(category=group, reference_count=count, low=low, high=high)
    if (evidence.judged.pairs.reference_counts == count).all():
        table = table.join(exact_tests(evidence, names, group))
    columns = ["metric_a", "metric_b", "category", "reference_count", "difference", "low", "high"]
    return table[[*columns, *(name for name in table if name not in columns)]]


def resampled_at(evidence: Evidence, names: Sequence[str], group: str, count: int) -> FloatArray:
    """The accuracies (B, M) of metrics with so many references over resampled images."""
    samples, at = evidence.samples, slice(count - 1, count)
    tallies = evidence.judged.tallies
    curves = [samples.of(tallies[name], group, counts=at).resampled for name in names]
    return np.hstack([np.empty((len(evidence.weights), 0)), *curves])


def exact_tests(evidence: Evidence, names: Sequence[str], group: str) -> pd.DataFrame:
    """McNemar's, on pairs that neither metric ties on: only_a, only_b, p_mcnemar, and Holm's."""
    pairs = evidence.judged.pairs
    mask = pairs.groups.get(group, np.ones(len(pairs.image), dtype=bool))
    credit = [evidence.credit(evidence.judged.tallies[name].preferred)[mask] for name in names]
    found = [mcnemar(a, b) for a, b in combinations(credit, 2)]
    p = np.array([each.p for each in found])
    return pd.DataFrame(
        {
            "only_a": [each.only_a for each in found],
            "only_b": [each.only_b for each in found],
            "p_mcnemar": p,
            "p_mcnemar_holm": holm(p),
        }
    )


def difference_curves(evidence: Evidence) -> Iterator[pd.DataFrame]:
    """The best headline metric minus each of the others, of the mean, at every count."""
    group, counts = evidence.main_group, range(1, evidence.full + 1)
    complete = set(evidence.headline).intersection(*map(evidence.complete, counts))
    ranked = [name for name in evidence.ranked if name in complete]
    if evidence.images_of(group) < 2 or len(ranked) < 2:
        return
    best, *others = evidence.samples.contributions(ranked, group)[:, : evidence.full]
    for name, other in zip(ranked[1:], others, strict=True):
        band = simultaneous_band(best - other, evidence.signs)
        value = (best - other).sum(axis=1)
        yield pd.DataFrame(
            {
                "metric_a": ranked[0],
                "metric_b": name,
                "category": group,
                "reference_count": counts,
                "difference": value,
                "low": value - band.half_width,
                "high": value + band.half_width,
                "p_any_count": band.p,
            }
        )
