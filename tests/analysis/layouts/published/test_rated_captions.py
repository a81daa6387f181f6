"""Captions with a score, beside their references or under the same number."""

from pathlib import Path

import pytest

from tests.support.published import CAT, read_set


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("flickr8k-expert as JSON", "Flickr8k-Expert"),
        ("flickr8k-cf as JSON", "Flickr8k-CF"),
        ("composite as JSON", "COMPOSITE"),
        ("thumb", "THumB"),
        ("polaris", "Polaris"),
        ("polaris as CSV", "Polaris"),
        ("nebula", "Nebula"),
        ("longcap-arena", "LongCap-Arena"),
    ],
)
def test_a_set_is_known_by_its_files(tmp_path: Path, name: str, title: str) -> None:
    plans = read_set(tmp_path, name).plans
    assert {plan.kind.partition(":")[0] for plan in plans} == {title}


def test_a_rating_that_is_no_number_is_counted_and_left_out(tmp_path: Path) -> None:
    reading = read_set(tmp_path, "flickr8k-expert as JSON")

    assert reading.sound().ratings["rating"].tolist() == ["1", "1", "2", "3"]
    note = "flickr8k.json: 1 rating without a number or of no caption left out"
    assert note in reading.warnings


def test_equal_references_are_of_one_image(tmp_path: Path) -> None:
    dataset = read_set(tmp_path, "polaris").sound()

    assert dataset.references["image"].nunique() == 2
    first = dataset.ratings["image"][0]
    own = dataset.references[dataset.references["image"] == first]
    assert own["caption"].tolist() == CAT
    assert dataset.ratings["caption"].tolist() == ["a cat", "boys"]


def test_references_may_be_a_list_of_python(tmp_path: Path) -> None:
    references = read_set(tmp_path, "polaris as CSV").sound().references
    assert references["caption"].tolist() == ["A cat .", "Cat's sofa .  "]


def test_references_that_stand_twice_in_a_list_are_kept(tmp_path: Path) -> None:
    references = read_set(tmp_path, "nebula").sound().references
    assert len(references[references["image"] == "93d7"]) == 6


def test_corrected_scores_are_an_aspect_beside_the_original_ones(
    tmp_path: Path,
) -> None:
    ratings = read_set(tmp_path, "nebula").sound().ratings
    columns = ["image", "rating", "aspect"]
    assert ratings[columns].to_numpy().tolist() == [
        ["93d7", "0.0", "original"],
        ["a8a6", "1.0", "original"],
        ["93d7", "0.5", "corrected"],
    ]


def test_the_file_says_the_aspect(tmp_path: Path) -> None:
    ratings = read_set(tmp_path, "longcap-arena").sound().ratings
    found = dict(zip(ratings["aspect"], ratings["rating"], strict=True))
    assert found == {"desc": "0.8", "rel": "0.6", "flu": "1.0"}


def test_thumb_has_three_ratings_of_each_system(tmp_path: Path) -> None:
    dataset = read_set(tmp_path, "thumb").sound()

    columns = ["source", "aspect", "rating"]
    assert dataset.ratings[columns].to_numpy().tolist() == [
        [source, aspect, rating]
        for source in ("Up-Down", "human")
        for aspect, rating in (("P", "4.0"), ("R", "3.0"), ("total", "3.0"))
    ]
    of_image = dataset.references[dataset.references["image"] == "974"]
    assert of_image["caption"].tolist() == ["A cat.", "A sofa."]


def test_columns_that_are_not_used_are_named(tmp_path: Path) -> None:
    row = b'{"refs": ["A cat."], "cand": "a", "human_score": 1, "person": "x"}'
    reading = read_set(tmp_path, "", {"polaris.jsonl": row})
    assert "polaris.jsonl: columns person are not used" in reading.warnings
