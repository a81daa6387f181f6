from dataclasses import replace

import pandas as pd
import pytest

from analysis.dataset import CANDIDATES, IMAGES, TABLES, VOTES, Dataset, with_numbers
from tests.analysis.frames import dataset, frame, with_winners
from tests.folders import three_votes

STATUSES = ["", "valid", "superseded", "excluded", "surplus"]


def with_statuses(statuses: list[str]) -> Dataset:
    votes = [["p1", 1, "", "B", status] for status in statuses]
    made = frame(VOTES, votes, (*VOTES.required, "status"))
    return replace(dataset(), votes=made)


def test_references_are_numbered_within_their_image() -> None:
    references = pd.DataFrame({"image": ["dog", "cat", "dog", "dog", "cat"]})
    assert with_numbers(references)["number"].tolist() == [1, 1, 2, 3, 2]


def test_only_valid_votes_count() -> None:
    assert with_statuses(STATUSES).valid_votes["status"].tolist() == ["", "valid"]


def test_every_table_has_its_frame() -> None:
    assert tuple(dataset().frames) == TABLES
    for table, rows in dataset(votes=three_votes()).frames.items():
        assert set(table.columns) <= set(rows.columns)


@pytest.mark.parametrize(
    ("votes", "study", "protocol"),
    [
        ([], {}, "triplet"),
        ([("p1", 1, "", "B")], {}, "triplet"),
        ([("p1", "", "", "B")], {}, "pairwise"),
        ([("p1", "", "", "B"), ("p1", 1, "", "B")], {}, "triplet"),
        ([("p1", 1, "", "B")], {"protocol": "pairwise"}, "pairwise"),
        ([("p1", "", "", "B")], {"protocol": "triplet"}, "triplet"),
    ],
)
def test_the_protocol_is_what_the_study_says_or_what_the_votes_show(
    votes: list[tuple[object, ...]], study: dict[str, str], protocol: str
) -> None:
    assert dataset(votes=votes, study=study).protocol == protocol


def test_the_digest_is_of_everything_that_decides_a_result() -> None:
    made = dataset(votes=three_votes())
    swapped = made.pairs.rename(
        columns={"candidate_b": "candidate_c", "candidate_c": "candidate_b"}
    )
    changed = [
        made,
        dataset(votes=three_votes("BBB")),
        dataset(votes=three_votes(references=[1, 2])),
        replace(made, references=made.references.iloc[::-1]),
        replace(made, pairs=swapped),
        with_winners(made, ["B", "B", "B", "B"]),
        with_winners(made, ["B", "B", "B", "C"]),
    ]
    assert len({each.sha256 for each in changed}) == len(changed)


def test_the_digest_leaves_out_what_decides_nothing() -> None:
    made = dataset(votes=three_votes())
    superseded = frame(VOTES, [["p1", 1, "x", "C", "superseded"]], (*VOTES.required, "status"))
    same = [
        replace(made, info={"title": "another"}),
        replace(made, images=frame(IMAGES, [["dog"]])),
        replace(made, candidates=frame(CANDIDATES, [["dog", "a dog", "human"]])),
        replace(made, references=made.references.assign(author="Ann", line=range(6))),
        replace(made, votes=made.votes.assign(seconds="2", b_side="left", status="valid")),
        replace(made, votes=pd.concat([made.votes, superseded])),
    ]
    assert {each.sha256 for each in same} == {made.sha256}


def test_the_digest_tells_where_one_caption_ends() -> None:
    two = [("dog", "a,b"), ("dog", "c")]
    other = [("dog", "a"), ("dog", "b,c")]
    assert dataset(two, []).sha256 != dataset(other, []).sha256
