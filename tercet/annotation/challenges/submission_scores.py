"""The scores of a submission: of the whole split, and of each caption."""

from collections.abc import Iterable

import pandas as pd

from tercet.analysis.leaderboard.board import SHOWN_DECIMALS
from tercet.analysis.leaderboard.scores import SystemScores
from tercet.analysis.tables.csv_injection import escaped
from tercet.analysis.tables.csv_tables import csv_text
from tercet.annotation.challenges.references import images_of
from tercet.annotation.models import Submission
from tercet.annotation.models.challenge import counts_text
from tercet.annotation.models.computation import JobState

Figures = dict[str, dict[int | None, list[float]]]
"""By split and reference count, the figure of each metric."""


def submission_figures(
    submission: Submission, splits: Iterable[str], *, exact: bool
) -> Figures | None:
    """Return the figures of a submission on these splits; None while it is not scored.

    Only owners get exact figures: from these one can tell words of hidden references.
    """
    if submission.state != JobState.DONE:
        return None

    figures = {}
    for split in splits:
        file = submission.scores_file(split)
        scores = SystemScores.load(file)
        figures[split] = {
            count: [
                value if exact else round(value, SHOWN_DECIMALS)
                for value in values.values()
            ]
            for count, values in scores.figures.items()
        }

    return figures


def scores_csv(submission: Submission) -> str | None:
    """Return the score of each caption as CSV; None while it is not scored."""
    if submission.state != JobState.DONE:
        return None

    parts = []
    for split in submission.splits:
        path = submission.scores_file(split)
        scores = SystemScores.load(path, captions=True)
        images = images_of(submission.challenge.splits[split])

        for count, each in scores.by_count.items():
            cells = {"split": split, "image": images}
            frame = pd.DataFrame(cells)
            frame["reference_count"] = counts_text([count])
            parts.append(frame.assign(**each.captions))

    table = pd.concat(parts)
    texts = table[["split", "image", "reference_count"]].astype("str")
    safe_texts = escaped(texts)
    written = table.assign(**safe_texts)
    return csv_text(written, tuple(table.columns))
