"""The scores of every pair with all references, kept so that they can be explained later.

A folder holds them with the document frequencies behind them, each in a file of its own.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np

from tercet import metrics
from tercet.analysis.dataset.winners import NAME
from tercet.analysis.evaluation.results import Results
from tercet.metrics import Difference, Explanation, FloatArray
from tercet.metrics.core import array_file
from tercet.metrics.explain import explainable_names
from tercet.metrics.explain.explanation import Part
from tercet.metrics.explain.run import table_of
from tercet.metrics.explain.text import (
    has_kinds,
    has_references,
    in_ranges,
    long_details,
    short_details,
)
from tercet.metrics.text.tokenizers import whole_captions_said

__all__ = [
    "Difference",
    "Explanation",
    "PairScore",
    "PairScores",
    "Part",
    "has_kinds",
    "has_references",
    "in_ranges",
    "long_details",
    "short_details",
    "write_pair_scores",
]

SCORES = "pair_scores.bin"
DOCUMENTS = "documents.bin"


@dataclass(frozen=True)
class PairScore:
    """The scores of both candidates by one metric; `preferred` is B, C or tie."""

    metric: str
    b: float
    c: float
    preferred: str


@dataclass(frozen=True, eq=False)
class PairScores:
    """The scores of pairs with all references of their images.

    Attributes
    ----------
    folder : Path
        Where they are kept.
    metrics, pairs : list of str
        The metrics, and the names of the pairs.
    scores : float array (3, metrics, pairs)
        Of candidate B and of candidate C, and the side that the metric prefers.
    tokenizer : str
        That of the evaluation.
    """

    folder: Path
    metrics: list[str]
    pairs: list[str]
    scores: FloatArray
    tokenizer: str

    @classmethod
    def read(cls, folder: Path) -> Self | None:
        """Read what `write_pair_scores` wrote; None if there is nothing that can be read."""
        arrays = array_file.read(folder / SCORES)
        if arrays is None:
            return None

        written = arrays["head"].tobytes()
        head = json.loads(written)

        shape = 3, len(head["metrics"]), len(head["pairs"])

        scores = arrays["scores"].reshape(shape)
        return cls(folder, **head, scores=scores)

    def of(self, pair: str) -> list[PairScore]:
        """Return the scores of a pair by each metric; empty if it was not scored."""
        if pair not in self.pairs:
            return []

        scored = []
        number = self.pairs.index(pair)
        of_pair = self.scores[:, :, number].T.tolist()
        for name, (b, c, side) in zip(self.metrics, of_pair, strict=True):
            preferred = NAME.get(side, "")
            scored.append(PairScore(name, b, c, preferred))

        return scored

    @property
    def explainable(self) -> list[str]:
        """The metrics of Tercet itself whose scores can be explained.

        Those from outside would have to run, and may no longer be installed.
        """
        known = explainable_names()
        return [name for name in self.metrics if name in known]

    def explain(
        self, references: Sequence[str], b: str, c: str, metric: str
    ) -> Difference:
        """Explain the difference between the scores of two candidates.

        Parameters
        ----------
        references : sequence of str
            All references of the image.
        b, c : str
            The candidates.
        metric : str
            One of `explainable`.

        Returns
        -------
        Difference

        Raises
        ------
        OSError, ValueError, RuntimeError
            If something that the metric needs is missing or damaged.
        """
        documents = None
        if metrics.weighed([metric]):
            documents = metrics.read_documents(self.folder / DOCUMENTS)

        tokenize = metrics.TOKENIZERS[self.tokenizer]
        return metrics.explain_pair(
            references=references,
            b=b,
            c=c,
            metric=metric,
            tokenize=tokenize,
            documents=documents,
        )


@whole_captions_said()
def write_pair_scores(results: Results, folder: Path) -> None:
    """Write the scores of all pairs, and the document frequencies behind them.

    Parameters
    ----------
    results : Results
        Of an evaluation whose document frequencies count all references, or are a table. If it
        scored no pairs, nothing is written.
    folder : Path
        An existing folder.
    """
    if results.pair_samples is None:
        return

    options = results.options
    scored = results.samples
    captions = scored.pairs.captions
    tokenize = options.tokenize
    documents = options.documents_of_all
    most = int(captions.reference_counts.max())
    table = table_of(captions, tokenize, documents, stems=True, references=most)
    table.write(folder / DOCUMENTS)

    head = {
        "metrics": scored.names,
        "pairs": scored.pairs.table["pair"].tolist(),
        "tokenizer": options.tokenizer,
    }
    tallies = scored.tallies.values()
    signs = [scored.sources.selection.sign_of(name) for name in scored.tallies]
    shown = np.array(signs)[:, None]
    scores = np.array(
        [
            shown * [tally.score_b for tally in tallies],
            shown * [tally.score_c for tally in tallies],
            [tally.preferred for tally in tallies],
        ]
    )
    written = json.dumps(head).encode()
    arrays = {"head": np.frombuffer(written, np.uint8), "scores": scores.ravel()}
    array_file.write(folder / SCORES, arrays)
