"""The stored report of an evaluation, as the results page shows it."""

import logging
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

from tercet.analysis.report.files import VIEW, files_of
from tercet.analysis.report.view import ReportView
from tercet.annotation.models import Evaluation, Study
from tercet.annotation.models.computation import JobState

_MAY_BE_EMPTY = ("accuracy", "low", "high")

logger = logging.getLogger(__name__)


def last_report(study: Study) -> Evaluation | None:
    """Return the evaluation whose report the results page shows."""
    return study.evaluations.filter(state=JobState.DONE).first()


def report_in(folder: Path) -> ReportView | None:
    """Return the report in a folder; None if it is missing, damaged, or of version 0.2."""
    if VIEW not in files_of(folder):
        return None
    try:
        file = folder / VIEW
        modified = file.stat().st_mtime_ns
        return _read(file, modified)
    except Exception:  # whatever is wrong, the page offers to compute a new report
        logger.exception("The report in %s cannot be read.", folder)
        return None


@lru_cache(maxsize=16)
def _read(file: Path, changed: int) -> ReportView:
    """Read a view, again only where its file has changed."""
    return ReportView.from_json(file.read_text(encoding="utf-8"))


def summary_in(folder: Path) -> dict[str, Any] | None:
    """Return the sentence of a report, and the rows of its accuracy.csv, as values of JSON."""
    report = report_in(folder)
    empty = dict.fromkeys(_MAY_BE_EMPTY, "")
    try:
        table = pd.read_csv(
            folder / "accuracy.csv", keep_default_na=False, na_values=empty
        )
    except (OSError, ValueError):
        return None

    cells = table.astype(object)
    rows = cells.where(table.notna(), None).to_dict("records")
    return {"sentence": report.sentence, "accuracy": rows} if report else None


def lost_files(report: ReportView, folder: Path) -> list[str]:
    """Return the files that a report shows and its folder does not have."""
    lost = {*report.files} - files_of(folder)
    return sorted(lost)
