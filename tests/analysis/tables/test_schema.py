from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tercet.analysis.tables.schema import (
    ANALYSIS_TABLES,
    CANDIDATES,
    CAPTION_SCORE,
    IMAGES,
    NEEDED,
    RATINGS,
    SCORES,
    STUDY_TABLES,
    TABLES,
    VOTES,
    Dataset,
    floats,
    ordered_categories,
    origins,
    shown_captions,
    with_numbers,
)
from tests.analysis.frames import dataset, frame, with_winners
from tests.support.folders import three_votes

STATUSES = ["", "valid", "superseded", "excluded", "surplus"]


def with_statuses(statuses: list[str]) -> Dataset:
    votes = [["p1", 1, "", "B", status] for status in statuses]
    columns = (*VOTES.required, "status")
    made = frame(VOTES, votes, columns)
    return replace(dataset(), votes=made)


def scores(score: str) -> pd.DataFrame:
    return frame(
        SCORES, [["SPICE", "dog", "a dog runs", score]], ["metric", *CAPTION_SCORE]
    )


def ratings(rating: str) -> pd.DataFrame:
    return frame(RATINGS, [["dog", "a dog runs", rating]])


def test_references_are_numbered_within_their_image() -> None:
    references = pd.DataFrame({"image": ["dog", "cat", "dog", "dog", "cat"]})
    numbers = with_numbers(references)["number"].tolist()
    assert numbers == [1, 1, 2, 3, 2]


def with_origins(*named: str) -> Dataset:
    made = dataset()
    cells = [named[row % len(named)] for row in range(len(made.references))]
    return replace(made, references=made.references.assign(origin=cells))


def test_origins_change_the_digest_only_where_one_is_not_people() -> None:
    plain = dataset()
    assert with_origins("", "human", " Human").sha256 == plain.sha256
    assert with_origins("", "model").sha256 != plain.sha256
    assert with_origins("", "model").digest(1) == plain.digest(1)
    assert with_origins("", "model").sha256 == with_origins("human", "model").sha256


def test_people_wrote_what_names_no_origin() -> None:
    references = pd.DataFrame(
        {"origin": ["", "Human", " model ", "people"]}, dtype="str"
    )
    assert origins(references).tolist() == ["human", "human", "model", "human"]


def test_the_captions_of_pairs_are_every_b_and_then_every_c() -> None:
    made = dataset(pairs=[("p1", "dog", "a", "b", "HC"), ("p2", "cat", "b", "a", "HC")])
    shown = shown_captions(made.pairs).itertuples(index=False, name=None)
    assert list(shown) == [("dog", "a"), ("cat", "b"), ("dog", "b"), ("cat", "a")]


def test_known_categories_come_first_and_others_follow_by_name() -> None:
    present = ["topic", "MM", "HC", "foil", "MM", "HI", "HM", "topic"]
    assert ordered_categories(present) == ("HC", "HI", "HM", "MM", "foil", "topic")


def test_no_category_is_none() -> None:
    assert ordered_categories(["", ""]) == ()
    assert ordered_categories(["", "HI"]) == ("HI",)


def test_cells_are_numbers_or_nan() -> None:
    cells = pd.Series(["0.1", "-2", "1e3", "", "x", "0,5", "nan"], dtype="str")
    np.testing.assert_array_equal(floats(cells), [0.1, -2, 1000, *[np.nan] * 4])


def test_only_valid_votes_count() -> None:
    statuses = with_statuses(STATUSES).valid_votes["status"]
    assert statuses.tolist() == ["", "valid"]


def test_every_table_has_its_frame() -> None:
    assert tuple(dataset().frames) == (*TABLES, *ANALYSIS_TABLES, *STUDY_TABLES)
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
    made = dataset(votes=votes, study=study)
    assert made.protocol == protocol


def test_the_digest_is_of_everything_that_decides_a_result() -> None:
    made = dataset(votes=three_votes())
    swapped = made.pairs.rename(
        columns={"candidate_b": "candidate_c", "candidate_c": "candidate_b"}
    )
    changed = [
        made,
        dataset(votes=three_votes("BBB")),
        dataset(votes=three_votes(references=[1, 2])),
        replace(made, references=with_numbers(made.references.iloc[::-1])),
        replace(made, pairs=swapped),
        with_winners(made, ["B", "B", "B", "B"]),
        with_winners(made, ["B", "B", "B", "C"]),
        replace(made, scores=scores("0.5")),
        replace(made, scores=scores("0.6")),
        replace(made, scores=scores("0.5").assign(reference_count="2")),
        replace(made, ratings=ratings("3")),
        replace(made, ratings=ratings("4")),
    ]

    assert len({each.sha256 for each in changed}) == len(changed)


def test_the_digest_does_not_depend_on_the_order_of_rows() -> None:
    made = dataset(votes=three_votes())
    turned: dict[str, Any] = {
        table.name: rows.iloc[::-1].reset_index(drop=True)
        for table, rows in made.frames.items()
    }
    assert replace(made, **turned).sha256 == made.sha256


def test_the_digest_leaves_out_what_decides_nothing() -> None:
    made = dataset(votes=three_votes())
    rows = [["p1", 1, "x", "C", "superseded"]]
    superseded = frame(VOTES, rows, (*VOTES.required, "status"))
    same = [
        replace(made, info={"title": "another"}),
        replace(made, images=frame(IMAGES, [["dog"]])),
        replace(made, references=made.references.assign(author="Ann", line=range(6))),
        replace(
            made, votes=made.votes.assign(seconds="2", b_side="left", status="valid")
        ),
        replace(made, votes=pd.concat([made.votes, superseded])),
    ]

    assert {each.sha256 for each in same} == {made.sha256}


def test_the_digest_of_earlier_reports_is_what_it_was() -> None:
    digest = "ed88609ca82c4206f1744bf7f902270bfb1f9c017126fabe4c5cd71b5418dbe6"
    made = dataset(votes=three_votes())
    assert made.digest(version=1) == digest


def test_the_digest_covers_every_column_that_a_finding_reads() -> None:
    rated = replace(dataset(votes=three_votes()), ratings=ratings("3"))
    candidate, needed = ["dog", "a dog", "human"], ["p1", 1, 5]
    changed = [
        rated,
        *(
            replace(rated, pairs=rated.pairs.assign(**{column: "copier"}))
            for column in ("source_b", "source_c")
        ),
        *(
            replace(rated, ratings=rated.ratings.assign(**{column: "Ann"}))
            for column in ("annotator", "source", "aspect")
        ),
        replace(rated, candidates=frame(CANDIDATES, [candidate])),
        replace(rated, needed=frame(NEEDED, [needed])),
    ]

    assert len({each.sha256 for each in changed}) == len(changed)
    assert len({each.digest(version=1) for each in changed}) == 1


def test_the_digest_tells_where_one_caption_ends() -> None:
    two = [("dog", "a,b"), ("dog", "c")]
    other = [("dog", "a"), ("dog", "b,c")]
    assert dataset(two, []).sha256 != dataset(other, []).sha256
