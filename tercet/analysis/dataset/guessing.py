"""Guess the encoding and columns of third-party files for the user to confirm."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from itertools import chain, islice
from pathlib import Path
from typing import Any

from tercet.analysis.dataset.column_contents import (
    RATING_WORDS,
    guess_roles,
    guess_winners,
    has_word,
    recognise_columns,
)
from tercet.analysis.dataset.flat_files import (
    CAPTION,
    NAME,
    caption_columns,
    series_columns,
    series_in,
)
from tercet.analysis.dataset.table_files import (
    NO_DIALECTS,
    REFERENCES_MISSING,
    SETTINGS,
    missing_files,
    names_of_tables,
    own_file,
)
from tercet.analysis.formats.entries import (
    ENTRY_SUFFIXES,
    has_encoding,
    has_entries,
    table_rows,
)
from tercet.analysis.formats.wide_tables import (
    WIDE,
    Role,
    Roles,
    columns_named,
    columns_of,
    tables_of,
)
from tercet.analysis.tables.csv_tables import (
    CsvDialect,
    Problem,
    Problems,
    Table,
    shortened,
    up_to_fault,
)
from tercet.analysis.tables.encodings import UTF_8, guess, is_utf8
from tercet.analysis.tables.schema import (
    CANDIDATES,
    PAIRS,
    RATINGS,
    REFERENCES,
    TABLES,
    TIE,
    VOTES,
)
from tercet.metrics.text.csv_rows import LinesExceedLimit, bounded_lines, csv_rows
from tercet.metrics.text.faults import Faulty

TABLE_SUFFIXES = (".csv", ".tsv", *ENTRY_SUFFIXES)
MOST_FILES = 20
MOST_COLUMNS = 100
_ROWS_SHOWN = 3
_ROWS_GUESSED_FROM = 200
_ROWS_LOOKED_AT = 10_000
_LONGEST_SHOWN = 200
_BY_FILE = {table.file: table for table in TABLES}
_SYNONYMS = {
    "image": (
        "imageid img imgid imagename imagefile filename picture photo "
        "bild bildid bildname bilddatei foto id"
    ),
    "caption": (
        "sentence text description captiontext comment candidate reference ref "
        "captions sentences references refs"
    ),
    "source": "system model method",
    "author": "writer worker workerid annotator",
    "pair": "pairid pairname paar paarid id",
    "candidate_b": "captionb sentenceb b candidate1 caption1 sentence1 text1 summary1",
    "candidate_c": "captionc sentencec c candidate2 caption2 sentence2 text2 summary2",
    "category": "type pairtype kind group class",
    "source_b": "systemb modelb source1 system1 model1 method1",
    "source_c": "systemc modelc source2 system2 model2 method2",
    "winner": "majority gold",
    "reference": "ref refid referenceid referencenumber",
    "annotator": "worker workerid rater raterid user userid annotatorid person",
    "choice": "answer label response vote",
    "seconds": "time duration responsetime worktimeinseconds",
    "created_at": "timestamp date created",
    "metric": "metricname measure",
    "score": "value",
    "score_b": "score1",
    "score_c": "score2",
    "reference_count": "k references",
    "rating": "score humanscore grade",
    "file": "filename path filepath",
    "url": "imageurl link",
    "alt": "alttext description",
}
"""Other names of our columns, the likeliest first; without case, spaces and underscores."""
_CROWD_PARTS = ("Input.", "Answer.", ".label")
"""What Mechanical Turk adds to the names of inputs and answers in the results of a batch."""
_BY_CONTENT = (REFERENCES, PAIRS)
"""The tables that unnamed files are recognised as by their cells alone."""
_NAMED = Table("", ("image", "pair", "category", "source_b", "source_c"))
"""The columns of wide tables that are known by their names."""
_TELLING = {PAIRS: {"image", "candidate_b", "candidate_c"}}
"""The columns by which a table is recognised, where they are not all that it requires."""
_FILE_WORDS = {REFERENCES: ("refer",), PAIRS: ("pair",)}
"""Words in the names of files that suggest a table."""
_NOT_IN = {REFERENCES: RATING_WORDS, PAIRS: (*RATING_WORDS, *_FILE_WORDS[REFERENCES])}
"""Words in the names of columns that are none of a table's, whatever their cells hold."""
_WORTH_ASKING = {"category"}
"""Optional columns that are asked for, too, where the file seems to have them."""

