"""The scores of a metric from outside with single references, or sets of them.

They are made for all captions before anything else is scored, in the process that has the
function; batches, and other processes, get the numbers.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from tercet.metrics.core.arrays import (
    FloatArray,
    IntArray,
    offsets_of,
    over_references,
    ranges,
)
from tercet.metrics.corpora.corpus import Corpus, Documents
from tercet.metrics.corpora.orders import Order
from tercet.metrics.outside.calls import Calls, EncodedTexts, Note, ScoredItem
from tercet.metrics.outside.checks import (
    CHECK_SHARE,
    MOST_AGAIN,
    Checks,
    asked_again,
    budget_of,
    check_correlation,
    compare_equals,
    size_of_sample,
)
from tercet.metrics.outside.items import (
    check_captions,
    in_one_order,
    item_at,
    items_of,
    offsets_of_items,
    whole_item,
)
from tercet.metrics.outside.text_metric import Combine, TextMetric
from tercet.metrics.text.inputs import Batches, Inputs, text_of

_COMPARISONS = 1 << 16
"""About how many comparisons' texts are in memory at a time."""
RUNS = 5
"""How often a metric that does not repeat its scores is run."""
Counts: TypeAlias = Sequence[int] | None
"""Reference counts; every one of None. Negative ones count from all references: -1 is all."""


@dataclass(frozen=True, eq=False)
class Pairwise:
    """The scores of candidates with each reference of their images, or with none.

    Attributes
    ----------
    name : str
    combine : {"mean", "max", "min", "none"}
    values : float array (runs, N)
        By candidate, then reference; with "none", by candidate. Several runs where the metric does
        not repeat its scores: orders of the references use them in turn.
    offsets : int array (C + 1,)
        Where the values of each candidate begin.
    checks : Checks
        What was found out about the metric on the way.
    """

    name: str
    combine: Combine
    values: FloatArray
    offsets: IntArray
    checks: Checks

    def of(self, part: Inputs) -> "Pairwise":
        """Return the scores of a batch of the captions."""
        sizes = np.diff(self.offsets)[part.candidate_number]
        chosen = ranges(self.offsets[part.candidate_number], sizes)
        return replace(self, values=self.values[:, chosen], offsets=offsets_of(sizes))

    def compare(self, corpus: Corpus) -> "_PairwiseComparison":
        """Return the comparison of the captions, gathered as a corpus."""
        return _PairwiseComparison(self, corpus)


@dataclass(frozen=True, eq=False)
class _PairwiseComparison:
    measured: Pairwise
    corpus: Corpus

    def accumulate(self, order: Order) -> dict[str, FloatArray]:
        """Score with the first 1, 2, ... K references of an order."""
        measured = self.measured
        corpus = self.corpus
        values = measured.values[order.number % len(measured.values)]

        if measured.combine == "none":
            curve = np.repeat(values[:, None], corpus.most_references, axis=1)
        else:
            is_of_one = measured.combine != "mean"
            sign = -1 if measured.combine == "min" else 1
            fill = -np.inf if is_of_one else 0.0
            table = corpus.by_place(sign * values, order.places, fill)
            curve = sign * over_references(table, best=is_of_one)

        return {measured.name: corpus.where_enough(curve)}


@dataclass(frozen=True, eq=False)
class Sets:
    """The scores of candidates with sets of references, made when an order asks for them.

    Attributes
    ----------
    runs : sequence of Calls
        Several where the metric does not repeat its scores.
    captions : Inputs
        Those that are scored.
    counts : sequence of int, optional
        The reference counts that are scored.
    known : sequence of dict of ScoredItem to float
        The scores that are made, by run.
    checks : Checks
        What was found out about the metric.
    """

    runs: Sequence[Calls]
    captions: Inputs
    counts: Counts
    known: Sequence[dict[ScoredItem, float]]
    checks: Checks

    @property
    def name(self) -> str:
        """The name of the metric."""
        return self.runs[0].metric.name

    def of(self, part: Inputs) -> "Sets":
        """Return the scores of a batch of the captions."""
        return replace(self, captions=part)

    def compare(self, corpus: Corpus) -> "_SetComparison":
        """Return the comparison of the captions, gathered as a corpus."""
        return _SetComparison(self, corpus)

    def scores(self, items: Sequence[ScoredItem], run: int) -> list[float]:
        """Score items, each different one once in a run."""
        calls = self.runs[run % len(self.runs)]
        known = self.known[run % len(self.runs)]
        missing = [item for item in dict.fromkeys(items) if item not in known]
        made = calls.scores(missing).tolist()
        known.update(zip(missing, made, strict=True))

        return [known[item] for item in items]


