import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.metrics import corpus, file_order
from tercet.metrics.ngram.rouge import PAPER_BETA, longest_common_subsequences, rouge_l
from tests.metrics import slow
from tests.metrics.conftest import Golden
from tests.metrics.scores import caption_curves, caption_scores
from tests.metrics.slow import common_subsequence
from tests.metrics.strategies import Set, sets, words


def test_rouge_l_is_that_of_the_reference_implementation(goldens: list[Golden]) -> None:
    rouge = caption_scores(
        [g.references for g in goldens], [g.candidate for g in goldens]
    )["ROUGE-L"]
    expected = [golden.scores["ROUGE-L"] for golden in goldens]

    np.testing.assert_allclose(rouge, expected, rtol=1e-12, atol=0)


def test_precision_and_recall_may_come_from_different_references() -> None:
    references = [["a b c d e f g h", "a x"]]
    precision, recall = 4 / 4, 4 / 8
    expected = 2.44 * precision * recall / (recall + 1.44 * precision)

    rouge = caption_curves(references, ["a b c d"], metrics=["ROUGE-L"])["ROUGE-L"]
    assert rouge[0] == pytest.approx([expected, expected])


def test_empty_captions_count_as_one_empty_word() -> None:
    assert caption_scores([["", "a b"]], [""], metrics=["ROUGE-L"])[
        "ROUGE-L"
    ].tolist() == [1]
    assert caption_scores([["a b"]], [""], metrics=["ROUGE-L"])["ROUGE-L"].tolist() == [
        0
    ]


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@given(captions=sets())
def test_rouge_n_is_that_of_the_paper(n: int, captions: Set) -> None:
    rouge = caption_scores(*captions, metrics=[f"ROUGE-{n}"])[f"ROUGE-{n}"]
    images = [captions.references[image] for image in captions.images]
    expected = [
        slow.rouge_n(c, r, n) for c, r in zip(captions.candidates, images, strict=True)
    ]

    np.testing.assert_allclose(rouge, expected, rtol=1e-12)


@given(sets())
def test_rouge_s_is_that_of_the_paper(captions: Set) -> None:
    rouge = caption_scores(*captions, metrics=["ROUGE-S"])["ROUGE-S"]
    images = [captions.references[image] for image in captions.images]
    expected = [
        slow.rouge_s(c, r, 2) for c, r in zip(captions.candidates, images, strict=True)
    ]

    np.testing.assert_allclose(rouge, expected, rtol=1e-12)


def test_skip_bigrams_leave_out_four_words_at_most() -> None:
    scores = caption_scores(
        [["a 1 2 3 4 b", "x"], ["a 1 2 3 4 5 b", "x"]], ["a b", "a b"]
    )["ROUGE-S"]

    assert scores[0] > 0
    assert scores[1] == 0


@pytest.mark.parametrize("beta", [1.2, PAPER_BETA])
def test_rouge_l_takes_the_beta_of_the_code_or_of_the_paper(beta: float) -> None:
    references = [
        ["a", "dog", "runs", "on", "the", "wet", "grass"],
        ["the", "dog", "is", "running"],
    ]
    candidate = ["the", "wet", "dog", "runs"]
    made = corpus(references=[references], candidates=[candidate])

    scores = rouge_l(made, beta).accumulate(file_order(made))["ROUGE-L"]
    assert scores[0, 1] == pytest.approx(
        slow.rouge_l(candidate, references, beta), rel=1e-12
    )


@given(sets())
def test_common_subsequences_are_the_longest(captions: Set) -> None:
    references = [reference for image in captions.references for reference in image]
    made = corpus(**captions._asdict())
    expected = [
        max(common_subsequence(captions.candidates[c], references[r]), no_words)
        for c, r in zip(*made.comparisons, strict=True)
        for no_words in [not captions.candidates[c] and not references[r]]
    ]

    assert longest_common_subsequences(made).tolist() == expected


@given(st.lists(words, max_size=200), st.lists(words, max_size=200))
def test_common_subsequences_of_long_captions_are_the_longest(
    candidate: list[str], reference: list[str]
) -> None:
    references = [reference, candidate, ["a"]]
    expected = [
        max(common_subsequence(candidate, r), not candidate and not r)
        for r in references
    ]

    assert (
        longest_common_subsequences(
            corpus(references=[references], candidates=[candidate])
        ).tolist()
        == expected
    )


def test_words_beyond_the_first_65536_are_told_apart() -> None:
    words = [f"w{number}" for number in range(70_000)]
    made = corpus(
        references=[[words]],
        candidates=[words[::-1], words[50_000:60_000], ["w0", "w65536", "w7"]],
        images=[0, 0, 0],
    )

    assert longest_common_subsequences(made).tolist() == [1, 10_000, 2]