_NO_ROLES: Roles = {}
_NO_WINNERS: Mapping[str, str] = {}
PROBABLY = "is probably"
_STANDS_FOR = {
    REFERENCES.file: (REFERENCES.file,),
    PAIRS.file: (PAIRS.file, CANDIDATES.file, RATINGS.file),
}
"""The tables of which one is enough, by the one that is called missing."""

Row = tuple[str, ...]


class Layout(StrEnum):
    """In which columns the references of a file probably are."""

    SINGLE = "single"
    """One on a line, in `caption`; or the file has none."""
    SEVERAL = "several"
    """Several on a line, none of them in `caption`."""
    MORE = "more"
    """One on a line in `caption`, and more in other columns."""
    WITH_PAIRS = "with pairs"
    """Beside the pairs, as no other file has references."""


@dataclass(frozen=True)
class ForeignFile:
    """A file that is not written as our own are.

    `dialect` is how to read it, as confirmed or as guessed; `header` and `rows` are its column
    names and some of its rows, read in this way. `taken` is the table that it seems to be, where
    another file is that table. `fault` says what is wrong with one that cannot be read, and what to
    do about it.
    """

    path: Path
    utf8: bool
    dialect: CsvDialect
    header: Row
    rows: tuple[Row, ...]
    layout: Layout = Layout.SINGLE
    taken: str = ""
    fault: Row = ()

    @property
    def named(self) -> bool:
        """Whether its name says what it is."""
        return _is_named(self.path)

    @property
    def table(self) -> Table | None:
        """The table that it is; None for a wide table, which may be several."""
        if self.is_wide:
            return None
        return _BY_FILE.get(self.dialect.table) or self.own_table

    @property
    def own_table(self) -> Table | None:
        """The table that its name says."""
        return _table_named(self.path)

    @property
    def is_wide(self) -> bool:
        """Whether its columns have roles."""
        return self.dialect.table == WIDE

    @property
    def tables(self) -> list[Table]:
        """The tables that it is read as."""
        if self.is_wide:
            return tables_of(self.dialect)
        return [self.table] if self.table else []

    @property
    def asked(self) -> Row:
        """The columns to be found among `unknown`: none where the file has all it needs."""
        if self.table is None:
            return ()

        absent = _missing(self.header, self.table.columns)
        if not self.unknown:
            return (NAME,) if self.dialect.numbered else ()
        if self.layout is not Layout.SINGLE:
            others = (name for name in absent if name != CAPTION)
            return (*others, CAPTION)

        guessed = guess_columns(self.header, self.table)
        is_needed = any(name in self.table.required for name in absent)
        is_likely = any(name in _WORTH_ASKING for name in guessed)
        return absent if is_needed or is_likely else ()

    @property
    def lacking(self) -> Row:
        """The required columns that are neither there nor guessed nor chosen."""
        required = self.table.required if self.table else ()
        absent = set(self.asked) - set(self.dialect.columns)
        if self.dialect.numbered:
            absent.discard(NAME)

        return tuple(name for name in required if name in absent)

    @property
    def unknown(self) -> Row:
        return _unknown(self.header, self.table) if self.table else ()

    def read_as(
        self,
        encoding: str,
        table: str,
        positions: Mapping[str, int],
        roles: Roles = _NO_ROLES,
        winners: Mapping[str, str] = _NO_WINNERS,
    ) -> CsvDialect:
        """Return the dialect that a person chose.

        `positions` are those of columns in the header. The columns of another table than before
        were not asked for, and are guessed, as are the `roles` of a wide table, and those of its
        `winners` that nobody was asked for.
        """
        header, _, sample = _excerpt(self.path, encoding, self.utf8)
        if table == WIDE:
            return _wide(self.path, header, sample, encoding, roles, winners)
        if table != self.dialect.table:
            ours = _BY_FILE.get(table) or self.own_table
            guessed = _guessed(header, ours, sample, encoding)
            return replace(guessed, table=table)

        columns = {
            name: header[position]
            for name, position in positions.items()
            if position < len(header)
        }
        is_numbered = _lacks_names(header, self.table, columns)
        return CsvDialect(encoding, columns, table, is_numbered)

    def as_json(self) -> dict[str, Any]:
        """Return the file as values of JSON, for `file_from_json`."""
        return asdict(self) | {"path": self.path.name}


