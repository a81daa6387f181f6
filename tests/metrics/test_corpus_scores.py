import random
from fractions import Fraction
from itertools import pairwise
from math import fsum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.metrics import Sums, count_documents, plain, score
from tercet.metrics.corpus_scores import exact_sum
from tests.metrics.strategies import Set, sets

METRICS = ["BLEU-1", "BLEU-4", "METEOR", "ROUGE-L", "CIDEr-D"]
FLOATS = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(FLOATS, max_size=50))
def test_numbers_are_added_without_rounding(numbers: list[float]) -> None:
    exact = sum(map(Fraction, numbers), Fraction(0))
    assert exact_sum(np.array(numbers)) == exact


def test_the_mean_of_a_million_scores_is_the_nearest_float() -> None:
    scores = np.random.default_rng(0).random(1_000_000)
    assert float(exact_sum(scores)) == fsum(scores)


@given(sets(), st.integers(0, 3))
def test_sums_of_parts_give_the_figures_of_the_whole_in_any_order(
    drawn: Set, cut: int
) -> None:
    table = count_documents(drawn.references, plain)
    whole = score(
        references=drawn.references,
        candidates=drawn.candidates,
        images=drawn.images,
        metrics=METRICS,
        tokenize=plain,
        documents=table,
    )
    parts = []
    bounds = sorted({0, min(cut, len(drawn.references)), len(drawn.references)})
    for start, end in pairwise(bounds):
        own = [n for n, image in enumerate(drawn.images) if start <= image < end]
        if own:
            parts.append(
                score(
                    references=drawn.references[start:end],
                    candidates=[drawn.candidates[n] for n in own],
                    images=[drawn.images[n] - start for n in own],
                    metrics=METRICS,
                    tokenize=plain,
                    documents=table,
                ).sums
            )
    random.Random(cut).shuffle(parts)
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    assert total == whole.sums
    assert total.figures() == whole.corpus


def test_sums_of_different_metrics_are_not_added() -> None:
    ours = Sums(1, {"ROUGE-L": Fraction(1)}, {})
    with pytest.raises(ValueError, match="different metrics"):
        ours + Sums(1, {"ROUGE-1": Fraction(1)}, {})
