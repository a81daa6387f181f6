"""Read and write dataset folders.

Every problem of a folder is named; what is written reads back the same.
"""

import json
import re
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

import pandas as pd

from tercet.analysis.dataset.checks import (
    check_image_files,
    check_scores,
    check_tables,
    unmatched_metrics,
    warn_of_captions,
    warnings_of,
)
from tercet.analysis.dataset.flat_files import read_file
from tercet.analysis.dataset.guessing import with_likely_files
from tercet.analysis.dataset.table_files import (
    NO_DIALECTS,
    SETTINGS,
    missing_files,
    names_of_tables,
)
from tercet.analysis.formats.capevalkit import PREFIX, read_scores
from tercet.analysis.formats.cider_release import read_release, release_files
from tercet.analysis.formats.coco import DIALECT as COCO_DIALECT
from tercet.analysis.formats.coco import SUFFIX as COCO_SUFFIX
from tercet.analysis.formats.conversion import MATLAB, PARQUET
from tercet.analysis.formats.entries import read_table
from tercet.analysis.formats.unpacking import dataset_folder
from tercet.analysis.progress import Progress, silent
from tercet.analysis.tables import limits
from tercet.analysis.tables.csv_injection import escaped, unescaped
from tercet.analysis.tables.csv_tables import (
    PLAIN,
    CsvDialect,
    FaultyDataset,
    Problem,
    Problems,
    Sheet,
    Table,
    csv_of_frames,
    csv_text,
    frame_pieces,
    not_in,
    stacked,
    with_other_line,
    without_lines,
)
from tercet.analysis.tables.rules import RowChecks
from tercet.analysis.tables.schema import (
    PAIRS,
    REFERENCES,
    SCORES,
    TABLES,
    WORD_SCORES,
    Dataset,
    with_numbers,
)
from tercet.analysis.tables.settings import known
from tercet.analysis.tables.study_settings import (
    DATASET_FILE,
    DATASET_SETTINGS,
    DEFUSED,
    STUDY_FILE,
    STUDY_SETTINGS,
    check_settings,
    upgraded,
)
from tercet.metrics.text.csv_rows import BYTE_ORDER_MARK
from tercet.metrics.text.json_stream import WITH_NUMBERS, FaultyJson, decoded

NO_LINES: Mapping[str, Collection[int]] = {}
PROBLEMS = Table("problems.csv", ("file", "line", "column", "value", "what", "remedy"))

_TABLE_FILE = re.compile(r"\w+\.csv", re.ASCII)


@dataclass(frozen=True)
class Reading:
    """A dataset folder as read; `dataset` may be used only where there are no `problems`.

    `more` is the number of problems that are not kept. `faulty_lines` are the lines with problems,
    by file, where each could be left out without changing what the others mean; else none.
    """

    dataset: Dataset
    problems: list[Problem]
    warnings: list[str]
    more: int = 0
    faulty_lines: Mapping[str, Collection[int]] = field(default_factory=dict)

    def sound(self) -> Dataset:
        """Return the dataset; raises FaultyDataset with the problems of its files."""
        if self.problems:
            raise FaultyDataset(self.problems, self.more)
        return self.dataset


def load(path: Path | str, progress: Progress = silent) -> Dataset:
    """Read a dataset from a dataset folder, or from a zip file of one.

    Parameters
    ----------
    path : Path or str
        The folder or the zip file.
    progress : callable, optional
        Called with the share that is done, and what is done next.

    Returns
    -------
    Dataset

    Raises
    ------
    FaultyDataset
        With every problem of the files.

    Examples
    --------
    >>> load("examples/demo").pairs["category"].value_counts().to_dict()
    {'HC': 24, 'HI': 24, 'HM': 24, 'MM': 24}
    """
    with dataset_folder(Path(path)) as folder:
        return read(folder, progress).sound()