def file_from_json(described: Mapping[str, Any]) -> ForeignFile:
    """Return the file that `ForeignFile.as_json` described; its path is its name alone."""
    return ForeignFile(
        Path(described["path"]),
        described["utf8"],
        CsvDialect(**described["dialect"]),
        tuple(described["header"]),
        tuple(map(tuple, described["rows"])),
        Layout(described.get("layout", Layout.SINGLE)),
        described.get("taken", ""),
        tuple(described.get("fault", ())),
    )


def foreign_files(
    folder: Path, dialects: Mapping[str, CsvDialect]
) -> list[ForeignFile]:
    """Find the files of a dataset folder whose dialect should be confirmed.

    Parameters
    ----------
    folder
        The dataset folder.
    dialects
        What has been confirmed, by the names of the files.

    Returns
    -------
    list of ForeignFile
        Files that are not UTF-8; tables that lack columns and have unknown ones; and files whose
        name is that of no table, where they look like one that the folder lacks, or where tables
        are missing. At most `MOST_FILES`.
    """
    names = names_of_tables(folder, NO_DIALECTS)
    missing = missing_files(folder, names)
    absent = [
        table for table in TABLES if not (folder / own_file(folder, table)).is_file()
    ]
    paths = [
        path
        for path in sorted(folder.iterdir())
        if (path.suffix.lower() in TABLE_SUFFIXES or path.name in SETTINGS)
        and path.is_file()
        and not path.name.startswith(".")
    ]
    files, absent = _look_at_all(paths, dialects, absent)
    if REFERENCES in absent and REFERENCES_MISSING in missing:
        files = [*map(_with_references, files)]

    found = []
    for file in files:
        is_likely = bool(missing) or file.path.name in dialects
        if file.named:
            is_chosen = file.is_wide or file.path.name in dialects
            is_foreign = bool(file.asked) or is_chosen or not file.utf8
        else:
            is_foreign = is_likely or bool(file.dialect.table or file.taken)
        if is_foreign:
            found.append(file)

    return found[:MOST_FILES]


def _look_at_all(
    paths: Collection[Path], dialects: Mapping[str, CsvDialect], absent: list[Table]
) -> tuple[list[ForeignFile], list[Table]]:
    """Look at files, each a table of its own; return the tables that are absent still, too.

    Of files that seem to be one table, it is the one that says so in words, or the first.
    """
    files = [_look_at(path, dialects.get(path.name), absent) for path in paths]
    files.sort(key=lambda file: (file.path.name not in dialects, not _says_so(file)))
    settled: dict[Path, ForeignFile] = {}

    for file in files:
        seeming = file.dialect.table
        is_free = all(table in absent for table in file.tables)
        is_guess = bool(seeming) and file.path.name not in dialects

        if is_guess and not is_free:
            other = _look_at(file.path, None, absent)
            file = replace(other, taken="" if other.dialect.table else seeming)

        settled[file.path] = file
        if file.dialect.table:
            absent = [table for table in absent if table not in file.tables]

    return [settled[path] for path in paths], absent


