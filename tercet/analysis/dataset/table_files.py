"""Which files of a dataset folder are which tables, and which tables are missing."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from tercet.analysis.dataset.flat_files import CAPTION
from tercet.analysis.formats.cider_release import COLUMNS as RELEASE_TABLES
from tercet.analysis.formats.cider_release import release_files
from tercet.analysis.formats.coco import SUFFIX as COCO_SUFFIX
from tercet.analysis.formats.coco import coco_table
from tercet.analysis.formats.entries import ENTRY_SUFFIXES
from tercet.analysis.formats.wide_tables import tables_of
from tercet.analysis.tables.csv_tables import PLAIN, CsvDialect, Problem, Table
from tercet.analysis.tables.schema import (
    ALL_TABLES,
    CANDIDATES,
    PAIRS,
    RATINGS,
    REFERENCES,
)
from tercet.analysis.tables.study_settings import DATASET_FILE, STUDY_FILE

SETTINGS = (DATASET_FILE, STUDY_FILE)
NO_DIALECTS: Mapping[str, CsvDialect] = {}
REFERENCES_MISSING = Problem(
    REFERENCES.file,
    "is missing",
    f"Put {REFERENCES.file} with the columns image, caption into the folder",
)


def nothing_to_judge(candidates: str, ratings: str) -> Problem:
    """Return the problem of a dataset without pairs, and without these two tables, by name."""
    remedy = f"Add it, or {candidates} to generate pairs from, or {ratings}"
    return Problem(PAIRS.file, "is missing", remedy)


def names_of_tables(
    folder: Path, dialects: Mapping[str, CsvDialect]
) -> dict[Table, tuple[str, ...]]:
    """Return the files that each table is read from.

    They are its own, or one that a dialect names, and those in the formats of COCO and MATLAB;
    without any of references, a file of pairs with a column for them.
    """
    chosen = {
        dialect.table: name for name, dialect in dialects.items() if dialect.table
    }
    derived = _coco_files(folder)
    triplets, _pairs = release_files(folder)
    if triplets:
        for table in RELEASE_TABLES:
            derived[table] = (*derived.get(table, ()), triplets.name)

    for name, dialect in dialects.items():
        chosen |= {table.file: name for table in tables_of(dialect)}

    names = {}

    for table in ALL_TABLES:
        own = chosen.get(table.file, own_file(folder, table))
        others = derived.get(table, ())
        is_there = not others or (folder / own).is_file()
        names[table] = (own, *others) if is_there else others

    flat = [
        name for name in names[PAIRS] if CAPTION in dialects.get(name, PLAIN).columns
    ]
    if not any((folder / name).is_file() for name in names[REFERENCES]):
        names[REFERENCES] = tuple(flat) or names[REFERENCES]

    return names


def own_file(folder: Path, table: Table) -> str:
    """Return the name of a table's file: CSV, or another format where there is no CSV file."""
    names = [table.file, *(table.name + suffix for suffix in ENTRY_SUFFIXES)]
    there = (name for name in names if (folder / name).is_file())
    return next(there, table.file)


def _coco_files(folder: Path) -> dict[Table, tuple[str, ...]]:
    """Return the files in the formats of COCO, by what they are."""
    files: dict[Table, tuple[str, ...]] = {}

    for path in sorted(folder.glob(f"*{COCO_SUFFIX}")):
        table = None if path.name in SETTINGS else coco_table(path)
        if table:
            files[table] = (*files.get(table, ()), path.name)

    return files


def missing_files(
    folder: Path,
    names: Mapping[Table, Sequence[str]],
    *,
    references_alone: bool = False,
) -> list[Problem]:
    """Return a problem for each table that is missing."""
    if not folder.is_dir():
        what = "is not a folder"
        remedy = "Name a dataset folder"
        return [Problem(str(folder), what, remedy)]

    problems = []
    if not (folder / names[REFERENCES][0]).is_file():
        problems.append(REFERENCES_MISSING)

    judged = () if references_alone else (PAIRS, CANDIDATES, RATINGS)
    if judged and not any((folder / names[table][0]).is_file() for table in judged):
        problems.append(nothing_to_judge(CANDIDATES.file, RATINGS.file))

    return problems
