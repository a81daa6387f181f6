"""From a dataset to a result: winners, accuracies, and all that made them."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version

import numpy as np
import pandas as pd

import metrics
from analysis.dataset.schema import SIMULATED, Dataset
from analysis.dataset.winners import UNFINISHED, pair_winners, triplet_winners
from analysis.evaluation.bootstrap import Samples
from analysis.evaluation.curves import accuracy_table, at_counts, check_counts
from analysis.evaluation.evidence import Evidence
from analysis.evaluation.judged import Judged, gather, judge
from analysis.evaluation.options import RESAMPLES, Options
from analysis.findings import FINDINGS, find
from analysis.findings.finding import Finding
from analysis.findings.ratings import ratings
from analysis.progress import Progress, part, silent
from analysis.stats.accuracy import Resamples

VERSION = metrics.__version__
PACKAGES = ("numpy", "scipy", "pandas", "matplotlib", "numba", "PyStemmer", "pycocoevalcap")


class NothingToEvaluate(ValueError):
    """The dataset holds no pair with a winner and a reference, so no accuracy exists."""


@dataclass(frozen=True)
class Evaluation:
    """A result: the evidence that findings are drawn from, and all that made it.

    provenance: dataset and digest, options, what was left out, versions.
    """

    evidence: Evidence
    provenance: dict[str, object]

    @property
    def accuracy(self) -> pd.DataFrame:
        """One row a metric, category and wanted reference count (`analysis.evaluation.curves`)."""
        return at_counts(self.evidence.accuracy, self.evidence.options.counts)

    @property
    def winners(self) -> pd.DataFrame:
        """The human decision on each pair (`analysis.dataset.winners`)."""
        return self.evidence.winners

    @property
    def triplets(self) -> pd.DataFrame:
        """The human decision on each triplet (`analysis.dataset.winners`)."""
        return self.evidence.triplets

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The human decisions, by name."""
        return {"winners": self.winners, "triplets": self.triplets}

    def findings(self, names: Sequence[str], progress: Progress) -> list[Finding]:
        """Those of these names, or all."""
        return list(find(self.evidence, names, progress))

    def find(self, name: str) -> Finding:
        """One finding, such as `systems`: a name of `analysis.findings.FINDINGS`."""
        return FINDINGS[name](self.evidence)


@dataclass(frozen=True)
class RatingsEvaluation:
    """The result of a dataset that has ratings and no pairs."""

    dataset: Dataset
    options: Options
    provenance: dict[str, object]
    tables: dict[str, pd.DataFrame] = field(default_factory=dict)

    def findings(self, names: Sequence[str], progress: Progress) -> list[Finding]:
        """The one finding that there is, whatever the names."""
        return [ratings(self.dataset, self.options, progress)]

    def find(self, name: str) -> Finding:
        """The finding `ratings`."""
        return {"ratings": ratings}[name](self.dataset, self.options)


def evaluate_ratings(dataset: Dataset, options: Options | None = None) -> RatingsEvaluation:
    """Hold the metrics against a dataset's ratings."""
    options = options or Options()
    made = provenance(dataset, options) | {"protocol": "ratings", "ratings": len(dataset.ratings)}
    return RatingsEvaluation(dataset, options, made)


def evaluate(
    dataset: Dataset,
    options: Options | None = None,
    progress: Progress = silent,
    other: Dataset | None = None,
) -> Evaluation:
    """Judge the metrics by the dataset's winners; raises NothingToEvaluate without any.

    other: the same pairs under the other protocol, to compare the two.
    """
    options = options or Options()
    winners = pair_winners(dataset)
    references = dataset.references
    identical = identical_references(references, dataset.pairs)
    if options.exclude_identical:
        references = references[~identical]
    asked = askable(winners, references)
    pairs = gather(dataset, winners[asked], references, options)
    check_counts(pairs, options)
    judged = judge(pairs, options, part(progress, 0, 0.7))
    samples = Samples(judged, resamples(judged, options))
    progress(0.7, "Resampling images")
    evidence = Evidence(
        dataset=dataset,
        references=references,
        options=options,
        samples=samples,
        accuracy=accuracy_table(samples),
        winners=winners,
        triplets=triplet_winners(dataset),
        other=other,
    )
    left_out = {
        "pairs": int(asked.sum()),
        "pairs_left_out": int((~asked).sum()),
        "pairs_unfinished": int((winners["state"] == UNFINISHED).sum()),
        "identical_references": int(identical.sum()),
    }
    against = {"against_sha256": other.sha256} if other else {}
    progress(1.0, "Judged")
    return Evaluation(evidence, provenance(dataset, options) | left_out | against)


def askable(winners: pd.DataFrame, references: pd.DataFrame) -> "pd.Series[bool]":
    """Which pairs have a winner and a reference; NothingToEvaluate if none has."""
    decided = winners["winner"] != ""
    if not decided.any():
        raise NothingToEvaluate("No pair has a winner yet: there are no votes to judge metrics by.")
    asked = decided & winners["image"].isin(references["image"])
    if not asked.any():
        raise NothingToEvaluate("All references equal candidates: nothing is left to compare with.")
    return asked


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