def _says_so(file: ForeignFile) -> bool:
    """Return whether the name of a file or of a column has a word for its table."""
    words = _FILE_WORDS.get(file.table, ()) if file.table else ()
    names = (file.path.stem, *file.header)
    return any(_has_word(name, words) for name in names)


def _has_word(name: str, words: Collection[str]) -> bool:
    """Return whether a name has one of some words; "preferences" has nothing of references."""
    plain = name.casefold().replace("prefer", "")
    return has_word(plain, words)


def _with_references(file: ForeignFile) -> ForeignFile:
    """Return a file of pairs that may have the references, too, with the likeliest columns."""
    if file.table != PAIRS:
        return file

    flat = replace(file, layout=Layout.WITH_PAIRS)
    dialect = file.dialect
    columns = dialect.columns
    if caption_columns(columns):
        return flat

    _header, _rows, sample = _excerpt(file.path, dialect.encoding, file.utf8)
    rest = [name for name in file.unknown if name not in columns.values()]
    guessed = _guess_references(file.header, sample, rest)
    return replace(flat, dialect=replace(dialect, columns={**columns, **guessed}))


def _several(header: Collection[str], sample: Collection[Row]) -> dict[str, str]:
    """Find the columns of a file of references that seem to be several of a line, if so."""
    guessed = guess_columns(header, REFERENCES, sample)
    others = {guessed[name] for name in guessed if name != CAPTION}
    possible = {*_unknown(header, REFERENCES), CAPTION} - others

    left = [name for name in dict.fromkeys(header) if name in possible]
    captions = _guess_references(header, sample, left)
    if len(captions) > 1:
        return captions
    return {}


def _guess_references(
    header: Collection[str], sample: Collection[Row], names: Collection[str]
) -> dict[str, str]:
    """Guess which of some columns are references, by our names.

    Each series of columns is one guess.
    """
    series = series_in(names)
    guessed = {CAPTION: CAPTION}
    if CAPTION not in series:
        table = Table("", (CAPTION,))
        guessed = guess_columns(series, table)

    if not guessed:
        cells = _cells_of(header, sample, names)
        together = {}
        for stem, members in series.items():
            together[stem] = [*chain.from_iterable(cells[name] for name in members)]
        guessed = recognise_columns(together, {CAPTION})

    stem = guessed.get(CAPTION, "")
    captions = series.get(stem, ())
    ours = series_columns(CAPTION, len(captions))
    return dict(zip(ours, captions, strict=False))


def with_likely_files(
    missing: Collection[Problem], folder: Path, dialects: Mapping[str, CsvDialect]
) -> list[Problem]:
    """Name files that are probably missing tables, or that cannot be read, instead of these.

    `missing` has a problem for each missing table; each problem is returned once, and that of a
    table that no file seems to be as it is.
    """
    files = foreign_files(folder, dialects) if folder.is_dir() else []
    faulty = [file for file in files if file.fault]
    named: list[Problem] = []

    for problem in missing:
        tables = _STANDS_FOR.get(problem.file, ())
        likely = [file for file in files if file.dialect.table in tables]
        better = problem
        if likely:
            file = likely[0]
            what = f"{PROBABLY} {file.dialect.table}"
            better = Problem(file.path.name, what, _renaming(file))
        elif faulty:
            file = faulty[0]
            what, remedy = file.fault
            better = Problem(file.path.name, what, remedy)
        if better not in named:
            named.append(better)

    return named


def _renaming(file: ForeignFile) -> str:
    """Say what to rename so that a file is read as the table that it probably is."""
    name = file.dialect.table
    if has_entries(file.path):
        name = f"{Path(name).stem}{file.path.suffix.lower()}"

    columns = file.dialect.columns
    if len(caption_columns(columns)) > 1 and not has_entries(file.path):
        return (
            f"Rename it to {name}, and put each reference on a line of its own, in the columns "
            "image, caption"
        )

    others = {ours: theirs for ours, theirs in columns.items() if ours != theirs}
    if not others:
        return f"Rename it to {name}"

    return (
        f"Rename it to {name}, and its columns {', '.join(others.values())} to "
        f"{', '.join(others)}"
    )


