"""Scores of all metrics for the tests, with the arguments of a drawn set by position."""

from collections.abc import Sequence
from typing import Any

from tercet.metrics import Caption, FloatArray, curves, score

References = Sequence[Sequence[Caption]]
Names = str | Sequence[str]


def caption_scores(
    references: References,
    candidates: Sequence[Caption],
    images: Sequence[int] | None = None,
    metrics: Names = "all",
    **options: Any,
) -> dict[str, FloatArray]:
    """The caption scores of :func:`metrics.score`."""
    scores = score(
        references=references,
        candidates=candidates,
        images=images,
        metrics=metrics,
        **options,
    )
    return dict(scores.captions)


def caption_curves(
    references: References,
    candidates: Sequence[Caption],
    images: Sequence[int] | None = None,
    metrics: Names = "all",
    **options: Any,
) -> dict[str, FloatArray]:
    """What :func:`metrics.curves` gives."""
    return curves(
        references=references,
        candidates=candidates,
        images=images,
        metrics=metrics,
        **options,
    )
