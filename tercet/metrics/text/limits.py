"""Limits of files: no input can exhaust memory."""

MAX_CELL = 1_000_000
"""Characters of a cell."""
MAX_LINE = 4 * MAX_CELL
"""Characters of a line of a file, or of a value in JSON."""
MAX_COLUMNS = 1_000
"""Columns of a table."""