def dialects_in(folder: Path, encoding: str) -> dict[str, CsvDialect]:
    """Return the dialects of a folder's files where those that are not UTF-8 have `encoding`."""
    names = [own_file(folder, table) for table in TABLES]
    files = [folder / name for name in (*names, *SETTINGS)]

    foreign = [path for path in files if path.is_file() and not _is_utf8(path)]
    return {path.name: CsvDialect(encoding) for path in foreign}


def guess_table(
    header: Collection[str],
    tables: Collection[Table],
    sample: Collection[Row] = (),
    stem: str = "",
) -> Table | None:
    """Guess which of some tables a file is; None if it is none.

    It is the one that most columns of a header, two at least, suggest, and that would lack no
    required column but the names of pairs. Where no name suggests a table, the cells of some rows
    may. A table that the name of the file, `stem`, suggests comes first.
    """
    words = _FILE_WORDS
    suggested = [each for each in tables if _has_word(stem, words.get(each, ()))]
    by_content = [table for table in tables if table in _BY_CONTENT]

    return (
        _best_table(header, suggested, sample)
        or _best_table(header, tables, ())
        or _best_table(header, by_content, sample)
    )


def _best_table(
    header: Collection[str], tables: Collection[Table], sample: Collection[Row]
) -> Table | None:
    has_ratings = any(_has_word(name, RATING_WORDS) for name in header)
    fitting: dict[Table, tuple[int, int]] = {}

    for table in tables:
        guessed = _guess_all(header, table, sample)
        recognised = {*guessed, *header} & {*table.columns}
        telling = _TELLING.get(table, {*table.required})
        is_rated = table == REFERENCES and has_ratings
        if recognised >= telling and len(recognised) > 1 and not is_rated:
            fitting[table] = len(recognised), len(telling)

    return max(fitting, key=lambda table: fitting[table], default=None)


def guess_columns(
    header: Collection[str], table: Table | None, sample: Collection[Row] = ()
) -> dict[str, str]:
    """Guess the file's names of columns of `table` that it lacks, by our names.

    Names that say nothing are guessed from the cells of some rows.
    """
    guessed: dict[str, str] = {}
    if table is None:
        return guessed

    theirs = {_normalised(name): name for name in reversed(_unknown(header, table))}
    missing = _missing(header, table.columns)
    for column in missing:
        synonyms = _SYNONYMS.get(column, "").split()
        for name in (_normalised(column), *synonyms):
            if name in theirs:
                guessed[column] = theirs.pop(name)
                break

    absent = {*missing} - {*guessed}
    words = _NOT_IN.get(table, ())
    left = {name for name in theirs.values() if not _has_word(name, words)}
    cells = _cells_of(header, sample, left)
    return guessed | recognise_columns(cells, absent)


def _cells_of(
    header: Collection[str], rows: Collection[Row], names: Collection[str]
) -> dict[str, list[str]]:
    """Return the cells of some columns, without rows of another length than the header."""
    whole = [row for row in rows if len(row) == len(header)]
    return {
        name: [row[position].strip() for row in whole]
        for position, name in enumerate(header)
        if name in names
    }


def _table_named(path: Path) -> Table | None:
    """Return the table that the name of a file says."""
    name = path.name
    if has_entries(path):
        name = f"{path.stem}.csv"
    return _BY_FILE.get(name)


def _is_named(path: Path) -> bool:
    """Return whether the name of a file says what it is."""
    return _table_named(path) is not None or path.name in SETTINGS


def _is_utf8(path: Path) -> bool:
    """Return whether a file is UTF-8, or of a format without an encoding."""
    return not has_encoding(path) or is_utf8(path)


