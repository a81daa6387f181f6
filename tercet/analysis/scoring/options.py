"""What decides a result besides the data."""

from argparse import ArgumentTypeError
from dataclasses import dataclass, fields, replace
from typing import Literal, get_args

import numpy as np

from tercet import metrics
from tercet.analysis.dataset.winners import MAX_STRENGTH, Winners
from tercet.analysis.stats.accuracy import HumanTies, MetricTies
from tercet.metrics import TextMetric, Tokenize
from tercet.metrics.arguments import counts
from tercet.metrics.corpora import corpus
from tercet.metrics.registry import name_of

(
    ORDERS,
    RESAMPLES,
    COINS,
    FLIPS,
    RATINGS,
    CHANCE,
    LEARNED,
    PROFILE,
    GAMING,
    CEILING,
    VARIANTS,
    STRENGTH,
    RATERS,
    HALVES,
    TIES,
    SOFT,
    WORTH,
) = range(17)
"""Purposes of chance: each draws from a stream of its own."""

Coefficient = Literal["tau_c", "tau_b", "Spearman", "Pearson"]
Documents = Literal["pool", "k", "rows", "coco-val2014"]
_Folds = Literal["images", "captions"]
Order = Literal["random", "file"]
_Tokenizer = Literal["ptb", "plain", "characters"]
CHOICES = {
    "human_ties": get_args(HumanTies),
    "metric_ties": get_args(MetricTies),
    "folds": get_args(_Folds),
    "order": get_args(Order),
    "coefficient": get_args(Coefficient),
    "documents": get_args(Documents),
    "tokenizer": get_args(_Tokenizer),
    "winners": get_args(Winners),
}


LIMITS = {
    "draws": (1, 100_000),
    "resamples": (1, 1_000_000),
    "flips": (19, 1_000_000),
    "seed": (0, 2**63 - 1),
}
_TABLE_PARTS = {"intervals", "pairs"}
"""What table.tex may have beside accuracies."""


@dataclass(frozen=True)
class Options:
    """Everything that decides a result besides the data.

    metrics and counts: names, or metrics from outside, and reference counts; all of them if empty.
    combine: formulas of further metrics, weighted sums of others (`metrics.Combination`).
    models: files of learned metrics (`metrics.read_model`).
    learn: add a metric that is trained on the winners, or ratings, of other images.
    folds: what stays together where metrics are learned from other images: each of the `images`,
    or all images that share `captions`.
    draws: how many random orders of the references are averaged; with order `file` there is one.
    documents: which references CIDEr's document frequencies count: the whole `pool`, the `k` in
    use, or those of COCO val2014.
    tokenizer: `ptb` as the caption evaluations cut words, `plain` lower-case words, or
    `characters` of scripts without spaces.
    coefficient: of a metric's scores with ratings, by which metrics are ordered and compared.
    winners: by `votes` only, or by `decisions` on single pairs where there are any.
    margin: the mean strength beyond which a candidate wins a pair; None: the majority wins.
    exclude_identical: leave out references that equal a candidate of their image; of ratings, for
    the candidate that they equal only.
    exclude_rated: leave out references that equal a rated caption of their image, for all captions
    of the image, and keep the caption.
    exclude_equal_candidates: leave out pairs of two equal candidates, on which every metric ties.
    resamples: of images, for intervals. flips: of signs, for tests.
    headline: the metrics that plots show and that are tested together; a usual choice if empty.
    rank_by: two metrics by which references are ranked and compared; the usual pairs if empty.
    systems_from: categories of the pairs by which systems are compared; MM if empty.
    table_adds: what table.tex has beyond what fits a column: `intervals`, `pairs`.
    """

    metrics: tuple[str | TextMetric, ...] = ()
    combine: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    learn: bool = False
    folds: _Folds = "images"
    counts: tuple[int, ...] = ()
    draws: int = 20
    order: Order = "random"
    seed: int = 0
    human_ties: HumanTies = "half"
    metric_ties: MetricTies = "half"
    documents: Documents = "pool"
    tokenizer: _Tokenizer = "ptb"
    coefficient: Coefficient = "tau_c"
    winners: Winners = "votes"
    margin: float | None = None
    exclude_identical: bool = False
    exclude_rated: bool = False
    exclude_equal_candidates: bool = False
    resamples: int = 10_000
    flips: int = 10_000
    headline: tuple[str, ...] = ()
    rank_by: tuple[str, ...] = ()
    systems_from: tuple[str, ...] = ()
    table_adds: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, allowed in CHOICES.items():
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} must be one of {', '.join(allowed)}.")
        for name, (least, most) in LIMITS.items():
            value = getattr(self, name)
            if not (isinstance(value, int) and least <= value <= most):
                raise ValueError(
                    f"{name} must be a whole number from {least:,} to {most:,}."
                )
        if self.documents == "coco-val2014" and self.tokenizer != "ptb":
            raise ValueError(
                "documents coco-val2014 are of ptb tokens: leave the tokenizer ptb."
            )
        if self.margin is not None and not 0 <= self.margin < MAX_STRENGTH:
            raise ValueError(f"margin must be a number from 0 to below {MAX_STRENGTH}.")
        if len(self.rank_by) not in (0, 2):
            raise ValueError("rank_by must name two metrics.")
        if self.rank_by:
            metrics.resolve(self.rank_by)
        if not set(self.table_adds) <= _TABLE_PARTS:
            raise ValueError("table_adds must be of intervals, pairs.")
        for formula in self.combine:
            metrics.Combination.read(formula)
        if any(count < 1 for count in self.counts):
            raise ValueError("A reference count must be at least 1.")

    def __repr__(self) -> str:
        """Name what differs from the defaults."""
        chosen = [
            f"{each.name}={value!r}"
            for each in fields(self)
            if (value := getattr(self, each.name)) != each.default
        ]
        return f"Options({', '.join(chosen)})"

    @property
    def named(self) -> "Options":
        """The options with metrics from outside by their names, for files and other processes."""
        return replace(self, metrics=tuple(map(name_of, self.metrics)))

    @property
    def tokenize(self) -> Tokenize:
        """What splits captions into tokens."""
        return metrics.TOKENIZERS[self.tokenizer]

    @property
    def documents_of_all(self) -> corpus.Documents:
        """Where document frequencies are counted with all references at once."""
        documents = "pool" if self.documents == "k" else self.documents
        return corpus.named_documents(documents, self.tokenize)

    def largest_count(self, available: int) -> int | Literal["all"]:
        """Return the largest reference count that is wanted and available; all of none is."""
        wanted = [count for count in self.counts if count <= available]
        return max(wanted, default="all")

    def generator(self, *purpose: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, *purpose])


def read_counts(text: str) -> tuple[int, ...]:
    """Read reference counts as they are written for the command.

    Parameters
    ----------
    text : str
        Numbers and ranges with commas between, such as `1,5` or `1-12`; empty for all counts.

    Returns
    -------
    tuple of int
        The value of `Options.counts`: ascending, each count once.

    Raises
    ------
    ValueError
        If a part is neither a number from 1 nor a range.

    Examples
    --------
    >>> read_counts("2, 5-7")
    (2, 5, 6, 7)
    """
    if not text.strip():
        return ()

    try:
        return counts(text)
    except ArgumentTypeError as error:
        raise ValueError(str(error)) from None