def read(
    folder: Path,
    progress: Progress = silent,
    dialects: Mapping[str, CsvDialect] = NO_DIALECTS,
    left_out: Mapping[str, Collection[int]] = NO_LINES,
    *,
    references_alone: bool = False,
) -> Reading:
    """Read and check a dataset folder.

    Parameters
    ----------
    folder
        The dataset folder.
    progress
        As in `load`.
    dialects
        How to read the files that are not written as our own are, by their names.
    left_out
        Lines to read nothing from, by the names of the files.
    references_alone
        Whether references are enough, without anything to judge: a challenge needs no more.

    Returns
    -------
    Reading
        The dataset, problems and warnings; nothing is raised for what the files hold.
    """
    names = names_of_tables(folder, dialects)
    missing = missing_files(folder, names, references_alone=references_alone)
    if missing:
        likely = with_likely_files(missing, folder, dialects)
        return Reading(Dataset(REFERENCES.empty(), PAIRS.empty()), likely, [])

    sheets, parts = _read_sheets(folder, names, progress, dialects, left_out)
    faults: list[Problem] = []
    info = _read_json(folder / DATASET_FILE, dialects, faults)
    written = _read_json(folder / STUDY_FILE, dialects, faults)
    study, notes = upgraded(written)
    faults += check_settings(info, study)
    if info.get(DEFUSED) is True:
        for table, sheet in sheets.items():
            sheets[table] = replace(sheet, frame=unescaped(sheet.frame))

    dataset = assembled(folder.resolve().name, sheets, info, study)
    progress(1.0, "Checking every line")
    problems = problems_of_tables(dataset, sheets, faults)
    check_image_files(dataset.images, folder, problems)

    warnings = [text for sheet in sheets.values() for text in sheet.warnings]
    warn = warn_of_captions if problems.kept else warnings_of
    of_rows = [_with_file(text, parts) for text in warn(dataset)]
    warnings = [*warnings, *notes, *of_rows]

    as_written = [_as_in_file(problem, parts, dialects) for problem in problems.kept]
    faulty = {} if problems.more else _faulty_lines(as_written, names, dataset)
    in_order = _in_order_of(chain.from_iterable(names.values()), as_written)
    return Reading(dataset, in_order, warnings, problems.more, faulty)


def _faulty_lines(
    problems: Iterable[Problem], names: Mapping[Table, Sequence[str]], dataset: Dataset
) -> dict[str, set[int]]:
    """Return the lines with problems, by file, where each may be left out; else none.

    Lines must not depend on each other: those of references do where their numbers are used.
    """
    tables = {*TABLES, WORD_SCORES}
    numbered = (dataset.votes, dataset.gold, dataset.needed)
    if any((each["reference"] != "").any() for each in numbered):
        tables.remove(REFERENCES)

    every = chain.from_iterable(names[table] for table in tables)
    files = {name for name in every if not name.endswith(MATLAB)}

    lines: dict[str, set[int]] = {}
    for problem in problems:
        if not (problem.is_local and problem.line and problem.file in files):
            return {}
        lines.setdefault(problem.file, set()).add(problem.line)

    return lines


def problems_of_tables(
    dataset: Dataset, sheets: Mapping[Table, Sheet], faults: Iterable[Problem]
) -> Problems:
    """Return the problems of all tables, alone and together, with `faults` of settings."""
    problems = Problems()
    for sheet in sheets.values():
        problems.add(sheet.problems)
        problems.more += sheet.more

    problems.add(faults)
    unreadable = {table.file for table, sheet in sheets.items() if not sheet.readable}
    check_tables(dataset, unreadable, problems)
    return problems


@dataclass(frozen=True)
class Part:
    """One of the files of a table; `before` is the last line of those before it."""

    file: str
    before: int = 0

    @property
    def is_entry(self) -> bool:
        """Whether its lines are the numbers of entries."""
        suffix = Path(self.file).suffix.lower()
        is_coco = suffix == COCO_SUFFIX and self.file not in SETTINGS
        return is_coco or suffix in (PARQUET, MATLAB)

    @property
    def dialect(self) -> CsvDialect:
        """How the file is read where nothing else was chosen."""
        return COCO_DIALECT if self.file.endswith(COCO_SUFFIX) else PLAIN


Parts = Mapping[str, Sequence[Part]]
"""The files of tables, by the names of the tables."""


def _read_sheets(
    folder: Path,
    names: Mapping[Table, Sequence[str]],
    progress: Progress,
    dialects: Mapping[str, CsvDialect],
    left_out: Mapping[str, Collection[int]],
) -> tuple[dict[Table, Sheet], Parts]:
    """Read each table's files in their dialects; what memory one takes, the next ones lack."""
    sheets, parts = {}, {}
    triplets, descriptions = release_files(folder)
    release = read_release(triplets, descriptions) if triplets else {}
    memory = limits.MAX_MEMORY - sum(each.size for each in release.values())
    flat = {*names[REFERENCES]} & {*names[PAIRS]}

    for table, files in names.items():
        read = []
        for name in files:
            if name.endswith(MATLAB):
                read.append(release.get(table, Sheet(table.empty())))
                continue

            path = folder / name
            dialect = dialects.get(name, PLAIN)
            is_flat = name in flat
            sheet = read_file(path, table, dialect, progress, memory, is_flat=is_flat)
            memory -= sheet.size
            if name in left_out:
                sheet = without_lines(sheet, table, left_out[name])
            read.append(sheet)

        sheets[table], ends = stacked(read)
        parts[table.file] = list(map(Part, files, ends))

    return sheets, parts


