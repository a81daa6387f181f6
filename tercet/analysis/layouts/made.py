"""Our tables, made of the files of a published set and of the captions beside them."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from hashlib import sha256
from math import isfinite
from pathlib import PurePosixPath
from typing import Any

from tercet.analysis.number_texts import counted
from tercet.analysis.roles.roles import Role, Roles, columns_of
from tercet.analysis.tables.csv_tables import Problem, Table
from tercet.analysis.tables.file_tables import FileTable, table_of_values, unreadable
from tercet.analysis.tables.json_tables import list_in
from tercet.analysis.tables.schema import PAIRS, RATINGS, REFERENCES, SCORES, VOTES

Record = tuple[FileTable, int, Mapping[str, Any]]
"""What a line of a file says, by the names of our columns.

`references` is a list, which may stand beside each caption of an image, `reference` one alone;
`ratings` are by aspect, `votes` objects with a choice. A `problem` is a column, what is wrong, and
what to do; a `note` stands alone.
"""
_PREFIX = re.compile(r"^(COCO_[a-z]+20\d\d_)?0*")
_IDS = ("id", "sentences.sentid")
"""Columns with the numbers of captions, in COCO's and Karpathy's files."""


def core(image: str) -> str:
    """Return the name of an image without folders, ending, leading zeros, and what COCO adds."""
    return _PREFIX.sub("", PurePosixPath(image).stem).casefold()


def rows_of(table: FileTable) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the line and the cells of each row."""
    columns = (table.frame[name] for name in table.header)
    for line, *cells in zip(table.frame["line"], *columns, strict=True):
        yield int(line), dict(zip(table.header, cells, strict=True))


def texts_in(cell: str) -> list[str]:
    """Return the texts of a list in a cell; a text alone is one."""
    found = list_in(cell)
    return [cell] if found is None else found


def digest_of(references: Iterable[str]) -> str:
    """Return a name for an image that has none: the digest of its references."""
    return sha256("\n".join(references).encode()).hexdigest()[:16]


class CorpusCaptions:
    """The captions of a corpus beside the judgments; `used` are their tables, once asked for."""

    def __init__(self, tables: Mapping[FileTable, Roles]) -> None:
        self._tables = tables
        self.used: list[FileTable] = []

    @cached_property
    def _found(self) -> dict[str, list[tuple[FileTable, int, str]]]:
        """The captions with their tables and lines, by image and by number."""
        found: dict[str, list[tuple[FileTable, int, str]]] = {}
        for table, roles in self._tables.items():
            images = columns_of(roles, Role.IMAGE)
            captions = columns_of(roles, Role.REFERENCE)
            if not images or len(captions) != 1:
                continue
            self.used.append(table)
            number = next((name for name in _IDS if name in table.header), images[0])
            for line, row in rows_of(table):
                caption = table, line, row[captions[0]]
                image, mark, _number = row[images[0]].strip().partition("#")
                id = row[number].strip() if mark else f"#{row[number]}"
                if not (mark and id in found):  # some lines stand twice
                    found.setdefault(core(image), []).append(caption)
                    found[id] = [caption]
        return found

    def text(self, number: str) -> str:
        """Return the caption with a number; "" where there is none."""
        return next((text for *_where, text in self._found.get(number, ())), "")

    def records(
        self, images: Iterable[str], but: Iterable[tuple[str, str]] = ()
    ) -> Iterator[Record]:
        """Yield the references of images, but some captions, each with its image."""
        left_out = {(image, text.strip()) for image, text in but}
        for image in dict.fromkeys(images):
            for table, line, text in self._found.get(core(image), []):
                if (image, text.strip()) not in left_out:
                    yield table, line, {"image": image, "reference": text}


