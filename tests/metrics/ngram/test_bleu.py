import numpy as np
import pytest

from tercet.metrics import compare, corpus, corpus_scores, file_order
from tercet.metrics.corpora.orders import Order
from tests.metrics.conftest import Golden
from tests.metrics.scores import caption_curves, caption_scores

NAMES = ["BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4"]


def test_scores_are_those_of_the_reference_implementation(
    goldens: list[Golden],
) -> None:
    scores = caption_scores(
        [g.references for g in goldens], [g.candidate for g in goldens], metrics=NAMES
    )

    for name in NAMES:
        expected = [golden.scores[name] for golden in goldens]
        np.testing.assert_allclose(scores[name], expected, rtol=1e-12, atol=1e-12)


def test_a_repeated_word_counts_as_often_as_one_reference_has_it() -> None:
    references = [["the cat the", "the the the dog", "a the"]]
    bleu = caption_curves(references, ["the the the the"], metrics=["BLEU-1"])["BLEU-1"]
    assert bleu[0] == pytest.approx([2 / 4, 3 / 4, 3 / 4])


def test_a_candidate_shorter_than_its_references_is_punished() -> None:
    assert caption_scores([["a b c"]], ["a"], metrics=NAMES)["BLEU-1"][
        0
    ] == pytest.approx(np.exp(1 - 3))


def test_without_the_brevity_penalty_a_short_candidate_is_not_punished() -> None:
    scores = caption_scores(
        [["a b c d"]], ["a b x"], metrics=["BLEU-1-nobp", "BLEU-1", "bleu-2-NOBP"]
    )

    assert list(scores) == ["BLEU-1-nobp", "BLEU-1", "BLEU-2-nobp"]
    assert scores["BLEU-1-nobp"][0] == pytest.approx(2 / 3)
    assert scores["BLEU-2-nobp"][0] == pytest.approx((2 / 3 * 1 / 2) ** (1 / 2))
    assert scores["BLEU-1"][0] == pytest.approx(2 / 3 * np.exp(1 - 4 / 3))


def test_of_two_lengths_equally_near_the_shorter_is_taken() -> None:
    bleu = caption_scores([["a b c d e f", "a b"]], ["a b c d"], metrics=["BLEU-1"])[
        "BLEU-1"
    ]

    assert bleu[0] == pytest.approx(1)


def test_the_order_decides_which_reference_comes_first() -> None:
    made = corpus(references=[["a b", "c d"]], candidates=["c d"])
    compared = compare(made, ["BLEU-1"])

    assert compared.accumulate(file_order(made))["BLEU-1"][0] == pytest.approx([0, 1])

    turned = Order.of(made, np.array([1, 0]))
    assert compared.accumulate(turned)["BLEU-1"][0] == pytest.approx([1, 1])


def test_the_figure_of_a_corpus_is_that_of_the_reference_implementation(
    goldens: list[Golden],
) -> None:
    made = corpus(
        references=[g.references for g in goldens],
        candidates=[g.candidate for g in goldens],
    )
    figures = corpus_scores(compare(made, NAMES), file_order(made))
    expected = [
        0.732638888886345,
        0.6052432935950763,
        0.48336813578459387,
        0.3367924660410406,
    ]

    assert list(figures.values()) == pytest.approx(expected, rel=1e-12)


def test_the_figure_of_one_caption_is_its_score() -> None:
    made = corpus(
        references=[["a dog runs on the grass", "the dog"], ["x"]],
        candidates=["a dog on grass"],
        images=[0],
    )
    compared = compare(made, NAMES)
    curves = compared.accumulate(file_order(made))

    for k in (1, 2):
        figures = corpus_scores(compared, file_order(made), k)
        assert list(figures.values()) == pytest.approx(
            [curves[n][0, k - 1] for n in NAMES]
        )
