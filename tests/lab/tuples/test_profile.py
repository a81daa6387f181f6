import numpy as np
import pandas as pd
import pytest

from tercet.lab.tuples.profile import bag_profile, confusions
from tercet.metrics import BAGS, BagCounts, IntArray, SemanticTuple

WEIGHTS = np.array([[1.0, 1.0], [2.0, 0.0], [0.0, 2.0]])


def of_each(*values: int) -> IntArray:
    """A number for each caption, the same for every bag."""
    return np.repeat(np.array(values, np.int64)[:, None], len(BAGS), axis=1)


def said(predicate: str, *arguments: str) -> SemanticTuple:
    agent, patient, locative = (*arguments, "", "", "")[:3]
    return SemanticTuple(predicate, agent, patient, locative)


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    """Two captions of an image, one right and one half right, and an empty one of another."""
    counts = BagCounts(
        matched=of_each(2, 1, 0),
        size=of_each(2, 2, 0),
        recalled=of_each(4, 1, 0),
        reference_size=of_each(4, 4, 2),
    )
    return bag_profile(counts, np.array([0, 0, 1]), WEIGHTS).set_index("bag")


def test_means_are_over_captions_where_a_score_is_defined(table: pd.DataFrame) -> None:
    row = table.loc["predicate"]
    assert row["precision"] == (1 + 1 / 2) / 2
    assert row["recall"] == pytest.approx((1 + 1 / 4 + 0) / 3)

    assert row["f1"] == pytest.approx((1 + 1 / 3 + 0) / 3)
    assert row["empty"] == pytest.approx(1 / 3)
    assert row["captions"] == 3


def test_micro_averages_are_of_all_elements(table: pd.DataFrame) -> None:
    row = table.loc["triplet"]
    assert row["micro_precision"] == 3 / 4
    assert row["micro_recall"] == 5 / 10
    assert row["micro_f1"] == pytest.approx(2 * 0.75 * 0.5 / 1.25)


def test_intervals_are_over_images(table: pd.DataFrame) -> None:
    row = table.loc["locative"]
    assert 0 <= row["low"] < row["f1"] < row["high"] <= 2 / 3
    assert np.isnan(row["precision_low"])  # only one image has captions with an element


def test_another_predicate_with_the_same_participant_is_a_confusion() -> None:
    references = [
        {said("ride", "man", "wave")},
        {said("ride", "man")},
        {said("fall", "man")},
    ]
    captions = [said("surf", "man")]
    [found] = confusions(captions, references)

    assert (found.references_say, found.candidate_says) == ("ride", "surf")
    assert (found.participant, found.locative, found.reference) == ("man", "", 0)


def test_the_predicate_of_most_references_is_named() -> None:
    references = [{said("stand", "dog")}, {said("run", "dog")}, {said("run", "dog")}]
    captions = [said("sleep", "dog")]
    [found] = confusions(captions, references)
    assert (found.references_say, found.reference) == ("run", 1)


def test_a_predicate_that_any_reference_has_is_none() -> None:
    references = [{said("run", "dog")}, {said("sleep", "cat")}]
    captions = [said("sleep", "dog")]
    assert confusions(captions, references) == []


def test_another_place_is_none() -> None:
    references = [{said("run", "dog", "", "park")}]
    assert confusions([said("sleep", "dog", "", "house")], references) == []

    captions = [said("sleep", "dog", "", "park")]
    [found] = confusions(captions, references)
    assert found.locative == "park"
