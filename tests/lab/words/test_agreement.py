import re
from collections import defaultdict
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from scripts.coco_documents import annotations, installed_file
from tercet.lab.words.agreement import (
    count_words,
    model_precision,
    people_agreement,
    precision_at_recall,
    precisions_at_recall,
    system_agreement,
)
from tercet.metrics import FloatArray, IntArray
from tests.support.examples import examples

WORD = re.compile(r"[a-z]+('[a-z]+)?")
IMAGES = [["a dog", "a dog runs", "the dog"], ["a cat", "cats", "a dog and a cat"]]


def made(images: list[list[str]]) -> tuple[list[list[str]], IntArray]:
    tokens = [caption.split() for captions in images for caption in captions]
    return tokens, np.repeat(
        np.arange(len(images)), [len(captions) for captions in images]
    )


def by_enumeration(
    images: list[list[str]], word: str, k: int
) -> tuple[float, float, float]:
    """The mean over all choices of a prediction and k references, summed over images."""
    sums = np.zeros(3)
    for captions in images:
        held = [word in caption.split() for caption in captions]
        choices = [
            (held[own], sum(held[other] for other in others))
            for own in range(len(held))
            for others in combinations([n for n in range(len(held)) if n != own], k)
        ]

        for predicted, count in choices:
            sums += np.array(
                [predicted * count, predicted * (count == 0), count]
            ) / len(choices)

    return float(sums[0]), float(sums[1]), float(sums[2])


captions = st.lists(st.sampled_from("abc"), max_size=3).map(" ".join)


@examples(40)
@given(st.lists(st.lists(captions, min_size=2, max_size=4), min_size=1, max_size=4))
def test_agreement_is_the_mean_over_all_choices(images: list[list[str]]) -> None:
    counts = count_words(*made(images), most=3)
    if not counts.words:
        return

    for k in range(1, max(map(len, images))):
        found = people_agreement(counts.histograms(), k)
        used = [each for each in images if len(each) > k]

        for number, word in enumerate(counts.words):
            true, false, positives = by_enumeration(used, word, k)
            precision = true / (true + false) if true + false else np.nan
            recall = true / positives if positives else np.nan

            assert found.precision[number] == pytest.approx(precision, nan_ok=True)
            assert found.recall[number] == pytest.approx(recall, nan_ok=True)


def test_words_are_counted_once_for_each_caption_the_most_frequent_first() -> None:
    counts = count_words(*made(IMAGES), most=3)
    assert counts.words == ("a", "dog", "cat")
    assert counts.frequency.tolist() == [4, 4, 2]
    assert counts.histograms()[3].tolist() == [[0, 0, 2, 0], [0, 1, 0, 1], [1, 0, 1, 0]]


def test_the_interval_narrows_with_more_images() -> None:
    few = people_agreement(count_words(*made(IMAGES * 20), most=2).histograms(), 1)
    many = people_agreement(count_words(*made(IMAGES * 500), most=2).histograms(), 1)

    assert many.precision == pytest.approx(few.precision)

    dog, dogs = (each.high[1] - each.low[1] for each in (few, many))
    assert 0 < dogs == pytest.approx(dog / 5, rel=0.05)


def test_a_word_that_all_images_agree_on_has_an_exact_interval() -> None:
    """“a” is in two of three captions of every image: its precision is a half in each."""
    found = people_agreement(count_words(*made(IMAGES * 10), most=1).histograms(), 1)
    exact = stats.binomtest(10, 20).proportion_ci(method="exact")
    assert (found.low[0], found.high[0]) == pytest.approx((exact.low, exact.high))


def test_a_system_is_compared_with_the_captions_of_its_images() -> None:
    counts = count_words(*made(IMAGES), most=3)
    images = np.array([0, 1])
    predicted = counts.predicted([["a", "dog"], ["a", "dog"]], images)

    precision, recall = system_agreement(counts.histograms(images), predicted, 3)
    # "dog" is in 3 of 3 captions of the first image, and in 1 of 3 of the second
    assert precision.tolist()[:2] == [1, 1]
    assert recall.tolist() == [1, 1, 0]


def test_a_word_that_nobody_uses_is_a_false_positive() -> None:
    counts = count_words(*made(IMAGES), most=3)
    images = np.array([0])
    predicted = counts.predicted([["cat"]], images)

    precision, recall = system_agreement(counts.histograms(images), predicted, 3)
    assert precision[2] == 0
    assert np.isnan(recall[2])


