"""The main result of a report as data: its sentence and its table of accuracies."""

import logging
from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from tercet.analysis.report.view import ReportView
from tercet.annotation.results.report_page import report_in

ACCURACY = "accuracy.csv"
_MAY_BE_EMPTY = ("accuracy", "low", "high")

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Summary:
    """The sentence of a report, and the rows of its accuracy.csv; missing numbers are None."""

    sentence: str
    accuracy: list[dict[Hashable, Any]]


def summary_in(folder: Path) -> Summary | None:
    """Return the summary of the report in a folder; None if it cannot be read."""
    report = report_in(folder)
    if report is None:
        return None
    try:
        return Summary(sentence_of(report), _accuracy(folder))
    except (OSError, ValueError, LookupError, TypeError):
        logger.exception("The report in %s cannot be read.", folder)
        return None


def sentence_of(report: ReportView) -> str:
    """Return the main sentence of a report, after its reservations; empty without one."""
    lead = report.lead
    return " ".join(map(str, [*lead.reservations, lead.sentence])) if lead else ""


def _accuracy(folder: Path) -> list[dict[Hashable, Any]]:
    table = pd.read_csv(
        folder / ACCURACY,
        keep_default_na=False,
        na_values=dict.fromkeys(_MAY_BE_EMPTY, ""),
    )
    numbers = table.astype(object)
    return numbers.where(table.notna(), None).to_dict("records")
