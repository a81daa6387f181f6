"""What codes on pages mean: of categories of pairs, and behind names of metrics."""

from collections.abc import Collection

from tercet.analysis.scoring.contamination import legends, marks_behind
from tercet.annotation.models.dataset import CATEGORY_LABELS


def codes_explained(names: Collection[str]) -> list[str]:
    """Say what codes among names mean: known categories, and marks behind names of metrics."""
    categories = [each for each in CATEGORY_LABELS if each in names]
    lines = [f"{each}: {CATEGORY_LABELS[each]}." for each in categories]
    return lines + legends(marks_behind(names))
