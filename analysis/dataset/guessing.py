"""Files made elsewhere: how they are probably to be read, for people to say yes or otherwise."""

import csv
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

from analysis.dataset.csv_tables import (
    BYTE_ORDER_MARK,
    CsvDialect,
    Table,
    delimiter,
    shortened,
)
from analysis.dataset.encodings import UTF_8, guess, is_utf8
from analysis.dataset.folder import SETTINGS, is_complete
from analysis.dataset.schema import TABLES

TABLE_SUFFIXES = (".csv", ".tsv")
MOST_FILES = 20
MOST_COLUMNS = 100
ROWS_SHOWN = 3
ROWS_LOOKED_AT = 10_000
LONGEST_SHOWN = 200
BY_FILE = {table.file: table for table in TABLES}
SYNONYMS = {
    "image": (
        "imageid",
        "img",
        "imgid",
        "imagename",
        "filename",
        "picture",
        "photo",
        "id",
    ),
    "caption": (
        "sentence",
        "text",
        "description",
        "captiontext",
        "comment",
        "candidate",
    ),
    "source": ("system", "model", "method"),
    "author": ("writer", "worker", "workerid", "annotator"),
    "pair": ("id", "pairid", "pairname"),
    "candidate_b": (
        "captionb",
        "sentenceb",
        "b",
        "candidate1",
        "caption1",
        "sentence1",
    ),
    "candidate_c": (
        "captionc",
        "sentencec",
        "c",
        "candidate2",
        "caption2",
        "sentence2",
    ),
    "category": ("type", "pairtype", "kind"),
    "source_b": ("systemb", "modelb", "source1", "system1", "model1"),
    "source_c": ("systemc", "modelc", "source2", "system2", "model2"),
    "winner": ("majority", "gold"),
    "reference": ("ref", "refid", "referenceid", "referencenumber"),
    "annotator": (
        "worker",
        "workerid",
        "rater",
        "raterid",
        "user",
        "userid",
        "annotatorid",
    ),
    "choice": ("answer", "label", "response", "vote"),
    "seconds": ("time", "duration", "responsetime"),
    "created_at": ("timestamp", "date", "created"),
    "metric": ("metricname", "measure"),
    "score": ("value",),
    "score_b": ("score1",),
    "score_c": ("score2",),
    "reference_count": ("k", "references"),
    "rating": ("score", "humanscore", "grade"),
    "file": ("filename", "path", "filepath"),
    "url": ("imageurl", "link"),
    "alt": ("alttext", "description"),
}
"""What others call our columns, the likeliest first; without case, spaces and underscores."""

Row = tuple[str, ...]


@dataclass(frozen=True)
class ForeignFile:
    """A file that is not as our own are.

    `dialect` is how to read it, as somebody said or as it is guessed; `header` and `rows` are the
    names of its columns and some of its lines, read so.
    """

    path: Path
    utf8: bool
    dialect: CsvDialect
    header: Row
    rows: tuple[Row, ...]

    @property
    def named(self) -> bool:
        """Whether its name says what it is."""
        return self.path.name in BY_FILE or self.path.name in SETTINGS

    @property
    def table(self) -> Table | None:
        return BY_FILE.get(self.dialect.table or self.path.name)

    @property
    def asked(self) -> Row:
        """The columns to be found among `unknown`: none where the file has all it needs."""
        if (
            self.table is None
            or not self.unknown
            or not missing(self.header, self.table.required)
        ):
            return ()
        return missing(self.header, self.table.columns)

    @property
    def unknown(self) -> Row:
        return unknown(self.header, self.table) if self.table else ()

    def read_as(
        self, encoding: str, table: str, places: Mapping[str, int]
    ) -> CsvDialect:
        """The format by what a person chose; `places` are those of columns in the header.

        The columns of another table than before were not asked for, and are guessed.
        """
        header, _ = excerpt(self.path, encoding, self.utf8)
        if table != self.dialect.table:
            return CsvDialect(
                encoding, guess_columns(header, BY_FILE.get(table)), table
            )
        columns = {
            name: header[place]
            for name, place in places.items()
            if place < len(header)
        }
        return CsvDialect(encoding, columns, table)


