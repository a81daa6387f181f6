"""The files of a dataset folder: each read once, or named with what to do."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tercet.analysis.dataset.dictionary import FILE as DICTIONARY
from tercet.analysis.dataset.plans import ROLE, Plan, Question, plan
from tercet.analysis.layouts import with_sets
from tercet.analysis.layouts.cider_release import read_release, release_files
from tercet.analysis.layouts.published import wmt
from tercet.analysis.progress import Progress, silent
from tercet.analysis.roles.roles import Role
from tercet.analysis.tables import limits
from tercet.analysis.tables.conversion import MATLAB
from tercet.analysis.tables.csv_tables import Table
from tercet.analysis.tables.file_tables import NO_CHOICES, Choices, FileTable
from tercet.analysis.tables.parse import (
    GZIP,
    SUFFIXES,
    is_text_alone,
    read_files,
    suffix_of,
)
from tercet.analysis.tables.settings import DATASET_FILE, SET_FILE, STUDY_FILE

SETTINGS = (DATASET_FILE, STUDY_FILE)
TABLES_FOLDER = "data"
"""Where the tables of a dataset of the Hugging Face Hub are."""
_RECORDS = re.compile(rb'"(images|annotations|sentences)"\s*:\s*\[')
"""What a published set has in a file that is called as our settings."""
_FORMATS = (*SUFFIXES, MATLAB)
"""The endings of files, from the one that is read first where several hold the same table."""
NO_CHOICES_YET: Mapping[str, Choices] = {}
_SAVE = "Open it, save it as .xlsx or CSV, and choose that file"
_UNPACK = "Unpack it, and choose its files"
UNREAD = {
    ".xls": ("an Excel file of before 2007", _SAVE),
    ".xlsb": ("a binary Excel file", _SAVE),
    ".ods": ("an OpenDocument spreadsheet", _SAVE),
    ".numbers": ("a Numbers spreadsheet", _SAVE),
    ".sav": ("an SPSS file", "Export it as CSV, and choose that file"),
    ".rds": ("an R file", "Write it as CSV, and choose that file"),
    ".pkl": (
        "a pickle, which can run code",
        "Write it as CSV or JSON, and choose that file",
    ),
    ".pdf": ("a PDF", "Copy its table into a spreadsheet, and save it as .xlsx"),
    ".docx": (
        "a Word document",
        "Copy its table into a spreadsheet, and save it as .xlsx",
    ),
}
"""Files that are not read, and what to do, by their endings."""
UNREAD |= dict.fromkeys(
    (".zip", ".7z", ".rar", ".tar", ".tgz", ".bz2", ".xz"), ("a packed file", _UNPACK)
)
_RELEASES = (
    "Only the files of the releases of PASCAL-50S and ABSTRACT-50S are known (consensus_*.mat with "
    "pair_*.mat)"
)
_SPARE = ("a file without a table", "Nothing to do: it is not needed")
_SPARE_STEMS = ("readme", "license", "licence", "winners_pairs", "winners_triplets")
"""Files that nobody misses: explanations, and what our exports derive from the votes."""
_NOTHING_KNOWN = Question(
    ROLE,
    "Nothing is known about its columns: which one names the images, and which hold references or "
    "captions?",
)


@dataclass(frozen=True)
class _Unread:
    """A file that is not read: what it is, and what to do; a `spare` one is not needed."""

    file: str
    what: str
    remedy: str
    is_spare: bool = False


@dataclass(frozen=True)
class Files:
    """The files of a folder: the plans of their tables, those that are not read, and settings."""

    folder: Path
    plans: Sequence[Plan] = ()
    unread: Sequence[_Unread] = ()
    settings: Mapping[str, bytes] = field(default_factory=dict)
    notes: Sequence[str] = ()


NO_FILES = Files(Path())


def forget(_table: FileTable) -> Choices | None:
    """Return that nothing was said before about any table."""
    return None


def plans_in(
    folder: Path,
    choices: Mapping[str, Choices] = NO_CHOICES_YET,
    progress: Progress = silent,
    recall: Callable[[FileTable], Choices | None] = forget,
) -> Files:
    """Read each file of a folder once, and plan how its tables are read.

    `recall` returns what was said before about a table with the same header.
    """
    paths = _files_of(folder)
    inner = folder / TABLES_FOLDER
    if inner.is_dir() and not any(map(_is_table, paths)):
        paths = _files_of(inner)
    settings = {
        path.name: content
        for path in paths
        if path.name in SETTINGS and not _RECORDS.search(content := _beginning(path))
    }
    named = [path for path in paths if _is_table(path) and path.name not in settings]
    tables, released = _tables_in(folder, named, choices, progress)
    known = {*named, *released}
    others = [path for path in paths if path not in known]
    unread = [_unread(path) for path in others if path.name not in SETTINGS]
    texts = [table for table in tables if is_text_alone(table)]
    unread += [_Unread(text.file, *_SPARE, is_spare=True) for text in texts]
    plans = _settled(
        [
            plan(table, choices.get(table.key) or recall(table) or NO_CHOICES)
            for table in tables
            if not is_text_alone(table)
        ]
    )

    notes = [
        f"{each.file} is not read, for it is {each.what}. {each.remedy}"
        for each in unread
        if not each.is_spare
    ]
    if not all(each.own for each in plans):
        notes += _notes_on_folders(folder)
    return Files(folder, plans, unread, settings, notes)


def _tables_in(
    folder: Path,
    paths: Sequence[Path],
    choices: Mapping[str, Choices],
    progress: Progress,
) -> tuple[list[FileTable], Sequence[Path | None]]:
    """Read the tables of a release and of files; also return the files of the release."""
    triplets, pairs = release_files(folder)
    memory = limits.MAX_MEMORY
    tables = wmt.release_in(folder)
    tables += read_release(triplets, pairs, memory) if triplets else []
    memory -= sum(table.size for table in tables)
    tables += read_files(paths, choices, progress, memory)
    return with_sets(tables), (triplets, pairs) if triplets else ()


def _files_of(folder: Path) -> list[Path]:
    files = filter(Path.is_file, folder.iterdir())
    return sorted(path for path in files if not path.name.startswith("."))


def _beginning(path: Path) -> bytes:
    """Return the content of a file of settings, no more of it than may be used."""
    with path.open("rb") as file:
        return file.read(limits.MAX_JSON + 1)


def _is_table(path: Path) -> bool:
    is_known = suffix_of(path.name) in SUFFIXES
    stem = path.name.lower().partition(".")[0]
    is_other = path.name in (DICTIONARY, SET_FILE)
    return is_known and not is_other and stem not in _SPARE_STEMS


def _unread(path: Path) -> _Unread:
    suffix = suffix_of(path.name)
    if suffix == MATLAB:
        return _Unread(path.name, "a MATLAB file that is not known", _RELEASES)
    if path.suffix.lower() == GZIP and suffix not in SUFFIXES:
        return _Unread(path.name, "a packed file", "Unpack it, and choose its files")
    if suffix in UNREAD:
        return _Unread(path.name, *UNREAD[suffix])
    return _Unread(path.name, *_SPARE, is_spare=True)


def _notes_on_folders(folder: Path) -> Iterator[str]:
    """Name tables in folders inside, which are not read."""
    inside = [
        path
        for path in sorted(folder.rglob("*"))
        if path.parent != folder and suffix_of(path.name) in SUFFIXES and path.is_file()
    ]
    if inside:
        folders = sorted({str(path.parent.relative_to(folder)) for path in inside})
        shown = ", ".join(folders[:3])
        yield f"{len(inside):,} tables in folders inside are not read: {shown}"


def _settled(plans: Sequence[Plan]) -> list[Plan]:
    """Read one of our tables from its CSV file, where it is there in other formats, too."""
    firsts: dict[tuple[Table, str], Plan] = {}
    for each in sorted(plans, key=lambda one: _FORMATS.index(_suffix(one))):
        if each.own:
            firsts.setdefault((each.own, _stem(each)), each)
    found: list[Plan] = []
    for each in plans:
        first = firsts[each.own, _stem(each)] if each.own else each
        if first is not each:
            same = f"{first.table.file} is the same table"
            note = f"{each.table.file} is not read: {same}"
            each = replace(each, is_used=False, lost=(note,))
        found.append(each)
    return _without_idle(_with_shared_images(found))


def _suffix(each: Plan) -> str:
    suffix = suffix_of(each.table.file)
    return suffix if suffix in _FORMATS else _FORMATS[0]  # WMT's are called otherwise


def _stem(each: Plan) -> str:
    """Return what a table is called whatever its format; files of a published set hold others."""
    if each.table.of:
        return each.table.key
    return each.table.part or each.table.file.partition(".")[0]


def _without_idle(plans: Sequence[Plan]) -> list[Plan]:
    """Ask nothing about tables that hold nothing of use, where others do."""
    is_any_used = any(each.tables for each in plans)
    settled = []
    for each in plans:
        is_idle = each.table.readable and not each.tables
        if is_any_used and is_idle and not _may_hold_captions(each):
            each = replace(each, questions=())
        settled.append(each)
    unknown = [each for each in settled if each.is_unknown and not each.questions]
    if unknown and not is_any_used and len(unknown) == len(settled):
        largest = max(unknown, key=lambda each: each.table.frame.size)
        settled[settled.index(largest)] = replace(largest, questions=(_NOTHING_KNOWN,))
    return settled


def _may_hold_captions(each: Plan) -> bool:
    """Return whether a table has a role that tells of captions, or a column that may be some."""
    told = each.of(Role.REFERENCE, Role.CAPTION, Role.CHOICE, Role.RATING)
    return bool(told) or any(each.roles.get(one.column) for one in each.questions)


def _with_shared_images(plans: Sequence[Plan]) -> list[Plan]:
    """Name images as other tables do, where several columns of a table name them."""
    settled = []
    for each in plans:
        columns = each.of(Role.IMAGE)
        if len(columns) > 1:
            others = {
                name for one in plans if one is not each for name in _images_of(one)
            }
            frame = each.table.frame
            shared = {name: len(others & {*frame[name]}) for name in columns}
            best = max(columns, key=shared.__getitem__)
            unused = {name: (Role.UNUSED, "") for name in columns if name != best}
            each = replace(each, roles={**each.roles, **unused})
        settled.append(each)
    return settled


def _images_of(each: Plan) -> set[str]:
    columns = ["image"] if each.own else each.of(Role.IMAGE)
    frame = each.table.frame
    return {image for name in columns if name in frame for image in frame[name]}
