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
    without_lost_pictures,
)
from tercet.analysis.dataset.damage import damage_of, explained
from tercet.analysis.dataset.files import (
    NO_CHOICES_YET,
    NO_FILES,
    SETTINGS,
    Files,
    plans_in,
)
from tercet.analysis.dataset.plans import Plan
from tercet.analysis.dataset.rows import sheets_of
from tercet.analysis.layouts.capevalkit import PREFIX, read_scores
from tercet.analysis.progress import Progress, silent
from tercet.analysis.roles.roles import Role, columns_of
from tercet.analysis.tables import limits
from tercet.analysis.tables.csv_injection import escaped, unescaped
from tercet.analysis.tables.csv_tables import (
    FaultyDataset,
    Problem,
    Problems,
    Sheet,
    Table,
    csv_of_frames,
    csv_text,
    frame_pieces,
    with_other_line,
)
from tercet.analysis.tables.file_tables import Choices
from tercet.analysis.tables.parse import read_file
from tercet.analysis.tables.rules import RowChecks
from tercet.analysis.tables.schema import (
    ALL_TABLES,
    CANDIDATES,
    IMAGES,
    PAIRS,
    RATINGS,
    REFERENCES,
    SCORES,
    TABLES,
    WORD_SCORES,
    Dataset,
    with_numbers,
)
from tercet.analysis.tables.settings import (
    DATASET_FILE,
    DEFUSED,
    DESCRIBED,
    STUDY_FILE,
    check_settings,
    needs_references,
    upgraded,
)
from tercet.analysis.tables.sheets import sheet_of_table, stacked
from tercet.analysis.tables.unpacking import dataset_folder
from tercet.metrics.text.csv_rows import BYTE_ORDER_MARK
from tercet.metrics.text.json_stream import WITH_NUMBERS, FaultyJson, decoded

_NO_LINES: Mapping[str, Collection[int]] = {}
ANSWER = (
    "Answer on the page of the import, or in the file that tercet doctor --roles writes"
)
_PROBLEMS = Table("problems.csv", ("file", "line", "column", "value", "what", "remedy"))

EMPTY = Dataset(REFERENCES.empty(), PAIRS.empty())
_REFERENCES_MISSING = Problem(
    REFERENCES.file,
    "has no references",
    "Say which column holds references, or add a file of them with the columns image, caption",
)
_NOTHING_TO_JUDGE = Problem(
    PAIRS.file,
    "has nothing to judge",
    "Add captions of systems, pairs of captions, or ratings, or say which columns hold them",
)
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
    files: Files = NO_FILES
    plans: Sequence[Plan] = ()

    @property
    def open_questions(self) -> list[Problem]:
        """What has to be answered before it is known which rows there are."""
        return [
            Problem(
                plan.table.key,
                question.text.rstrip("?"),
                ANSWER,
                column=question.column,
            )
            for plan in self.plans
            for question in plan.questions
        ]

    def sound(self) -> Dataset:
        """Return the dataset; raises FaultyDataset with the questions and problems of its files."""
        if self.problems or self.open_questions:
            raise FaultyDataset([*self.open_questions, *self.problems], self.more)
        return self.dataset


@dataclass(frozen=True)
class Part:
    """One of the tables of files that one of ours is read from.

    `before` is the last line of those before it; `columns` are names in the file, by our names.
    """

    file: str
    before: int = 0
    is_entry: bool = False
    columns: Mapping[str, str] = field(default_factory=dict)


