"""Score items of JSON Lines: of a pipeline as they arrive, or of a capevalkit runner."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, cast

from tercet.metrics.scores import Scores
from tercet.metrics.text.faults import Fault, Faulty, not_json, not_utf_8
from tercet.metrics.text.files import STANDARD, InputError
from tercet.metrics.text.json_stream import WITH_NUMBERS, FaultyJson, decoded

Id: TypeAlias = str | int
Score: TypeAlias = Callable[[list[list[str]], list[str]], Scores]
"""Scores candidates by the references of each."""

_PIECE = 1 << 18
"""Bytes that are read at once."""
_MOST_TOGETHER = 256
"""Lines that are scored at once; see benchmarks/json_lines.py."""
_CANDIDATE = ("candidate", "caption", "prediction")
_REFERENCES = ("references", "captions")


class Item(NamedTuple):
    """A candidate with its references."""

    id: Id
    candidate: str
    references: list[str]


class _JsonObject(NamedTuple):
    """The object on a line."""

    line: int
    id: Id
    values: Mapping[str, Any]

    def candidate(self) -> str:
        name, value = self._first(_CANDIDATE)
        if not isinstance(value, str):
            raise self.fault(
                name, value, "is not a text", "Write the caption as a text"
            )
        return value

    def references(self) -> list[str]:
        name, value = self._first(_REFERENCES)
        is_list = isinstance(value, list) and all(isinstance(v, str) for v in value)
        if not is_list or not value:
            what = "is not a list of one or more texts"
            raise self.fault(name, value, what, 'Write ["a caption", …]')
        return list(value)

    def _first(self, names: Sequence[str]) -> tuple[str, Any]:
        """Return the first of some names that the row has, with its value."""
        for name in names:
            if name in self.values:
                return name, self.values[name]
        raise self.fault(names[0], "", "is missing", f"Add {' or '.join(names)}")

    def fault(self, column: str, value: object, what: str, remedy: str) -> Faulty:
        shown = value if isinstance(value, str) else json.dumps(value)
        return Faulty(Fault(self.line, column, shown, what, remedy))


@contextmanager
def lines_of(path: Path) -> Iterator[Iterator[str]]:
    """Read the lines of a file or of the standard input; InputError says what is wrong where."""
    with _faults_named(path):
        if path == STANDARD:
            yield iter(sys.stdin)
        else:
            with path.open(encoding="utf-8") as file:
                yield iter(file)


@contextmanager
def _faults_named(path: Path) -> Iterator[None]:
    """Raise InputError with the name of a file for what is wrong in it."""
    named = "standard input" if path == STANDARD else str(path)
    try:
        yield
    except UnicodeDecodeError as error:
        raise InputError(f"{named}{not_utf_8(error)}") from error
    except Faulty as error:
        raise InputError(f"{named}{error.fault}") from error


def items_together(path: Path) -> Iterator[list[Item]]:
    """Read items as they arrive: those that are there, some hundred at most at a time.

    Those before a line that cannot be read come before the InputError that says what is wrong.
    """
    seen: dict[str, int] = {}
    number = 1
    with _faults_named(path), _stream(path) as stream:
        for lines in _arriving(stream):
            read: list[Item] = []
            rows = _rows(map(bytes.decode, lines), seen, number)
            try:
                for row in rows:
                    read.append(Item(row.id, row.candidate(), row.references()))  # noqa: PERF401
            except (Faulty, UnicodeDecodeError):
                yield read
                raise
            yield read
            number += len(lines)


@contextmanager
def _stream(path: Path) -> Iterator[BufferedReader]:
    """Open a file, or the standard input, as bytes."""
    if path != STANDARD:
        with path.open("rb") as file:
            yield file
    elif hasattr(sys.stdin, "buffer"):
        yield cast(BufferedReader, sys.stdin.buffer)
    else:  # somebody put a text in its place
        yield BufferedReader(BytesIO(sys.stdin.read().encode()))


def _arriving(stream: BufferedReader) -> Iterator[list[bytes]]:
    """Yield the lines that are there, without waiting for more of them."""
    rest = b""
    while piece := stream.read1(_PIECE):
        *lines, rest = (rest + piece).split(b"\n")
        for start in range(0, len(lines), _MOST_TOGETHER):
            yield lines[start : start + _MOST_TOGETHER]
    if rest:
        yield [rest]


def joined(predictions: Path, references: Path) -> list[Item]:
    """Join candidates with the references of the same id, in another file.

    Raises InputError where a row cannot be read, or the references of an id are missing.
    """
    with lines_of(references) as lines:
        known = {str(row.id): row.references() for row in _rows(lines)}

    made = []
    with lines_of(predictions) as lines:
        for row in _rows(lines):
            if str(row.id) not in known:
                remedy = f"Add its line to {references}"
                raise row.fault("id", row.id, "has no references", remedy)
            made.append(Item(row.id, row.candidate(), known[str(row.id)]))

    return made


def candidates_by_id(lines: Iterable[str]) -> dict[str, Mapping[str, Any]]:
    """Return the candidate of each id, with the image that it may name."""
    return {
        str(row.id): {**row.values, "caption": row.candidate()} for row in _rows(lines)
    }


def _rows(
    lines: Iterable[str], seen: dict[str, int] | None = None, first: int = 1
) -> Iterator[_JsonObject]:
    """Yield the objects; each has an id of its own. `seen` are the lines of those before."""
    seen = {} if seen is None else seen
    for number, line in enumerate(lines, first):
        if not line.strip():
            continue

        row = _row(number, line.removeprefix("\ufeff"))
        if earlier := seen.get(str(row.id)):
            what, remedy = f"repeats line {earlier}", "Give each item an id of its own"
            raise row.fault("id", row.id, what, remedy)
        seen[str(row.id)] = number
        yield row


def _row(number: int, line: str) -> _JsonObject:
    try:
        values = decoded(line, number, WITH_NUMBERS)
    except FaultyJson as error:
        raise Faulty(not_json(number, str(error), is_entry=False)) from None

    row = _JsonObject(number, "", values if isinstance(values, dict) else {})
    if not isinstance(values, dict):
        raise row.fault("", line.strip(), "is not an object", 'Write {{"id": …, …}}')

    given = values.get("id")
    if not isinstance(given, str | int) or isinstance(given, bool) or given == "":
        what = (
            "is neither a text nor a whole number" if "id" in values else "is missing"
        )
        raise row.fault("id", given, what, 'Add "id"')
    return row._replace(id=given)


def score_lines(read: Sequence[Item], score: Score) -> Iterator[str]:
    """Score items together, and yield a line for each.

    Where one of them cannot be scored, those before it are all the same.
    """
    if not read:
        return
    try:
        scores = _scored(read, score).captions
    except (ValueError, RuntimeError):
        if len(read) == 1:
            raise
        for item in read:
            yield from score_lines([item], score)
        return

    for number, item in enumerate(read):
        own = {name: float(values[number]) for name, values in scores.items()}
        yield json.dumps({"id": item.id, "scores": own}, ensure_ascii=False)


def for_capevalkit(read: Sequence[Item], score: Score) -> str:
    """Return the output of a runner of capevalkit: by metric, the corpus score and each item's."""
    scores = _scored(read, score)
    output = {}
    for name, values in scores.captions.items():
        per_item = {
            str(item.id): float(value) for item, value in zip(read, values, strict=True)
        }
        output[name] = {"score": float(scores.corpus[name]), "per_item": per_item}

    return json.dumps(output, ensure_ascii=False)


def _scored(read: Sequence[Item], score: Score) -> Scores:
    references = [item.references for item in read]
    candidates = [item.candidate for item in read]
    return score(references, candidates)
