"""Grades of captions that files name by numbers, with the captions of a corpus beside them."""

from pathlib import Path

from tests.support.published import CROWD, read_set


def test_grades_of_experts_are_ratings_of_nobody(tmp_path: Path) -> None:
    dataset = read_set(tmp_path, "flickr8k-expert").sound()

    assert dataset.ratings[["image", "caption", "rating"]].to_numpy().tolist() == [
        *[["1_a.jpg", "A cat naps\ton the couch .", "4"]] * 3,
        *[["1_a.jpg", "Boys at the café .", grade] for grade in "112"],
        *[["2_b.jpg", "A cat naps\ton the couch .", "1"]] * 3,
    ]
    assert {*dataset.ratings["annotator"]} == {""}


def test_references_are_those_of_judged_images_and_stand_once(tmp_path: Path) -> None:
    references = read_set(tmp_path, "flickr8k-expert").sound().references

    assert references.groupby("image").size().to_dict() == {"1_a.jpg": 3, "2_b.jpg": 3}
    assert '"Children" with a kite .' in references["caption"].tolist()


def test_a_line_that_stands_twice_is_left_out_and_named(tmp_path: Path) -> None:
    warnings = read_set(tmp_path, "flickr8k-expert").warnings
    assert "ExpertAnnotations.txt: 1 line (4) left out as repeated" in warnings


def test_what_the_crowd_judged_leaves_the_references_of_the_image(
    tmp_path: Path,
) -> None:
    dataset = read_set(tmp_path, "flickr8k-cf").sound()

    of_image = dataset.references.groupby("image")["caption"].agg(list)
    assert of_image["1_a.jpg"] == ["A grey cat sleeps .", "Cat on a sofa ."]
    assert len(of_image["2_b.jpg"]) == 3
    assert dataset.ratings["rating"].tolist() == ["1", "0.333333333333333", "0"]


def test_damaged_lines_are_named(tmp_path: Path) -> None:
    damaged = CROWD + b"10003387\xff\xff\n9`UvX$\r\xe7\xef\n"
    reading = read_set(tmp_path, "flickr8k-cf", {"CrowdFlowerAnnotations.txt": damaged})

    assert {problem.line for problem in reading.problems} >= {4, 5}
    assert "cells where the header has 5" in str(reading.problems[0])


def test_without_the_captions_their_file_is_asked_for(tmp_path: Path) -> None:
    reading = read_set(tmp_path, "flickr8k-expert", {"Flickr8k.token.txt": None})

    assert "Add Flickr8k.token.txt" in str(reading.problems[0])
    assert reading.plans[0].kind == "Flickr8k-Expert: not read"


def test_answers_about_composite_have_the_aspect_of_their_file(tmp_path: Path) -> None:
    reading = read_set(tmp_path, "composite")
    ratings = reading.sound().ratings

    assert ratings.groupby("aspect").size().to_dict() == {
        "correctness": 3,
        "thoroughness": 3,
    }
    assert ratings["caption"][1] == "a thing; in the scene."
    assert "8k_correctness.csv: 1 line without an image left out" in reading.warnings
    assert {*reading.dataset.references["image"]} == {"1_a.jpg", "2_b.jpg"}


def test_numbers_of_crisscrossed_captions_are_those_of_karpathy(tmp_path: Path) -> None:
    dataset = read_set(tmp_path, "cxc").sound()

    rows = dataset.ratings[["image", "caption", "rating", "aspect"]].to_numpy().tolist()
    assert rows == [
        ["COCO_val2014_000000000009.jpg", "Somebody rides.", "4.99", "sits"],
        ["COCO_val2014:sentid:5", "Somebody rides.", "1.24", "sts"],
    ]
    own = dataset.references.query("image == 'COCO_val2014:sentid:5'")
    assert own["caption"].tolist() == ["A man on a bike."]
    assert len(dataset.references) == 3


def test_without_karpathys_splits_they_are_asked_for(tmp_path: Path) -> None:
    reading = read_set(tmp_path, "cxc", {"dataset_coco.json": None})
    assert "Add dataset_coco.json of Karpathy's splits" in str(reading.problems[0])


def test_judgments_without_captions_are_named(tmp_path: Path) -> None:
    files = {"human_annotations.json": b'{"worker 0": {"a: b__c": 1, "90-1": 3}}'}
    reading = read_set(tmp_path, "", files)
    assert reading.plans[0].kind == "AltTest, judgments without captions"
