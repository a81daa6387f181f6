import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tercet.metrics.ngram.baselines import chance
from tests.metrics.scores import caption_curves, caption_scores

REFERENCES = [["a dog runs", "a dog"], ["two cats"]]


def test_the_longer_caption_scores_higher() -> None:
    lengths = caption_scores(
        REFERENCES, ["a dog runs", "", "cats"], [0, 0, 1], ["length"]
    )["length"]

    assert lengths.tolist() == [3, 0, 1]


def test_chance_is_the_same_for_the_same_caption_of_the_same_image() -> None:
    candidates, images = ["a dog", "a cat", "a dog", "a dog"], [0, 0, 0, 1]
    first, other, again, elsewhere = caption_scores(
        REFERENCES, candidates, images, ["random"]
    )["random"]

    assert first == again
    assert len({first, other, elsewhere}) == 3
    assert (
        first
        == caption_scores(REFERENCES, ["x y z", "a dog"], [1, 0], ["random"])["random"][
            1
        ]
    )


def test_the_number_of_references_has_no_part_in_it() -> None:
    for curve in caption_curves(
        REFERENCES, ["a dog"], [0], ["length", "random"]
    ).values():
        assert curve[0, 0] == curve[0, 1]


def test_chances_are_even() -> None:
    chances = np.sort([chance(f"0 caption {number}") for number in range(4000)])
    assert np.abs(chances - np.arange(4000) / 4000).max() < 0.03


@given(st.text(st.characters(codec=None)))
def test_any_text_has_a_chance(text: str) -> None:
    assert 0 <= chance(text) < 1