def assembled(
    title: str,
    sheets: Mapping[Table, Sheet],
    info: Mapping[str, object],
    study: Mapping[str, object],
) -> Dataset:
    """Return the dataset from its tables and settings; `title` is used where `info` has none."""
    described = known(info, DATASET_SETTINGS)
    texts = {name: str(value) for name, value in described.items() if name != DEFUSED}

    frames = {table.name: sheet.frame for table, sheet in sheets.items()}
    frames["references"] = with_numbers(frames["references"])
    titled = {"title": title} | texts
    return Dataset(**frames, info=titled, study=known(study, STUDY_SETTINGS))


def _as_in_file(
    problem: Problem, parts: Parts, dialects: Mapping[str, CsvDialect]
) -> Problem:
    """Return a problem with the names and the line that it has in its file."""
    files = parts.get(problem.file, [Part(problem.file)])
    part = _part_of(problem.line, files)
    columns = dialects.get(part.file, part.dialect).columns

    line = problem.line
    if line is not None:
        line -= part.before
    return replace(
        problem,
        file=part.file,
        line=line,
        column=columns.get(problem.column, problem.column),
        what=_with_line_in(part, problem.what, files),
        remedy=_with_file(problem.remedy, parts),
        is_entry=part.is_entry,
    )


def _with_file(text: str, parts: Parts) -> str:
    """Return a text that names a table with the name of the only file that it is read from."""

    def name(table: re.Match[str]) -> str:
        files = parts.get(table[0], ())
        return files[0].file if len(files) == 1 else table[0]

    return _TABLE_FILE.sub(name, text, count=1)


def _part_of(line: int | None, parts: Sequence[Part]) -> Part:
    """Return the file that holds a line of all of them together."""
    before = [part for part in parts if part.before < (line or 1)]
    return before[-1]


def _with_line_in(part: Part, what: str, parts: Sequence[Part]) -> str:
    """Return the text, with the line that it names as it is counted in its file."""
    if len(parts) == 1:
        return what

    def name(line: int) -> str:
        other = _part_of(line, parts)
        own = f"line {line - other.before}"
        return own if other == part else f"{own} ({other.file})"

    return with_other_line(what, name)


def with_scores(
    dataset: Dataset,
    path: Path,
    progress: Progress = silent,
    predictions: Path | None = None,
) -> Reading:
    """Add the scores of another file to a dataset.

    Parameters
    ----------
    dataset
        A dataset without problems.
    path
        A file with the columns of scores.csv and any name, which problems and warnings give; or
        ``capevalkit:`` and a file that capevalkit wrote.
    progress
        As in `load`.
    predictions
        The captions of capevalkit's ids, JSON Lines.

    Returns
    -------
    Reading
        The dataset with its own scores and those of the file; nothing is raised.
    """
    is_plain = not str(path).startswith(PREFIX)
    path = Path(str(path).removeprefix(PREFIX))
    table = replace(SCORES, file=path.name)
    if not path.is_file():
        what = "is not a file"
        remedy = "Name a CSV file of scores"
        return Reading(dataset, [Problem(str(path), what, remedy)], [])

    if is_plain:
        sheet = read_table(path, table, progress)
    else:
        images = set(dataset.references["image"])
        sheet = read_scores(path, table, images, predictions)
    new = replace(dataset, scores=sheet.frame)
    problems = Problems(sheet.problems, sheet.more)
    if len(sheet.frame):
        check = RowChecks(sheet.frame, table, problems)
        check_scores(new, check, dataset.scores)

    warnings = list(sheet.warnings)
    if not problems.kept:
        warnings += unmatched_metrics(new, table)

    scores = pd.concat([dataset.scores, sheet.frame], ignore_index=True)
    named = [
        replace(each, is_entry=each.is_entry or not is_plain) for each in problems.kept
    ]
    in_order = _in_order_of([table.file], named)
    return Reading(replace(dataset, scores=scores), in_order, warnings, problems.more)


def _in_order_of(names: Iterable[str], problems: list[Problem]) -> list[Problem]:
    """Sort problems in the order of the files, then of the lines."""
    order = {name: number for number, name in enumerate(names)}
    return sorted(
        problems, key=lambda each: (order.get(each.file, len(order)), each.line or 0)
    )


def _read_json(
    path: Path, dialects: Mapping[str, CsvDialect], faults: list[Problem]
) -> dict[str, Any]:
    """Read a JSON object; a file that does not exist, or has faults, is an empty one."""
    if not path.is_file():
        return {}

    encoding = dialects.get(path.name, PLAIN).encoding
    try:
        return _json_object(path, encoding)
    except FaultyDataset as error:
        faults += error.problems
        return {}


