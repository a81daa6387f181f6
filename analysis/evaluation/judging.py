"""Every pair judged by every metric: the heavy work, some images at a time.

Captions are tokenized once and each candidate is compared with each reference once; the
comparisons are then accumulated for every reference count and every order of the references.
The parts are the same however many processors there are, and so are the results, to the bit.

Arrays: P pairs, K reference counts, R draws (orders of the references), C cells. A cell holds the
pairs of one image and one category: nothing that is resampled is finer than that.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

import metrics
from analysis.dataset.schema import PEOPLE
from analysis.evaluation.options import COINS, ORDERS, Options
from analysis.progress import Progress, silent
from analysis.stats.accuracy import Credit, HumanWinners, preference
from analysis.stats.ceilings import Ballots, given_and_as_many, in_order, not_given
from metrics import FloatArray, Inputs, IntArray

TOKENIZERS: dict[str, metrics.Tokenize] = {"ptb": metrics.ptb, "plain": metrics.plain}
SUMS = ("scored", "human_ties", "metric_ties", "voted", "votes", "ceiling")
"""Pairs with a score, those of them that people or the metric tie on, those with votes; the share
of their votes for the metric's preference, and the most that it could be."""
ALL_TRIPLETS, OTHER_TRIPLETS = "all triplets", "triplets of references not given"
GIVEN, AS_MANY = "triplets of references given", "as many of references not given"
JUDGES = (ALL_TRIPLETS, OTHER_TRIPLETS, GIVEN, AS_MANY)
"""By which winners a metric can be judged: what it was given may agree with it too well."""
Both: TypeAlias = tuple[FloatArray, FloatArray]


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

    captions: Inputs
    b: IntArray
    c: IntArray
    judge: HumanWinners
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

    cells: by judge (`JUDGES`), earned and counted as in `Credit`, (2, K, C), or (2, K // 2, C)
    where judges have but some of the triplets. Credit is in halves, so single precision is exact.
    sums: of `SUMS`, by group, (fields, groups, K). draws: earned and counted of each draw,
    (R, 2, groups, K). preferred, score_b, score_c (P,): with all references.
    """

    cells: Mapping[str, NDArray[np.float32]]
    sums: FloatArray
    draws: FloatArray
    preferred: FloatArray
    score_b: FloatArray
    score_c: FloatArray

    def room(self, cells: int, pairs: int) -> Self:
        """Nothing yet, for so many cells and pairs, by the same judges and in as many draws."""
        return type(self)(
            cells={
                judge: np.zeros((*sums.shape[:-1], cells), np.float32)
                for judge, sums in self.cells.items()
            },
            sums=np.zeros_like(self.sums),
            draws=np.zeros_like(self.draws),
            preferred=np.empty(pairs),
            score_b=np.empty(pairs),
            score_c=np.empty(pairs),
        )

    def put(self, part: Self, cell: int, pair: int) -> None:
        """Add a part whose first cell and pair have these numbers."""
        for judge, sums in part.cells.items():
            self.cells[judge][..., cell : cell + sums.shape[-1]] = sums
        for name in ("sums", "draws"):
            getattr(self, name)[...] += getattr(part, name)
        for name in ("preferred", "score_b", "score_c"):
            getattr(self, name)[pair : pair + len(part.preferred)] = getattr(part, name)


def joined(parts: Iterable[dict[str, Tally]], cells: int, pairs: int) -> dict[str, Tally]:
    """The tallies of all parts, in their order; each part can be forgotten when the next comes."""
    whole: dict[str, Tally] = {}
    cell = pair = 0
    for part in parts:
        whole = whole or {name: tally.room(cells, pairs) for name, tally in part.items()}
        for name, tally in part.items():
            whole[name].put(tally, cell, pair)
        cell += tally.cells[ALL_TRIPLETS].shape[-1]
        pair += len(tally.preferred)
    return whole


class Counter:
    """The credit of one metric on one part, added up draw by draw."""

    def __init__(self, work: Work, generator: np.random.Generator) -> None:
        self.work = work
        self.generator = generator
        self.credit = {judge: Credit.zero(work.sides.T.shape) for judge in JUDGES}
        self.draws: list[FloatArray] = []

    def add(self, preferred: FloatArray, judges: Mapping[str, HumanWinners]) -> None:
        """The preferences (P, K) of one draw, before each judge."""
        for name, judge in judges.items():
            credit = judge.credit(preferred, self.generator)
            self.credit[name] += credit
            if name == ALL_TRIPLETS:
                self.draws.append(self.by_group(np.stack([credit.earned, credit.counted])))

    def by_group(self, values: FloatArray) -> FloatArray:
        """Sums over pairs: (fields, K, P) to (fields, groups, K)."""
        return np.swapaxes(values @ self.work.groups.T, 1, 2)

    def by_cell(self, judge: str) -> NDArray[np.float32]:
        """What was earned and counted before a judge, summed over each cell's pairs."""
        starts = np.flatnonzero(np.diff(self.work.cell, prepend=-1))
        both = np.stack([self.credit[judge].earned, self.credit[judge].counted])
        most = both.shape[1] if judge == ALL_TRIPLETS else both.shape[1] // 2
        return np.add.reduceat(both[:, :most], starts, axis=2).astype(np.float32)

    def tally(self, score_b: FloatArray, score_c: FloatArray) -> Tally:
        """The sums, with the scores (P, K) of the last draw."""
        last = (np.arange(len(score_b)), self.work.reference_counts - 1)
        return Tally(
            cells={judge: self.by_cell(judge) for judge in JUDGES},
            sums=self.by_group(np.stack(list(self.summed()))),
            draws=np.array(self.draws),
            preferred=preference(score_b, score_c)[last],
            score_b=score_b[last],
            score_c=score_c[last],
        )

    def summed(self) -> Iterator[FloatArray]:
        """What is summed up by group, (K, P) each, in the order of `SUMS`."""
        judge, seen = self.work.judge, self.credit[ALL_TRIPLETS]
        scored = seen.scored
        voted = scored * ~np.isnan(judge.vote_share)
        yield scored
        yield scored * (judge.winner == 0)
        yield seen.tied
        yield voted
        yield seen.votes
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
        shown, judges = parted(corpus, work, order)
        scores = shown_scores(compared.accumulate(order), work) | {PEOPLE: (shown, -shown)}
        for name, counter in counters.items():
            counter.add(preference(*scores[name]), judges)
    return {name: counter.tally(*scores[name]) for name, counter in counters.items()}


def built_in(names: Sequence[str], scores: Collection[str]) -> tuple[str, ...]:
    """Those of the wanted metrics that are computed here; all of them where none is named."""
    return tuple(name for name in names or metrics.names() if name not in scores)


def wanted(names: Sequence[str], scores: Collection[str]) -> tuple[str, ...]:
    """The wanted metrics; without names all that are computed here, then all others."""
    return tuple(names) or (*built_in(names, scores), *scores)


def shown_scores(scores: Mapping[str, FloatArray], work: Work) -> dict[str, Both]:
    """The scores of b and c by metric, (P, K) each, with those computed elsewhere; NaN where the
    image has fewer references."""
    counts = work.sides.shape[1]
    ours = {
        name: (widened(table[work.b], counts), widened(table[work.c], counts))
        for name, table in scores.items()
    }
    there = np.arange(1, counts + 1) <= work.reference_counts[:, None]
    others = {
        name: (np.where(there, b, np.nan), np.where(there, c, np.nan))
        for name, (b, c) in work.scores.items()
    }
    return ours | others


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


def parted(
    corpus: metrics.Corpus, work: Work, order: IntArray
) -> tuple[FloatArray, dict[str, HumanWinners]]:
    """The majority of the triplets of the first k references (P, K), and every judge."""
    place = places(corpus, work, order)
    given, as_many = given_and_as_many(work.sides, place)
    ballots = {OTHER_TRIPLETS: not_given(work.sides, place), GIVEN: given, AS_MANY: as_many}
    judges = {name: replace(work.judge, winner=each.winner) for name, each in ballots.items()}
    return first_triplets(work.sides, place).winner, {ALL_TRIPLETS: work.judge} | judges


def first_triplets(sides: FloatArray, places: IntArray) -> Ballots:
    """The triplets (P, K) of the first k references of an order."""
    ordered = in_order(sides, places)
    asked = np.cumsum(~np.isnan(ordered), axis=1)
    return Ballots(asked, np.nancumsum(ordered, axis=1))


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
