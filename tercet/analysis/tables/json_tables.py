"""Find the tables in JSON: records in lists or objects, columns, rows, and JSON Lines.

Nested objects are columns with dotted names; of a list of objects each is a row of its own.
"""

import json
import re
from collections.abc import Iterator, Mapping
from io import TextIOWrapper
from typing import Any

from tercet.analysis.tables.conversion import cell_text
from tercet.analysis.tables.csv_tables import Problem
from tercet.analysis.tables.file_tables import Entry
from tercet.metrics.text.csv_rows import BYTE_ORDER_MARK, LinesExceedLimit
from tercet.metrics.text.faults import Faulty, not_json
from tercet.metrics.text.json_stream import FaultyJson, JsonStream, decoded
from tercet.metrics.text.limits import MAX_LINE

_DEPTH = 3
"""Objects inside of each other that become columns."""
KEY = "key"
VALUE = "texts"
"""Columns of the keys of an object, and of what it has under them where that is no object."""
_SPLIT = {"columns", "data"}
"""Keys of a table of which the names of the columns are apart."""
_ARRAY = re.compile(r"array\((\[.*\])(, dtype=\w+)?\)", re.DOTALL)
_PARTS = {"gts", "res", "references", "refs", "candidates", "cands", "predictions"}
"""Keys of an object that has references and captions of systems by their images."""
_COLUMN_WORDS = ("image", "img", "file", "caption", "reference", "sentence", "text")


def are_lines(text: TextIOWrapper, file: str) -> bool:
    """Return whether a file is JSON Lines, which its first two lines show, whatever its name."""
    first = text.readline(MAX_LINE).removeprefix(BYTE_ORDER_MARK)
    second = text.readline(MAX_LINE)
    text.seek(0)
    is_named = not file.lower().endswith((".json", ".json.gz"))
    if is_named and not first.lstrip().startswith("["):
        return True
    if not first.lstrip().startswith(("{", "[")) or first[0] != second.lstrip()[:1]:
        return False
    try:
        decoded(first, 1)
    except FaultyJson:
        return False
    return True


def line_entries(lines: Iterator[str], file: str) -> Iterator[Entry]:
    """Yield the entries of JSON Lines; raises Faulty for lines beyond the limits."""
    number = 0
    try:
        for number, line in enumerate(lines, 1):
            plain = line.removeprefix(BYTE_ORDER_MARK)
            if plain.strip():
                yield from _of_line(plain, number, file)
    except LinesExceedLimit as error:
        raise Faulty(error.at(number + 1)) from error


def _of_line(line: str, number: int, file: str) -> Iterator[Entry]:
    what, remedy, shown = "is not a JSON object", "Write one object: {…}", ""
    try:
        value = decoded(line, number)
    except FaultyJson as error:
        what, remedy, shown = "is not valid JSON", "Correct the JSON there", str(error)
        value = None
    if isinstance(value, list | dict):
        yield from _entries("", number, value)
    else:
        fault = Problem(file, what, remedy, number, value=shown, is_local=True)
        yield Entry("", number, fault)


def document_entries(text: TextIOWrapper) -> Iterator[Entry]:
    """Yield the entries of a document; raises Faulty where its syntax ends it."""
    entry = Entry("", 0, None)
    try:
        stream = JsonStream(text)
        if stream.peek() == "[":
            found = _list_entries("", stream)
        else:
            found = _object_entries(stream) if stream.peek() == "{" else iter(())
        for entry in found:
            yield entry
        if stream.peek():
            raise FaultyJson("text after the end of the document")
    except FaultyJson as error:
        line = error.line or entry.number + 1
        raise Faulty(not_json(line, str(error))) from error


def _list_entries(part: str, stream: JsonStream) -> Iterator[Entry]:
    for number, value in enumerate(stream.items(), 1):
        yield from _entries(part, number, value)


def _entries(part: str, number: int, value: Any) -> Iterator[Entry]:
    """Yield a list as a row of cells, and of others a record for each object inside."""
    if isinstance(value, list):
        yield Entry(part, number, list(map(cell_of, value)))
        return
    for row in flat_rows(value if isinstance(value, dict) else {VALUE: value}):
        yield Entry(part, number, row)


def _object_entries(stream: JsonStream) -> Iterator[Entry]:
    """Yield the entries of an object: lists of records under its keys, columns, or rows."""
    values: dict[str, Any] = {}
    parts: dict[str, frozenset[str]] = {}
    number = 0
    for name in stream.members():
        stream.start_member()
        if stream.peek() != "[":
            values[name] = stream.value()
            continue
        items: list[Any] = []
        for value in stream.items():
            if not isinstance(value, dict):
                items.append(value)
                continue
            number = number + 1 if name in parts else 1
            keys = parts.setdefault(name, frozenset(value))
            part = _part_of(name, keys, parts)
            yield from _entries(part, number, {KEY: name, **value})
        if items or name not in parts:
            values[name] = items
    if not parts or _nested(values):
        yield from _entries_of(values)


def _part_of(
    name: str, keys: frozenset[str], parts: Mapping[str, frozenset[str]]
) -> str:
    """Return the part of records under a name: that of an earlier name with the same keys."""
    return next(other for other, own in parts.items() if own == keys) if keys else name


