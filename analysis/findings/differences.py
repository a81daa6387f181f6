"""Metrics against each other: tests of every pair of them, and differences over the curve."""

from functools import partial
from itertools import combinations

import numpy as np
import pandas as pd

from analysis.accuracy import percentiles
from analysis.charts import difference_figure
from analysis.comparison import compare_metrics, mcnemar, simultaneous_band
from analysis.evidence import Evidence
from analysis.findings.finding import Finding

ONE_IMAGE = "{} has pairs of one image only: metrics cannot be compared on it."


def differences(evidence: Evidence) -> Finding:
    """Every two metrics at the shown counts (of the mean; of each group at the largest), and the
    best against the others at every count."""
    groups = [g for g in evidence.groups if images_of(evidence, g) > 1]
    wanted = [(evidence.main_group, count) for count in evidence.counts]
    wanted += [(group, evidence.full) for group in groups if group != evidence.main_group]
    tables = [tests(evidence, group, count) for group, count in wanted if group in groups]
    curves = pd.concat([*difference_curves(evidence)], ignore_index=True)
    return Finding(
        "differences",
        "Differences between metrics",
        "Beside the CIDEr paper: Westfall and Young, 1993; McNemar, 1947",
        "The difference of two accuracies on the same pairs, with its 95 % interval over images. p "
        "is that of a sign-flip permutation test over images, p_adjusted holds for all pairs of "
        "metrics together (step-down maxT). The bands of the curves hold at all counts at once.",
        tables={
            "differences": pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(),
            "difference_curves": curves,
        },
        plots={"differences": partial(difference_figure, curves)} if len(curves) else {},
        notes=tuple(ONE_IMAGE.format(g) for g in evidence.groups if g not in groups),
    )


def images_of(evidence: Evidence, group: str) -> int:
    """The images of a group; under `mean`, of its smallest category."""
    pairs = evidence.judged.pairs
    masks = pairs.groups
    wanted = [masks[group]] if group in masks else [masks[n] for n in evidence.samples.categories]
    return min(len(np.unique(pairs.image[mask])) for mask in wanted)


def tests(evidence: Evidence, group: str, count: int) -> pd.DataFrame:
    """A row for every two metrics: difference, its interval, the tests."""
    names = evidence.judged.names
    contributions = evidence.samples.contributions(group, count)
    table = compare_metrics(names, contributions, evidence.signs)
    resampled = resampled_at(evidence, group, count)
    a, b = np.triu_indices(len(names), k=1)
    low, high = percentiles(resampled[:, a] - resampled[:, b])
    table = table.assign(category=group, reference_count=count, low=low, high=high)
    if count == evidence.full:
        table = table.join(exact_tests(evidence, group))
    columns = ["metric_a", "metric_b", "category", "reference_count", "difference", "low", "high"]
    return table[[*columns, *(name for name in table if name not in columns)]]


def resampled_at(evidence: Evidence, group: str, count: int) -> np.ndarray:
    """The accuracies (B, M) of all metrics with so many references over resampled images."""
    samples, at = evidence.samples, slice(count - 1, count)
    tallies = evidence.judged.tallies.values()
    return np.hstack([samples.of(tally, group, counts=at).resampled for tally in tallies])


def exact_tests(evidence: Evidence, group: str) -> pd.DataFrame:
    """McNemar's, on pairs that neither metric ties on: only_a, only_b, p_mcnemar."""
    pairs = evidence.judged.pairs
    mask = pairs.groups.get(group, np.ones(len(pairs.image), dtype=bool))
    winner = pairs.judge.winner[mask]
    right = {
        name: np.where(
            (winner == 0) | (tally.preferred[mask] == 0), 0.5, winner == tally.preferred[mask]
        )
        for name, tally in evidence.judged.tallies.items()
    }
    found = [mcnemar(right[a], right[b]) for a, b in combinations(evidence.judged.names, 2)]
    return pd.DataFrame(
        {
            "only_a": [each.only_a for each in found],
            "only_b": [each.only_b for each in found],
            "p_mcnemar": [each.p for each in found],
        }
    )


def difference_curves(evidence: Evidence) -> list[pd.DataFrame]:
    """The best headline metric minus each of the others, of the mean, at every count."""
    group = evidence.main_group
    if images_of(evidence, group) < 2:
        return [pd.DataFrame()]
    ranked = [name for name in evidence.ranked if name in evidence.headline]
    tallies, samples = evidence.judged.tallies, evidence.samples
    best = samples.contributions_of(tallies[ranked[0]], group)[: evidence.full]
    tables = [pd.DataFrame()]
    for name in ranked[1:]:
        difference = best - samples.contributions_of(tallies[name], group)[: evidence.full]
        band = simultaneous_band(difference, evidence.signs)
        value = difference.sum(axis=1)
        tables.append(
            pd.DataFrame(
                {
                    "metric_a": ranked[0],
                    "metric_b": name,
                    "category": group,
                    "reference_count": np.arange(1, len(value) + 1),
                    "difference": value,
                    "low": value - band.half_width,
                    "high": value + band.half_width,
                    "p_any_count": band.p,
                }
            )
        )
    return tables
