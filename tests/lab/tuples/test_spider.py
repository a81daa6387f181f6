from pathlib import Path

import numpy as np

from tercet.metrics import Combination, compare, corpus, file_order, made_with, score
from tercet.metrics.selection import select

REFERENCES = [["a dog runs", "the dog runs"], ["two cats sleep"], ["a man eats"]]
CANDIDATES = ["a dog runs fast", "cats", "a man"]


def test_spider_t_is_the_mean_of_its_parts_at_every_count(parsing: Path) -> None:
    captions = corpus(references=REFERENCES, candidates=CANDIDATES)
    parts = compare(captions, ["SPIDEr-T", "tuple-F", "CIDEr-D"]).accumulate(
        file_order(captions)
    )

    np.testing.assert_allclose(
        parts["SPIDEr-T"], (parts["tuple-F"] + parts["CIDEr-D"]) / 2
    )


def test_spider_t_is_scored_alone_and_names_the_parser(parsing: Path) -> None:
    scores = score(references=REFERENCES, candidates=CANDIDATES, metrics="spider-t")
    assert list(scores.captions) == ["SPIDEr-T"]
    assert made_with(["SPIDEr-T"])[0].startswith("tuple-F: ")


def test_the_formula_of_a_known_combination_may_be_written_out(parsing: Path) -> None:
    known = Combination.read("SPIDEr-T = 0.5 tuple-F + 0.5 CIDEr-D")
    assert select([], [known]).names == ("SPIDEr-T",)
