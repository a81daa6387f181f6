"""Agreement among people, and accuracy on clear and on contested pairs."""

from dataclasses import asdict, replace
from functools import partial

import numpy as np
import pandas as pd

from analysis.evaluation.evidence import Evidence
from analysis.figures.curves import reliability_figure
from analysis.figures.points import strata_figure
from analysis.findings.finding import Finding
from analysis.stats.annotator_agreement import (
    Measure,
    agreement,
    annotators,
    margin,
    mean_and_interval,
    one_against_others,
    reliability,
    strata,
)

NO_MAJORITY = "The votes of every pair are evenly split: there is no majority to be found again."
UNNAMED = "No vote names an annotator whom others can be held against."
NO_VOTES = "There are no single votes: the winners were published."


def people(evidence: Evidence) -> Finding:
    """How far annotators agree, what more votes would bring, and where metrics fail."""
    found = Finding(
        "people",
        "People",
        "Beside the CIDEr paper: Fleiss, 1971; Krippendorff, 2004; Shrout and Fleiss, 1979",
        "How far the votes on a pair agree (and those on one triplet, where it has several): raw, "
        "beyond chance (kappa, alpha), and as a share of variance (ICC); how often the majority of "
        "n of a pair's votes is the majority of all; "
        "and the accuracy of metrics on pairs that people find clear and on contested ones.",
    )
    counts, image = evidence.votes, evidence.judged.pairs.image
    if not counts.sum():
        return found.without(NO_VOTES)
    measures = [
        *agreement(counts, image, evidence.weights),
        one_against_others(counts, image, evidence.weights),
        *within_triplets(evidence),
    ]
    reliable = reliability(counts, image, evidence.weights, sizes(int(counts.sum(axis=1).max())))
    clear, bounds = by_margin(evidence)
    shown = clear[clear["metric"].isin(evidence.headline)]
    named = annotators(evidence.dataset.valid_votes)
    return found.having(
        tables={
            "people": pd.DataFrame(map(asdict, measures)),
            "reliability": reliable,
            "margins": clear,
            **({"annotators": named} if len(named) else {}),
        },
        plots=({"reliability": partial(reliability_figure, reliable)} if len(reliable) else {})
        | ({"margins": partial(strata_figure, shown)} if len(shown) else {}),
        notes=(
            *(f"{name}: {words}." for name, words in bounds.items()),
            *([] if len(reliable) else [NO_MAJORITY]),
            *([] if len(named) else [UNNAMED]),
        ),
    )


def within_triplets(evidence: Evidence) -> list[Measure]:
    """The agreement of votes on one triplet, which its reference has no part in."""
    counts, pair = evidence.votes_by_triplet
    if counts.sum(axis=1).max() < 2 or evidence.dataset.protocol == "pairwise":
        return []
    found = agreement(counts, evidence.judged.pairs.image[pair], evidence.weights)
    return [replace(each, name=f"{each.name}, within triplets") for each in found]


def sizes(most: int) -> list[int]:
    """Odd numbers of votes, fewer where there are many."""
    return [n for n in (*range(1, 16, 2), 21, 31, 47, 63, 101) if n <= most]


def by_margin(evidence: Evidence) -> tuple[pd.DataFrame, dict[str, str]]:
    """The accuracy of each metric with all references on contested and on clear pairs."""
    pairs = evidence.judged.pairs
    found = strata(margin(evidence.votes))
    rows = []
    for stratum in found.bounds:
        for name, tally in evidence.judged.tallies.items():
            earned = np.where(found.stratum == stratum, evidence.credit(tally.preferred), np.nan)
            value = mean_and_interval(earned[:, None], pairs.image, evidence.weights)
            figures = dict(zip(("accuracy", "low", "high"), np.ravel(value), strict=True))
            pairs_counted = int((~np.isnan(earned)).sum())
            rows.append({"stratum": stratum, "metric": name, "pairs": pairs_counted} | figures)
    return pd.DataFrame(rows), found.bounds