def _nested(values: Mapping[str, Any]) -> bool:
    """Return whether an object has lists of records inside of it."""
    return any(
        isinstance(inner, list) and any(isinstance(each, dict) for each in inner)
        for value in values.values()
        if isinstance(value, dict)
        for inner in value.values()
    )


def _entries_of(values: Mapping[str, Any]) -> Iterator[Entry]:
    """Yield the entries of an object that has no list of records under its keys."""
    lists = {name: each for name, each in values.items() if isinstance(each, list)}
    objects = {name: each for name, each in values.items() if isinstance(each, dict)}
    if len(objects) == 1 and not lists and len(values) > 1:
        yield from _entries_of(next(iter(objects.values())))  # beside notes on it
        return
    records = {name: each for name, each in lists.items() if _are_objects(each)}
    if records and len(records) == len(lists) + len(objects):
        for name, items in records.items():
            for number, item in enumerate(items, 1):
                yield from _entries(name, number, item)
        return
    if values and values.keys() <= _PARTS and len(objects) == len(values):
        for part, own in objects.items():
            for number, (key, texts) in enumerate(own.items(), 1):
                yield from _entries(part, number, {KEY: key, VALUE: _texts(texts)})
        return
    if values.keys() >= _SPLIT and isinstance(values["data"], list):
        for number, row in enumerate([values["columns"], *values["data"]], 1):
            yield from _entries("", number, row)
    elif lists and len(lists) == len(values) and _are_columns(lists):
        for number, row in enumerate(zip(*lists.values(), strict=True), 1):
            yield from _entries("", number, dict(zip(lists, row, strict=True)))
    elif objects and len(objects) == len(values) and _have_index(objects):
        index = next(iter(objects.values()))
        for number, key in enumerate(index, 1):
            row = {name: column.get(key) for name, column in objects.items()}
            yield from _entries("", number, row)
    else:
        for number, (key, value) in enumerate(values.items(), 1):
            own = value if isinstance(value, dict) else {VALUE: value}
            yield from _entries("", number, {KEY: key, **own})


def _texts(value: Any) -> Any:
    """Return a list of objects with captions as a list of captions."""
    are_captions = _are_objects(value) and all("caption" in each for each in value)
    return [each["caption"] for each in value] if are_captions else value


def _are_columns(lists: Mapping[str, list[Any]]) -> bool:
    """Return whether lists of one length are columns: a name of them is one of a column."""
    lengths = {len(each) for each in lists.values()}
    names = " ".join(lists).casefold()
    has_word = any(word in names for word in _COLUMN_WORDS)
    return len(lists) > 1 and len(lengths) == 1 and has_word and "." not in names


def _have_index(objects: Mapping[str, dict[str, Any]]) -> bool:
    """Return whether objects are columns by the numbers of their rows."""
    first, *others = (each.keys() for each in objects.values())
    return all(key.isdigit() for key in first) and all(each == first for each in others)


def flat_rows(
    value: Mapping[str, Any], prefix: str = "", depth: int = _DEPTH
) -> list[dict[str, str]]:
    """Return an object as rows of text: one for each object of its first list of objects."""
    own: dict[str, str] = {}
    inner: list[dict[str, str]] = []
    for name, each in value.items():
        path = f"{prefix}{name}"
        rows: list[dict[str, str]] = []
        if isinstance(each, dict) and each and depth > 1:
            rows = flat_rows(each, f"{path}.", depth - 1)
        elif _are_objects(each) and not inner:
            rows = [row for item in each for row in flat_rows(item, f"{path}.")]
        else:
            own[path] = cell_of(each)
        if len(rows) == 1 and not _are_objects(each):
            own |= rows[0]
        elif rows and not inner:
            inner = rows
        elif rows:
            own[path] = cell_of(each)
    return [own | row for row in inner] or [own]


def _are_objects(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(each, dict) for each in value)
    )


def cell_of(value: Any) -> str:
    """Return the cell of a value; of lists and objects, their JSON."""
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False) if value else ""
    return cell_text(value) or ""


def list_in(cell: str) -> list[str] | None:
    """Return the texts of a list that is written in a cell, or None.

    Lists are those of JSON, of Python, of numpy's arrays, and texts between bars.
    """
    if "[" not in cell and " | " not in cell:
        return None
    plain = _ARRAY.sub(r"\1", cell.strip())
    if plain.startswith("[") and plain.endswith("]"):
        try:
            found = json.loads(plain)
        except (ValueError, RecursionError):
            found = _python_list(plain)
        if isinstance(found, list) and all(isinstance(each, str) for each in found):
            return found
        return None
    return [each.strip() for each in plain.split(" | ")] if " | " in plain else None


def _python_list(text: str) -> list[str] | None:
    """Return the strings of a list as Python or numpy prints it, which may lack commas."""
    texts: list[str] = []
    at = 1
    while at < len(text) - 1:
        quote = text[at]
        if quote in " ,\n\r\t":
            at += 1
        elif quote in "'\"":
            end = at + 1
            while end < len(text) and text[end] != quote:
                end += 2 if text[end] == "\\" else 1
            texts.append(_unescaped(text[at + 1 : end]))
            at = end + 1
        else:
            return None
    return texts


def _unescaped(text: str) -> str:
    for escape, plain in (("\\'", "'"), ('\\"', '"'), ("\\n", "\n"), ("\\\\", "\\")):
        text = text.replace(escape, plain)
    return text
