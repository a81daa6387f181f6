"""Read captions in COCO's formats: a list of results, or annotations, which are in an object.

See https://cocodataset.org/#format-data and #format-results.
"""

from collections.abc import Iterator
from reprlib import repr as short_repr
from typing import Any

from tercet.metrics.text.faults import Fault, Faulty, empty_cell, not_json, printable
from tercet.metrics.text.json_stream import FaultyJson, JsonStream

IMAGE, CAPTION = "image_id", "caption"
_ANNOTATIONS = "annotations"
_EXAMPLE = 'Write [{"image_id": 1, "caption": "a dog"}, …]'
NO_LIST = Fault(None, "", "", "is no list of captions", _EXAMPLE)
"""The fault of a file in another format."""


def entries(stream: JsonStream) -> Iterator[tuple[int, Any]]:
    """Yield the entries of a file with their numbers; raises Faulty for other files."""
    number = 0
    try:
        for number, entry in enumerate(_entries(stream), 1):
            yield number, entry
        if stream.peek():
            raise FaultyJson("text after the end of the list")
    except FaultyJson as error:
        raise Faulty(not_json(number + 1, str(error))) from error


def _entries(stream: JsonStream) -> Iterator[Any]:
    start = stream.peek()
    if start == "[":
        yield from stream.items()
        return

    has_list = False
    for name in stream.members() if start == "{" else ():
        stream.start_member()
        if name == _ANNOTATIONS and stream.peek() == "[":
            has_list = True
            yield from stream.items()
        else:
            stream.skip()

    if not has_list:
        raise Faulty(NO_LIST)


def caption_in(entry: Any, number: int) -> tuple[str, str]:
    """Return the image and the caption of an entry; raises Faulty if they are no such."""
    if not isinstance(entry, dict):
        raise Faulty(_fault(number, "", entry, "is not a JSON object", _EXAMPLE).fault)
    for key in (IMAGE, CAPTION):
        if key not in entry:
            raise _fault(number, key, "", "is missing", _EXAMPLE)

    image = entry[IMAGE]
    caption = entry[CAPTION]
    if isinstance(image, bool) or not isinstance(image, int | str):
        what = "is neither a whole number nor a text"
        remedy = "Write the image's number or name as it was given"
        raise _fault(number, IMAGE, image, what, remedy)
    if image == "":
        raise Faulty(empty_cell(number, IMAGE, is_entry=True))
    if not isinstance(caption, str):
        remedy = "Write the caption in quotes"
        raise _fault(number, CAPTION, caption, "is not a text", remedy)

    return str(image), caption


def _fault(number: int, column: str, value: Any, what: str, remedy: str) -> Faulty:
    shown = printable(value if isinstance(value, str) else short_repr(value))
    fault = Fault(number, column, shown, what, remedy, is_entry=True, is_local=True)
    return Faulty(fault)
