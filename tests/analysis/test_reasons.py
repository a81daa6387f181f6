"""Reasons are said from what is really missing."""

import pytest

from tercet.analysis import reasons


@pytest.mark.parametrize(
    ("named", "shared", "begins"),
    [
        (0, False, "The votes do not name their annotators"),
        (1, False, "All votes that name an annotator are by one person"),
        (2, False, "No two people voted on the same pair"),
        (2, True, ""),
    ],
)
def test_annotators_are_not_compared_for_a_reason(
    named: int, shared: bool, begins: str
) -> None:
    reason = reasons.of_annotators(named, shared)
    assert reason.startswith(begins)
    assert bool(reason) == bool(begins)


@pytest.mark.parametrize(
    ("captions", "by_two", "distinct", "shared", "reason"),
    [
        (0, 0, 0, 0, "No rating names a person as its annotator."),
        (3, 0, 2, 0, "No candidate has ratings by two annotators."),
        (3, 3, 1, 1, "All ratings that name an annotator are the same."),
        (1, 1, 2, 2, "Only one candidate has ratings."),
        (
            *(3, 2, 2, 1),
            "All ratings of the candidates with ratings by two annotators are the same.",
        ),
        (3, 2, 2, 2, ""),
    ],
)
def test_raters_are_not_compared_for_a_reason(
    captions: int, by_two: int, distinct: int, shared: int, reason: str
) -> None:
    assert reasons.of_raters(captions, by_two, distinct, shared) == reason


@pytest.mark.parametrize(
    ("group", "images", "decided", "reason"),
    [
        ("x", 5, 0, "People decided none of the 5 pairs of x: every winner is a tie"),
        ("all", 5, 0, "People decided none of the 5 pairs: every winner is a tie"),
        ("x", 1, 2, "x has pairs of one image only"),
        ("all", 1, 2, "All pairs are of one image"),
    ],
)
def test_a_group_has_no_interval_for_a_reason(
    group: str, images: int, decided: int, reason: str
) -> None:
    assert reasons.of_interval(group, 5, images, decided).startswith(reason)
    assert reasons.of_comparison(group, 5, images, decided).startswith(reason)
