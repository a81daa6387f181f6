"""Our own dataset folder: tables called as we call them, in any format."""

from tercet.analysis.layouts.layout import Layout
from tercet.analysis.tables.csv_tables import Table
from tercet.analysis.tables.file_tables import FileTable
from tercet.analysis.tables.schema import (
    ALL_TABLES,
    CANDIDATES,
    IMAGES,
    PAIRS,
    RATINGS,
    REFERENCES,
    VOTES,
)

_FLEXIBLE = (REFERENCES, CANDIDATES, PAIRS, VOTES, RATINGS)
"""The tables that may have other columns, which then have roles."""


def _own_table(table: FileTable) -> Table | None:
    """Return the table of ours that a table is, by its name or else by all of its columns."""
    stem = (table.part or table.file).lower().partition(".")[0]
    header = {*table.header}
    for ours in ALL_TABLES:
        has_required = {*ours.required} <= header
        is_named = ours not in _FLEXIBLE and not table.part
        is_known = has_required or not table.readable or is_named
        if stem == ours.name and is_known:
            return ours
    if not table.readable:
        return None
    by_header = (CANDIDATES, PAIRS, VOTES, IMAGES)
    fitting = [ours for ours in by_header if {*ours.required} <= header]
    whole = [ours for ours in fitting if header <= {*ours.columns}]
    return whole[-1] if whole and len(header) > 1 else None


LAYOUT = Layout(
    "Tercet dataset", lambda table: _own_table(table) is not None, own=_own_table
)
