from dataclasses import replace

import numpy as np
import pytest

from tercet import metrics
from tercet.analysis.dataset.winners import pair_winners, sides
from tercet.analysis.evaluation import scoring
from tercet.analysis.evaluation.scoring import (
    Batch,
    ScoredPairs,
    make_batches,
    orders,
    rank_references,
    score_pairs,
    tally_batch,
    winners_by_triplets,
)
from tercet.analysis.scoring.options import Options
from tercet.analysis.scoring.pairs import Pairs, gather_pairs
from tercet.analysis.scoring.sources import collect_sources
from tercet.analysis.scoring.tallies import (
    ALL_TRIPLETS,
    NOT_GIVEN,
    TRIPLET_SETS,
    join_tallies,
)
from tercet.analysis.stats.accuracy import preference
from tercet.analysis.tables.schema import Dataset
from tercet.metrics.score_tables import documents_of, split
from tests.analysis.frames import dataset, random_dataset, with_winners

RAGGED = (1, 4, 2, 4, 3, 4)
FEW = Options(draws=4, seed=3, metrics=("CIDEr-D", "ROUGE-L"))


def gathered(made: Dataset, options: Options = FEW) -> Pairs:
    return gather_pairs(made, pair_winners(made), made.references, options)


def drawn(
    pairs: Pairs, options: Options
) -> tuple[Batch, metrics.Corpus, list[metrics.Order]]:
    sources = collect_sources(pairs, options)
    [batch] = make_batches(pairs, [pairs.captions], "pool", sources)
    corpus = metrics.gather(batch.captions)

    return batch, corpus, list(orders(corpus, batch, options))


def test_orders_are_those_of_all_references_shuffled_one_draw_after_the_other() -> None:
    _, corpus, found = drawn(gathered(random_dataset(11, RAGGED)), FEW)
    generator = FEW.generator(0)

    for order in found:
        expected = metrics.random_order(corpus, generator)
        np.testing.assert_array_equal(order.rank, expected.rank)


def test_each_draw_earns_what_its_order_gives() -> None:
    pairs = gathered(random_dataset(10, RAGGED))
    _, corpus, found = drawn(pairs, FEW)
    compared = metrics.compare(corpus, ["CIDEr-D"])
    earned = np.zeros(pairs.sides.T.shape)

    for order in found:
        scores = compared.accumulate(order)["CIDEr-D"]
        preferred = preference(scores[pairs.b], scores[pairs.c])
        human = sides(pairs.table["winner"])[:, None]
        right = np.where(human * preferred == 0, 0.5, human == preferred)
        earned += np.where(np.isnan(preferred), 0, right).T

    tally = score_pairs(pairs, FEW).tallies["CIDEr-D"]
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
    batch, corpus, [order, *_] = drawn(pairs, FEW)
    ranks = rank_references(corpus, batch, order)
    others = winners_by_triplets(batch, ranks)[NOT_GIVEN]
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
    made = with_winners(
        replace(made, votes=made.votes.iloc[:0]), ["B"] * len(made.pairs)
    )
    found = score_pairs(gathered(made), FEW)

    assert all(tally.cells[NOT_GIVEN].sum() == 0 for tally in found.tallies.values())


def alike(one: ScoredPairs, other: ScoredPairs) -> None:
    for name in one.tallies:
        tallies = [each.tallies[name] for each in (one, other)]
        for triplets in TRIPLET_SETS:
            first, second = (tally.cells[triplets] for tally in tallies)
            np.testing.assert_array_equal(first, second)

        for field in vars(tallies[0]).keys() - {"cells"}:
            np.testing.assert_array_equal(*(getattr(tally, field) for tally in tallies))


def test_batches_give_what_the_whole_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = gathered(random_dataset(8, RAGGED * 3))
    whole = score_pairs(pairs, FEW)
    monkeypatch.setattr(scoring, "COMPARISONS", 10)
    in_parts = score_pairs(pairs, FEW)

    for name in whole.names:
        for triplets in TRIPLET_SETS:
            one, other = (
                each.tallies[name].cells[triplets] for each in (in_parts, whole)
            )
            np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(
            in_parts.tallies[name].draws, whole.tallies[name].draws
        )


def test_processes_give_the_same_bits_as_one_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scoring, "COMPARISONS", 10)
    pairs = gathered(random_dataset(8, RAGGED * 3))
    found = score_pairs(pairs, FEW)
    parts = split(pairs.captions, "pool", 10)

    documents = documents_of(parts, FEW.metrics, metrics.ptb, "pool")
    assert len(parts) > 5

    batches = make_batches(pairs, parts, documents, collect_sources(pairs, FEW))
    serial = [tally_batch(batch, FEW) for batch in batches]
    whole = join_tallies(serial, len(pairs.first_of_cell), len(pairs.table))
    alike(found, replace(found, tallies=whole))