def _json_object(path: Path, encoding: str) -> dict[str, Any]:
    """Read a JSON object; raises FaultyDataset."""

    def refusal(what: str, remedy: str, *where: Any) -> FaultyDataset:
        return FaultyDataset([Problem(path.name, what, remedy, *where)])

    if path.stat().st_size > limits.MAX_JSON:
        what = f"is larger than {limits.MAX_JSON // 10**6} MB"
        raise refusal(what, "Keep only settings in it")

    try:
        text = path.read_text(encoding=encoding)
        content = text.removeprefix(BYTE_ORDER_MARK)
        value = decoded(content, 1, WITH_NUMBERS)
    except UnicodeError:
        raise FaultyDataset([not_in(path, encoding)]) from None
    except FaultyJson as error:
        if error.line:
            what = "is not valid JSON"
            remedy = "Correct the JSON there"
            raise refusal(what, remedy, error.line, "", str(error)) from None

        what = "is nested too deep or too large"
        remedy = "Write one object of texts and numbers: {…}"
        raise refusal(what, remedy) from None

    if not isinstance(value, dict):
        what = "is not a JSON object"
        remedy = "Write one object: {…}"
        raise refusal(what, remedy, 1)
    return value


def write(dataset: Dataset, folder: Path, images: Path | None = None) -> None:
    """Write a dataset as a dataset folder.

    Parameters
    ----------
    dataset
        The dataset. A table without rows is left out.
    folder
        A new or empty folder.
    images
        The folder to copy image files from.

    Raises
    ------
    FileExistsError
        If the folder is not empty.
    """
    make_empty(folder)

    for name, pieces in files(dataset):
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            file.writelines(pieces)

    if images:
        copy_images(dataset, images, folder)


def make_empty(folder: Path) -> None:
    """Create a folder that may exist if it is empty; raises FileExistsError."""
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise FileExistsError(f"{folder} is not empty: name a new folder.")


def files(dataset: Dataset) -> Iterator[tuple[str, Iterator[str]]]:
    """Yield the files of a folder, as `streamed_files`; a table without rows is left out."""
    tables = []
    for table, frame in dataset.frames.items():
        if len(frame):
            columns = _columns_in_use(table, frame)
            tables.append(TableStream(table, columns, frame_pieces(frame)))

    return streamed_files(tables, dataset.info, dataset.study)


@dataclass(frozen=True)
class TableStream:
    """A table that is read while it is written: its columns and its rows, some at a time."""

    table: Table
    columns: tuple[str, ...]
    frames: Iterable[pd.DataFrame]


def streamed_files(
    tables: Iterable[TableStream],
    info: Mapping[str, object],
    study: Mapping[str, object],
) -> Iterator[tuple[str, Iterator[str]]]:
    """Yield the tables and settings of a folder: the name of each, and its text in pieces.

    Take each text before the next: tables may be larger than memory. Cells that a spreadsheet would
    run as formulas are escaped, and dataset.json says so.
    """
    is_escaped = False

    def safe(frame: pd.DataFrame) -> pd.DataFrame:
        nonlocal is_escaped
        changed = escaped(frame)
        is_escaped |= changed is not frame
        return changed

    for stream in tables:
        frames = map(safe, stream.frames)
        pieces = csv_of_frames(frames, stream.columns)
        yield stream.table.file, pieces

    marked = {**info, DEFUSED: True} if is_escaped else info
    for name, content in zip(SETTINGS, (marked, study), strict=True):
        if content:
            text = json.dumps(content, indent=2, ensure_ascii=False)
            pieces = iter((text, "\n"))
            yield name, pieces


def copy_images(dataset: Dataset, source: Path, target: Path) -> None:
    """Copy the files that images.csv names from one folder to another."""
    for file in dataset.images["file"]:
        if file:
            copy = target / file
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / file, copy)


def _columns_in_use(table: Table, frame: pd.DataFrame) -> tuple[str, ...]:
    used = (name for name in table.optional if (frame[name] != "").any())
    return (*table.required, *used)


def problems_csv(problems: Sequence[Problem]) -> str:
    """Return the problems as CSV, one per line, to correct files with a spreadsheet."""
    rows = list(map(vars, problems))
    table = pd.DataFrame(rows, columns=list(PROBLEMS.columns), dtype=object)

    words = table.drop(columns="line").astype("str")
    return csv_text(table.assign(**escaped(words)), PROBLEMS.columns)
