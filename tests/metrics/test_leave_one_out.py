import numpy as np
import pytest
from hypothesis import given

from tercet.metrics import (
    compare,
    corpus,
    corpus_scores,
    count_documents,
    file_order,
    leave_one_out,
    names,
    score_references,
)
from tests.metrics.strategies import Set, sets
from tests.support.examples import examples

NAMES = ["BLEU-4", "ROUGE-2", "ROUGE-L", "CIDEr-D", "CIDEr-stem", "METEOR"]


@pytest.mark.parametrize("comparisons", [1, 20, 1 << 16])
def test_a_reference_is_scored_by_the_others_of_its_image(
    comparisons: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leave_one_out, "COMPARISONS", comparisons)
    check_scores(
        [["a dog runs", "the dog", "dogs ran"], ["one"], ["a cat", "a cat"], ["x", "y"]]
    )


@examples(40)
@given(sets())
def test_any_references_are_scored_by_the_others_of_their_image(drawn: Set) -> None:
    if any(len(captions) > 1 for captions in drawn.references):
        check_scores(drawn.references)


def check_scores(references: list[list[str]] | list[list[list[str]]]) -> None:
    """Compare with images made by hand: one for each reference, with all others."""
    others, own, scored = [], [], []
    for captions in references:
        for number, caption in enumerate(captions):
            scored.append(len(captions) > 1)
            if len(captions) > 1:
                others.append([*captions[:number], *captions[number + 1 :]])
                own.append(caption)

    documents = count_documents(references)
    by_hand = corpus(references=others, candidates=own, documents=documents)
    compared = compare(by_hand, NAMES)
    expected = compared.accumulate(file_order(by_hand))
    figures = corpus_scores(compared, file_order(by_hand))

    found = score_references(references=references, metrics=NAMES)
    for name in NAMES:
        scores = found.captions[name]
        assert np.isnan(scores[~np.array(scored)]).all()
        np.testing.assert_allclose(
            scores[scored],
            by_hand.at_all_references(expected[name]),
            rtol=1e-12,
            atol=1e-15,
        )
        assert found.corpus[name] == pytest.approx(figures[name], rel=1e-12)


def test_without_a_second_reference_nothing_is_scored() -> None:
    references = [["a dog"], ["a cat"]]
    found = score_references(references=references, metrics="all")
    assert list(found.corpus) == list(names())
    assert np.isnan(list(found.corpus.values())).all()
    assert np.isnan(list(found.captions.values())).all()


@pytest.mark.parametrize("comparisons", [1, 1 << 16])
def test_of_many_references_some_can_be_scored(
    comparisons: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leave_one_out, "COMPARISONS", comparisons)
    references = [["a dog", "the dog runs", "dogs", "a dog runs"], ["x y", "y"], ["z"]]
    whole = score_references(references=references, metrics=NAMES)
    some = score_references(references=references, metrics=NAMES, most=2)

    for name in NAMES:
        expected = np.where([1, 0, 1, 0, 1, 1, 0], whole.captions[name], np.nan)
        np.testing.assert_allclose(some.captions[name], expected, rtol=1e-12)