@dataclass(frozen=True, eq=False)
class _SetComparison:
    sets: Sets
    corpus: Corpus

    def accumulate(self, order: Order) -> dict[str, FloatArray]:
        """Score with the first 1, 2, ... K references of an order; NaN at other counts."""
        corpus = self.corpus
        captions = self.sets.captions
        metric = self.sets.runs[0].metric
        by_place = corpus.by_place(corpus.comparisons.reference, order.places)
        first = corpus.comparison_starts
        columns, items = [], []

        for candidate in range(len(captions.candidates)):
            whole = whole_item(metric, captions, candidate)
            available = len(whole.references)
            ranked = (by_place[candidate, :available] - first[candidate]).tolist()
            for count in _wanted(self.sets.counts, available):
                columns.append((candidate, count - 1))
                texts = [whole.references[number] for number in ranked[:count]]
                item = whole._replace(references=tuple(texts))
                items.append(in_one_order(item, metric))

        curve = np.full(by_place.shape, np.nan)
        rows, places = np.array(columns, np.int64).reshape(-1, 2).T
        curve[rows, places] = self.sets.scores(items, order.number)

        return {self.sets.name: curve}


def measure(
    metric: TextMetric,
    captions: Inputs,
    documents: Documents = "pool",
    counts: Counts = None,
    note: Note | None = None,
    rows: EncodedTexts | None = None,
    check_share: float = CHECK_SHARE,
) -> Pairwise | Sets:
    """Score candidates with single references, or get ready to score them with sets.

    Parameters
    ----------
    metric : TextMetric
    captions : Inputs
        All captions that are scored.
    documents : Documents, optional
        Those of the run: with "k", nothing is fitted.
    counts : sequence of int, optional
        The reference counts that sets are scored with; negative ones count from all references.
    note : callable, optional
        Called before each call of the function.
    rows : EncodedTexts, optional
        Texts that the metric's `encode` has encoded.
    check_share : float, optional
        The calls that checks may add, as a share of the different comparisons; 0 for no checks.

    Raises
    ------
    ValueError
        If an image has no file and the metric takes one, or if the metric is fitted and the
        references that are counted differ by reference count.
    MetricFailed
        If the metric raises an error, or answers with no score, or with others when it is asked
        again and does not say so.
    """
    check_captions(metric, captions, documents)
    references = [[text_of(text) for text in own] for own in captions.references]
    calls = Calls.fitted(metric, EncodedTexts() if rows is None else rows, references)
    generator = np.random.default_rng(0)

    if metric.combine == "set":
        return _measure_sets(calls, captions, counts, generator, check_share)
    return _measure_pairs(calls, captions, generator, check_share, note)


def failed_checks(
    measured: Iterable[str | Pairwise | Sets], metrics: Mapping[str, TextMetric]
) -> list[str]:
    """Return a line for each check that a metric from outside did not pass."""
    outside = [each for each in measured if not isinstance(each, str)]
    return [
        f"metric {each.name}, {outcome.check}: {outcome.what}"
        for each in outside
        for outcome in each.checks.outcomes(metrics[each.name])
        if outcome.passed is False
    ]


