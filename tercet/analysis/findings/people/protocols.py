"""The same pairs under both protocols (CIDEr paper, appendices I and III)."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tercet.analysis.evaluation.bootstrap import image_weights
from tercet.analysis.evaluation.results import Results
from tercet.analysis.figures.points import protocols_figure
from tercet.analysis.findings.finding import Content, Need, Plot, finding
from tercet.analysis.findings.first_sentence import NONE
from tercet.analysis.findings.needs import OTHER_PROTOCOL, PAIRS
from tercet.analysis.number_texts import fixed
from tercet.analysis.stats.protocols import disputes, match, protocol_agreement
from tercet.analysis.tables.rows import where
from tercet.analysis.tables.schema import ALL, Dataset
from tercet.metrics import FloatArray

_SHOWS = "Accuracy of each metric, judged by triplets and by pairwise votes"
MEANING = (
    "How often the winner by triplets (more similar to a reference) is that of direct "
    "comparison (the better description of the image), the accuracy of metrics with all "
    "references judged by either, and the pairs on which the two decide differently."
)
COLUMNS = ["protocol", "metric", "category", "pairs", "accuracy", "low", "high"]


_SHARED_PAIRS = Need(
    "The other dataset has none of these pairs: pairs match by image and both candidates.",
    lambda results: len(match(*_reference_first(results)).matched) > 0,
)


@finding(
    title="Triplet against pairwise",
    source="CIDEr paper, appendices I and III",
    meaning=MEANING,
    needs=(PAIRS, OTHER_PROTOCOL, _SHARED_PAIRS),
)
def protocols(results: Results) -> Content:
    """Tabulate the agreement of the protocols, accuracies under either, and disputed pairs."""
    by_reference, by_image = _reference_first(results)
    matching = match(by_reference, by_image)
    images = matching.matched["image"].nunique()
    weights = image_weights(results.options, images, None, 2)

    accuracies = _accuracies(results)
    shown = where(accuracies, metric=results.headline)
    agreement = protocol_agreement(matching.matched, weights)
    notes = []
    if unmatched := matching.unmatched:
        note = f"{unmatched:,} pairs are in one of the two datasets only."
        notes.append(note)

    disputed = disputes(matching.matched, by_reference)
    draw = partial(protocols_figure, shown)
    return Content(
        tables={
            "protocols": agreement,
            "protocols_accuracy": accuracies,
            "disputes": _readable(disputed),
        },
        plots={"protocols": Plot(draw, _SHOWS)},
        sentence=_sentence(agreement),
        notes=tuple(notes),
    )


def _other(results: Results) -> Dataset:
    assert results.other is not None
    return results.other


def _reference_first(results: Results) -> tuple[Dataset, Dataset]:
    """Return both datasets, that which was asked about with references first."""
    one = results.dataset
    other = _other(results)
    return (one, other) if one.asks_with_reference else (other, one)


def _accuracies(results: Results) -> pd.DataFrame:
    """Return each metric's accuracy by the winners of either, on the pairs that both decided."""
    other = _other(results)
    matched = match(results.dataset, other).matched
    winners = matched.set_index("pair_triplet")
    pairs = results.samples.pairs
    winners = winners[["winner_triplet", "winner_pairwise"]].reindex(
        pairs.table["pair"]
    )
    shared = winners.notna().all(axis=1).to_numpy()

    rows: list[dict[str, object]] = []
    for dataset, column in zip((results.dataset, other), winners, strict=True):
        winner = winners[column].to_numpy(dtype=float)
        human = replace(pairs.human, winner=winner)

        for name, tally in results.samples.tallies.items():
            credit = results.credit(tally.preferred, human)
            row = {"protocol": dataset.protocol, "metric": name}
            found = _by_group(results, credit, shared)
            rows.extend(row | accuracy for accuracy in found)
    return pd.DataFrame(rows)[COLUMNS]


def _by_group(
    results: Results, credit: FloatArray, shared: NDArray[np.bool_]
) -> Iterator[dict[str, object]]:
    """Yield the accuracy in each group over the shared pairs."""
    is_counted = shared & ~np.isnan(credit)
    counted = is_counted.astype(float)[None]
    earned = np.nan_to_num(credit) * counted

    for group in results.groups:
        sample = results.samples.of_pairs(earned, counted, group)
        estimate = sample.estimate(results.samples.resamples)
        is_shared = shared[results.samples.pairs.mask(group)]
        yield {
            "category": group,
            "pairs": int(is_shared.sum()),
            "accuracy": float(estimate.accuracy[0]),
            "low": float(estimate.low[0]),
            "high": float(estimate.high[0]),
        }


def _readable(disputed: pd.DataFrame) -> pd.DataFrame:
    """Join the references of either decision into one text each."""
    references_b = disputed["references_b"].map(" | ".join)
    references_c = disputed["references_c"].map(" | ".join)
    return disputed.assign(references_b=references_b, references_c=references_c)


def _sentence(agreement: pd.DataFrame) -> str:
    """Say on how many pairs the two protocols decide alike."""
    of_all = where(agreement, category=ALL)
    rows = of_all.dropna(subset="agreement")
    if rows.empty:
        return NONE

    [row] = rows.to_dict("records")
    share = 100 * row["agreement"]
    return f"Both protocols decide {fixed(share, 1)} % of {int(row['pairs']):,} pairs alike."
