"""The seven bags: the examples of the paper, counts by hand, and what is said of bad tables."""

from pathlib import Path

import numpy as np
import pytest

from tercet.lab.tuples.bag_comparison import Meanings
from tercet.lab.tuples.bags import Grounding, bags_of
from tercet.lab.tuples.roles import SemanticTuple
from tercet.metrics import (
    BAGS,
    BagCounts,
    bast,
    compare,
    corpus,
    file_order,
    names,
    read_grounding,
)
from tercet.metrics.corpora.orders import own_last

PARK = "A boy is playing in a park"
COARSE = {"boy": "human", "kid": "human", "person": "human"}
BOY = SemanticTuple("play", "boy", "", "park")


def meanings(
    references: list[list[set[SemanticTuple]]], candidates: list[set[SemanticTuple]]
) -> Meanings:
    """Captions whose tuples are given; their words do not matter."""
    made = corpus(
        references=[["a"] * len(image) for image in references],
        candidates=["a"] * len(candidates),
    )
    return Meanings(
        made,
        [frozenset(tuples) for image in references for tuples in image],
        [frozenset(tuples) for tuples in candidates],
    )


def f1(counts: BagCounts, bag: str) -> float:
    return float(counts.f1[..., list(BAGS).index(bag)].item())


def test_the_bags_of_a_tuple() -> None:
    assert bags_of([BOY]) == {
        "predicate": {("play",)},
        "participant": {("boy",)},
        "locative": {("park",)},
        "predicate-participant": {("play", "boy")},
        "participant-locative": {("boy", "park")},
        "predicate-locative": {("play", "park")},
        "triplet": {("play", "boy", "park")},
    }


def test_agents_and_patients_are_one_set_of_participants() -> None:
    bags = bags_of([SemanticTuple("hit", "boy", "ball", "")])
    assert bags["participant"] == {("boy",), ("ball",)}
    assert bags["predicate-participant"] == {("hit", "boy"), ("hit", "ball")}
    assert bags["triplet"] == frozenset()


@pytest.mark.usefixtures("parsing")
@pytest.mark.parametrize(
    ("candidate", "grounding", "participants"),
    [
        ("A kid playing on the park", "lemma", 0),
        ("A kid playing on the park", COARSE, 1),
        ("A person is playing in the park", "lemma", 0),
        ("A person is playing in the park", COARSE, 1),
        ("A dog is playing in the park", "lemma", 0),
        ("A dog is playing in the park", "synset", 0),
        ("A dog is playing in the park", COARSE, 0),
    ],
)
def test_the_example_of_the_paper(
    candidate: str, grounding: Grounding, participants: float
) -> None:
    counts = bast(references=[[PARK]], candidates=[candidate], grounding=grounding)
    assert f1(counts, "participant") == participants
    assert (f1(counts, "predicate"), f1(counts, "locative")) == (1, 1)


@pytest.mark.usefixtures("parsing")
def test_synonyms_are_those_of_the_list_of_meteor() -> None:
    """It has "child" and "kid" in one synset, but "boy" and "kid" in none."""
    given = {"references": [["A child is playing"]], "candidates": ["A kid is playing"]}
    assert f1(bast(**given, grounding="lemma"), "participant") == 0  # type: ignore[arg-type]
    assert f1(bast(**given, grounding="synset"), "participant") == 1  # type: ignore[arg-type]

    boy = bast(
        references=[[PARK]],
        candidates=["A kid playing on the park"],
        grounding="synset",
    )

    assert f1(boy, "participant") == 0


def test_an_image_has_the_bags_of_all_its_references() -> None:
    dog = SemanticTuple("run", "dog", "", "")
    compared = meanings([[{BOY}, {dog}]], [{BOY, SemanticTuple("run", "cat", "", "")}])
    counts = compared.count("lemma", file_order(compared.corpus))

    participant = list(BAGS).index("participant")

    assert counts.precision[0, participant] == 1 / 2
    assert counts.recall[0, participant] == 1 / 2
    assert counts.reference_size[0].tolist() == [2, 2, 1, 2, 1, 1, 1]


def test_the_f1_of_a_bag_that_is_empty_on_one_side_is_0_and_on_both_undefined() -> None:
    compared = meanings([[{BOY}], [{BOY}]], [{SemanticTuple("", "boy", "", "")}, set()])
    counts = compared.count("lemma", file_order(compared.corpus))

    assert counts.f1.tolist() == [[0, 1, 0, 0, 0, 0, 0], [0] * 7]
    assert np.isnan(counts.precision[1]).all()
    assert counts.recall[1].tolist() == [0] * 7

    empty = meanings([[set()]], [set()])
    assert np.isnan(empty.count("lemma", file_order(empty.corpus)).f1).all()


def test_sums_over_candidates_give_micro_averages() -> None:
    two = SemanticTuple("hit", "boy", "ball", "")
    compared = meanings(
        [[{two}], [{BOY}]], [{SemanticTuple("hit", "boy", "", "")}, {BOY}]
    )
    total = compared.count("lemma", file_order(compared.corpus)).total()

    assert total.recall[list(BAGS).index("participant")] == 2 / 3

    position = list(BAGS).index("participant")
    assert total.precision[position] == 1


def test_a_reference_is_compared_with_the_others() -> None:
    dog = SemanticTuple("run", "dog", "", "park")
    compared = meanings([[{BOY}, {dog}, {BOY}]], [{dog}])
    others = compared.count(
        "lemma", own_last(compared.corpus, np.array([1])), left_out=1
    )

    assert others.reference_size[0].tolist() == [1] * 7
    assert others.matched[0].tolist() == [0, 0, 1, 0, 0, 0, 0]


@pytest.mark.usefixtures("parsing")
def test_the_f1_of_a_bag_is_a_metric_that_is_named() -> None:
    made = corpus(
        references=[[PARK, "A child sleeps"]],
        candidates=["A kid is playing"],
        images=[0],
    )
    curves = compare(made, ["bast-participant", "BAST-predicate"]).accumulate(
        file_order(made)
    )

    assert "BAST-predicate" not in names()
    assert curves["BAST-predicate"].round(12).tolist() == [[1, round(2 / 3, 12)]]
    assert curves["BAST-participant"].round(12).tolist() == [[0, round(2 / 3, 12)]]


def test_a_table_is_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "grounding.csv"
    path.write_text("span,value\nBoy,human\nkid,human\nboy,human\n", encoding="utf-8")
    assert read_grounding(path) == {"boy": "human", "kid": "human"}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (
            "span,name\nboy,human\n",
            "line 1: no column value. Give the columns span and value",
        ),
        ("span,value\nboy,\n", "line 2: an empty cell. Fill it in"),
        (
            "span,value\nboy,a\nboy,b\n",
            r"line 3: 'boy' has another value \('a'\) before. Keep one",
        ),
    ],
)
def test_a_bad_table_is_refused(tmp_path: Path, text: str, what: str) -> None:
    path = tmp_path / "grounding.csv"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(ValueError, match=rf"^grounding\.csv, {what}"):
        read_grounding(path)