def _look_at(
    path: Path, dialect: CsvDialect | None, absent: Collection[Table]
) -> ForeignFile:
    """Look at a file in the dialect that was confirmed, or in the likeliest."""
    utf8 = _is_utf8(path)
    if dialect:
        encoding = dialect.encoding
    elif utf8:
        encoding = UTF_8
    else:
        encoding = guess(path)
    header, rows, sample = _excerpt(path, encoding, utf8)

    if dialect is None:
        named = _is_named(path)
        table = _table_named(path)
        if not named:
            table = guess_table(header, absent, sample, path.stem)
        dialect = _guessed(header, table, sample, encoding)
        wide = _wide(path, header, sample, encoding)
        if named:
            known = {*header, *dialect.columns}
            beside = _beside_references(wide, absent)
            plain = replace(dialect, table="")
            dialect = beside if _has_votes(beside, table, known, absent) else plain
        else:
            is_pairs = guess_table(header, [PAIRS], sample) is not None
            dialect = wide if _is_likely(wide, absent, is_pairs) else dialect

    fault = () if header else _fault_of(path, encoding)
    file = ForeignFile(path, utf8, dialect, header, rows, fault=fault)
    return replace(file, layout=_layout_of(file))


def _layout_of(file: ForeignFile) -> Layout:
    """Guess how the references of a file are laid out, if it is one of references."""
    if file.table != REFERENCES or not _several(file.header, file.rows):
        return Layout.SINGLE

    is_complete = {*REFERENCES.required} <= {*file.header}
    return Layout.MORE if is_complete else Layout.SEVERAL


def _fault_of(path: Path, encoding: str) -> Row:
    """Say what is wrong with a table that has no header, and what to do about it."""
    problems = Problems()
    if path.name not in SETTINGS:
        rows = table_rows(path, problems, encoding)
        next(up_to_fault(rows, path.name, problems), None)
    if not problems.kept:
        return ()

    first = problems.kept[0]
    return str(first.what), str(first.remedy)


def _guessed(
    header: Row, table: Table | None, sample: Collection[Row], encoding: str
) -> CsvDialect:
    """Return the likeliest dialect of a file that is this table."""
    columns = _guess_all(header, table, sample)
    file = table.file if table else ""
    is_numbered = _lacks_names(header, table, columns)
    return CsvDialect(encoding, columns, file, is_numbered)


def _wide(
    path: Path,
    header: Row,
    sample: Collection[Row],
    encoding: str,
    roles: Roles = _NO_ROLES,
    winners: Mapping[str, str] = _NO_WINNERS,
) -> CsvDialect:
    """Return the dialect of a wide table, with what is not chosen guessed."""
    if not roles:
        named = {name: name for name in _NAMED.columns if name in header}
        named |= guess_columns(header, _NAMED)
        names = list(filter(None, header))
        cells = _cells_of(header, sample, names)
        roles = guess_roles(cells, named)

    meaning: dict[str, str] = {}
    captions = columns_of(roles, Role.CAPTION)
    votes = columns_of(roles, Role.VOTE)
    judged = votes or columns_of(roles, Role.WINNER)
    if judged and len(captions) == 2:
        rows = _rows_of(path, encoding)
        looked_at = list(islice(rows, 1, _ROWS_LOOKED_AT))
        cells = _cells_of(header, looked_at, judged)
        b, c = (roles[name][1] for name in captions)
        together = [*chain.from_iterable(cells.values())]
        guessed = guess_winners(together, b, c, tie=TIE if votes else "")
        meaning = {value: winners.get(value, guessed[value]) for value in guessed}

    columns = columns_named(roles)
    return CsvDialect(encoding, columns, WIDE, roles=roles, winners=meaning)


