"""What codes on pages mean: of categories of pairs, and behind names of metrics."""

from collections.abc import Collection

from tercet.analysis.scoring.contamination import legend, marks_behind
from tercet.analysis.texts import sentences
from tercet.annotation.models.dataset import CATEGORY_LABELS


def codes_explained(names: Collection[str]) -> list[str]:
    """Say what codes among names mean: known categories, and marks behind names of metrics."""
    categories = [each for each in CATEGORY_LABELS if each in names]
    lines = [f"{each}: {CATEGORY_LABELS[each]}." for each in categories]

    marks = legend(marks_behind(names))
    return lines + [str(each) for each in sentences(marks) if str(each)]
