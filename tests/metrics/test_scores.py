import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tercet.metrics import (
    Scores,
    compare,
    corpus,
    corpus_scores,
    curves,
    file_order,
    score,
)

REFERENCES = [
    ["A dog runs.", "the dog is running"],
    ["two cats"],
    ["a red bird", "a bird"],
]
CANDIDATES = ["a dog runs in a field", "cats", "a bird"]
SOUND: dict[str, Any] = {"references": REFERENCES, "candidates": CANDIDATES}


@pytest.fixture(scope="module")
def scores() -> Scores:
    return score(
        references=REFERENCES, candidates=CANDIDATES, metrics=["bleu-1", "ROUGE-L"]
    )


def test_the_seven_metrics_of_coco_are_scored_by_default() -> None:
    scores = score(references=REFERENCES, candidates=CANDIDATES)
    captions = list(scores.captions)
    assert list(scores.corpus) == captions
    assert list(scores.corpus)[3:] == ["BLEU-4", "METEOR", "ROUGE-L", "CIDEr-D"]
    assert len(scores.corpus) == 7


def test_figures_are_those_of_the_corpus(scores: Scores) -> None:
    made = corpus(references=REFERENCES, candidates=CANDIDATES)
    compared = compare(made, ["BLEU-1", "ROUGE-L"])

    assert scores.corpus == corpus_scores(compared, file_order(made))

    mean = pytest.approx(np.mean(scores.captions["ROUGE-L"]))
    assert scores.corpus["ROUGE-L"] == mean
    assert scores.corpus["BLEU-1"] != pytest.approx(np.mean(scores.captions["BLEU-1"]))


def test_a_data_frame_has_a_row_for_each_caption(scores: Scores) -> None:
    expected = pd.DataFrame(
        dict(scores.captions), index=range(3), columns=["BLEU-1", "ROUGE-L"]
    )
    pd.testing.assert_frame_equal(scores.to_frame(), expected)


def test_a_data_frame_without_pandas_names_the_extra(
    scores: Scores, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'tercet\[analysis\]'"):
        scores.to_frame()


def test_scores_show_their_figures(scores: Scores) -> None:
    assert repr(scores) == "Scores(3 captions: BLEU-1 0.667, ROUGE-L 0.779)"


def test_of_many_metrics_the_first_are_shown() -> None:
    scores = score(references=REFERENCES, candidates=CANDIDATES, metrics="all")
    assert repr(scores).endswith(f", … {len(scores.corpus) - 7} more)")
    assert len(repr(scores)) < 160


@pytest.mark.parametrize("face", [score, curves])
def test_a_choice_of_no_metric_is_refused(face: Any) -> None:
    with pytest.raises(ValueError, match="no metric is named"):
        face(references=REFERENCES, candidates=CANDIDATES, metrics=[])


@pytest.mark.parametrize("face", [score, curves])
def test_captions_are_given_by_keyword(face: Any) -> None:
    with pytest.raises(TypeError, match="positional"):
        face(REFERENCES, CANDIDATES)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"candidates": "a dog"},
            "candidates must be a list of captions, not the string 'a dog'",
        ),
        (
            {"references": "a dog"},
            "references must be a list of lists of captions, not the string",
        ),
        (
            {"references": ["a dog", "cats", "a bird"]},
            "references of image 0 must be a list of captions, not the string 'a dog'",
        ),
        ({"candidates": 5}, "candidates must be a list of captions, not int"),
        (
            {"candidates": ["a", 5, "b"]},
            "candidate 1 is not a string or a list of tokens: 5",
        ),
    ],
)
def test_a_string_for_a_list_is_an_error(given: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        score(**(SOUND | given))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"references": []},
            "references is empty: give the references of at least one image",
        ),
        (
            {"references": [["a"], [], ["b"]]},
            "image 1 has no references: give at least one",
        ),
        (
            {"candidates": ["a"]},
            "1 candidates for 3 images: give the image of each with images=",
        ),
        ({"images": [0, 1]}, "2 image numbers for 3 candidates"),
        (
            {"images": [0, 1, 3]},
            "candidate 2 is of image 3, but references has images 0 to 2",
        ),
    ],
)
def test_captions_that_do_not_fit_together_are_an_error(
    given: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        score(**(SOUND | given))
