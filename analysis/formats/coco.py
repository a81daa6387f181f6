"""Read captions in COCO's formats: its annotations are references, a list of results candidates.

Both name images by numbers; an image's file and address are not read. See
https://cocodataset.org/#format-data and #format-results.
"""

from pathlib import Path

from tercet.analysis.formats.entries import Entries, rows_of
from tercet.analysis.progress import Progress, silent
from tercet.analysis.tables import limits
from tercet.analysis.tables.csv_tables import (
    CsvDialect,
    Problems,
    Sheet,
    Table,
    open_text,
    problem_of,
    sheet_of,
    with_encoding_problems,
)
from tercet.analysis.tables.encodings import UTF_8
from tercet.analysis.tables.schema import CANDIDATES, REFERENCES
from tercet.analysis.texts import gettext as _
from tercet.metrics.text.coco import CAPTION, IMAGE, entries, not_object
from tercet.metrics.text.faults import Faulty
from tercet.metrics.text.json_stream import JsonStream

SUFFIX = ".json"
NAMES = (IMAGE, CAPTION)
DIALECT = CsvDialect(columns={"image": IMAGE})


def coco_table(path: Path) -> Table | None:
    """Tell which table a JSON file is, by how it begins; None if it is in no format of COCO."""
    try:
        with open_text(path, UTF_8) as file:
            stream = JsonStream(file)
            table = CANDIDATES if stream.peek() == "[" else REFERENCES
            _number, first = next(entries(stream), (0, None))
    except Faulty:
        return None

    is_caption = isinstance(first, dict) and first.keys() >= {*NAMES}
    return table if is_caption else None


def read_coco(
    path: Path,
    table: Table,
    progress: Progress = silent,
    memory: int = limits.MAX_MEMORY,
) -> Sheet:
    """Read a file in a format of COCO; the source of candidates is the name of the file.

    The lines of problems are the numbers of captions in the file, from 1.
    """
    progress(0.0, str(_("Reading {file}", file=path.name)))
    names, problems = [*NAMES], Problems()
    if table.required == CANDIDATES.required:
        names.append("source")

    rows = rows_of(names, _entries(path, problems), path.name, problems, names)
    sheet = sheet_of(rows, table, problems, DIALECT.columns, memory)
    return with_encoding_problems(sheet, path, table, UTF_8)


def _entries(path: Path, problems: Problems) -> Entries:
    """Yield the captions of a file, each with its source."""
    with open_text(path, UTF_8) as file:
        for number, entry in entries(JsonStream(file)):
            if isinstance(entry, dict):
                yield number, entry | {"source": path.stem}
            else:
                problems.add([problem_of(not_object(entry, number), path.name)])
