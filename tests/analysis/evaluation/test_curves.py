from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tercet import metrics
from tercet.analysis.dataset.winners import pair_winners
from tercet.analysis.evaluation.curves import COLUMNS
from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.scoring.options import Options
from tercet.analysis.tables.schema import ALL, GROUPS, MEAN, Dataset
from tests.analysis.frames import (
    dataset,
    even_dataset,
    random_dataset,
    rows_with,
    with_winners,
    without_votes,
)

RAGGED = (1, 4, 2, 4, 3, 4)
FEW = Options(draws=3, resamples=50)
SCORED = tuple(name for name in metrics.names() if name != "random")


def table(made: Dataset, **options: object) -> pd.DataFrame:
    return evaluate(made, replace(FEW, **options)).accuracy  # type: ignore[arg-type]


def rows(found: pd.DataFrame, **where: object) -> pd.DataFrame:
    for column, value in where.items():
        found = found[found[column] == value]

    return found.reset_index(drop=True)


def row(found: pd.DataFrame, **where: object) -> "pd.Series[float]":
    [(_, only)] = rows(found, **where).iterrows()
    return only


def first_references(made: Dataset, count: int) -> Dataset:
    is_kept = made.references["number"] <= count
    return replace(made, references=made.references[is_kept])


def test_rows_are_ordered_by_metric_category_and_reference_count() -> None:
    made = even_dataset(0, images=8, references=3)
    found = table(made)
    assert tuple(found.columns) == COLUMNS
    assert found[["metric", "category", "reference_count"]].to_numpy().tolist() == [
        [metric, category, count]
        for metric in metrics.names()
        for category in GROUPS
        for count in (1, 2, 3)
    ]


@pytest.mark.parametrize("counts", [(4,) * 6, RAGGED])
def test_the_curve_at_k_is_the_result_with_the_first_k_references(
    counts: tuple[int, ...],
) -> None:
    made = random_dataset(0, counts)
    # The winners are those of all votes in both.
    decided = pair_winners(made)["winner"]
    made = with_winners(made, decided.replace("tie", "").tolist())
    made = without_votes(made)
    whole = table(made, order="file", documents="k")

    for count in range(1, max(counts) + 1):
        cut = table(first_references(made, count), order="file", documents="k")
        own = rows(whole, reference_count=count)
        pd.testing.assert_frame_equal(
            own, rows(cut, reference_count=count), check_dtype=False
        )


@pytest.mark.parametrize("metric", SCORED)
def test_accuracy_is_that_of_comparing_each_pair_by_hand(metric: str) -> None:
    made = even_dataset(5, images=8, references=3)
    made = with_winners(without_votes(made), ["B", "C", ""] * 8)
    references = made.references.groupby("image", sort=False)["caption"].agg(list)
    place = {image: number for number, image in enumerate(references.index)}
    images = [place[image] for image in made.pairs["image"]]
    scores = [
        metrics.score(
            references=references.tolist(),
            candidates=made.pairs[side].tolist(),
            images=images,
            metrics=metric,
        ).captions[metric]
        for side in ("candidate_b", "candidate_c")
    ]
    rounding = 1e-12 * np.max(scores)
    earned = []

    for winner, b, c in zip(made.pairs["winner"], *scores, strict=True):
        preferred = "" if abs(b - c) <= rounding else "B" if b > c else "C"
        earned.append(0.5 if "" in (winner, preferred) else float(winner == preferred))

    last = rows(table(made, metrics=(metric,)), reference_count=3)
    found = row(last, category=ALL)

    assert found["accuracy"] == pytest.approx(np.mean(earned))
    assert found["human_ties"] == 8

    for category in ("HC", "HI", "HM", "MM"):
        mine = [
            e
            for e, c in zip(earned, made.pairs["category"], strict=True)
            if c == category
        ]
        if mine:
            found = row(last, category=category)
            assert found["accuracy"] == pytest.approx(np.mean(mine))
            assert found["pairs"] == len(mine)