def _is_likely(wide: CsvDialect, absent: Collection[Table], is_pairs: bool) -> bool:
    """Return whether a file is probably a wide table.

    It has references and captions of two or more systems on a line; or it may be pairs, and has
    columns of votes, which a file of pairs would lose.
    """
    tables = tables_of(wide)
    if is_pairs:
        return VOTES in tables and {*tables} <= {*absent}

    captions = columns_of(wide.roles, Role.CAPTION)
    is_free = {REFERENCES, CANDIDATES, PAIRS} <= {*absent}
    return is_free and REFERENCES in tables and len(captions) > 1


def _beside_references(wide: CsvDialect, absent: Collection[Table]) -> CsvDialect:
    """Return the dialect of a wide table, without references where another file has them."""
    if REFERENCES in absent:
        return wide

    roles = {
        name: role for name, role in wide.roles.items() if role[0] != Role.REFERENCE
    }
    return replace(wide, roles=roles)


def _has_votes(
    wide: CsvDialect,
    table: Table | None,
    known: Collection[str],
    absent: Collection[Table],
) -> bool:
    """Return whether a file that is called as a table has votes that it would lose as that one."""
    tables = {*tables_of(wide)}
    is_free = tables <= {*absent, table}
    is_complete = table == VOTES and {*VOTES.required} <= {*known}
    return table in (PAIRS, VOTES) and VOTES in tables and is_free and not is_complete


def _guess_all(
    header: Collection[str], table: Table | None, sample: Collection[Row]
) -> dict[str, str]:
    """Guess the file's names of our columns, with those of several references on a line."""
    guessed = guess_columns(header, table, sample)
    if table == REFERENCES:
        guessed |= _several(header, sample)
    return guessed


def _lacks_names(
    header: Collection[str], table: Table | None, columns: Collection[str]
) -> bool:
    """Return whether a file is of pairs that have no names."""
    return table == PAIRS and NAME not in {*header, *columns}


def _excerpt(
    path: Path, encoding: str, utf8: bool
) -> tuple[Row, tuple[Row, ...], list[Row]]:
    """Return the header of a file, some rows to show, and more to guess columns from.

    Of a file that is not UTF-8, rows are shown that show its encoding.
    """
    rows = _rows_of(path, encoding)
    names = () if path.name in SETTINGS else next(rows, ())
    header = tuple(map(str.strip, names))

    limit = _ROWS_GUESSED_FROM if utf8 else _ROWS_LOOKED_AT
    most = list(islice(rows, limit))
    shown = most
    if not utf8:
        shown = sorted(most, key=lambda row: "".join(row).isascii())

    excerpt = tuple(
        tuple(shortened(cell, _LONGEST_SHOWN) for cell in row)
        for row in shown[:_ROWS_SHOWN]
    )
    return header, excerpt, most[:_ROWS_GUESSED_FROM]


def _rows_of(path: Path, encoding: str) -> Iterator[Row]:
    """Yield the rows of a table or the lines of another file, as far as they can be read."""
    if has_entries(path):
        rows = table_rows(path, Problems(), encoding)
        readable = up_to_fault(rows, path.name, Problems())
        yield from (tuple(cells) for _, cells in readable)
        return

    with (
        path.open(encoding=encoding, errors="replace", newline="") as file,
        suppress(LinesExceedLimit, Faulty),
    ):
        lines = bounded_lines(file)
        if path.name in SETTINGS:
            yield from ((line.strip(),) for line in lines)
        else:
            yield from (tuple(row) for _, row in csv_rows(lines))


def _normalised(name: str) -> str:
    for part in _CROWD_PARTS:
        name = name.removeprefix(part).removesuffix(part)

    letters = filter(str.isalnum, name)
    return "".join(letters).casefold()


def _missing(header: Collection[str], columns: Collection[str]) -> Row:
    return tuple(name for name in columns if name not in header)


def _unknown(header: Collection[str], table: Table) -> Row:
    """Return the file's column names that may be other names of ours."""
    names = (name for name in header if name and name.isprintable())
    others = (name for name in names if name not in table.columns)
    return tuple(islice(dict.fromkeys(others), MOST_COLUMNS))
