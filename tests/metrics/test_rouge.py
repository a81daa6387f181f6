import numpy as np
import pytest
from hypothesis import given

from metrics import corpus, curves, score
from metrics.rouge import longest_common_subsequences
from tests.metrics.conftest import Golden
from tests.metrics.slow import common_subsequence, rouge_1
from tests.metrics.strategies import Set, sets


def test_rouge_l_is_that_of_the_reference_implementation(goldens: list[Golden]) -> None:
    rouge = score([g.references for g in goldens], [g.candidate for g in goldens])["ROUGE-L"]
    expected = [golden.scores["ROUGE-L"] for golden in goldens]
    np.testing.assert_allclose(rouge, expected, rtol=1e-12, atol=0)


def test_precision_and_recall_may_come_from_different_references() -> None:
    references = [["a b c d e f g h", "a x"]]
    precision, recall = 4 / 4, 4 / 8
    expected = 2.44 * precision * recall / (recall + 1.44 * precision)
    rouge = curves(references, ["a b c d"], metrics=["ROUGE-L"])["ROUGE-L"]
    assert rouge[0] == pytest.approx([expected, expected])


def test_empty_captions_count_as_one_empty_word() -> None:
    assert score([["", "a b"]], [""])["ROUGE-L"].tolist() == [1]
    assert score([["a b"]], [""])["ROUGE-L"].tolist() == [0]


@given(sets())
def test_rouge_1_is_that_of_the_paper(captions: Set) -> None:
    rouge = score(*captions, metrics=["ROUGE-1"])["ROUGE-1"]
    images = [captions.references[image] for image in captions.images]
    expected = list(map(rouge_1, captions.candidates, images))
    np.testing.assert_allclose(rouge, expected, rtol=1e-12)


@given(sets())
def test_common_subsequences_are_the_longest(captions: Set) -> None:
    references = [reference for image in captions.references for reference in image]
    made = corpus(*captions)
    expected = [
        max(common_subsequence(captions.candidates[c], references[r]), no_words)
        for c, r in zip(*made.comparisons, strict=True)
        for no_words in [not captions.candidates[c] and not references[r]]
    ]
    assert longest_common_subsequences(made).tolist() == expected


def test_words_beyond_the_first_65536_are_told_apart() -> None:
    words = [f"w{number}" for number in range(70_000)]
    made = corpus([[words]], [words[::-1], words[50_000:60_000], ["w0", "w65536", "w7"]], [0, 0, 0])
    assert longest_common_subsequences(made).tolist() == [1, 10_000, 2]
