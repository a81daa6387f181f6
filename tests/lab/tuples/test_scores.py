"""Scores of captions of our own, parsed by the installed model and counted by hand."""

import numpy as np
import pytest

from tercet.metrics import curves, score
from tercet.metrics.core.arrays import FloatArray

REFERENCES = [
    "a brown dog runs on the grass",
    "a dog is running in a park",
    "the puppy plays with a red ball",
]
CANDIDATES = [
    "a dog runs",
    "a brown dog plays on the grass",
    "two cats sleep on a sofa",
]
# In METEOR's list, "run" and "play" share a synset; "dog" and "puppy" do not.
GOLDENS: dict[str, list[list[float]]] = {
    # dog and (dog, run) are 2 of 5, 7 and 12 tuples
    "tuple-F": [[4 / 7, 4 / 9, 2 / 7], [1, 5 / 6, 10 / 17], [0, 0, 0]],
    # of which 2 of 5, 4 of 9 and 4 of 14 references' tuples
    "tuple-C": [[4 / 7, 8 / 13, 4 / 9], [1, 7 / 8, 2 / 3], [0, 0, 0]],
    "BAST-predicate": [[1, 1, 1], [1, 1, 1], [0, 0, 0]],
    "BAST-participant": [[1, 1, 1 / 2], [1, 1, 1 / 2], [0, 0, 0]],
    "BAST-locative": [[0, 0, 0], [1, 2 / 3, 2 / 3], [0, 0, 0]],
    "BAST-predicate-participant": [[1, 1, 1 / 2], [1, 1, 1 / 2], [0, 0, 0]],
    "BAST-participant-locative": [[0, 0, 0], [1, 2 / 3, 2 / 3], [0, 0, 0]],
    "BAST-predicate-locative": [[0, 0, 0], [1, 2 / 3, 2 / 3], [0, 0, 0]],
    "BAST-triplet": [[0, 0, 0], [1, 2 / 3, 2 / 3], [0, 0, 0]],
}


def found(names: list[str]) -> dict[str, FloatArray]:
    return curves(
        references=[REFERENCES], candidates=CANDIDATES, images=[0] * 3, metrics=names
    )


@pytest.mark.usefixtures("parsing")
def test_scores_are_those_counted_by_hand() -> None:
    scores = found(list(GOLDENS))
    for name, expected in GOLDENS.items():
        np.testing.assert_allclose(scores[name], expected, atol=1e-12, err_msg=name)


@pytest.mark.usefixtures("parsing")
def test_spider_t_of_a_caption_with_no_word_in_common_with_others_is_half_of_tuple_f() -> (
    None
):
    references = [["a dog runs"], ["a red bus"]]
    scores = score(
        references=references, candidates=["dogs run", "a bus"], metrics="SPIDEr-T"
    )

    assert scores.captions["SPIDEr-T"][0] == pytest.approx(1 / 2)
