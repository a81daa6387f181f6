from typing import Any

import numpy as np
import pytest

from tercet.metrics import corpus


def test_candidates_are_compared_with_the_references_of_their_image() -> None:
    made = corpus(
        references=[["a", "b"], ["c"], ["d", "e", "f"]],
        candidates=["x", "y", "z"],
        images=[2, 0, 2],
    )

    candidates = made.comparisons.candidate.tolist()
    assert candidates == [0, 0, 0, 1, 1, 2, 2, 2]

    references = made.comparisons.reference.tolist()
    assert references == [3, 4, 5, 0, 1, 3, 4, 5]
    assert made.reference_counts.tolist() == [3, 2, 3]
    assert made.most_references == 3


def test_without_images_each_candidate_has_its_own() -> None:
    images = corpus(references=[["a"], ["b"]], candidates=["x", "y"]).candidate_image
    assert images.tolist() == [0, 1]


def test_strings_are_tokenized_and_lists_taken_as_they_are() -> None:
    made = corpus(
        references=[["A dog."], [["A", "dog."]]], candidates=["a dog", ["A", "dog."]]
    )

    assert (
        made.candidates.tokens.tolist()
        == made.references.tokens.tolist()
        == [0, 1, 2, 3]
    )


def test_another_tokenizer_can_be_given() -> None:
    tokens = corpus(
        references=[["A dog."]], candidates=["x"], tokenize=list
    ).references.tokens
    assert len(tokens) == len("A dog.")


def test_values_go_to_the_places_of_their_references() -> None:
    made = corpus(references=[["a", "b", "c"], ["d"]], candidates=["x", "y"])
    table = made.by_place(
        np.array([1.0, 2.0, 3.0, 4.0]), np.array([2, 0, 1, 0]), fill=-1
    )

    assert table.tolist() == [[2, 3, 1], [4, -1, -1]]


NAMES = ("references", "candidates", "images")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([["a"], []], ["x", "y"]), "image 1 has no references"),
        (([], []), "references is empty"),
        (
            ([["a"], ["b"]], ["x"]),
            "1 candidates for 2 images: give the image of each with images=",
        ),
        (([["a"], ["b"]], ["x"], [0, 1]), "2 image numbers for 1 candidates"),
        (
            ([["a"]], ["x", "y"], [0, 1]),
            "candidate 1 is of image 1, but references has images 0 to 0",
        ),
        (
            ([["a"]], ["x"], [-1]),
            "candidate 0 is of image -1, but references has images 0 to 0",
        ),
    ],
)
def test_wrong_values_are_named_with_their_place(
    arguments: tuple[Any, ...], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        corpus(**dict(zip(NAMES, arguments, strict=False)))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            (["a dog"], ["x"]),
            "references of image 0 must be a list of captions, not the string",
        ),
        (([["a"]], "x"), "candidates must be a list of captions, not the string"),
        ((None, ["x"]), "references must be a list of lists of captions, not NoneType"),
        (([["a"]], [7]), "candidate 0 is not a string or a list of tokens: 7"),
        (([["a"], ["b", None]], ["x", "y"]), "reference 1 of image 1 is not a string"),
        (([["a"]], [["x", 3]]), "candidate 0 is not a string or a list of tokens"),
        (([["a"]], ["x"], [0.0]), "images must be whole numbers"),
    ],
)
def test_wrong_types_are_named_with_their_place(
    arguments: tuple[Any, ...], message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        corpus(**dict(zip(NAMES, arguments, strict=False)))


def test_unknown_documents_are_refused() -> None:
    with pytest.raises(
        ValueError, match=r"documents must be 'pool' or .* or a table, not 'all'"
    ):
        corpus(references=[["a"]], candidates=["x"], documents="all")  # type: ignore[arg-type]


def test_documents_by_row_take_no_weights() -> None:
    with pytest.raises(ValueError, match="leave out document_weights"):
        corpus(
            references=[["a"], ["b"]],
            candidates=["x", "y"],
            documents="rows",
            document_weights=[1, 1],
        )


@pytest.mark.parametrize("weights", [[1.0], [1.0, -1.0], [1.0, np.nan], [0.0, 0.0]])
def test_document_weights_must_make_sense(weights: list[float]) -> None:
    with pytest.raises(ValueError, match="document weights"):
        corpus(
            references=[["a"], ["b"]], candidates=["x", "y"], document_weights=weights
        )
