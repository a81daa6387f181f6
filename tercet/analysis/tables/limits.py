"""Limits of a dataset folder: no input can exhaust memory or time.

They are checked while files are read. A folder at all limits takes under 600 MB of memory.
"""

MAX_ROWS = 1_000_000
"""Rows of a table."""
MAX_LINES = 5 * MAX_ROWS
"""Lines of a file, with blank ones and those inside of cells."""
MAX_MEMORY = 250_000_000
"""Bytes of memory that all tables of a folder may take together, each equal text once."""
MAX_SHARED = 100_000
"""Texts of a table that are stored once however often they occur."""
MAX_JSON = 2_000_000
"""Bytes of a JSON file."""
MAX_PROBLEMS = 10_000
"""Problems that are kept; others are counted."""
MAX_VALUE = 1_000
"""Characters of a value that are kept with its problem."""
MAX_FILES = 100_000
"""Files in a zip."""
MAX_ZIP_DIRECTORY = 20_000_000
"""Bytes of the list of the files in a zip."""
MAX_UNPACKED = 1 << 30
"""Bytes that a zip may have when it is unpacked, where no other limit is given."""