def tables_of(
    title: str,
    records: Iterable[Record],
    own: Sequence[FileTable] = (),
    captions: CorpusCaptions | None = None,
) -> list[FileTable]:
    """Return our tables of records, the first of each file with what is wrong with the file."""
    made = _Made()
    try:
        for source, line, record in records:
            made.add(source, line, record)
    except (ValueError, LookupError, TypeError) as error:
        name = own[0].file if own else title
        what, remedy = f"is not written as {title} is", "Use the files as published"
        problem = Problem(name, what, remedy, value=str(error))
        return [replace(unreadable(name, problem), of=title)]

    beside = captions.used if captions else []
    for file in beside:
        if file.file not in made.sources:
            made.notes[f"{file.key}: nothing in it is of a judged image"] = None
    for key, count in made.left_out.items():
        ratings = counted(count, "rating")
        note = f"{key}: {ratings} without a number or of no caption left out"
        made.notes[note] = None
    for file in (*own, *beside):
        made.problems.setdefault(file.file, []).extend(file.problems)
        made.notes |= dict.fromkeys(file.notes)
    return [replace(table, of=title) for table in made.tables()]


class _Made:
    """The rows of our tables by their files, and what is wrong with the files."""

    def __init__(self) -> None:
        self.sources: dict[str, FileTable] = {}
        self.notes: dict[str, None] = {}
        self.problems: dict[str, list[Problem]] = {}
        self.left_out: Counter[str] = Counter()
        self._rows: dict[tuple[str, Table], list[tuple[int, dict[str, str]]]] = {}
        self._references: dict[str, Counter[str]] = {}
        self._pairs = 0

    def add(self, source: FileTable, line: int, record: Mapping[str, Any]) -> None:
        """Add the rows of a record."""
        self.sources[source.file] = source
        if "problem" in record:
            column, what, remedy = record["problem"]
            where = line, column, "", source.is_entry
            problem = Problem(source.key, what, remedy, *where, is_local=True)
            self.problems.setdefault(source.file, []).append(problem)
        if "note" in record:
            self.notes[f"{source.key}: {record['note']}"] = None

        for text in self._new_references(record):
            reference = {"image": record["image"], "caption": text}
            self._row(REFERENCES, source, line, reference)
        for aspect, rating in record.get("ratings", {}).items():
            if record["caption"].strip() and _is_number(rating):
                rated = {**record, "aspect": aspect, "rating": rating.strip()}
                self._row(RATINGS, source, line, rated)
            else:
                self.left_out[source.key] += 1
        if "score" in record:
            self._row(SCORES, source, line, record)
        if "candidate_b" in record:
            self._pairs += 1
            name = {"pair": f"{self._pairs:04}"}
            self._row(PAIRS, source, line, {**record, **name})
            for vote in record.get("votes", ()):
                self._row(VOTES, source, line, {**vote, **name})

    def _new_references(self, record: Mapping[str, Any]) -> Iterator[str]:
        """Yield the references that an image does not have yet."""
        if "reference" in record:
            yield record["reference"]
        texts: Sequence[str] = record.get("references", ())
        known = self._references.setdefault(record.get("image", ""), Counter())
        missing = Counter(texts) - known
        known |= Counter(texts)
        for text in texts:
            if text.strip() and missing[text]:
                missing[text] -= 1
                yield text

    def _row(
        self, table: Table, source: FileTable, line: int, record: Mapping[str, str]
    ) -> None:
        cells = {name: record[name] for name in table.columns if name in record}
        self._rows.setdefault((source.file, table), []).append((line, cells))

    def tables(self) -> Iterator[FileTable]:
        """Yield the tables; of a file without rows, what is wrong with it."""
        notes = tuple(self.notes)
        for (file, ours), rows in self._rows.items():
            source = self.sources[file]
            names = dict.fromkeys(
                [*ours.required, *(key for _, row in rows for key in row)]
            )
            made = table_of_values(
                file, names, rows, ours.name, is_entry=source.is_entry
            )
            problems = (*self.problems.pop(file, ()), *made.problems)
            encoding = source.encoding
            yield replace(made, problems=problems, notes=notes, encoding=encoding)
            notes = ()
        for file, found in self.problems.items():
            if found:
                yield replace(unreadable(file, *found), notes=notes)


def _is_number(cell: str) -> bool:
    try:
        return isfinite(float(cell))
    except ValueError:
        return False
