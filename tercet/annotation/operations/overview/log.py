"""The log of everything: of all studies, and of what belongs to none."""

import csv
from collections.abc import Iterator
from io import StringIO

from django.db.models import QuerySet

from tercet.analysis.tables.csv_injection import is_formula
from tercet.annotation.models import Event
from tercet.annotation.studies.audit import lines_of, title_of

COLUMNS = ("at", "by", "study", "event", "title", "details")
_CHUNK = 2_000


def log_csv(events: "QuerySet[Event]") -> Iterator[str]:
    """Yield the lines of a CSV file with events."""
    yield _line(COLUMNS)

    for event in events.iterator(_CHUNK):
        details = "; ".join(map(str, lines_of(event)))
        by = event.by.get_username() if event.by else ""
        study = event.study.name if event.study else ""
        at = event.at.isoformat(timespec="seconds")
        yield _line((at, by, study, event.what, title_of(event), details))


def _line(cells: tuple[str, ...]) -> str:
    line = StringIO()
    writer = csv.writer(line)
    writer.writerow(f"'{cell}" if is_formula(cell) else cell for cell in cells)
    return line.getvalue()