@pytest.fixture(scope="module")
def coco() -> tuple[list[list[str]], IntArray]:
    """The first five captions of each image of COCO val2014."""
    images = defaultdict(list)
    for _, image, caption in sorted(annotations(installed_file())):
        images[image].append(caption.lower())

    first = [captions[:5] for captions in images.values()]
    tokens = [
        [match.group() for match in WORD.finditer(text)]
        for texts in first
        for text in texts
    ]

    return tokens, np.repeat(np.arange(len(first)), 5)


MEANS = {
    1: (0.2303, 0.2303, 0.0),
    2: (0.3719, 0.3861, 0.0143),
    3: (0.4633, 0.4886, 0.0254),
    4: (0.5284, 0.5612, 0.0330),
}
WORDS = {
    "tennis": (0.9339, 0.9907, 0.9960, 0.9975),
    "dog": (0.8282, 0.9567, 0.9813, 0.9897),
    "riding": (0.3340, 0.5820, 0.7313, 0.8187),
    "bright": (0.0301, 0.0600, 0.0894, 0.1184),
}


def test_the_agreement_on_coco_has_its_known_figures(
    coco: tuple[list[list[str]], IntArray],
) -> None:
    counts = count_words(*coco, most=1000)
    people = counts.histograms()
    precision: dict[int, FloatArray] = {}

    for k, (mean, model, difference) in MEANS.items():
        found = people_agreement(people, k)
        modelled = model_precision(found.recall, k)
        precision[k] = found.precision

        assert found.precision.mean() == pytest.approx(mean, abs=5e-5)
        assert modelled.mean() == pytest.approx(model, abs=5e-5)
        assert np.abs(modelled - found.precision).mean() == pytest.approx(
            difference, abs=5e-5
        )

    for word, values in WORDS.items():
        number = counts.words.index(word)
        assert [precision[k][number] for k in MEANS] == pytest.approx(
            list(values), abs=5e-5
        )


def at_recall(recall: float, scores: list[float]) -> float:
    """Of three images of which the second does not show the word, which two references name."""
    score = np.array(scores)
    return precision_at_recall(
        score, np.array([2.0, 0, 2]), np.array([0.0, 1, 0]), positives=4, recall=recall
    )


def test_precision_at_a_recall_is_read_from_the_highest_score_down() -> None:
    assert at_recall(0.5, [3, 2, 1]) == 1
    assert at_recall(1, [3, 2, 1]) == 4 / 5
    assert at_recall(1, [3, 1, 2]) == 1


def test_between_two_points_precision_is_interpolated() -> None:
    # At recall .5, precision falls from 1 to 2/3 with the second image; the third ends at 4/5.
    assert at_recall(0.75, [3, 2, 1]) == pytest.approx((2 / 3 + 4 / 5) / 2)


def test_before_the_first_point_precision_is_that_of_the_first() -> None:
    assert at_recall(0.1, [3, 2, 1]) == 1


def test_images_of_equal_scores_are_predicted_together() -> None:
    assert at_recall(0.5, [1, 1, 1]) == 4 / 5


def test_a_recall_that_is_not_reached_has_no_precision() -> None:
    found = precision_at_recall(
        np.array([1.0]), np.array([1.0]), np.array([0.0]), positives=2, recall=0.6
    )

    assert np.isnan(found)


def test_a_system_that_predicts_every_image_is_as_precise_as_its_captions() -> None:
    counts = count_words(*made(IMAGES), most=3)
    images = np.arange(len(IMAGES))
    everything = pd.DataFrame(
        [(image, word, 1.0) for image in images for word in range(3)],
        columns=["image", "word", "score"],
    )
    tokens = [list(counts.words)] * len(IMAGES)

    expected, recall = system_agreement(
        counts.histograms(images), counts.predicted(tokens, images), 2
    )

    assert recall.tolist() == [1, 1, 1]

    found = precisions_at_recall(counts, everything, 2, np.full(3, 0.9))
    assert found == pytest.approx(expected)


def test_images_that_a_system_does_not_describe_do_not_count() -> None:
    counts = count_words(*made(IMAGES), most=3)
    cat = counts.words.index("cat")
    scores = pd.DataFrame({"image": [1, 1], "word": [cat, -1], "score": [0.5, 0.1]})

    found = precisions_at_recall(counts, scores, 1, np.full(3, 0.5))
    assert found[cat] == pytest.approx((2 / 3) / (2 / 3 + 1 / 3))

    others = np.delete(found, cat)
    assert np.isnan(others).all()
