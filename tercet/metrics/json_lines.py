"""Score items of JSON Lines: a pipeline's, one by one, or those of a runner of capevalkit."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from tercet.metrics.scores import Scores
from tercet.metrics.text.faults import Fault, Faulty, not_json, not_utf_8
from tercet.metrics.text.files import STANDARD, InputError
from tercet.metrics.text.json_stream import WITH_NUMBERS, FaultyJson, decoded

Id: TypeAlias = str | int
Score: TypeAlias = Callable[[list[list[str]], list[str]], Scores]
"""Scores candidates by the references of each."""

_CANDIDATE = ("candidate", "caption", "prediction")
_REFERENCES = ("references", "captions")


class Item(NamedTuple):
    """A candidate with its references."""

    id: Id
    candidate: str
    references: list[str]


class _Row(NamedTuple):
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
    named = "standard input" if path == STANDARD else str(path)
    try:
        if path == STANDARD:
            yield iter(sys.stdin)
        else:
            with path.open(encoding="utf-8") as file:
                yield iter(file)
    except UnicodeDecodeError as error:
        raise InputError(f"{named}{not_utf_8(error)}") from error
    except Faulty as error:
        raise InputError(f"{named}{error.fault}") from error


def items(lines: Iterable[str]) -> Iterator[Item]:
    """Read items that have their references; raises Faulty at the first that cannot be read."""
    for row in _rows(lines):
        yield Item(row.id, row.candidate(), row.references())


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


def _rows(lines: Iterable[str]) -> Iterator[_Row]:
    """Yield the objects; each has an id of its own."""
    seen: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue

        row = _row(number, line.removeprefix("\ufeff"))
        if first := seen.get(str(row.id)):
            what, remedy = f"repeats line {first}", "Give each item an id of its own"
            raise row.fault("id", row.id, what, remedy)
        seen[str(row.id)] = number
        yield row


def _row(number: int, line: str) -> _Row:
    try:
        values = decoded(line, number, WITH_NUMBERS)
    except FaultyJson as error:
        raise Faulty(not_json(number, str(error), is_entry=False)) from None

    row = _Row(number, "", values if isinstance(values, dict) else {})
    if not isinstance(values, dict):
        raise row.fault("", line.strip(), "is not an object", 'Write {{"id": …, …}}')

    given = values.get("id")
    if not isinstance(given, str | int) or isinstance(given, bool) or given == "":
        what = (
            "is neither a text nor a whole number" if "id" in values else "is missing"
        )
        raise row.fault("id", given, what, 'Add "id"')
    return row._replace(id=given)


def score_lines(read: Iterable[Item], score: Score) -> Iterator[str]:
    """Score items together, or one by one if they are given so; yield a line for each."""
    given = list(read)
    if not given:
        return

    scores = _scored(given, score).captions
    for number, item in enumerate(given):
        own = {name: float(values[number]) for name, values in scores.items()}
        yield json.dumps({"id": item.id, "scores": own}, ensure_ascii=False)


def for_capevalkit(read: Sequence[Item], score: Score) -> str:
    """Return the output of a runner of capevalkit: by metric, the score and that of each item."""
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