def test_an_image_counts_only_where_it_has_so_many_references() -> None:
    made = random_dataset(1, RAGGED)
    counts = dict(zip([f"image {n}" for n in range(len(RAGGED))], RAGGED, strict=True))
    has = made.pairs["image"].map(counts)
    found = table(made, metrics=("CIDEr",))

    for count in (1, 2, 3, 4):
        assert (
            row(found, category=ALL, reference_count=count)["pairs"]
            == (has >= count).sum()
        )
        for category in made.pairs["category"].unique():
            expected = ((has >= count) & (made.pairs["category"] == category)).sum()
            if expected:
                found_pairs = row(found, category=category, reference_count=count)[
                    "pairs"
                ]
                assert found_pairs == expected


def test_images_without_pairs_make_no_rows() -> None:
    made = random_dataset(2, [2, 2, 2, 9])
    found = table(replace(made, pairs=made.pairs.query("image != 'image 3'")))

    assert found["reference_count"].max() == 2
    assert found["accuracy"].notna().all()


@pytest.mark.parametrize(("document", "accuracy"), [("zebra", 1), ("dog", 0)])
def test_images_without_pairs_are_documents(document: str, accuracy: float) -> None:
    references = [("one", "dog zebra"), ("another", document)]
    made = dataset(references, [("p1", "one", "dog", "zebra", "HC")])
    decided = with_winners(made, ["B"])
    found = table(decided, metrics=("CIDEr",))

    accuracies = found["accuracy"].tolist()
    assert accuracies == [accuracy] * 2


def test_the_mean_ends_where_the_first_category_ends() -> None:
    references = [("dog", f"dog {n}") for n in range(2)] + [
        ("cat", f"cat {n}") for n in range(4)
    ]
    pairs = [
        ("p1", "dog", "a dog", "a bus", "HC"),
        ("p2", "cat", "a cat", "a bus", "MM"),
    ]
    decided = with_winners(dataset(references, pairs), ["B", "B"])
    found = table(decided, metrics=("ROUGE-L",))

    counts = found.groupby("category")["reference_count"].agg(list).to_dict()
    assert counts == {
        "HC": [1, 2, "all"],
        "MM": [1, 2, 3, 4, "all"],
        MEAN: [1, 2, "all"],
        ALL: [1, 2, 3, 4, "all"],
    }
    assert found["accuracy"].notna().all()


def test_missing_categories_have_no_rows_and_no_part_in_the_mean() -> None:
    made = even_dataset(3, images=8, references=3)
    made = replace(made, pairs=made.pairs.query("category in ['HI', 'MM']"))
    found = table(made, metrics=("CIDEr-D",))

    categories = found["category"].unique()
    assert categories.tolist() == ["HI", "MM", MEAN, ALL]

    for count in (1, 2, 3):
        parts = [
            row(found, category=name, reference_count=count) for name in ("HI", "MM")
        ]
        mean = row(found, category=MEAN, reference_count=count)

        for column in ("accuracy", "vote_accuracy", "vote_ceiling"):
            expected = pytest.approx(np.mean([part[column] for part in parts]))
            assert mean[column] == expected
        for column in ("pairs", "human_ties", "metric_ties"):
            total = sum(part[column] for part in parts)
            assert mean[column] == total


def test_one_category_is_all_pairs_and_has_no_mean() -> None:
    made = even_dataset(4, images=6, references=3)
    same = replace(made, pairs=made.pairs.assign(category="HM"))
    found = table(same, metrics=("BLEU-1",))
    only, mean, every = (rows(found, category=name) for name in ("HM", MEAN, ALL))
    assert mean.empty
    pd.testing.assert_frame_equal(only, every.assign(category="HM"))


def constant() -> Dataset:
    """Every candidate scores 0."""
    pairs = [("p1", "dog", "x", "y", "HC"), ("p2", "cat", "z", "w", "HC")]
    made = dataset(pairs=pairs)
    return with_winners(made, ["B", "C"])


