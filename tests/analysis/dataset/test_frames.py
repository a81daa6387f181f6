"""Datasets of pandas frames."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from tercet.analysis import Dataset, load
from tercet.analysis.tables.csv_tables import FaultyDataset
from tests.support.folders import DEMO, PAIR_COLUMNS, PAIRS, REFERENCES, VOTE_COLUMNS

CAPTIONS = pd.DataFrame(REFERENCES, columns=["image", "caption"])
CHOICES = pd.DataFrame(PAIRS, columns=list(PAIR_COLUMNS))


def problem_of(**frames: Any) -> str:
    with pytest.raises(FaultyDataset) as error:
        Dataset.from_frames(**frames)
    return str(error.value)


def test_frames_make_the_same_dataset_as_their_files() -> None:
    folder = load(DEMO)
    files = DEMO.glob("*.csv")
    frames: dict[str, Any] = {path.stem: pd.read_csv(path) for path in files}

    dataset = Dataset.from_frames(info=folder.info, study=folder.study, **frames)

    assert dataset.sha256 == folder.sha256
    assert repr(dataset) == repr(folder)


def test_the_index_of_a_frame_does_not_matter() -> None:
    shuffled = CHOICES.set_index(pd.Index([7, 7, 1, 2]))

    dataset = Dataset.from_frames(references=CAPTIONS, pairs=shuffled)

    assert dataset.pairs["pair"].tolist() == ["p1", "p2", "p3", "p4"]


def test_missing_values_are_empty_cells_and_numbers_are_text() -> None:
    values = {"image": "dog", "caption": ["a", "b"], "rating": [3.0, 2.5]}
    ratings = pd.DataFrame(values | {"annotator": [None, 1], "source": [np.nan, pd.NA]})

    dataset = Dataset.from_frames(references=CAPTIONS, ratings=ratings)

    assert dataset.ratings["rating"].tolist() == ["3", "2.5"]
    assert dataset.ratings["annotator"].tolist() == ["", "1"]
    assert dataset.ratings["source"].tolist() == ["", ""]


def test_an_error_names_frame_row_column_value_and_remedy() -> None:
    votes = pd.DataFrame([("p1", 1, "ann", "D")], columns=list(VOTE_COLUMNS))

    assert problem_of(references=CAPTIONS, pairs=CHOICES, votes=votes) == (
        "votes, row 1, column choice: is not a known choice ('D'). Use one of B, C, tie"
    )


def test_equal_errors_of_several_rows_are_one_line() -> None:
    pairs = CHOICES.assign(image="horse")

    assert problem_of(references=CAPTIONS, pairs=pairs).startswith(
        "pairs, rows 1, 2, 3 and 1 more, column image:"
    )


def test_a_row_is_no_line() -> None:
    twice = pd.concat([CHOICES, CHOICES[:1]])

    assert problem_of(references=CAPTIONS, pairs=twice) == (
        "pairs, row 5, column pair: repeats row 1 ('p1'). Give each pair a name of its own"
    )


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
def test_a_missing_value_is_called_empty(missing: Any) -> None:
    votes = pd.DataFrame([("p1", 1, "ann", missing)], columns=list(VOTE_COLUMNS))

    assert problem_of(references=CAPTIONS, pairs=CHOICES, votes=votes) == (
        "votes, row 1, column choice: is empty. Use one of B, C, tie"
    )
    unnamed = CAPTIONS.assign(image=[missing, *CAPTIONS["image"][1:]])
    assert problem_of(references=unnamed, pairs=CHOICES).startswith(
        "references, row 1, column image: is empty. Fill it in or remove the row"
    )


def test_a_cell_that_is_no_text_is_named() -> None:
    categories: list[Any] = [["HC"], "HC", "HC", "HC"]
    pairs = CHOICES.assign(category=categories)

    message = problem_of(references=CAPTIONS, pairs=pairs)

    assert message.startswith("pairs, row 1, column category: is neither a text")


def test_what_is_missing_is_named() -> None:
    message = problem_of(references=CAPTIONS[["image"]])

    assert "references, column caption: is missing." in message
    assert "pairs: is missing." in message


def test_an_unknown_column_is_a_warning() -> None:
    with pytest.warns(UserWarning, match="column 'colour' is not used"):
        Dataset.from_frames(references=CAPTIONS, pairs=CHOICES.assign(colour="red"))


@pytest.mark.parametrize(
    ("frames", "message"),
    [
        ({"captions": CAPTIONS}, "There is no table 'captions', only images"),
        ({"references": "refs.csv"}, "references: give a pandas DataFrame"),
    ],
)
def test_only_frames_of_known_tables_are_taken(
    frames: dict[str, Any], message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        Dataset.from_frames(**frames)
