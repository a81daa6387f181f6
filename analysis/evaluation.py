"""From a dataset to a result: winners, accuracies, and all that made them."""

from dataclasses import asdict, dataclass
from importlib.metadata import version

import numpy as np
import pandas as pd

from analysis.accuracy import Resamples
from analysis.curves import accuracy_table, check_counts
from analysis.dataset import SIMULATED, Dataset
from analysis.judged import Judged, gather, judge
from analysis.options import RESAMPLES, Options
from analysis.progress import Progress, part, silent
from analysis.samples import Samples
from analysis.winners import UNFINISHED, pair_winners, triplet_winners

VERSION = "0.1.0"
PACKAGES = ("numpy", "scipy", "pandas", "matplotlib", "numba", "pycocoevalcap")


class NothingToEvaluate(ValueError):
    """The dataset holds no pair with a winner and a reference, so no accuracy exists."""


@dataclass(frozen=True)
class Evaluation:
    """A result: tables, and all that made them.

    accuracy: one row a metric, category and reference count (`analysis.curves`).
    winners, triplets: the human decisions (`analysis.winners`).
    provenance: dataset and digest, options, what was left out, versions.
    """

    accuracy: pd.DataFrame
    winners: pd.DataFrame
    triplets: pd.DataFrame
    provenance: dict[str, object]


def evaluate(
    dataset: Dataset, options: Options | None = None, progress: Progress = silent
) -> Evaluation:
    """Judge the metrics by the dataset's winners; raises NothingToEvaluate without any."""
    options = options or Options()
    winners = pair_winners(dataset)
    references = dataset.references
    identical = identical_references(references, dataset.pairs)
    if options.exclude_identical:
        references = references[~identical]
    decided = winners["winner"] != ""
    if not decided.any():
        raise NothingToEvaluate("No pair has a winner yet: there are no votes to judge metrics by.")
    asked = decided & winners["image"].isin(references["image"])
    if not asked.any():
        raise NothingToEvaluate("All references equal candidates: nothing is left to compare with.")
    pairs = gather(dataset, winners[asked], references, options)
    check_counts(pairs, options)
    judged = judge(pairs, options, part(progress, 0, 0.8))
    samples = Samples(judged, resamples(judged, options))
    left_out = {
        "pairs": int(asked.sum()),
        "pairs_left_out": int((~asked).sum()),
        "pairs_unfinished": int((winners["state"] == UNFINISHED).sum()),
        "identical_references": int(identical.sum()),
    }
    accuracy = accuracy_table(samples, options)
    progress(1.0, "Judged")
    return Evaluation(
        accuracy=accuracy,
        winners=winners,
        triplets=triplet_winners(dataset),
        provenance=provenance(dataset, options) | left_out,
    )


def resamples(judged: Judged, options: Options) -> Resamples:
    """The resamples of images and of draws that every figure shares."""
    images = int(judged.pairs.image.max()) + 1
    return Resamples.make(options.resamples, images, judged.draws, options.generator(RESAMPLES))


def identical_references(references: pd.DataFrame, pairs: pd.DataFrame) -> pd.Series:
    """Which references equal a candidate of a pair of their image."""
    keys = pd.MultiIndex.from_frame(references[["image", "caption"]])
    found = np.zeros(len(references), dtype=bool)
    for side in ("candidate_b", "candidate_c"):
        found |= keys.isin(pd.MultiIndex.from_frame(pairs[["image", side]]))
    return pd.Series(found, index=references.index)


def provenance(dataset: Dataset, options: Options) -> dict[str, object]:
    votes = dataset.valid_votes
    return {
        "dataset": dataset.info.get("title", ""),
        "sha256": dataset.sha256,
        "protocol": dataset.protocol,
        "votes": len(votes),
        "simulated_votes": int(votes["annotator"].str.startswith(SIMULATED).sum()),
        "options": asdict(options),
        "interval": "95 % percentile bootstrap over images and over draws",
        "versions": {"tercet": VERSION} | {name: version(name) for name in PACKAGES},
    }
