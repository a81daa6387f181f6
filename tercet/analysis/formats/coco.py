"""Read captions in COCO's formats: its annotations are references, a list of results candidates.

Both name images by numbers; an image's file and address are not read. See
https://cocodataset.org/#format-data and #format-results.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tercet.analysis.tables.csv_tables import (
    CsvDialect,
    Problems,
    Table,
    open_text,
    problem_of,
)
from tercet.analysis.tables.encodings import UTF_8
from tercet.analysis.tables.schema import CANDIDATES, REFERENCES
from tercet.metrics.text.coco import CAPTION, IMAGE, entries, not_object
from tercet.metrics.text.faults import Faulty
from tercet.metrics.text.json_stream import JsonStream

SUFFIX = ".json"
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

    is_caption = isinstance(first, dict) and first.keys() >= {IMAGE, CAPTION}
    return table if is_caption else None


def coco_entries(
    path: Path, problems: Problems
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the captions of a file with their numbers, from 1; a source is the file's name."""
    with open_text(path, UTF_8) as file:
        for number, entry in entries(JsonStream(file)):
            if isinstance(entry, dict):
                yield number, entry | {"source": path.stem}
            else:
                problems.add([problem_of(not_object(entry, number), path.name)])
