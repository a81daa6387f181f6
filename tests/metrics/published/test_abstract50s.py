"""Every score of ABSTRACT-50S against the reference implementations; skipped without the data."""

from typing import Literal

import numpy as np
import pytest

from tercet.metrics import FloatArray, corpus, file_order
from tercet.metrics.registry import Compared, compare
from tests.metrics.conftest import Abstract

ANY_FREQUENCIES = ["BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4", "ROUGE-L"]


def compared(
    abstract: Abstract,
    documents: Literal["pool", "k"],
    frequencies: str,
    names: list[str],
) -> Compared:
    items = np.bincount(abstract.images, minlength=len(abstract.references)) / 2
    made = corpus(
        references=abstract.references,
        candidates=abstract.candidates,
        images=abstract.images,
        documents=documents,
        document_weights=items if frequencies == "items" else None,
    )

    return compare(made, names)


def assert_golden(
    abstract: Abstract, curves: dict[str, FloatArray], frequencies: str, k: int
) -> None:
    for name, curve in curves.items():
        expected = [
            abstract.scores[*key, name, frequencies, str(k)] for key in abstract.keys
        ]
        np.testing.assert_allclose(
            curve[:, k - 1], expected, rtol=0, atol=1e-10, err_msg=name
        )


def test_bleu_and_rouge_are_those_of_pycocoevalcap(abstract: Abstract) -> None:
    scores = compared(abstract, "pool", "images", ANY_FREQUENCIES)
    curves = scores.accumulate(file_order(scores.corpus))

    for k in (1, 5, 48):
        assert_golden(abstract, curves, "", k)


@pytest.mark.parametrize("frequencies", ["items", "images"])
def test_cider_with_all_references_is_that_of_the_authors(
    abstract: Abstract, frequencies: str
) -> None:
    scores = compared(abstract, "pool", frequencies, ["CIDEr", "CIDEr-D"])
    assert_golden(
        abstract, scores.accumulate(file_order(scores.corpus)), frequencies, 48
    )


@pytest.mark.parametrize("frequencies", ["items", "images"])
def test_cider_with_few_references_is_that_of_the_authors(
    abstract: Abstract, frequencies: str
) -> None:
    scores = compared(abstract, "k", frequencies, ["CIDEr", "CIDEr-D"])
    curves = scores.accumulate(file_order(scores.corpus))

    for k in (1, 5, 48):
        assert_golden(abstract, curves, frequencies, k)