def foreign_files(
    folder: Path, dialects: Mapping[str, CsvDialect]
) -> list[ForeignFile]:
    """The files of a dataset folder that somebody should say how to read.

    These are files that are not UTF-8, tables that lack columns and have unknown ones, and files
    with a name that is no table's, where they look like one that the folder lacks, or where
    tables are missing; at most `MOST_FILES` of them. `dialects` is what has been said, by name.
    """
    complete = is_complete(folder)
    absent = [table for table in TABLES if not (folder / table.file).is_file()]
    found = []
    for path in sorted(filter(is_text, folder.iterdir())):
        file = looked_at(path, dialects.get(path.name), absent)
        doubtful = (
            bool(file.dialect.table) or path.name in dialects or not complete
        )
        if file.asked or not file.utf8 if file.named else doubtful:
            found.append(file)
            absent = [
                table for table in absent if table.file != file.dialect.table
            ]
    return found[:MOST_FILES]


def is_text(path: Path) -> bool:
    named = path.suffix.lower() in TABLE_SUFFIXES or path.name in SETTINGS
    return named and not path.name.startswith(".") and path.is_file()


def looked_at(
    path: Path, dialect: CsvDialect | None, absent: Collection[Table]
) -> ForeignFile:
    utf8 = is_utf8(path)
    encoding = dialect.encoding if dialect else UTF_8 if utf8 else guess(path)
    header, rows = excerpt(path, encoding, utf8)
    return ForeignFile(
        path,
        utf8,
        dialect or likely(path, encoding, header, absent),
        header,
        rows,
    )


def likely(
    path: Path, encoding: str, header: Row, absent: Collection[Table]
) -> CsvDialect:
    if path.name in BY_FILE or path.name in SETTINGS:
        return CsvDialect(
            encoding, guess_columns(header, BY_FILE.get(path.name))
        )
    table = guess_table(header, absent)
    return CsvDialect(
        encoding, guess_columns(header, table), table.file if table else ""
    )


def excerpt(
    path: Path, encoding: str, utf8: bool
) -> tuple[Row, tuple[Row, ...]]:
    """The header of a file and some rows; of one that is not UTF-8, rows that tell its encoding."""
    rows = rows_of(path, encoding)
    header = (
        ()
        if path.name in SETTINGS
        else tuple(name.strip() for name in next(rows, ()))
    )
    most = islice(rows, ROWS_SHOWN if utf8 else ROWS_LOOKED_AT)
    shown = sorted(most, key=lambda row: "".join(row).isascii())[:ROWS_SHOWN]
    return header, tuple(
        tuple(shortened(cell, LONGEST_SHOWN) for cell in row) for row in shown
    )


def rows_of(path: Path, encoding: str) -> Iterator[Row]:
    """The rows of a table or the lines of another file, as far as they can be read."""
    with (
        path.open(encoding=encoding, errors="replace", newline="") as file,
        suppress(csv.Error),
    ):
        if path.name in SETTINGS:
            yield from ((line.strip(),) for line in file)
            return
        first = next(file, "").removeprefix(BYTE_ORDER_MARK)
        for row in csv.reader(
            chain([first], file), delimiter=delimiter(first)
        ):
            if row:
                yield tuple(row)


def guess_table(
    header: Collection[str], tables: Collection[Table]
) -> Table | None:
    """The one of `tables` that most columns, two at least, speak for, and that would lack none."""

    def found(table: Table) -> set[str]:
        return {*guess_columns(header, table), *header} & {*table.columns}

    fitting = [
        table
        for table in tables
        if found(table) >= {*table.required} and len(found(table)) > 1
    ]
    return max(fitting, key=lambda table: len(found(table)), default=None)


def guess_columns(
    header: Collection[str], table: Table | None
) -> dict[str, str]:
    """What the file probably calls the columns of `table` that it lacks, by our names."""
    guessed: dict[str, str] = {}
    if table is None:
        return guessed
    theirs = {plain(name): name for name in reversed(unknown(header, table))}
    for column in missing(header, table.columns):
        for name in (plain(column), *SYNONYMS.get(column, ())):
            if name in theirs:
                guessed[column] = theirs.pop(name)
                break
    return guessed


def plain(name: str) -> str:
    return "".join(filter(str.isalnum, name)).casefold()


def missing(header: Collection[str], columns: Collection[str]) -> Row:
    return tuple(name for name in columns if name not in header)


def unknown(header: Collection[str], table: Table) -> Row:
    """The file's names of columns that may stand for ours."""
    names = (
        name
        for name in header
        if name and name.isprintable() and name not in table.columns
    )
    return tuple(islice(dict.fromkeys(names), MOST_COLUMNS))


def dialects_in(folder: Path, encoding: str) -> dict[str, CsvDialect]:
    """The dialects of a folder's files where those that are not UTF-8 have `encoding`."""
    files = [folder / name for name in (*BY_FILE, *SETTINGS)]
    return {
        path.name: CsvDialect(encoding)
        for path in files
        if path.is_file() and not is_utf8(path)
    }