def _measure_pairs(
    calls: Calls,
    captions: Inputs,
    generator: np.random.Generator,
    check_share: float,
    note: Note | None,
) -> Pairwise:
    """Score candidates with each reference, several times if the scores are others each time."""
    metric = calls.metric
    offsets = offsets_of_items(metric, captions)
    first, made = _run(calls, captions, offsets, note)
    budget = budget_of(made, check_share)

    size = size_of_sample(len(first), budget)
    sample: dict[ScoredItem, int] = {}
    for number in np.sort(generator.permutation(len(first))[:size]).tolist():
        sample.setdefault(item_at(metric, captions, offsets, number), number)
    chosen = list(sample.values())
    again = asked_again(calls, list(sample), generator)
    checks = Checks.of(first[chosen], again, metric.resolution)

    runs = [first]
    if checks.repeats == "no":
        second, _ = _run(calls.anew(), captions, offsets)
        checks = checks.with_run(first, second, metric.resolution)
        if checks.repeats == "no":
            check_correlation(metric, checks.correlation)
            others = [_run(calls.anew(), captions, offsets) for _ in range(RUNS - 2)]
            runs += [second, *(values for values, _ in others)]

    known: dict[ScoredItem, float] = {}
    if budget and len(first) <= _COMPARISONS:
        known.update(zip(items_of(metric, captions), first.tolist(), strict=True))
    equals, below = compare_equals(
        calls, captions, generator, known, budget - len(chosen)
    )
    checks = replace(checks, equals=equals, below=below)
    return Pairwise(metric.name, metric.combine, np.stack(runs), offsets, checks)


def _run(
    calls: Calls, captions: Inputs, offsets: IntArray, note: Note | None = None
) -> tuple[FloatArray, int]:
    """Score every candidate with each of its references (N,), each different couple once.

    Returns how many comparisons were made, too.
    """
    values = np.empty(offsets[-1])
    done = made = 0

    for batch in Batches(captions, _COMPARISONS):
        numbers = batch.candidate_number
        sizes = np.diff(offsets)[numbers]
        own = ranges(offsets[numbers], sizes)

        items = list(items_of(calls.metric, batch))
        different = list(dict.fromkeys(items))
        scores = calls.scores(different, note and _counted_on(note, done, len(values)))
        known = dict(zip(different, scores.tolist(), strict=True))
        values[own] = [known[item] for item in items]
        calls.rows.forget()
        done += len(items)
        made += len(different)

    return values, made


def _counted_on(note: Note, done: int, whole: int) -> Note:
    """Return a note that counts the comparisons of the batches before."""
    return lambda number, _calls: note(done + number, whole)


def _measure_sets(
    calls: Calls,
    captions: Inputs,
    counts: Counts,
    generator: np.random.Generator,
    check_share: float,
) -> Sets:
    """Get ready to score candidates with sets of references; try some with all of them."""
    metric = calls.metric
    candidates = len(captions.candidates)
    drawn = generator.permutation(candidates)[:MOST_AGAIN].tolist()
    wholes = [whole_item(metric, captions, each) for each in drawn]
    sample = list(dict.fromkeys(in_one_order(whole, metric) for whole in wholes))
    different = len(sample) * candidates // max(len(drawn), 1)
    budget = budget_of(different, check_share)

    tried = sample[: size_of_sample(different, budget)]
    first = calls.scores(tried)
    again = asked_again(calls, tried, generator)
    checks = Checks.of(first, again, metric.resolution)

    runs = [calls]
    if checks.repeats == "no":
        tried, first = sample, calls.scores(sample)
        second = calls.anew().scores(sample)
        checks = checks.with_run(first, second, metric.resolution)
        if checks.repeats == "no":
            check_correlation(metric, checks.correlation)
            runs += [calls.anew() for _ in range(RUNS - 1)]

    scores = dict(zip(tried, first.tolist(), strict=True))
    equals, below = compare_equals(
        calls, captions, generator, scores, budget - len(again)
    )
    checks = replace(checks, equals=equals, below=below)
    return Sets(runs, captions, counts, [scores, *({} for _ in runs[1:])], checks)


def _wanted(counts: Counts, available: int) -> list[int]:
    """Return the counts from 1 that an image with `available` references is scored with."""
    if counts is None:
        return list(range(1, available + 1))

    from_start = {available + 1 + count if count < 0 else count for count in counts}
    return sorted(count for count in from_start if 1 <= count <= available)
