"""Metrics from outside with any number and order of references."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet import metrics
from tercet.metrics import MetricFailed, curves, metric, score, score_references
from tercet.metrics.outside.measured import failed_checks
from tercet.metrics.outside.text_metric import TextMetric
from tercet.metrics.registry import measure_all
from tercet.metrics.score_tables import score_tables
from tercet.metrics.text.inputs import check, text_of
from tercet.metrics.text.tokens import plain
from tests.metrics.outside.own_metrics import (
    best_overlap,
    covered,
    overlap,
    similarity,
    words,
)
from tests.metrics.strategies import Set, sets

OWN = (overlap, best_overlap, covered, words, similarity)


def first_references(drawn: Set, count: int) -> Set:
    kept = [captions[:count] for captions in drawn.references]
    return drawn._replace(references=kept)


@given(sets())
def test_a_curve_has_the_scores_with_the_first_references(drawn: Set) -> None:
    found = curves(**drawn._asdict(), metrics=OWN)
    most = max(map(len, drawn.references))

    for count in range(1, most + 1):
        fewer = first_references(drawn, count)
        expected = score(**fewer._asdict(), metrics=OWN).captions
        for name, curve in found.items():
            own = curve[:, count - 1]
            has_enough = np.isfinite(own)
            np.testing.assert_allclose(
                own[has_enough], expected[name][has_enough], rtol=0, atol=1e-12
            )


@given(sets())
def test_a_mean_is_that_of_the_scores_with_each_reference(drawn: Set) -> None:
    found = score(**drawn._asdict(), metrics=[overlap, best_overlap]).captions

    for number, image in enumerate(drawn.images):
        candidate = text_of(drawn.candidates[number])
        each = [
            overlap.compare(candidate, text_of(text))
            for text in drawn.references[image]
        ]
        assert found["overlap"][number] == pytest.approx(np.mean(each), abs=1e-12)
        assert found["best overlap"][number] == max(each)


@given(sets(), st.integers(1, 12))
def test_scores_in_batches_are_those_of_the_whole(drawn: Set, comparisons: int) -> None:
    captions = check(*drawn)
    measured = measure_all([overlap, covered, words], captions, "pool")
    tables = score_tables(captions, measured, plain, "pool", comparisons=comparisons)
    whole = curves(**drawn._asdict(), metrics=[overlap, covered, words])

    for table in tables:
        for name, curve in table.scores.items():
            expected = whole[name][table.numbers, : curve.shape[1]]
            np.testing.assert_array_equal(curve, expected)


def test_references_are_scored_by_the_others_of_their_image() -> None:
    found = score_references(
        references=[["a dog", "a cat", "a dog"]], metrics=[overlap, covered]
    )

    np.testing.assert_allclose(found.captions["overlap"], [2 / 3, 1 / 3, 2 / 3])
    np.testing.assert_allclose(found.captions["covered"], [1, 0.5, 1])


def test_scores_that_are_others_each_time_are_refused() -> None:
    generator = np.random.default_rng(1)
    noise = metric(lambda candidate, reference: generator.random(), name="noise")

    with pytest.raises(MetricFailed, match="make its scores repeatable"):
        score(references=[["a"] * 3] * 9, candidates=list("abcdefghi"), metrics=[noise])


def test_scores_that_may_differ_are_averaged_over_runs() -> None:
    generator = np.random.default_rng(1)
    noise = metric(
        lambda candidate, reference: generator.random(),
        name="noise",
        deterministic=False,
    )
    captions = metrics.corpus(references=[["a", "b"]] * 9, candidates=list("abcdefghi"))
    [measured] = measure_all([noise], captions.given, "pool")

    assert not isinstance(measured, str)
    assert measured.checks.repeats == "no"
    compared = measured.compare(captions)
    order = metrics.file_order(captions)
    first = compared.accumulate(order)
    later = metrics.random_order(captions, generator, number=3)
    other = compared.accumulate(later)
    last = first["noise"][:, -1]
    assert not np.array_equal(last, other["noise"][:, -1])


def test_scores_that_depend_on_their_neighbours_are_named() -> None:
    def compare(candidates: list[str], references: list[str]) -> list[float]:
        return [len(text) + len(candidates) / 1e3 for text in references]

    leaning = metric(compare, name="leaning", batched=True)
    captions = metrics.corpus(
        references=[["a", "bb"]] * 9, candidates=list("abcdefghi")
    )
    [measured] = measure_all([leaning], captions.given, "pool")

    assert not isinstance(measured, str)
    assert measured.checks.repeats == "neighbours"
    assert measured.checks.difference > 0


def counted(calls: list[tuple[str, str]]) -> TextMetric:
    def compare(candidate: str, reference: str) -> float:
        calls.append((candidate, reference))
        return float(candidate == reference)

    return metric(compare, name="counted")


@pytest.mark.parametrize(("different", "most"), [(2, 3), (9, 10), (100, 110)])
def test_checks_add_a_tenth_to_the_different_comparisons_at_most(
    different: int, most: int
) -> None:
    calls: list[tuple[str, str]] = []
    references = [[f"a dog {image % different}"] for image in range(300)]
    candidates = [f"a cat {image % different}" for image in range(300)]

    score(references=references, candidates=candidates, metrics=counted(calls))
    assert len(set(calls[:different])) == different
    assert different <= len(calls) <= most

    calls.clear()
    score(
        references=references,
        candidates=candidates,
        metrics=counted(calls),
        check=False,
    )
    assert len(calls) == len(set(calls)) == different


def test_a_distance_to_one_reference_is_the_smallest() -> None:
    def lengths(candidate: str, reference: str) -> float:
        return abs(len(candidate) - len(reference))

    found = score(
        references=[["a dog", "a"], ["two cats", "x"]],
        candidates=["a dog", "cats"],
        metrics=metric(lengths, combine="min", higher_is_better=False),
    )
    assert found.captions["lengths"].tolist() == [0, 3]

    with pytest.raises(ValueError, match='give combine="min"'):
        metric(lengths, combine="max", higher_is_better=False)
    with pytest.raises(ValueError, match='give combine="max"'):
        metric(lengths, name="similarity", combine="min")


def test_a_function_that_was_made_a_metric_is_called_as_before() -> None:
    assert overlap("a dog", "a dog") == 1.0


@pytest.mark.parametrize("value", [1 + 2.0**-52, float(np.float32(1 + 1e-7)), -1e-9])
def test_rounding_takes_no_score_out_of_bounds(value: float) -> None:
    near = metric(lambda candidate, reference: value, name="near", bounds=(0, 1))
    found = score(references=[["a"]], candidates=["a"], metrics=near)
    assert found.captions["near"].tolist() == [value]


@pytest.mark.parametrize("value", [1.001, -0.001])
def test_what_is_out_of_bounds_is_refused(value: float) -> None:
    far = metric(lambda candidate, reference: value, name="far", bounds=(0, 1))
    with pytest.raises(MetricFailed, match="from 0 to 1"):
        score(references=[["a"]], candidates=["a"], metrics=far)


def test_a_distance_that_is_taken_for_a_similarity_is_named() -> None:
    def distance(candidate: str, reference: str) -> float:
        return float(candidate != reference)

    captions = check(
        [[f"dog {n}"] for n in range(60)], list("ab") * 30, list(range(60))
    )
    [measured] = measure_all([metric(distance, name="far")], captions, "pool")

    assert not isinstance(measured, str)
    assert measured.checks.prefers_others
    [told] = failed_checks([measured], {"far": metric(distance, name="far")})
    assert "declare higher_is_better=False" in told


def test_a_reference_below_another_one_is_counted() -> None:
    def compare(candidate: str, reference: str) -> float:
        return float(candidate != reference)

    captions = metrics.corpus(references=[["a", "b"]] * 9, candidates=list("abcdefghi"))
    [measured] = measure_all([metric(compare, name="odd")], captions.given, "pool")

    assert not isinstance(measured, str)
    assert (measured.checks.equals, measured.checks.below) == (9, 9)
