"""Calls of the functions of a metric from outside."""

from itertools import chain
from typing import Any

import numpy as np
import pytest

from tercet.metrics import MetricFailed, metric, score
from tests.metrics.outside.own_metrics import cosine, letters, overlap

CAPTIONS: dict[str, Any] = {
    "references": [["a dog runs", "a dog"], ["two cats", "cats sleep"]],
    "candidates": ["a dog", "cats"],
}


def scored(compare: Any, **declared: Any) -> None:
    score(**CAPTIONS, metrics=[metric(compare, name="mine", **declared)])


def test_each_different_comparison_is_made_once_and_some_again() -> None:
    calls: list[tuple[str, str]] = []

    def counted(candidate: str, reference: str) -> float:
        calls.append((candidate, reference))
        return 1.0

    score(
        references=[["a dog", "a dog", "the dog"]],
        candidates=["one", "one"],
        images=[0, 0],
        metrics=[metric(counted, name="counted")],
    )

    first = calls[:2]
    assert first == [("one", "a dog"), ("one", "the dog")]
    assert len(calls) == 3  # one is asked again
    assert calls[2] in first


def test_each_different_text_is_encoded_once_before_it_is_checked() -> None:
    seen: list[str] = []

    def encode(texts: list[str]) -> Any:
        seen.extend(texts)
        return letters(texts)

    own = metric(cosine, name="own", encode=encode, batched=True)
    score(**CAPTIONS, metrics=[own])

    texts = {*CAPTIONS["candidates"], *chain(*CAPTIONS["references"])}
    assert set(seen[: len(texts)]) == texts


def test_batches_have_the_size_that_is_declared() -> None:
    sizes: list[int] = []

    def compare(candidates: list[str], references: list[str]) -> list[float]:
        sizes.append(len(candidates))
        return [1.0] * len(references)

    scored(compare, batched=True, batch=3)
    assert sizes[:2] == [3, 1]


def test_what_is_fitted_is_given_to_every_comparison() -> None:
    def compare(candidate: str, reference: str, state: int) -> float:
        return float(state)

    own = metric(compare, name="own", fit=len)
    assert score(**CAPTIONS, metrics=[own]).corpus["own"] == 2.0


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (float("nan"), "'nan' is no score: return a finite number"),
        ("0.5", "'0.5' is no score"),
        (True, "'True' is no score"),
        (None, "'None' is no score"),
        ([0.5, 0.5], "is no score"),
    ],
)
def test_an_answer_that_is_no_score_is_refused_with_its_captions(
    answer: object, fault: str
) -> None:
    with pytest.raises(MetricFailed, match=fault) as raised:
        scored(lambda candidate, reference: answer)

    assert "metric mine: candidate 'a dog', reference 'a dog runs'" in str(raised.value)


def test_a_score_out_of_bounds_is_refused() -> None:
    with pytest.raises(MetricFailed, match=r"'2' is no score.* from 0 to 1"):
        scored(lambda candidate, reference: 2, bounds=(0, 1))


def test_too_few_answers_are_refused() -> None:
    with pytest.raises(MetricFailed, match="1 scores for 4 comparisons"):
        scored(lambda candidates, references: [1.0], batched=True)


def test_too_few_rows_and_rows_of_other_widths_are_refused() -> None:
    with pytest.raises(MetricFailed, match="encode returned 1 rows for"):
        scored(cosine, encode=lambda texts: np.ones((1, 3)), batched=True)

    widths = iter(range(1, 99))
    with pytest.raises(MetricFailed, match="rows of different widths"):
        scored(
            cosine,
            encode=lambda texts: np.ones((len(texts), next(widths))),
            batched=True,
            batch=2,
        )


def test_an_error_of_the_function_is_told_in_one_line() -> None:
    def compare(candidate: str, reference: str) -> float:
        return 1 / (len(candidate) - len("cats"))

    with pytest.raises(MetricFailed) as raised:
        scored(compare)

    assert str(raised.value) == (
        "metric mine: candidate 'cats', reference 'two cats': ZeroDivisionError: division by zero"
    )


def test_tokens_are_given_as_a_text() -> None:
    scores = score(
        references=[[["a", "dog"]]], candidates=[["a", "dog"]], metrics=[overlap]
    )
    assert scores.corpus["overlap"] == 1.0
