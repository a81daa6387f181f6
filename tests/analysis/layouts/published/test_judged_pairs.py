"""Pairs of captions of which people chose one."""

import json
from pathlib import Path

import pytest

from tests.support.published import CLIPS, DOCENT, read_set


def test_the_label_of_pascal_is_the_place_of_the_winner(tmp_path: Path) -> None:
    pairs = read_set(tmp_path, "pascal50s").sound().pairs
    columns = ["image", "category", "winner"]
    assert pairs[columns].to_numpy().tolist() == [
        ["HI.jpg", "HI", "B"],
        ["HC.jpg", "HC", "C"],
    ]


@pytest.mark.parametrize(
    ("name", "clip"), [("audiocaps-eval", "-x1"), ("clotho-eval", "01.wav")]
)
def test_each_number_about_a_clip_is_a_vote(
    tmp_path: Path, name: str, clip: str
) -> None:
    dataset = read_set(tmp_path, name).sound()

    assert dataset.pairs["category"].tolist() == ["HC", "HI", "HM", "MM"]
    assert {*dataset.pairs["image"]} == {clip}
    choices = dataset.votes.groupby("pair")["choice"].agg(list).tolist()
    assert choices == [
        ["B", "B", "tie", "C"],
        ["B", "B", "B", "B"],
        ["tie", "tie", "tie", "tie"],
        ["C", "C", "tie", "B"],
    ]
    assert {*dataset.votes["annotator"]} == {""}
    assert dataset.references["caption"].tolist() == CLIPS[0]["references"]


def test_a_vote_that_is_none_is_named(tmp_path: Path) -> None:
    clip = {**CLIPS[0], "HC": ["a dog", "a cat", "x", "y", [1, 7]]}
    files = {"clotho_eval.json": json.dumps([clip]).encode()}
    assert "('7')" in str(read_set(tmp_path, "clotho-eval", files).problems[0])


def test_equal_skip_and_bad_are_ties_and_counted_apart(tmp_path: Path) -> None:
    reading = read_set(tmp_path, "caparena")

    votes = reading.sound().votes
    assert votes["choice"].tolist() == ["C", "B", "tie", "tie", "tie"]
    assert votes["reason"].tolist() == ["", "", "equal", "skip", "bad"]
    note = "caparena_annots_eval.json: ties are 1 equal, 1 skip, 1 bad"
    assert note in reading.warnings


def test_five_points_are_choices_with_a_strength(tmp_path: Path) -> None:
    dataset = read_set(tmp_path, "docent").sound()

    assert dataset.votes[["choice", "strength"]].to_numpy().tolist() == [
        ["B", "2"],
        ["C", "1"],
        ["tie", "0"],
    ]
    assert len(dataset.references) == 1


def test_an_answer_that_is_none_of_the_five_is_named(tmp_path: Path) -> None:
    row = json.dumps({**DOCENT[0], "overall_quality": "both"})
    files = {"docent-eval-coarse.jsonl": row.encode()}
    assert "('both')" in str(read_set(tmp_path, "docent", files).problems[0])


def test_the_true_caption_leaves_the_references_of_its_foil(tmp_path: Path) -> None:
    reading = read_set(tmp_path, "foil")
    dataset = reading.sound()

    columns = ["candidate_b", "candidate_c", "category", "winner"]
    assert dataset.pairs[columns].to_numpy().tolist() == [
        ["A cat sleeps.", "A dog sleeps.", "foil", "B"]
    ]
    assert dataset.references["caption"].tolist() == ["Cat on a sofa.", "A cat."]
    assert any("1 further pair of the same images" in each for each in reading.warnings)


def test_a_file_that_is_not_written_so_is_named(tmp_path: Path) -> None:
    clip = dict.fromkeys(CLIPS[0], "a dog")
    files = {"clotho_eval.json": json.dumps([clip]).encode()}
    reading = read_set(tmp_path, "", files)
    assert "is not written as Clotho-Eval is" in str(reading.problems[0])
