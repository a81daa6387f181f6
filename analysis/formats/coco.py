"""Read captions in COCO's formats: its annotations are references, a list of results candidates.

Both name images by numbers; an image's file and address are not read. See
https://cocodataset.org/#format-data and #format-results.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tercet.analysis.formats.entries import (
    Entries,
    as_object,
    counting_entries,
    not_json,
    rows_of,
)
from tercet.analysis.formats.json_stream import FaultyJson, JsonStream
from tercet.analysis.progress import Progress, silent
from tercet.analysis.tables import limits
from tercet.analysis.tables.csv_tables import (
    CsvDialect,
    Problem,
    Problems,
    Sheet,
    Table,
    open_text,
    sheet_of,
    with_encoding_problems,
)
from tercet.analysis.tables.encodings import UTF_8
from tercet.analysis.tables.schema import CANDIDATES, REFERENCES
from tercet.analysis.texts import gettext as _

SUFFIX = ".json"
ANNOTATIONS = "annotations"
NAMES = ("image_id", "caption")
DIALECT = CsvDialect(columns={"image": "image_id"})


def coco_table(path: Path) -> Table | None:
    """Which table a JSON file is, by how it begins; None if it is not in a format of COCO."""
    try:
        with open_text(path, UTF_8) as file:
            stream = JsonStream(file)
            table = CANDIDATES if stream.peek() == "[" else REFERENCES
            first = next(_items(stream), None)
    except FaultyJson:
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
    names, entries = [*NAMES], _entries(path, problems := Problems())
    if table.required == CANDIDATES.required:
        names.append("source")

    rows = rows_of(names, entries, path.name, problems, names)
    sheet = sheet_of(rows, table, problems, DIALECT.columns, memory)
    sheet = with_encoding_problems(sheet, path, table, UTF_8)
    return counting_entries(sheet)


def _entries(path: Path, problems: Problems) -> Entries:
    """The captions of a file, each with its source."""
    number = 0

    with open_text(path, UTF_8) as file:
        try:
            for number, item in enumerate(_items(JsonStream(file)), 1):
                entry = as_object(item, path.name, number)
                if isinstance(entry, Problem):
                    problems.add([entry])
                else:
                    yield number, entry | {"source": path.stem}
        except FaultyJson as error:
            problems.add([not_json(path.name, number + 1, str(error))])


def _items(stream: JsonStream) -> Iterator[Any]:
    """The results, or the annotations."""
    if stream.peek() == "[":
        yield from stream.items()
        return

    for name in stream.members():
        stream.start_member()
        if name == ANNOTATIONS:
            yield from stream.items()
        else:
            stream.skip()