@pytest.mark.parametrize(
    ("policy", "accuracy"),
    [("half", 0.5), ("wrong", 0.0), ("first", 0.5), ("drop", np.nan)],
)
def test_constant_scores_tie_every_pair(policy: str, accuracy: float) -> None:
    found = table(constant(), metric_ties=policy, metrics=("BLEU-1", "CIDEr"))
    assert (found["metric_ties"] == 2).all()
    assert (found["pairs"] == 2).all()
    assert found["accuracy"].to_numpy() == pytest.approx(accuracy, nan_ok=True)


def test_people_may_tie_on_every_pair() -> None:
    made = dataset(votes=[(pair, 1, "", "tie") for pair in ("p1", "p2", "p3", "p4")])
    found = rows(table(made, human_ties="half"), category=ALL)

    assert (found["human_ties"] == 4).all()
    assert found["accuracy"].to_numpy() == pytest.approx(0.5)

    vote_accuracy = found["vote_accuracy"].to_numpy()
    assert vote_accuracy == pytest.approx(0.5)


def test_coins_change_only_what_ties() -> None:
    made = even_dataset(6, images=8, references=3)
    made = with_winners(without_votes(made), ["B", "C", "C"] * 8)
    half, coin = (
        table(made, human_ties=ties, metric_ties=ties) for ties in ("half", "coin")
    )

    decided = half["metric_ties"] == 0
    assert decided.any()
    assert half.loc[decided, "accuracy"].equals(coin.loc[decided, "accuracy"])
    assert not half["accuracy"].equals(coin["accuracy"])


@pytest.mark.parametrize("ties", ["half", "coin"])
def test_a_metric_has_one_result_whichever_others_are_asked_for(ties: str) -> None:
    made = random_dataset(7, RAGGED)
    together = table(made, human_ties=ties, metric_ties=ties)

    for name in SCORED:
        alone = table(made, human_ties=ties, metric_ties=ties, metrics=(name,))
        pd.testing.assert_frame_equal(rows(together, metric=name), alone)


def test_metrics_come_in_the_order_asked_for() -> None:
    found = table(random_dataset(0, [2, 2]), metrics=("CIDEr", "BLEU-2"))
    names = found["metric"].unique()
    assert names.tolist() == ["CIDEr", "BLEU-2"]


def test_only_the_wanted_reference_counts_are_in_the_table() -> None:
    made = even_dataset(0, images=4, references=4)
    whole, some = table(made), table(made, counts=(1, 3, 9))
    expected = whole.query("reference_count in [1, 3]").reset_index(drop=True)
    pd.testing.assert_frame_equal(some, expected)


def test_reference_counts_that_some_category_does_not_have_are_refused() -> None:
    with pytest.raises(ValueError, match="with 5 references: begin at 4 or below"):
        table(even_dataset(0, images=4, references=4), counts=(5, 9))


def test_the_same_seed_gives_the_same_table_and_another_seed_another() -> None:
    made = even_dataset(8, images=8, references=5)
    assert table(made, seed=1).equals(table(made, seed=1))
    assert not table(made, seed=1)["accuracy"].equals(table(made, seed=2)["accuracy"])


def test_in_file_order_only_the_resamples_depend_on_the_seed() -> None:
    made = even_dataset(8, images=8, references=5)
    one, other = (
        table(made, order="file", seed=seed, metrics=SCORED) for seed in (1, 2)
    )

    assert one["accuracy"].equals(other["accuracy"])
    assert not one["low"].equals(other["low"])
    assert (one["sd_draws"] == 0).all()


def test_orders_differ_until_all_references_are_in_use() -> None:
    made = even_dataset(9, images=8, references=5)
    found = table(made, draws=8, metrics=("BLEU-1", "ROUGE-L", "CIDEr"))
    last = found["reference_count"] == 5

    spread = found.loc[last, "sd_draws"].to_numpy()
    assert spread == pytest.approx(0)

    others = rows(found[~last], category=ALL)
    assert (others["sd_draws"] > 0).all()


