from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.analysis import Options, evaluate, with_pairs_from_ratings
from tercet.analysis.tables import limits
from tercet.analysis.tables.schema import PAIRS, RATINGS, Dataset
from tests.analysis.frames import dataset, frame
from tests.support.folders import three_votes

COLUMNS = ("image", "caption", "rating", "aspect", "source", "status")
ROWS = st.lists(
    st.tuples(
        st.sampled_from(["dog", "cat"]), st.sampled_from("abcd"), st.integers(1, 5)
    ),
    min_size=1,
    max_size=20,
).map(
    lambda rows: [
        (image, f"a {caption}", str(rating)) for image, caption, rating in rows
    ]
)


def with_ratings(rows: list[tuple[str, ...]]) -> Dataset:
    made = dataset()
    filled = [(*row, *[""] * (len(COLUMNS) - len(row))) for row in rows]
    return replace(made, pairs=PAIRS.empty(), ratings=frame(RATINGS, filled, COLUMNS))


def pairs(rows: list[tuple[str, ...]], threshold: float = 0.5) -> pd.DataFrame:
    return with_pairs_from_ratings(with_ratings(rows), threshold).pairs


def test_the_caption_with_the_higher_mean_wins_and_close_ones_tie() -> None:
    rows: list[tuple[str, ...]] = [
        ("dog", "b", "4"),
        ("dog", "b", "3"),
        ("dog", "a", "3"),
        ("dog", "c", "1"),
    ]
    rows += [("cat", "x", "5"), ("cat", "y", "1", "", "", "excluded"), ("dog", "c", "")]
    made = pairs([*rows])
    found = made[["image", "candidate_b", "candidate_c", "winner"]].to_numpy().tolist()
    assert found == [
        ["dog", "a", "b", "tie"],
        ["dog", "a", "c", "B"],
        ["dog", "b", "c", "B"],
    ]
    assert {*made["category"]} == {"ratings"}
    assert made["pair"].is_unique


@given(ROWS, st.sampled_from([0, 0.5, 1]))
def test_every_two_captions_of_an_image_are_one_pair(
    rows: list[tuple[str, ...]], threshold: float
) -> None:
    table = pd.DataFrame(rows, columns=["image", "caption", "rating"])
    means = (
        table.astype({"rating": float}).groupby(["image", "caption"])["rating"].mean()
    )
    sizes = means.groupby("image").size()
    wanted = int((sizes * (sizes - 1) // 2).sum())
    if not wanted:
        with pytest.raises(ValueError, match="No image has two captions"):
            pairs(rows, threshold)
        return
    made = pairs(rows, threshold)
    assert len(made) == wanted
    for row in made.to_dict("records"):
        b, c = ((row["image"], row[f"candidate_{side}"]) for side in "bc")
        ahead = means.to_dict()[b] - means.to_dict()[c]
        side = "B" if ahead > 0 else "C"
        assert row["winner"] == ("tie" if abs(ahead) < threshold + 1e-9 else side)


def test_several_aspects_are_several_categories() -> None:
    rows = [
        ("dog", caption, rating, aspect, source)
        for aspect, ratings in (("fluency", "15"), ("truth", "51"))
        for caption, rating, source in zip("ab", ratings, ("one", "two"), strict=True)
    ]
    found = pairs([*rows])[["category", "winner", "source_b", "source_c"]]
    assert found.to_numpy().tolist() == [
        ["ratings fluency", "C", "one", "two"],
        ["ratings truth", "B", "one", "two"],
    ]


def test_published_pairs_stay_and_pairs_without_winners_do_not() -> None:
    rated = with_ratings([("dog", "a", "1"), ("dog", "b", "5")])
    known = dataset().pairs.assign(pair="ratings-1", winner="")[:1]
    assert len(with_pairs_from_ratings(replace(rated, pairs=known), 0).pairs) == 1
    published = replace(rated, pairs=known.assign(winner="B"))
    both = with_pairs_from_ratings(published, 0).pairs
    assert both["winner"].tolist() == ["B", "C"]
    assert both["pair"].is_unique


def test_metrics_are_judged_by_pairs_from_ratings() -> None:
    rows = [("dog", "a dog runs", "5"), ("dog", "a cat", "1"), ("cat", "a cat", "2")]
    made = with_pairs_from_ratings(with_ratings([*rows]), 0.5)
    results = evaluate(
        made, Options(metrics=("BLEU-1",), draws=1, resamples=20, flips=19)
    )
    assert results.provenance["pairs"] == 1
    assert results.provenance["protocol"] == "triplet"
    assert results.groups[0] == "ratings"


@pytest.mark.parametrize("threshold", [-1.0, float("nan"), float("inf")])
def test_a_threshold_is_a_number_from_0(threshold: float) -> None:
    with pytest.raises(ValueError, match="threshold of 0 or more"):
        pairs([("dog", "a", "1"), ("dog", "b", "2")], threshold)


def test_votes_and_too_many_pairs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    rated = with_ratings([("dog", "a", "1"), ("dog", "b", "5"), ("dog", "c", "5")])
    voted = replace(rated, votes=dataset(votes=three_votes()).votes)
    with pytest.raises(ValueError, match="cannot stand beside votes"):
        with_pairs_from_ratings(voted, 0.5)
    monkeypatch.setattr(limits, "MAX_ROWS", 2)
    with pytest.raises(ValueError, match="3 pairs of rated captions are more than 2"):
        with_pairs_from_ratings(rated, 0.5)
