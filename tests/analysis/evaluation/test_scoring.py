from dataclasses import replace

import numpy as np
import pytest

from tercet import metrics
from tercet.analysis.dataset.winners import sides
from tercet.analysis.evaluation import scoring
from tercet.analysis.evaluation.scoring import (
    join_tallies,
    orders,
    rank_references,
    tally_batch,
    tally_pairs,
    winners_by_triplets,
)
from tercet.analysis.scoring.options import Options
from tercet.analysis.scoring.pairs import Pairs, arrange_pairs, decide
from tercet.analysis.scoring.sources import collect_sources
from tercet.analysis.scoring.tallies import (
    ALL_TRIPLETS,
    NOT_GIVEN,
    TRIPLET_SETS,
    MetricTally,
)
from tercet.analysis.stats.accuracy import preference
from tercet.analysis.tables.schema import Dataset
from tercet.metrics.score_tables import batches_of
from tests.analysis.frames import dataset, random_dataset, with_winners, without_votes

RAGGED = (1, 4, 2, 4, 3, 4)
FEW = Options(draws=4, seed=3, metrics=("CIDEr-D", "ROUGE-L"))


def gathered(made: Dataset, options: Options = FEW) -> Pairs:
    return arrange_pairs(made, decide(made, options), options)


def tallied(made: Dataset) -> dict[str, MetricTally]:
    pairs = gathered(made)
    sources = collect_sources(made, pairs, FEW)
    return tally_pairs(pairs, sources, FEW)


def drawn(pairs: Pairs, options: Options) -> tuple[metrics.Corpus, list[metrics.Order]]:
    corpus = metrics.gather(pairs.captions)
    return corpus, list(orders(corpus, pairs, options, options.draws))


def test_orders_do_not_depend_on_other_images_or_the_order_of_rows() -> None:
    made = random_dataset(11, RAGGED)
    corpus, found = drawn(gathered(made), FEW)

    first = made.references["image"].iloc[0]
    rest = replace(
        made,
        references=made.references[made.references["image"] != first],
        pairs=made.pairs[made.pairs["image"] != first],
    )
    alone, again = drawn(gathered(rest), FEW)

    left_out = len(corpus.references) - len(alone.references)
    for order, same in zip(found, again, strict=True):
        np.testing.assert_array_equal(order.rank[left_out:], same.rank)


def test_each_draw_earns_what_its_order_gives() -> None:
    made = random_dataset(10, RAGGED)
    pairs = gathered(made)
    corpus, found = drawn(pairs, FEW)
    compared = metrics.compare(corpus, ["CIDEr-D"])
    shape = pairs.sides.T.shape
    earned = np.zeros(shape)

    for order in found:
        scores = compared.accumulate(order)["CIDEr-D"]
        preferred = preference(scores[pairs.b], scores[pairs.c])
        human = sides(pairs.table["winner"])[:, None]
        right = np.where(human * preferred == 0, 0.5, human == preferred)
        earned += np.where(np.isnan(preferred), 0, right).T
    tally = tallied(made)["CIDEr-D"]
    first = pairs.first_of_cell
    by_cell = np.add.reduceat(earned, first, axis=1)

    np.testing.assert_allclose(tally.cells[ALL_TRIPLETS][0, :-1], by_cell)
    np.testing.assert_allclose(
        tally.draws[:, 0, -1, :-1].sum(axis=0), earned.sum(axis=1)
    )


def test_a_candidate_of_two_pairs_is_compared_once() -> None:
    shown = [
        ("p1", "dog", "a", "b", "HC"),
        ("p2", "dog", "a", "c", "HC"),
        ("p3", "cat", "a", "b", "HC"),
    ]
    pairs = gathered(with_winners(dataset(pairs=shown), ["B"] * 3))

    assert len(pairs.captions.candidates) == 5

    by_pair = dict(zip(pairs.table["pair"], pairs.b.tolist(), strict=True))
    assert by_pair["p1"] == by_pair["p2"] != by_pair["p3"]


def test_the_others_are_all_triplets_but_those_of_the_first_references() -> None:
    pairs = gathered(random_dataset(4, RAGGED))
    corpus, [order, *_] = drawn(pairs, FEW)
    ranks = rank_references(corpus, pairs, order)
    others = winners_by_triplets(pairs, ranks)[NOT_GIVEN]
    starts = corpus.comparison_starts[pairs.b]

    for row, (start, count) in enumerate(
        zip(starts, pairs.reference_counts, strict=True)
    ):
        places = order.rank[start : start + count]
        for k in range(1, int(count) + 1):
            rest = pairs.sides[row, :count][places >= k]
            expected = np.sign(rest.sum()) if len(rest) else np.nan
            np.testing.assert_equal(others.winner[row, k - 1], expected)


def test_without_triplets_nothing_is_earned_by_the_others() -> None:
    made = random_dataset(4, RAGGED)
    made = with_winners(without_votes(made), ["B"] * len(made.pairs))
    found = tallied(made)
    assert all(tally.cells[NOT_GIVEN].sum() == 0 for tally in found.values())


def alike(one: dict[str, MetricTally], other: dict[str, MetricTally]) -> None:
    for name in one:
        tallies = [each[name] for each in (one, other)]
        for triplets in TRIPLET_SETS:
            first, second = (tally.cells[triplets] for tally in tallies)
            np.testing.assert_array_equal(first, second)

        for field in vars(tallies[0]).keys() - {"cells"}:
            np.testing.assert_array_equal(*(getattr(tally, field) for tally in tallies))


def test_batches_give_what_the_whole_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    made = random_dataset(8, RAGGED * 3)
    whole = tallied(made)
    monkeypatch.setattr(scoring, "COMPARISONS", 10)
    in_parts = tallied(made)
    for name in whole:
        for triplets in TRIPLET_SETS:
            one, other = (each[name].cells[triplets] for each in (in_parts, whole))
            np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(in_parts[name].draws, whole[name].draws)


def test_processes_give_the_same_bits_as_one_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scoring, "COMPARISONS", 10)
    made = random_dataset(8, RAGGED * 3)
    pairs = gathered(made)
    found = tallied(made)
    sources = collect_sources(made, pairs, FEW)
    parts, documents = batches_of(
        pairs.captions, sources.measured, metrics.ptb, "pool", 10
    )
    assert len(parts) > 5
    serial = []
    for rows, batch in pairs.batches(parts):
        own = sources.of(rows, batch.captions)
        tallies = tally_batch(batch, own, FEW, documents)
        serial.append(tallies)
    whole = join_tallies(serial, len(pairs.first_of_cell), len(pairs.table))
    alike(found, whole)