Parts = Mapping[str, Sequence[Part]]
"""The parts of tables, by the names of the tables."""


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
    choices: Mapping[str, Choices] = NO_CHOICES_YET,
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
    choices
        What people have said about its tables, by their keys.
    references_alone
        Whether references are enough, without anything to judge: a challenge needs no more.

    Returns
    -------
    Reading
        The dataset, problems and warnings; nothing is raised for what the files hold.
    """
    if not folder.is_dir():
        what, remedy = "is not a folder", "Name a dataset folder"
        return Reading(EMPTY, [Problem(str(folder), what, remedy)], [])

    found = plans_in(folder, choices, progress)
    progress(1.0, "Checking every line")
    return check(found, references_alone=references_alone)


def check(
    found: Files,
    left_out: Mapping[str, Collection[int]] = _NO_LINES,
    *,
    references_alone: bool = False,
) -> Reading:
    """Check the tables of a folder together, without some lines of its tables."""
    plans = [
        _without_lines(plan, left_out.get(plan.table.key, ())) for plan in found.plans
    ]
    faults: list[Problem] = []
    info, study, notes = _settings_of(found, faults)
    are_needed = needs_references(study) and not _are_pictures(plans)
    sheets, parts = _stacked_sheets(plans, info, are_needed=are_needed)
    if are_needed:
        faults += _missing(found, plans, references_alone=references_alone)
    dataset = assembled(found.folder.resolve().name, sheets, info, study)
    used = [plan for plan in plans if plan.is_used]
    damage = [damage_of(plan) for plan in used]
    faults += chain.from_iterable(problems for problems, _notes in damage)
    faults += [one for plan in used if not plan.tables for one in plan.table.problems]
    problems = problems_of_tables(dataset, sheets, faults)
    dataset, on_pictures = without_lost_pictures(dataset, found.folder)
    on_pictures += check_image_files(dataset.images, found.folder, problems)

    as_written = dict.fromkeys(_as_in_file(each, parts) for each in problems.kept)
    kept = explained(as_written, plans, dataset.references["image"])
    warn = warn_of_captions if problems.kept else warnings_of
    texts = [
        *found.notes,
        *chain.from_iterable(sheet.warnings for sheet in sheets.values()),
        *on_pictures,
        *chain.from_iterable(notes for _problems, notes in damage),
        *notes,
        *(_with_file(text, parts) for text in warn(dataset)),
    ]

    faulty = {} if problems.more else _faulty_lines(kept, plans, dataset)
    in_order = _in_order_of([plan.table.key for plan in plans], kept)
    told = [*dict.fromkeys(texts)]
    return Reading(dataset, in_order, told, problems.more, faulty, found, plans)


def _without_lines(each: Plan, lines: Collection[int]) -> Plan:
    """Return the plan of a table without some of its lines and their problems."""
    if not lines:
        return each
    table = each.table
    frame = table.frame[~table.frame["line"].isin(list(lines))].reset_index(drop=True)
    problems = tuple(one for one in table.problems if one.line not in lines)
    return replace(each, table=replace(table, frame=frame, problems=problems))


def _settings_of(
    found: Files, faults: list[Problem]
) -> tuple[dict[str, Any], dict[str, Any], Sequence[str]]:
    """Return what the files of settings say of the dataset and its study, and notes on it."""
    info = _read_json(found.settings.get(DATASET_FILE), DATASET_FILE, faults)
    written = _read_json(found.settings.get(STUDY_FILE), STUDY_FILE, faults)
    study, notes = upgraded(written)
    faults += check_settings(info, study)
    return info, study, notes


def _stacked_sheets(
    plans: Sequence[Plan], info: Mapping[str, Any], *, are_needed: bool
) -> tuple[dict[Table, Sheet], Parts]:
    """Return each of our tables with all its rows, and the parts that they are from.

    Without references, where they `are_needed`, nothing that needs them can be checked.
    """
    every: dict[Table, list[tuple[Part, Sheet]]] = {table: [] for table in ALL_TABLES}
    for plan in plans:
        columns = _columns_of(plan)
        for table, sheet in sheets_of(plan).items():
            part = Part(plan.table.key, is_entry=plan.table.is_entry, columns=columns)
            every[table].append((part, sheet))

    sheets, parts = {}, {}
    for table, pieces in every.items():
        if not pieces:
            is_needed = table == REFERENCES and are_needed
            sheets[table] = table.unreadable() if is_needed else Sheet(table.empty())
            continue
        sheet, ends = stacked([sheet for _part, sheet in pieces])
        if info.get(DEFUSED) is True:
            sheet = replace(sheet, frame=unescaped(sheet.frame))
        sheets[table] = sheet
        parts[table.file] = [
            replace(part, before=before)
            for (part, _sheet), before in zip(pieces, ends, strict=True)
        ]
    return sheets, parts


def _columns_of(plan: Plan) -> dict[str, str]:
    """Return the names of columns in a file, by our names."""
    names = {Role.ANNOTATOR: "annotator", Role.SYSTEM: "source", Role.IMAGE: "image"}
    names |= {Role.PAIR: "pair", Role.CATEGORY: "category", Role.AUTHOR: "author"}
    names |= {Role.ORIGIN: "origin"}
    names |= {Role.SYSTEM_B: "source_b", Role.SYSTEM_C: "source_c"}
    return {
        ours: name
        for role, ours in names.items()
        for name in columns_of(plan.roles, role)
    }


def _are_pictures(plans: Sequence[Plan]) -> bool:
    """Return whether there are pictures alone, which wait for people to describe them."""
    held = {table for plan in plans for table in plan.tables}
    return IMAGES in held and held <= {IMAGES, REFERENCES}


def _missing(
    found: Files, plans: Sequence[Plan], *, references_alone: bool
) -> Iterator[Problem]:
    """Name what a dataset needs and no table holds."""
    held = {table for plan in plans for table in plan.tables}
    if any(plan.is_used and not plan.table.readable for plan in plans):
        return
    files = list(dict.fromkeys(plan.table.file for plan in plans))
    if not files and found.unread:
        for each in found.unread:
            remedy = "Choose a file with a table" if each.is_spare else each.remedy
            yield Problem(each.file, f"is {each.what}", remedy)
        return
    where = ", ".join(files[:3]) or found.folder.name
    if REFERENCES not in held:
        yield replace(_REFERENCES_MISSING, file=where)
    if not (references_alone or held & {PAIRS, CANDIDATES, RATINGS}):
        yield replace(_NOTHING_TO_JUDGE, file=where)


def _faulty_lines(
    problems: Iterable[Problem], plans: Sequence[Plan], dataset: Dataset
) -> dict[str, set[int]]:
    """Return the lines with problems, by table, where each may be left out; else none.

    Lines must not depend on each other: those of references do where their numbers are used.
    """
    tables = {*TABLES, WORD_SCORES}
    numbered = (dataset.votes, dataset.gold, dataset.needed)
    if any((each["reference"] != "").any() for each in numbered):
        tables.remove(REFERENCES)
    files = {plan.table.key for plan in plans if {*plan.tables} <= tables}

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


def assembled(
    title: str,
    sheets: Mapping[Table, Sheet],
    info: Mapping[str, object],
    study: Mapping[str, object],
) -> Dataset:
    """Return the dataset from its tables and settings; `title` is used where `info` has none."""
    texts = {name: str(info[name]) for name in DESCRIBED if name in info}

    frames = {table.name: sheet.frame for table, sheet in sheets.items()}
    frames["references"] = with_numbers(frames["references"])
    titled = {"title": title} | texts
    return Dataset(**frames, info=titled, study=dict(study))


def _as_in_file(problem: Problem, parts: Parts) -> Problem:
    """Return a problem with the names and the line that it has in its file."""
    files = parts.get(problem.file, ())
    if not files:
        return problem

    part = _part_of(problem.line, files)
    line = problem.line
    if line is not None:
        line -= part.before
    return replace(
        problem,
        file=part.file,
        line=line,
        column=part.columns.get(problem.column, problem.column),
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
        [found, *_others] = read_file(path, NO_CHOICES_YET, progress)
    else:
        images = set(dataset.references["image"])
        found = read_scores(path, images, predictions)
    sheet = sheet_of_table(found, table)
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
    content: bytes | None, file: str, faults: list[Problem]
) -> dict[str, Any]:
    """Read a JSON object; a file that does not exist, or has faults, is an empty one."""
    if content is None:
        return {}
    try:
        return _json_object(content, file)
    except FaultyDataset as error:
        faults += error.problems
        return {}


def _json_object(content: bytes, file: str) -> dict[str, Any]:
    """Read a JSON object; raises FaultyDataset."""

    def refusal(what: str, remedy: str, *where: Any) -> FaultyDataset:
        return FaultyDataset([Problem(file, what, remedy, *where)])

    if len(content) > limits.MAX_JSON:
        what = f"is larger than {limits.MAX_JSON // 10**6} MB"
        raise refusal(what, "Keep only settings in it")

    try:
        text = content.decode()
        value = decoded(text.removeprefix(BYTE_ORDER_MARK), 1, WITH_NUMBERS)
    except UnicodeDecodeError:
        raise refusal("is not UTF-8", "Save the file as UTF-8") from None
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
    used = [name for name in table.columns if (frame[name] != "").any()]
    optional = (name for name in used if name in table.optional)
    return (*table.required_of(used), *optional)


def problems_csv(problems: Sequence[Problem]) -> str:
    """Return the problems as CSV, one per line, to correct files with a spreadsheet."""
    rows = list(map(vars, problems))
    table = pd.DataFrame(rows, columns=list(_PROBLEMS.columns), dtype=object)

    words = table.drop(columns="line").astype("str")
    return csv_text(table.assign(**escaped(words)), _PROBLEMS.columns)
