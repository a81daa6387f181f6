"""Potato: annotations of items by users, with a column for each button of a question."""

from dataclasses import replace

from tercet.analysis.layouts.layout import Layout, called, has, with_pressed_buttons
from tercet.analysis.tables.file_tables import FileTable


def _tidy(table: FileTable) -> FileTable:
    frame = with_pressed_buttons(table.frame, table.header, ":::")
    header = tuple(name for name in frame.columns if name != "line")
    return replace(table, header=header, frame=frame)


LAYOUT = Layout(
    "Potato",
    has("user", "instance_id"),
    called(annotator="user", pair="instance_id", not_used="displayed_text"),
    _tidy,
)
