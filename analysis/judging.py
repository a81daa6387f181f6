"""Every pair judged by every metric: the heavy work, some images at a time.

Captions are tokenized once and each candidate is compared with each reference once; the
comparisons are then accumulated for every reference count and every order of the references.
The parts are the same however many processors there are, and so are the results, to the bit.

Arrays: P pairs, K reference counts, R draws (orders of the references), C cells. A cell holds the
pairs of one image and one category: nothing that is resampled is finer than that.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Self, TypeAlias

import numpy as np

import metrics
from analysis.accuracy import Credit, Judge, preference
from analysis.options import COINS, ORDERS, Options
from analysis.progress import Progress, silent
from metrics import FloatArray, Given, IntArray

TOKENIZERS: dict[str, metrics.Tokenize] = {"ptb": metrics.ptb, "plain": metrics.plain}
SUMS = ("scored", "human_ties", "metric_ties", "voted", "votes", "ceiling")
"""Pairs with a score, those of them that people or the metric tie on, those with votes; the share
of their votes for the metric's preference, and the most that it could be."""
Both: TypeAlias = tuple[FloatArray, FloatArray]
PEOPLE = "people"
"""Whose credit stands beside that of the metrics where people are judged by other people."""


@dataclass(frozen=True)
class Work:
    """Some images with their pairs: all that a worker needs.

    captions: references and candidates. b, c (P,): the candidates of each pair, by their place.
    judge: the human decisions. sides (P, K): the winner of the triplet with each reference, in
    the order of the file; NaN without one. cell (P,): the pair's cell, ascending from 0. groups
    (groups, P): 1 where the pair is in the group, else 0. scores: of metrics computed elsewhere,
    for b and for c, (P, K) each. first_reference: how many references stand before those of this
    part, of `references` in all. documents: CIDEr's document frequencies.
    """

    captions: Given
    b: IntArray
    c: IntArray
    judge: Judge
    sides: FloatArray
    cell: IntArray
    groups: FloatArray
    scores: Mapping[str, Both]
    first_reference: int
    references: int
    documents: metrics.Documents

    @property
    def reference_counts(self) -> IntArray:
        """How many references (P,) each pair's image has."""
        return self.captions.reference_counts[self.captions.candidate_image[self.b]]


@dataclass(frozen=True)
class Tally:
    """What one metric earned, summed over draws.

    earned, counted (K, C): as in `Credit`. unseen_earned, unseen_counted (K, C): likewise, judged
    by the triplets whose references the metric was not given. sums: of `SUMS`, by group,
    (fields, groups, K). draws: earned and counted of each draw, (R, 2, groups, K).
    preferred, score_b, score_c (P,): with all references.
    """

    earned: FloatArray
    counted: FloatArray
    unseen_earned: FloatArray
    unseen_counted: FloatArray
    sums: FloatArray
    draws: FloatArray
    preferred: FloatArray
    score_b: FloatArray
    score_c: FloatArray

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """The tally of all parts, in their order."""

        def together(name: str) -> FloatArray:
            arrays = [getattr(part, name) for part in parts]
            if name not in ("sums", "draws"):
                return np.concatenate(arrays, axis=-1)
            summed: FloatArray = np.sum(arrays, axis=0)
            return summed

        return cls(**{each.name: together(each.name) for each in fields(cls)})


class Counter:
    """The credit of one metric on one part, added up draw by draw."""

    def __init__(self, work: Work, generator: np.random.Generator) -> None:
        self.work = work
        self.generator = generator
        self.seen = Credit.zero(work.sides.T.shape)
        self.unseen = Credit.zero(work.sides.T.shape)
        self.draws: list[FloatArray] = []

    def add(self, preferred: FloatArray, others: Judge) -> None:
        """The preferences (P, K) of one draw, judged by all triplets, and by the others."""
        credit = self.work.judge.credit(preferred, self.generator)
        self.seen += credit
        self.draws.append(self.by_group(np.stack([credit.earned, credit.counted])))
        self.unseen += others.credit(preferred, self.generator)

    def by_group(self, values: FloatArray) -> FloatArray:
        """Sums over pairs: (fields, K, P) to (fields, groups, K)."""
        return np.swapaxes(values @ self.work.groups.T, 1, 2)

    def by_cell(self, values: FloatArray) -> FloatArray:
        """Sums over pairs: (K, P) to (K, C)."""
        starts = np.flatnonzero(np.diff(self.work.cell, prepend=-1))
        return np.add.reduceat(values, starts, axis=1)

    def tally(self, score_b: FloatArray, score_c: FloatArray) -> Tally:
        """The sums, with the scores (P, K) of the last draw."""
        last = (np.arange(len(score_b)), self.work.reference_counts - 1)
        return Tally(
            earned=self.by_cell(self.seen.earned),
            counted=self.by_cell(self.seen.counted),
            unseen_earned=self.by_cell(self.unseen.earned),
            unseen_counted=self.by_cell(self.unseen.counted),
            sums=self.by_group(np.stack(list(self.summed()))),
            draws=np.array(self.draws),
            preferred=preference(score_b, score_c)[last],
            score_b=score_b[last],
            score_c=score_c[last],
        )

    def summed(self) -> Iterator[FloatArray]:
        """What is summed up by group, (K, P) each, in the order of `SUMS`."""
        judge, scored = self.work.judge, self.seen.scored
        voted = scored * ~np.isnan(judge.vote_share)
        yield scored
        yield scored * (judge.winner == 0)
        yield self.seen.tied
        yield voted
        yield self.seen.votes
        yield voted * np.nan_to_num(np.fmax(judge.vote_share, 1 - judge.vote_share))


