"""Read one of our tables from a file, as a dataset folder does."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from tercet.analysis.progress import Progress, silent
from tercet.analysis.tables import limits
from tercet.analysis.tables.csv_tables import Sheet, Table
from tercet.analysis.tables.file_tables import Choices
from tercet.analysis.tables.parse import read_file
from tercet.analysis.tables.sheets import NO_COLUMNS, sheet_of_table


def read_table(
    path: Path,
    table: Table,
    progress: Progress = silent,
    encoding: str = "",
    memory: int = limits.MAX_MEMORY,
    columns: Mapping[str, str] = NO_COLUMNS,
) -> Sheet:
    """Read a file as one of our tables; `columns` are its names of columns by ours."""
    choices = {path.name: Choices(encoding)}
    found = read_file(path, choices, progress, memory)
    return sheet_of_table(found[0], replace(table, file=path.name), columns)
