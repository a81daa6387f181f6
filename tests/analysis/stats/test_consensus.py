"""How well sentences of one image agree, and how far one more moves their scores."""

import numpy as np
import pandas as pd
import pytest

from tercet import metrics
from tercet.analysis.stats.consensus import consensus, gains, steady_from

DOG = ["a dog runs on grass", "a dog runs on the grass", "a big dog on the grass"]
CAT = ["a cat sleeps on a sofa", "the cat sleeps", "a clock hangs in a hall"]


def sentences(*texts: tuple[str, str]) -> pd.DataFrame:
    return pd.DataFrame(texts, columns=["image", "sentence"])


def mixed() -> pd.DataFrame:
    """Sentences of two images in turn, and one of a third image."""
    rows = [
        (image, text)
        for pair in zip(DOG, CAT, strict=True)
        for image, text in zip("dc", pair, strict=True)
    ]
    return sentences(*rows, ("bus", "a red bus"))


def test_each_sentence_is_scored_by_the_others_of_its_image() -> None:
    found = consensus(mixed())
    expected = metrics.score_references(
        references=[DOG, CAT, ["a red bus"]], metrics="CIDEr-D"
    ).captions["CIDEr-D"]

    assert found[[0, 2, 4, 1, 3, 5]] == pytest.approx(expected[:6])
    assert np.isnan(found[6])
    assert np.nanargmin(found) == 5  # the clock


def test_no_sentences_have_no_scores() -> None:
    none = sentences()
    assert consensus(none).tolist() == []
    assert gains(none, np.random.default_rng(0)).empty


def test_one_sentence_per_image_says_nothing_about_one_more() -> None:
    one = sentences(("dog", DOG[0]), ("cat", CAT[0]))
    assert gains(one, np.random.default_rng(0)).empty


def test_one_more_of_equal_sentences_moves_nothing() -> None:
    rows = [
        (image, image) for image in ("a dog runs", "a cat sleeps") for _ in range(6)
    ]
    found = gains(sentences(*rows), np.random.default_rng(0))

    assert found["sentences"].tolist() == [2, 3, 4, 5, 6]
    assert found["images"].tolist() == [2] * 5
    assert found["change"].tolist()[1:] == pytest.approx([0] * 4)
    assert steady_from(found) == 3


def test_a_sentence_that_differs_moves_the_scores_of_the_others() -> None:
    found = gains(mixed(), np.random.default_rng(0))

    assert found["sentences"].tolist() == [2, 3]
    assert np.isnan(found["change"][0])
    assert found["change"][1] > 0.1
    assert steady_from(found) is None


def test_the_order_of_the_sentences_is_drawn() -> None:
    one, same = (gains(mixed(), np.random.default_rng(5)) for _ in range(2))
    pd.testing.assert_frame_equal(one, same)


def test_scores_are_steady_where_they_stay_so() -> None:
    gain = pd.DataFrame(
        {"sentences": [2, 3, 4, 5], "change": [np.nan, 0.01, 0.2, 0.04]}
    )
    assert steady_from(gain) == 5