def judge_part(work: Work, options: Options, progress: Progress = silent) -> dict[str, Tally]:
    """The tally of every metric, and of `PEOPLE`, on a part."""
    progress(0.0, "Comparing candidates with references")
    corpus = metrics.gather(work.captions, TOKENIZERS[options.tokenizer], work.documents)
    compared = metrics.compare(corpus, built_in(options.metrics, work.scores))
    names = wanted(options.metrics, work.scores)
    counters = {
        name: Counter(work, options.generator(COINS, work.first_reference))
        for name in (*names, PEOPLE)
    }
    scores: dict[str, Both] = {}
    for draw, order in enumerate(orders(corpus, work, options)):
        progress(0.3 + 0.7 * draw / options.draws, f"Order {draw + 1} of {options.draws}")
        shown, others = parted(corpus, work, order)
        scores = shown_scores(compared.accumulate(order), work) | {PEOPLE: (shown, -shown)}
        for name, counter in counters.items():
            counter.add(preference(*scores[name]), others)
    return {name: counter.tally(*scores[name]) for name, counter in counters.items()}


def built_in(names: Sequence[str], scores: Collection[str]) -> tuple[str, ...]:
    """Those of the wanted metrics that are computed here; all of them where none is named."""
    return tuple(name for name in names or metrics.names() if name not in scores)


def wanted(names: Sequence[str], scores: Collection[str]) -> tuple[str, ...]:
    """The wanted metrics; without names all that are computed here, then all others."""
    return tuple(names) or (*built_in(names, scores), *scores)


def shown_scores(scores: Mapping[str, FloatArray], work: Work) -> dict[str, Both]:
    """The scores of b and c by metric, (P, K) each, with those computed elsewhere."""
    counts = work.sides.shape[1]
    ours = {
        name: (widened(table[work.b], counts), widened(table[work.c], counts))
        for name, table in scores.items()
    }
    return ours | dict(work.scores)


def orders(corpus: metrics.Corpus, work: Work, options: Options) -> Iterator[IntArray]:
    """The orders of references that are averaged, the same for every metric.

    All parts read one stream of random numbers, each its own stretch of it: so the orders are
    those of all references shuffled at once.
    """
    if options.order == "file":
        yield metrics.file_order(corpus)
        return
    for draw in range(options.draws):
        stream = np.random.PCG64(np.random.SeedSequence([options.seed, ORDERS]))
        stream.advance(draw * work.references + work.first_reference)
        yield metrics.random_order(corpus, np.random.Generator(stream))


def parted(corpus: metrics.Corpus, work: Work, order: IntArray) -> tuple[FloatArray, Judge]:
    """The majority of the triplets of the first k references (P, K), and that of the others."""
    placed = np.empty(work.sides.shape)
    np.put_along_axis(placed, places(corpus, work, order), work.sides, axis=1)
    won = np.nancumsum(placed, axis=1)
    held = np.cumsum(~np.isnan(placed), axis=1)
    shown = np.where(held > 0, np.sign(won), np.nan)
    others = np.where(held < held[:, -1:], np.sign(won[:, -1:] - won), np.nan)
    return shown, replace(work.judge, winner=others)


def places(corpus: metrics.Corpus, work: Work, order: IntArray) -> IntArray:
    """The place in the order of each pair's references, (P, K); further columns stay in theirs."""
    starts, sizes = (
        each[work.b, None] for each in (corpus.comparison_starts, corpus.reference_counts)
    )
    columns = np.arange(work.sides.shape[1])
    numbers = starts + np.minimum(columns, sizes - 1)
    return np.where(columns < sizes, order[numbers], columns)


def widened(table: FloatArray, counts: int) -> FloatArray:
    """Scores (candidates, K) for exactly so many reference counts, NaN where there are none."""
    missing = np.full((len(table), max(counts - table.shape[1], 0)), np.nan)
    return np.hstack([table[:, :counts], missing])
