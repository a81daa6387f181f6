"""Where the scores of pairs come from: built in, supplied in a file, composed of others, learned.

Built-in metrics are computed from captions, batch by batch. Every other source turns the scores
that are known so far into scores of its own; what comes later may use them.

Arrays: P pairs, K reference counts. Scores of both sides are two arrays, of B and of C.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol, Self, TypeAlias

import numpy as np

from tercet.analysis.scoring.learned import (
    WINNER_MODEL,
    WinnerModel,
    learn_winners,
    training_count,
)
from tercet.analysis.scoring.options import Options
from tercet.analysis.scoring.pairs import Pairs, ScoresOfBoth
from tercet.analysis.scoring.selection import score_captions, to_score
from tercet.analysis.scoring.tallies import ALL_REFERENCES, column_of
from tercet.metrics import FloatArray, IntArray
from tercet.metrics.selection import Selection

Known: TypeAlias = dict[str, FloatArray]
"""The scores of one side (P, K), or with a single reference count (P,), by metric."""


class Source(Protocol):
    """Something that scores the candidates of pairs."""

    def of(self, rows: slice) -> Self:
        """Return the source for some pairs."""
        ...

    def score(self, known: Known, side: int) -> Mapping[str, FloatArray]:
        """Return scores (P, K) of B (side 0) or C (side 1), from those that are known."""
        ...


@dataclass(frozen=True)
class _Supplied:
    """The scores of `scores.csv`; NaN where the image has fewer references.

    Attributes
    ----------
    scores : mapping from metric to a pair of float arrays (P, K)
    reference_counts : int array (P,)
        How many references each pair's image has.
    """

    scores: Mapping[str, ScoresOfBoth]
    reference_counts: IntArray

    def of(self, rows: slice) -> Self:
        scores = {name: (b[rows], c[rows]) for name, (b, c) in self.scores.items()}
        return replace(
            self, scores=scores, reference_counts=self.reference_counts[rows]
        )

    def score(self, known: Known, side: int) -> Mapping[str, FloatArray]:
        scores = {}
        for name, both in self.scores.items():
            columns = np.arange(1, both[side].shape[1] + 1)
            has_count = columns <= self.reference_counts[:, None]
            scores[name] = np.where(has_count, both[side], np.nan)

        return scores


@dataclass(frozen=True)
class _Composed:
    """Combinations and models, made of the scores of other metrics."""

    selection: Selection

    def of(self, rows: slice) -> Self:
        return self

    def score(self, known: Known, side: int) -> Mapping[str, FloatArray]:
        return self.selection.complete(known)


@dataclass(frozen=True)
class _Learned:
    """The metric that was trained on the winners of other images."""

    model: WinnerModel

    def of(self, rows: slice) -> Self:
        return replace(self, model=self.model.of(rows))

    def score(self, known: Known, side: int) -> Mapping[str, FloatArray]:
        return {WINNER_MODEL: self.model.score(known)}


@dataclass(frozen=True)
class Sources:
    """Everything that scores pairs.

    Attributes
    ----------
    selection : Selection
        The metrics that were asked for; those of them that are built in are computed first.
    names : tuple of str
        All metrics, in the order of the tables.
    further : tuple of Source
        What turns known scores into others, in this order.
    """

    selection: Selection
    names: tuple[str, ...]
    further: tuple[Source, ...]

    def of(self, rows: slice) -> "Sources":
        """Return the sources for some pairs."""
        return replace(self, further=tuple(each.of(rows) for each in self.further))

    def complete(self, built_in: Known, side: int) -> Known:
        """Return the scores of one side by all metrics, from those by built-in ones."""
        known = dict(built_in)
        for source in self.further:
            known |= source.score(known, side)

        return {name: known[name] for name in self.names}


def collect_sources(pairs: Pairs, options: Options) -> Sources:
    """Find what scores pairs; fit combinations, and train the learned metric, before anything else.

    Parameters
    ----------
    pairs : Pairs
        The pairs that have a winner.
    options : Options
        Names, combinations, models, and whether to learn.

    Raises
    ------
    ValueError
        If a metric is unknown, or there is too little to learn from.
    """
    selection = _fitted(to_score(options, pairs.scores), pairs, options)
    names = selection.names
    further: tuple[Source, ...] = (
        _Supplied(pairs.scores, pairs.reference_counts),
        _Composed(selection),
    )

    if options.learn:
        count = training_count(pairs, options)
        b, c = scores_of_both(selection, pairs, options, count)
        further = (*further, _Learned(learn_winners(b, c, pairs, options)))
        names = (*names, WINNER_MODEL)

    return Sources(selection, names, further)


def _fitted(selection: Selection, pairs: Pairs, options: Options) -> Selection:
    """Fit combinations to the scores of all candidates with all references."""
    if not selection.standardized:
        return selection

    names = [name for name in selection.standardized if name not in pairs.scores]
    scores = score_captions(pairs.captions, names, options)

    for name, both in pairs.scores.items():
        b, c = with_all_references(both, pairs.reference_counts)
        scores[name] = np.full(len(pairs.captions.candidates), np.nan)
        scores[name][pairs.b] = b[:, -1]
        scores[name][pairs.c] = c[:, -1]

    return selection.fitted(scores)


def scores_of_both(
    selection: Selection, pairs: Pairs, options: Options, count: int | None
) -> tuple[Known, Known]:
    """Score the candidates of pairs with the first references of the file.

    Parameters
    ----------
    selection : Selection
    pairs : Pairs
    options : Options
        Tokenizer and documents.
    count : int or None
        How many references, which every pair must have; None for all of them.

    Returns
    -------
    tuple of dict from metric to float array (P,)
        The scores of B, and those of C.
    """
    scores = score_captions(pairs.captions, selection.built_in, options, count=count)
    sides = [
        {name: each[number] for name, each in scores.items()}
        for number in (pairs.b, pairs.c)
    ]

    for name, both in pairs.scores.items():
        full = with_all_references(both, pairs.reference_counts)
        for side, each in zip(sides, full, strict=True):
            side[name] = each[:, column_of(count or ALL_REFERENCES)]

    b, c = map(selection.complete, sides)
    return b, c


def with_all_references(
    scores: ScoresOfBoth, reference_counts: IntArray
) -> ScoresOfBoth:
    """Add a last column to scores (P, K): those with all references, `reference_counts` (P,)."""
    b, c = scores
    last = np.arange(len(b)), reference_counts - 1
    return np.column_stack([b, b[last]]), np.column_stack([c, c[last]])
