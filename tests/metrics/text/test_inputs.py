"""Shapes in which captions are given: read by position or by key, or refused with the remedy."""

from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tercet.metrics import count_documents, curves, ptb, score, score_references

REFERENCES = [
    ["a dog runs", "the dog is running"],
    ["two cats sleep"],
    ["a red bird", "birds"],
]
CANDIDATES = ["a dog is running", "two cats", "a bird in red"]
NAMES = ["BLEU-1", "ROUGE-L", "CIDEr-D"]
KEYS = ["x", 7, "z"]


def scores_of(
    references: Any, candidates: Any, **options: Any
) -> dict[str, list[float]]:
    scores = score(
        references=references, candidates=candidates, metrics=NAMES, **options
    )
    return {name: each.tolist() for name, each in scores.captions.items()}


EXPECTED = scores_of(REFERENCES, CANDIDATES)
SHUFFLED: dict[str, Callable[[list[Any]], Any]] = {
    "Series": lambda rows: pd.Series(rows, index=[2, 0, 1], dtype=object),
    "Series with names": lambda rows: pd.Series(
        rows, index=["c", "a", "b"], dtype=object
    ),
    "Index": lambda rows: pd.Index(pd.Series(rows, dtype=object)),
    "array": lambda rows: pd.Series(rows, dtype=object).to_numpy(),
    "tuple": tuple,
    "deque": deque,
}


@pytest.mark.parametrize("shape", SHUFFLED)
def test_columns_arrays_and_tuples_are_read_by_position(shape: str) -> None:
    shaped = SHUFFLED[shape]
    assert scores_of(REFERENCES, shaped(CANDIDATES)) == EXPECTED
    assert scores_of(shaped(REFERENCES), CANDIDATES) == EXPECTED
    assert scores_of(list(map(np.array, REFERENCES)), CANDIDATES) == EXPECTED

    images = shaped([2, 0, 1])
    moved = [CANDIDATES[image] for image in (2, 0, 1)]
    found = scores_of(REFERENCES, moved, images=images)

    assert found == {
        name: [each[i] for i in (2, 0, 1)] for name, each in EXPECTED.items()
    }


def test_tokens_of_a_caption_may_be_an_array() -> None:
    tokens = [np.array(caption.split()) for caption in CANDIDATES]
    assert scores_of(REFERENCES, tokens) == EXPECTED


def test_captions_by_key_are_scored_in_the_order_of_the_references() -> None:
    references = dict(zip(KEYS, REFERENCES, strict=True))
    candidates = OrderedDict(zip(KEYS[::-1], CANDIDATES[::-1], strict=True))

    assert scores_of(references, candidates) == EXPECTED

    in_lists = {key: [caption] for key, caption in candidates.items()}
    scores = score(references=references, candidates=in_lists, metrics=NAMES)

    assert {name: each.tolist() for name, each in scores.captions.items()} == EXPECTED
    assert scores.to_frame().index.tolist() == KEYS

    accumulated = curves(references=references, candidates=in_lists, metrics="ROUGE-L")
    assert accumulated["ROUGE-L"][2, 1] == EXPECTED["ROUGE-L"][2]


def test_references_alone_may_be_given_by_key() -> None:
    by_key = dict(zip(KEYS, REFERENCES, strict=True))
    assert count_documents(by_key).images == 3

    expected = score_references(references=REFERENCES, metrics="ROUGE-L").captions[
        "ROUGE-L"
    ]
    found = score_references(references=by_key, metrics="ROUGE-L").captions["ROUGE-L"]

    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("given", "described"),
    [
        ({"a", "b", "c"}, "set"),
        ((caption for caption in CANDIDATES), "generator"),
        (pd.DataFrame({"caption": CANDIDATES}), "DataFrame"),
        (dict(enumerate(CANDIDATES)), "dict"),
        (dict(enumerate(CANDIDATES)).values(), "dict_values"),
        (b"a dog", "bytes"),
        (np.array("a dog"), "ndarray"),
        (None, "NoneType"),
    ],
)
def test_what_has_no_positions_is_refused_with_what_is_accepted(
    given: Any, described: str
) -> None:
    accepted = "a tuple, an array or a pandas Series is read by position too"
    with pytest.raises(
        TypeError, match=f"candidates must be .* not {described}; {accepted}"
    ):
        score(references=REFERENCES, candidates=given)
    with pytest.raises(
        TypeError, match=f"references must be .* not {described}; {accepted}"
    ):
        score(references=given, candidates=CANDIDATES)
    with pytest.raises(
        TypeError, match=f"references of image 1 must be .* not {described}"
    ):
        score(references=[["a"], given, ["b"]], candidates=CANDIDATES)


def test_a_caption_in_a_list_is_refused_with_the_remedy() -> None:
    with pytest.raises(
        ValueError, match=r"candidate 0 is a list with 'a dog runs' in it.*string"
    ):
        score(
            references=[["a dog"], ["cats"]], candidates=[["a dog runs"], ["two cats"]]
        )
    with pytest.raises(
        ValueError, match="reference 1 of image 0 is a list with 'a dog' in it"
    ):
        score(references=[["a", ["a dog"]], ["cats"]], candidates=["a dog", "cats"])


def test_tokens_of_the_tokenizer_may_hold_no_break_spaces() -> None:
    tokens = ptb("1 1/2 dogs")
    assert any("\N{NO-BREAK SPACE}" in token for token in tokens)

    found = score(references=[["1 1/2 dogs"]], candidates=[tokens], metrics="ROUGE-L")
    assert found.corpus["ROUGE-L"] == 1


@pytest.mark.parametrize(
    ("candidates", "more", "message"),
    [
        (
            {"x": "a", 7: "b"},
            {},
            "1 keys, such as 'z', are in references, but not in candidates",
        ),
        (
            {"x": "a", 7: "b", "z": "c", 8: "d"},
            {},
            "1 keys, such as 8, are in candidates, but not in references",
        ),
        (
            {"x": ["a", "b"], 7: "b", "z": "c"},
            {},
            "2 candidates for 'x': give one for each key",
        ),
        ({"x": [], 7: "b", "z": "c"}, {}, "0 candidates for 'x'"),
        ({"x": "a", 7: "b", "z": "c"}, {"images": [0, 1, 2]}, "leave out images"),
        (
            {"x": "a", 7: [["a b"]], "z": "c"},
            {},
            "the candidate of image 7 is a list with 'a b'",
        ),
    ],
)
def test_captions_by_key_that_do_not_fit_are_refused(
    candidates: dict[Any, Any], more: dict[str, Any], message: str
) -> None:
    references = dict(zip(KEYS, REFERENCES, strict=True))
    with pytest.raises(ValueError, match=message):
        score(references=references, candidates=candidates, **more)


def test_an_image_is_named_by_its_key() -> None:
    with pytest.raises(ValueError, match="image 'x' has no references"):
        score(references={"x": []}, candidates={"x": "a"})
    with pytest.raises(TypeError, match="reference 0 of image 'x' is not a string"):
        score(references={"x": [7]}, candidates={"x": "a"}, metrics="BLEU-1")  # type: ignore[list-item]
