"""Ranks are read as pairs, whose winner has the lower rank."""

from pathlib import Path

import pytest

from tercet.analysis.dataset.folder import Reading, read
from tercet.analysis.tables import limits
from tercet.analysis.tables.file_tables import Choices
from tests.support.folders import write_csv

LONG = ("image", "reference", "annotator", "system", "caption", "rank")
TEXTS = {
    "blip": "a dog runs on the beach",
    "ofa": "a cat sleeps on a chair",
    "git": "an animal is somewhere outside",
}


def ranked(folder: Path, *ranks: tuple[str, str, object]) -> Reading:
    reference = "a brown dog runs along the shore"
    rows = [
        ("dog", reference, who, system, TEXTS[system], rank)
        for who, system, rank in ranks
    ]
    write_csv(folder / "ranks.csv", LONG, rows)
    return read(folder, references_alone=True)


def test_ranks_of_a_person_are_a_vote_on_each_two_captions(tmp_path: Path) -> None:
    reading = ranked(tmp_path, ("Ann", "blip", 1), ("Ann", "ofa", 3), ("Ann", "git", 3))
    dataset = reading.dataset
    assert reading.problems == []
    assert reading.open_questions == []
    pairs = dataset.pairs[["pair", "source_b", "source_c"]].values.tolist()
    assert pairs == [["p1", "blip", "ofa"], ["p2", "blip", "git"], ["p3", "ofa", "git"]]
    votes = dataset.votes[["pair", "annotator", "choice"]].values.tolist()
    assert votes == [["p1", "Ann", "B"], ["p2", "Ann", "B"], ["p3", "Ann", "tie"]]


def test_references_have_the_origin_of_a_column_or_of_their_own_column(
    tmp_path: Path,
) -> None:
    rows = [("dog", "a dog", ""), ("dog", "a dog", "blip"), ("cat", "a cat", "ofa")]
    long = tmp_path / "long"
    long.mkdir()
    write_csv(long / "t.csv", ("image", "reference", "Herkunft"), rows)
    reading = read(long, references_alone=True)
    found = reading.dataset.references[["caption", "origin"]].values.tolist()
    assert found == [["a dog", ""], ["a dog", "blip"], ["a cat", "ofa"]]

    wide = tmp_path / "wide"
    wide.mkdir()
    header = ("image", "reference 1", "reference 2")
    write_csv(wide / "t.csv", header, [("dog", "a dog", "one dog")])
    said = {"t.csv": Choices(roles={"reference 2": ("reference", "blip")})}
    references = read(wide, choices=said, references_alone=True).dataset.references
    assert references["origin"].tolist() == ["", "blip"]


def test_ranks_side_by_side_are_of_the_captions_called_alike(tmp_path: Path) -> None:
    header = (
        "image",
        "reference",
        "caption_a",
        "caption_b",
        "annotator",
        "rank_a",
        "rank_b",
    )
    texts = ("dog", "a brown dog runs along the shore", TEXTS["blip"], TEXTS["ofa"])
    write_csv(
        tmp_path / "t.csv", header, [(*texts, "Ann", 2, 1), (*texts, "Bob", 1, 2)]
    )
    votes = read(tmp_path, references_alone=True).dataset.votes
    assert votes[["annotator", "choice"]].values.tolist() == [
        ["Ann", "C"],
        ["Bob", "B"],
    ]


def test_ranks_of_nobody_are_published_winners(tmp_path: Path) -> None:
    ranks = ("", "blip", 2), ("", "ofa", 1)
    header = tuple(name for name in LONG if name != "annotator")
    rows = [
        ("dog", "a brown dog runs", system, TEXTS[system], rank)
        for _, system, rank in ranks
    ]
    write_csv(tmp_path / "ranks.csv", header, rows)
    dataset = read(tmp_path, references_alone=True).dataset
    assert [*dataset.pairs["winner"]] == ["C"]
    assert len(dataset.votes) == 0


def test_too_many_captions_ranked_together_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_ROWS", 3)
    reading = ranked(tmp_path, ("Ann", "blip", 1), ("Ann", "ofa", 2), ("Ann", "git", 3))
    assert "are ranked together" in reading.problems[0].what
