"""The same pairs under both protocols (CIDEr paper, appendices I and III)."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.dataset.schema import Dataset
from analysis.evaluation.evidence import Evidence
from analysis.evaluation.judging import Tally
from analysis.evaluation.options import RESAMPLES
from analysis.figures.points import protocols_figure
from analysis.findings.finding import Finding
from analysis.stats.accuracy import Resamples
from analysis.stats.protocols import disputes, match, protocol_agreement
from metrics import FloatArray

NO_OTHER = "There is no study of the same pairs under the other protocol to compare with."
SAME = "Both datasets are of the protocol {}: there is no other protocol to compare with."
NO_MATCH = "The other dataset has none of these pairs: pairs match by image and both candidates."


def protocols(evidence: Evidence) -> Finding:
    """Agreement of the protocols, the accuracy of metrics under either, and the disputed pairs."""
    found = Finding(
        "protocols",
        "Triplet against pairwise",
        "CIDEr paper, appendices I and III",
        "How often the winner by triplets (more similar to a reference) is that of direct "
        "comparison (the better description of the image), the accuracy of metrics with all "
        "references judged by either, and the pairs on which the two decide differently.",
    )
    if evidence.other is None:
        return found.without(NO_OTHER)
    if evidence.other.protocol == evidence.dataset.protocol:
        return found.without(SAME.format(evidence.dataset.protocol))
    triplet, pairwise = in_order(evidence.dataset, evidence.other)
    matching = match(triplet, pairwise)
    matched = matching.matched
    if matched.empty:
        return found.without(NO_MATCH)
    generator = evidence.options.generator(RESAMPLES, 2)
    images = matched["image"].nunique()
    weights = Resamples.make(evidence.options.resamples, images, 1, generator).images
    accuracies = both_accuracies(evidence, evidence.other)
    shown = accuracies[accuracies["metric"].isin(evidence.headline)]
    left = len(matching.unmatched)
    return found.having(
        tables={
            "protocols": protocol_agreement(matched, weights),
            "protocols_accuracy": accuracies,
            "disputes": readable(disputes(matched, triplet)),
        },
        plots={"protocols": partial(protocols_figure, shown)},
        notes=(f"{left:,} pairs are in one of the two datasets only.",) if left else (),
    )


def in_order(one: Dataset, other: Dataset) -> tuple[Dataset, Dataset]:
    """The dataset of triplets first."""
    return (other, one) if one.protocol == "pairwise" else (one, other)


def both_accuracies(evidence: Evidence, other: Dataset) -> pd.DataFrame:
    """Each metric's accuracy by the winners of either protocol, on the pairs that both decided."""
    pairs = evidence.judged.pairs
    matched = match(evidence.dataset, other).matched.set_index("pair_triplet")
    winners = matched[["winner_triplet", "winner_pairwise"]].reindex(pairs.table["pair"])
    shared = winners.notna().all(axis=1).to_numpy()
    return pd.DataFrame(
        row | {"protocol": dataset.protocol, "metric": name}
        for dataset, column in ((evidence.dataset, "winner_triplet"), (other, "winner_pairwise"))
        for name, tally in evidence.judged.tallies.items()
        for row in accuracies(evidence, credit_by(evidence, winners[column], tally), shared)
    )[["protocol", "metric", "category", "pairs", "accuracy", "low", "high"]]


def credit_by(evidence: Evidence, winner: pd.Series, tally: Tally) -> FloatArray:
    """A metric's credit (P,) by the winners of one of the protocols."""
    judge = replace(evidence.judged.pairs.judge, winner=winner.to_numpy(dtype=float))
    return evidence.credit(tally.preferred, judge)


def accuracies(
    evidence: Evidence, credit: FloatArray, shared: NDArray[np.bool_]
) -> Iterator[dict[str, object]]:
    """The accuracy in each group over the shared pairs."""
    counted = (shared & ~np.isnan(credit)).astype(float)[None]
    for group in evidence.groups:
        sample = evidence.sample_of_pairs(np.nan_to_num(credit) * counted, counted, group)
        columns = sample.estimate(evidence.samples.resamples).columns
        mask = evidence.judged.pairs.groups.get(group, np.ones(len(shared), dtype=bool))
        row = {name: float(columns[name][0]) for name in ("accuracy", "low", "high")}
        yield {"category": group, "pairs": int(shared[mask].sum())} | row


def readable(disputed: pd.DataFrame) -> pd.DataFrame:
    """The references of either decision as one text each."""
    sides = {name: disputed[name].map(" | ".join) for name in ("references_b", "references_c")}
    return disputed.assign(**sides)
