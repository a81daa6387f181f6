"""The MATLAB files of the CIDEr paper's release."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.io import savemat

from tercet.analysis.dataset.folder import read
from tercet.analysis.layouts.cider_release import PER_PAIR
from tercet.analysis.tables import limits

PAIRS = (("a dog", "a cat"), ("dogs", "a bus"), ("a man", "men"))
IMAGES = ("dog.jpg", "dog.jpg", "man.jpg")


def objects(rows: Sequence[Sequence[object]]) -> NDArray[np.void]:
    """A struct array of MATLAB with a field for each column."""
    array = np.empty(
        (1, len(rows)), dtype=[(f"field{n}", object) for n in range(len(rows[0]))]
    )
    for number, row in enumerate(rows):
        array[0, number] = tuple(row)

    return array


def cell(text: str) -> NDArray[np.object_]:
    return np.array([[text]], dtype=object)


def write_triplets(path: Path, *, last: int = -1, count: int = 3 * PER_PAIR) -> None:
    """B wins the first 30 triplets of each pair; the first two pairs have equal references."""
    rows = []
    for number in range(count):
        pair, position = divmod(number, PER_PAIR)
        winner = 1 if position < 30 else last
        image = IMAGES[pair]
        b, c = PAIRS[pair]
        rows.append(
            (cell(f"{image} {position} "), cell(b), cell(c), np.array([[winner]]))
        )

    savemat(
        path / "consensus_small.mat", {"triplets": objects(rows)}, do_compression=True
    )


def write_pairs(path: Path, pairs: Sequence[tuple[str, str]] = PAIRS) -> None:
    rows = [(image, *pair) for image, pair in zip(IMAGES, pairs, strict=True)]
    categories = np.array([[1, 2, 4]])
    savemat(
        path / "pair_small.mat", {"new_input": objects(rows), "category": categories}
    )


def problems(folder: Path) -> list[str]:
    return [str(problem) for problem in read(folder).problems]


def test_triplets_are_references_pairs_and_votes(tmp_path: Path) -> None:
    write_triplets(tmp_path)
    dataset = read(tmp_path).sound()

    columns = ["pair", "image", "candidate_b", "candidate_c", "category"]
    assert dataset.pairs[columns].to_numpy().tolist() == [
        ["0001", "0001", "a dog", "a cat", ""],
        ["0002", "0001", "dogs", "a bus", ""],
        ["0003", "0002", "a man", "men", ""],
    ]
    assert dataset.references.groupby("image").size().to_dict() == {
        "0001": 48,
        "0002": 48,
    }
    assert dataset.references["caption"][0] == "dog.jpg 0"

    votes = dataset.votes.query("pair == '0002'")
    assert votes["choice"].tolist() == 30 * ["B"] + 18 * ["C"]
    assert votes["reference"].tolist() == [str(number) for number in range(1, 49)]
    assert set(votes["annotator"]) == {""}


def test_the_file_of_pairs_names_images_and_categories(tmp_path: Path) -> None:
    write_triplets(tmp_path)
    write_pairs(tmp_path)
    pairs = read(tmp_path).sound().pairs

    assert pairs["image"].tolist() == list(IMAGES)

    categories = pairs["category"].tolist()
    assert categories == ["HC", "HI", "MM"]


def test_a_winner_that_is_none_is_named_with_its_triplet(tmp_path: Path) -> None:
    write_triplets(tmp_path, last=5)
    first = problems(tmp_path)[0]

    assert first.startswith(
        "consensus_small.mat > votes, entry 31, column choice: is not a known choice ('5')"
    )


def test_triplets_that_are_not_48_for_each_pair_are_refused(tmp_path: Path) -> None:
    write_triplets(tmp_path, count=3 * PER_PAIR - 1)
    assert problems(tmp_path)[0].startswith(
        "consensus_small.mat, entry 97: is not the first of 48"
    )


def test_files_of_two_datasets_are_refused(tmp_path: Path) -> None:
    write_triplets(tmp_path)
    write_pairs(tmp_path, [("a dog", "a cat"), ("dogs", "a car"), ("a man", "men")])

    assert problems(tmp_path)[0].startswith(
        "consensus_small.mat, entry 49: is of another pair"
    )


def test_an_image_with_two_lists_of_references_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_triplets(tmp_path)
    monkeypatch.setattr(f"{__name__}.IMAGES", ("dog.jpg", "dog.jpg", "dog.jpg"))
    write_pairs(tmp_path)

    assert problems(tmp_path)[0].startswith(
        "consensus_small.mat, entry 97: has other references than an earlier pair of its image "
        "('dog.jpg')"
    )


def test_another_structure_is_told(tmp_path: Path) -> None:
    savemat(tmp_path / "votes.mat", {"triplets": objects([("a dog", "a cat")])})
    assert problems(tmp_path)[0].startswith("votes.mat: does not have the structure")


def test_no_more_rows_are_read_than_a_table_may_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_triplets(tmp_path)
    monkeypatch.setattr(limits, "MAX_ROWS", 2 * PER_PAIR)
    found = problems(tmp_path)

    assert found[0].startswith("consensus_small.mat, entry 97: is not the first of 48")


def test_other_matlab_files_are_left_alone(tmp_path: Path) -> None:
    other = tmp_path / "other.mat"
    savemat(other, {"x": [1]})
    (tmp_path / "broken.mat").write_bytes(b"no MATLAB")
    assert "broken.mat: is a MATLAB file that is not known" in problems(tmp_path)[0]
