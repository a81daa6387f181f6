"""The log of everything: of all studies, and of what belongs to none."""

from collections.abc import Iterator
from itertools import chain

from django.db.models import QuerySet

from tercet.analysis.tables.csv_injection import is_formula
from tercet.analysis.tables.csv_tables import csv_lines
from tercet.annotation.models import Event
from tercet.annotation.studies.audit import lines_of, title_of

COLUMNS = ("at", "by", "study", "event", "title", "details")
_CHUNK = 2_000


def log_csv(events: "QuerySet[Event]") -> Iterator[str]:
    """Yield the lines of a CSV file with events."""
    return csv_lines(chain([COLUMNS], map(_cells, events.iterator(_CHUNK))))


def _cells(event: Event) -> list[str]:
    details = "; ".join(map(str, lines_of(event)))
    by = event.by.get_username() if event.by else ""
    study = event.study.name if event.study else ""
    at = event.at.isoformat(timespec="seconds")
    cells = (at, by, study, event.what, title_of(event), details)
    return [f"'{cell}" if is_formula(cell) else cell for cell in cells]