def by_hand(made: Dataset, share: Callable[[float], float]) -> float:
    """The mean over pairs of `share` of the votes for B."""
    votes = made.votes.groupby("pair")["choice"]
    return float(
        np.mean(
            [
                share(sum({"B": 1, "tie": 0.5}.get(c, 0) for c in g) / len(g))
                for _, g in votes
            ]
        )
    )


def test_the_ceiling_of_votes_is_that_of_always_siding_with_the_majority() -> None:
    made = even_dataset(12, images=6, references=3)
    found = rows(table(made), category=ALL)
    ceiling = by_hand(made, lambda b: max(b, 1 - b))

    vote_ceiling = found["vote_ceiling"].to_numpy()
    assert vote_ceiling == pytest.approx(ceiling)
    assert (found["vote_accuracy"] <= found["vote_ceiling"]).all()


def test_vote_accuracy_is_the_share_of_votes_for_the_preferred() -> None:
    references = [("dog", "a dog"), ("cat", "a cat")]
    pairs = [
        ("p1", "dog", "a dog", "x", "HC"),
        ("p2", "cat", "x", "a cat", "HC"),
        ("p3", "cat", "y", "z", "HC"),
    ]
    votes = [("p1", 1, "", c) for c in ("B", "B", "B", "C")]
    votes += [("p2", 1, "", c) for c in ("B", "B", "C", "tie")]
    votes += [("p3", 1, "", "B")]

    made = dataset(references, pairs, votes)
    found = row(table(made, metrics=("ROUGE-L",)), category=ALL)

    assert found["vote_accuracy"] == pytest.approx((3 / 4 + 1.5 / 4 + 0.5) / 3)
    assert found["vote_ceiling"] == pytest.approx((3 / 4 + 2.5 / 4 + 1) / 3)
    assert found["accuracy"] == pytest.approx((1 + 0 + 0.5) / 3)


def test_published_winners_have_no_votes_to_share() -> None:
    found = table(with_winners(dataset(), ["B", "C", "", "B"]))
    assert found[["vote_accuracy", "vote_ceiling"]].isna().all(axis=None)
    assert found["accuracy"].notna().all()


def test_a_category_of_one_image_has_no_interval_and_all_pairs_have_one() -> None:
    found = table(with_winners(dataset(), ["B", "C", "B", "B"]), metrics=SCORED)
    alone = found["category"] != ALL

    bounds = found.loc[alone, ["low", "high", "se_images"]]
    assert bounds.isna().all(axis=None)

    is_told_apart = found["metric_ties"] < found["pairs"]
    others = found.loc[~alone & is_told_apart, ["low", "high", "se_images"]]
    assert others.notna().all(axis=None)


def test_all_references_are_those_that_each_image_has() -> None:
    made = random_dataset(5, (2, 4, 3, 4, 2, 4))
    options = Options(draws=3, resamples=20, metrics=("CIDEr-D", "BLEU-4"))
    table = evaluate(made, options).accuracy
    results = evaluate(made, options)
    whole = rows_with(table, category=ALL, reference_count="all")

    for name, accuracy, pairs in zip(
        whole["metric"], whole["accuracy"], whole["pairs"], strict=True
    ):
        tallies = results.samples.tallies
        preferred = tallies[name].preferred
        assert pairs == len(made.pairs)
        assert accuracy == pytest.approx(results.credit(preferred).mean())


def test_there_is_no_row_with_all_references_where_all_images_have_as_many() -> None:
    made = random_dataset(5, (3, 3, 3))
    table = evaluate(made, Options(draws=2, resamples=20)).accuracy

    assert table["reference_count"].tolist()[:3] == [1, 2, 3]
    assert table["reference_count"].dtype == "int64"
