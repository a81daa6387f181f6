"""Which ceilings votes allow: groups, units, and what stands against one."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tercet.analysis.evaluation.ceilings import Ceilings
from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.scoring.options import Options
from tercet.analysis.tables.schema import Dataset
from tests.analysis.frames import dataset

OPTIONS = Options(metrics=("BLEU-1",), draws=2, resamples=20, flips=19)
BY_IMAGE = {"protocol": "pairwise", "votes": 3}


def voted(
    images: int = 40,
    votes: int = 3,
    categories: tuple[str, ...] = ("HC",),
    study: dict[str, Any] | None = None,
) -> Dataset:
    """Pairs of an image each, by category; B wins two thirds of the votes."""
    names = [f"image-{number:03}" for number in range(images)]
    references = [(name, f"a dog on grass {name}") for name in names]
    pairs = [
        (f"{name} {category}", name, f"a dog {name}", f"a cat {name}", category)
        for name in names
        for category in categories
    ]
    generator = np.random.default_rng(0)
    rows = [
        (pair, "", f"annotator-{vote}", generator.choice(["B", "B", "C"]))
        for pair, *_rest in pairs
        for vote in range(votes)
    ]
    return dataset(references, pairs, rows, BY_IMAGE | (study or {}))


def ceilings(made: Dataset, options: Options = OPTIONS) -> Ceilings:
    return evaluate(made, options).people.ceilings


def test_every_group_has_bounds_and_close_ones_have_a_value_between_them() -> None:
    made = voted(images=300, votes=9, categories=("HC", "HI"))
    unanimous = made.votes["pair"].str.endswith("HI")
    choices = made.votes["choice"].mask(unanimous, "B")
    found = ceilings(replace(made, votes=made.votes.assign(choice=choices))).table
    assert found["category"].tolist() == ["HC", "HI", "mean", "all"]

    of_hi = found.set_index("category").loc["HI"]
    assert of_hi["low"] <= of_hi["accuracy"] <= of_hi["high"]
    assert found["accuracy"].isna().equals(found["high"] - found["low"] > 0.1)
    assert found["pairs"].tolist() == [300, 300, 600, 600]
    assert (found[["fewest_votes", "most_votes"]] == 9).all(axis=None)


@pytest.mark.parametrize(
    ("made", "obstacle"),
    [
        (voted(votes=1), "one vote"),
        (voted(images=29), "few images"),
        (voted(study={"stop_early": True}), "early"),
    ],
)
def test_without_enough_votes_there_is_no_ceiling_and_a_reason(
    made: Dataset, obstacle: str
) -> None:
    found = ceilings(made)
    assert found.table.empty
    assert found.obstacle_of("HC") == obstacle


def test_winners_without_votes_have_no_ceiling() -> None:
    made = voted()
    published = replace(
        made, votes=made.votes.iloc[:0], pairs=made.pairs.assign(winner="B")
    )
    assert ceilings(published).obstacle_of("HC") == "no votes"


def test_a_category_without_a_ceiling_takes_it_from_the_mean_and_from_all() -> None:
    made = voted(images=40, categories=("HC", "HI"))
    is_extra = made.votes["pair"].str.endswith("HI") & (
        made.votes["annotator"] != "annotator-0"
    )
    found = ceilings(replace(made, votes=made.votes[~is_extra]))
    assert found.table["category"].tolist() == ["HC"]
    assert found.obstacle_of("HI") == "one vote"


def test_pairs_without_a_category_are_a_category_of_their_own() -> None:
    made = voted(images=40, categories=("HC", "HI", "HM"))
    category = made.pairs["category"].replace("HM", "")
    found = ceilings(replace(made, pairs=made.pairs.assign(category=category)))
    pairs = found.table.set_index("category")["pairs"].to_dict()
    assert pairs == {"HC": 40, "HI": 40, "no category": 40, "mean": 120, "all": 120}


def test_a_pair_without_votes_changes_nothing() -> None:
    made = voted(images=60)
    last = made.votes["pair"].iloc[-1]
    without_votes = replace(made, votes=made.votes[made.votes["pair"] != last])
    is_left = made.pairs["pair"] != last
    without_pair = replace(without_votes, pairs=made.pairs[is_left])
    one, other = ceilings(without_votes).table, ceilings(without_pair).table
    assert one.equals(other)


def test_the_order_of_rows_deals_no_image_to_another_fold() -> None:
    made = voted(images=60)
    turned = replace(made, pairs=made.pairs.iloc[::-1].reset_index(drop=True))
    one, other = ceilings(made).table, ceilings(turned).table
    assert other["low"].tolist() == pytest.approx(one["low"].tolist(), abs=1e-12)
    assert other["high"].tolist() == pytest.approx(one["high"].tolist(), abs=1e-12)


def test_numbers_of_votes_may_differ() -> None:
    made = voted(votes=5)
    numbers = made.votes.groupby("pair").cumcount()
    allowed = made.votes["pair"].map(lambda pair: 1 + int(pair[6:9]) % 5)
    found = ceilings(replace(made, votes=made.votes[numbers < allowed])).table
    assert found[["fewest_votes", "most_votes"]].to_numpy().tolist() == [[1, 5]] * 2


def by_triplets(references: int, votes: int) -> Dataset:
    """Forty pairs that are judged with each of some references."""
    made = voted(votes=votes, study={"protocol": "triplet"})
    many = [
        (image, f"a dog on grass {image} {number}")
        for image in made.references["image"]
        for number in range(references)
    ]
    rows = [
        (vote["pair"], str(number + 1), vote["annotator"], vote["choice"])
        for vote in made.votes.to_dict("records")
        for number in range(references)
    ]
    pairs = made.pairs[["pair", "image", "candidate_b", "candidate_c", "category"]]
    return dataset(many, pairs.to_numpy().tolist(), rows, made.study)


@pytest.mark.parametrize(
    ("references", "votes", "unit", "expected"),
    [(1, 3, "votes", 3), (4, 1, "votes", 4), (4, 3, "triplets", 4)],
)
def test_a_pair_of_one_triplet_is_decided_by_its_votes(
    references: int, votes: int, unit: str, expected: int
) -> None:
    found = ceilings(by_triplets(references, votes))
    assert found.unit == unit
    assert (found.table["most_votes"] == expected).all()
