"""Read captions in JSON Lines: an object on each line, with image and caption."""

from collections.abc import Iterator
from typing import Any, TextIO

from tercet.metrics.text.csv_rows import bounded_lines
from tercet.metrics.text.faults import Fault, Faulty, empty_cell, not_json
from tercet.metrics.text.json_stream import FaultyJson, decoded

IMAGE, CAPTION = "image", "caption"
_EXAMPLE = 'Write {"image": "1", "caption": "a dog"}'


def captions(file: TextIO) -> Iterator[tuple[str, str]]:
    """Yield image and caption; a list of captions is one of each. Raises Faulty."""
    for number, line in enumerate(bounded_lines(file), 1):
        if not line.strip():
            continue
        entry = _entry(line, number)
        image = entry[IMAGE]
        if not isinstance(image, str):
            raise _fault(number, IMAGE, image, "is neither a text nor a number")
        if not image:
            raise Faulty(empty_cell(number, IMAGE))
        for caption in _listed(entry[CAPTION]):
            if not isinstance(caption, str):
                raise _fault(number, CAPTION, caption, "is not a text")
            yield image, caption


def _entry(line: str, number: int) -> dict[str, Any]:
    """Return the object on a line; numbers are as they are written."""
    try:
        entry = decoded(line, number)
    except FaultyJson as error:
        raise Faulty(not_json(number, str(error), is_entry=False)) from None

    if not isinstance(entry, dict):
        raise _fault(number, "", line.strip(), "is not a JSON object")
    for name in (IMAGE, CAPTION):
        if name not in entry:
            raise _fault(number, name, "", "is missing")
    return entry


def _listed(value: Any) -> list[Any]:
    """Return captions as a list; null is an empty one."""
    captions = value if isinstance(value, list) else [value]
    return ["" if each is None else each for each in captions]


def _fault(number: int, column: str, value: object, what: str) -> Faulty:
    return Faulty(Fault(number, column, str(value), what, _EXAMPLE))
