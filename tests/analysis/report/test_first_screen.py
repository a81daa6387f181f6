"""Sentences of some metrics of a report: true of ties, of one metric, and without intervals."""

from dataclasses import replace
from math import nan

import pytest

from tercet.analysis.evaluation.verdicts import Comparison
from tercet.analysis.report.curves import Curve, Curves
from tercet.analysis.report.first_screen import sentences_of, with_band

COMPARED = Comparison("A", "B", "HC", 2, 40, 0.8, 0.7, 0.1, 0.05, 0.15, 0.001, 0.003, 3)


def curves(**values: tuple[float, float, float]) -> Curves:
    """The curves of metrics at two counts, with these values at both."""
    drawn = [
        Curve(name.replace("_", "-"), f"series-{name}", "", "", [value, value])
        for name, value in values.items()
    ]
    return Curves("HC", "group-1", [1, 2], drawn)


def said(shown: Curves, *compared: Comparison) -> str:
    return " ".join(sentences_of(shown, 2, compared))


def test_the_best_is_named_with_its_interval_and_what_differs_from_it() -> None:
    shown = curves(B=(0.7, 0.6, 0.8), A=(0.8, 0.7, 0.9))
    assert said(shown, COMPARED) == (
        "Of these 2 metrics, A agrees with people most often: 80.0 % (95 % interval 70.0 to 90.0). "
        "With 2 references per image, category HC, 40 pairs. B (70.0 %) agrees less often than A."
    )


def test_what_does_not_differ_is_said_with_the_comparisons_of_all_metrics() -> None:
    shown = curves(B=(0.7, 0.6, 0.8), A=(0.8, 0.7, 0.9))
    alike = replace(COMPARED.turned, p_adjusted=0.3)
    assert said(shown, alike).endswith(
        "B (70.0 %) cannot be told apart from A (adjusted for 3 comparisons); "
        "B differs before the adjustment."
    )


@pytest.mark.parametrize(
    ("values", "begin"),
    [
        (
            {"A": 0.8, "B": 0.8},
            "These 2 metrics agree with people equally often: 80.0 %",
        ),
        (
            {"A": 0.8, "B": 0.8, "D": 0.7},
            "Of these 3 metrics, A and B agree with people most often, and equally often: 80.0 %",
        ),
        (
            {"A": 0.8},
            "A agrees with people in 80.0 % of cases (95 % interval 70.0 to 90.0).",
        ),
        ({"A": 0.5, "length": 0.9}, "A agrees with people in 50.0 % of cases"),
        ({"A": 0.5, "B‡": 0.9}, "A agrees with people in 50.0 % of cases"),
    ],
)
def test_equals_single_metrics_and_baselines_are_told_apart(
    values: dict[str, float], begin: str
) -> None:
    shown = curves(**{name: (each, 0.7, 0.9) for name, each in values.items()})
    assert said(shown).startswith(begin)


def test_a_metric_that_is_as_good_as_the_best_is_not_listed_beside_it() -> None:
    shown = curves(A=(0.8, 0.7, 0.9), B=(0.8, 0.7, 0.9), D=(0.7, 0.6, 0.8))
    other = replace(COMPARED, metric_b="D")
    assert said(shown, replace(COMPARED, p_adjusted=1.0), other).endswith(
        "40 pairs. D (70.0 %) agrees less often than A."
    )


def test_different_intervals_of_equals_are_given_as_the_range_of_all() -> None:
    shown = curves(A=(0.8, 0.7, 0.9), B=(0.8, 0.6, 0.85))
    assert said(shown).startswith(
        "These 2 metrics agree with people equally often: 80.0 % "
        "(95 % intervals within 60.0 to 90.0)."
    )


def test_no_interval_is_none() -> None:
    assert said(curves(A=(0.8, nan, nan))).startswith(
        "A agrees with people in 80.0 % of cases (no 95 % interval). With 2 references"
    )


def test_baselines_alone_are_not_named_as_the_best() -> None:
    assert said(curves(length=(0.8, 0.7, 0.9))) == ""


def test_the_band_is_that_of_the_best_metric() -> None:
    shown = curves(
        BLEU_4=(0.7, 0.6, 0.8),
        CIDEr=(0.8, 0.7, 0.9),
        CIDEr_D=(0.79, 0.7, 0.9),
        length=(0.99, 0.9, 1.0),
        METEOR=(0.6, 0.5, 0.7),
    )
    assert with_band(shown) == ["CIDEr"]
