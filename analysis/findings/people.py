"""Agreement among people, and accuracy on clear and on contested pairs."""

from dataclasses import asdict
from functools import partial

import numpy as np
import pandas as pd

from analysis.accuracy import percentiles
from analysis.charts import reliability_figure, strata_figure
from analysis.evidence import Evidence
from analysis.findings.finding import Finding
from analysis.people import agreement, annotators, margin, one_against_others, reliability, strata

NO_MAJORITY = "The votes of every pair are evenly split: there is no majority to be found again."
UNNAMED = "No vote names an annotator whom others can be held against."
NO_VOTES = "There are no single votes: the winners were published."


def people(evidence: Evidence) -> Finding:
    """How far annotators agree, what more votes would bring, and where metrics fail."""
    found = Finding(
        "people",
        "People",
        "Beside the CIDEr paper: Fleiss, 1971; Krippendorff, 2004; Shrout and Fleiss, 1979",
        "How far the votes on a pair agree: raw, beyond chance (kappa, alpha), and as a share of "
        "variance (ICC); how often the majority of n of a pair's votes is the majority of all; "
        "and the accuracy of metrics on pairs that people find clear and on contested ones.",
    )
    counts, image = evidence.votes, evidence.judged.pairs.image
    if not counts.sum():
        return found.without(NO_VOTES)
    measures = [
        *agreement(counts, image, evidence.weights),
        one_against_others(counts, image, evidence.weights),
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


def sizes(most: int) -> list[int]:
    """Odd numbers of votes, fewer where there are many."""
    return [n for n in (*range(1, 16, 2), 21, 31, 47, 63, 101) if n <= most]


def by_margin(evidence: Evidence) -> tuple[pd.DataFrame, dict[str, str]]:
    """The accuracy of each metric with all references on contested and on clear pairs."""
    pairs = evidence.judged.pairs
    found = strata(margin(evidence.votes))
    rows = []
    for stratum in found.bounds:
        mask = (found.stratum == stratum) & ~np.isnan(pairs.judge.winner)
        for name, tally in evidence.judged.tallies.items():
            earned = evidence.credit(tally.preferred)[mask]
            rows.append({"stratum": stratum, "metric": name, **interval(evidence, earned, mask)})
    return pd.DataFrame(rows), found.bounds


def interval(evidence: Evidence, earned: np.ndarray, mask: np.ndarray) -> dict[str, float]:
    """pairs, accuracy, low, high of credit (pairs,)."""
    image, images = evidence.judged.pairs.image[mask], evidence.weights.shape[1]
    total = np.bincount(image, weights=earned, minlength=images)
    held = np.bincount(image, minlength=images).astype(float)
    with np.errstate(invalid="ignore"):
        resampled = (evidence.weights @ total) / (evidence.weights @ held)
    low, high = percentiles(resampled[:, None])
    alone = np.count_nonzero(held) < 2
    return {
        "pairs": len(earned),
        "accuracy": float(earned.mean()) if len(earned) else np.nan,
        "low": np.nan if alone else float(low[0]),
        "high": np.nan if alone else float(high[0]),
    }
