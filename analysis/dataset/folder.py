"""The dataset folder: read with every fault named, and written so that it reads back the same."""

import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pandas as pd

from analysis.dataset.checks import (
    check_images_exist,
    check_scores,
    check_tables,
    unmatched_metrics,
)
from analysis.dataset.csv_injection import defused, restored
from analysis.dataset.csv_tables import (
    BYTE_ORDER_MARK,
    PLAIN,
    CsvDialect,
    FaultyDataset,
    Problem,
    Sheet,
    Table,
    csv_pieces,
    csv_text,
    not_in,
    read_table,
)
from analysis.dataset.schema import (
    ANNOTATORS,
    CANDIDATES,
    GOLD,
    IMAGES,
    NEEDED,
    PAIRS,
    RATINGS,
    REFERENCES,
    SCORES,
    STUDY_TABLES,
    TABLES,
    VOTES,
    Dataset,
    with_numbers,
)
from analysis.dataset.study_settings import (
    DATASET_FILE,
    DATASET_SETTINGS,
    DEFUSED,
    STUDY_FILE,
    STUDY_SETTINGS,
    check_settings,
    known,
)
from analysis.dataset.unpacking import dataset_folder
from analysis.progress import Progress, silent

SETTINGS = (DATASET_FILE, STUDY_FILE)
NO_DIALECTS: Mapping[str, CsvDialect] = {}
PROBLEMS = Table(
    "problems.csv", ("file", "line", "column", "value", "what", "remedy")
)


@dataclass(frozen=True)
class Reading:
    """A dataset folder as read: `dataset` may be used only where there are no `problems`."""

    dataset: Dataset
    problems: list[Problem]
    warnings: list[str]

    def sound(self) -> Dataset:
        """The dataset; raises FaultyDataset with every problem of its files."""
        if self.problems:
            raise FaultyDataset(self.problems)
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
) -> Reading:
    """Read and check a dataset folder; never raises for what its files hold.

    `dialects` says how to read the files, by name, that are not as our own are.
    """
    names = names_of_tables(dialects)
    missing = missing_files(folder, names)
    if missing:
        return Reading(Dataset(REFERENCES.empty(), PAIRS.empty()), missing, [])

    sheets = read_sheets(folder, names, progress, dialects)
    info, study = (
        read_json(folder / name, dialects.get(name, PLAIN))
        for name in SETTINGS
    )
    if info.values.get(DEFUSED) is True:
        sheets = {
            t: replace(sheet, frame=restored(sheet.frame))
            for t, sheet in sheets.items()
        }
    dataset = assembled(folder, sheets, info.values, study.values)
    progress(1.0, "Checking every line")

    unreadable = {
        table.file for table, sheet in sheets.items() if not sheet.readable
    }
    problems = [
        problem for sheet in sheets.values() for problem in sheet.problems
    ]
    problems += info.problems + study.problems
    problems += check_settings(info.values, study.values)
    problems += check_tables(dataset, unreadable)
    problems += check_images_exist(dataset.images, folder)

    warnings = [text for sheet in sheets.values() for text in sheet.warnings]
    warnings += [] if problems else unmatched_metrics(dataset)
    told = [as_in_file(problem, names, dialects) for problem in problems]
    return Reading(dataset, in_order_of(names, told), warnings)


def read_sheets(
    folder: Path,
    names: Mapping[Table, str],
    progress: Progress,
    dialects: Mapping[str, CsvDialect],
) -> dict[Table, Sheet]:
    """Read each table's file in its dialect."""
    sheets = {}
    for table, name in names.items():
        dialect = dialects.get(name, PLAIN)
        sheets[table] = read_file(folder / name, table, progress, dialect)
    return sheets


def names_of_tables(dialects: Mapping[str, CsvDialect]) -> dict[Table, str]:
    """The file that each table is read from: its own, or one that a format says it is."""
    chosen = {
        dialect.table: name
        for name, dialect in dialects.items()
        if dialect.table
    }
    return {
        table: chosen.get(table.file, table.file)
        for table in (*TABLES, *STUDY_TABLES)
    }


def assembled(
    folder: Path,
    sheets: Mapping[Table, Sheet],
    info: Mapping[str, object],
    study: Mapping[str, object],
) -> Dataset:
    described = known(info, DATASET_SETTINGS)
    texts = {
        name: str(value)
        for name, value in described.items()
        if name != DEFUSED
    }

    return Dataset(
        images=sheets[IMAGES].frame,
        references=with_numbers(sheets[REFERENCES].frame),
        candidates=sheets[CANDIDATES].frame,
        pairs=sheets[PAIRS].frame,
        votes=sheets[VOTES].frame,
        scores=sheets[SCORES].frame,
        ratings=sheets[RATINGS].frame,
        gold=sheets[GOLD].frame,
        needed=sheets[NEEDED].frame,
        annotators=sheets[ANNOTATORS].frame,
        info={"title": folder.resolve().name} | texts,
        study=known(study, STUDY_SETTINGS),
    )


def as_in_file(
    problem: Problem,
    names: Mapping[Table, str],
    dialects: Mapping[str, CsvDialect],
) -> Problem:
    """The problem with the names that the file and its column have outside."""
    files = {table.file: name for table, name in names.items()}
    file = files.get(problem.file, problem.file)
    columns = dialects.get(file, PLAIN).columns
    return replace(
        problem, file=file, column=columns.get(problem.column, problem.column)
    )


def with_scores(
    dataset: Dataset, path: Path, progress: Progress = silent
) -> Reading:
    """`dataset` with the scores of another file besides its own; never raises for what it holds.

    The file has the columns of scores.csv and any name, by which problems and warnings call it.
    """
    table = replace(SCORES, file=path.name)
    if not path.is_file():
        fault = Problem(
            str(path),
            None,
            "",
            "",
            "is not a file",
            "Name a CSV file of scores",
        )
        return Reading(dataset, [fault], [])
    sheet = read_table(path, table, progress)
    new = replace(dataset, scores=sheet.frame)
    problems = [*sheet.problems, *check_scores(new, table, dataset.scores)]
    warnings = sheet.warnings + (
        [] if problems else unmatched_metrics(new, table)
    )
    scores = pd.concat([dataset.scores, sheet.frame], ignore_index=True)
    problems = in_order_of({table: table.file}, problems)
    return Reading(replace(dataset, scores=scores), problems, warnings)


def in_order_of(
    names: Mapping[Table, str], problems: list[Problem]
) -> list[Problem]:
    """The problems as they stand: files in the order of the tables, then lines."""
    places = {name: place for place, name in enumerate(names.values())}
    return sorted(
        problems,
        key=lambda each: (places.get(each.file, len(places)), each.line or 0),
    )


def is_complete(folder: Path) -> bool:
    """Whether the folder has the tables that a dataset needs, under their own names."""
    return not missing_files(folder, names_of_tables(NO_DIALECTS))


def missing_files(folder: Path, names: Mapping[Table, str]) -> list[Problem]:
    if not folder.is_dir():
        return [
            Problem(
                str(folder),
                None,
                "",
                "",
                "is not a folder",
                "Name a dataset folder",
            )
        ]
    problems = []
    if not (folder / names[REFERENCES]).is_file():
        remedy = f"Put {REFERENCES.file} with the columns image, caption into the folder"
        problems.append(
            Problem(REFERENCES.file, None, "", "", "is missing", remedy)
        )
    if not any(
        (folder / names[table]).is_file()
        for table in (PAIRS, CANDIDATES, RATINGS)
    ):
        remedy = f"Give the pairs, or {CANDIDATES.file} to make pairs from, or {RATINGS.file}"
        problems.append(
            Problem(PAIRS.file, None, "", "", "is missing", remedy)
        )
    return problems


def read_file(
    path: Path, table: Table, progress: Progress, dialect: CsvDialect
) -> Sheet:
    table = replace(table, file=path.name)
    return (
        read_table(path, table, progress, dialect)
        if path.is_file()
        else Sheet(table.empty())
    )


@dataclass(frozen=True)
class Settings:
    """A JSON file as read: its values, and what is wrong with it."""

    values: dict[str, object] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def read_json(path: Path, dialect: CsvDialect) -> Settings:
    if not path.is_file():
        return Settings()
    try:
        text = path.read_text(encoding=dialect.encoding)
        value = json.loads(text.removeprefix(BYTE_ORDER_MARK))
    except UnicodeError:
        return Settings(problems=[not_in(path, dialect.encoding)])
    except json.JSONDecodeError as error:
        fault = Problem(
            path.name,
            error.lineno,
            "",
            "",
            error.msg,
            "Correct the JSON there",
        )
        return Settings(problems=[fault])
    except (RecursionError, ValueError):
        what, remedy = (
            "is nested too deep or too large",
            "Write one object of texts and numbers: {…}",
        )
        return Settings(
            problems=[Problem(path.name, None, "", "", what, remedy)]
        )
    if not isinstance(value, dict):
        fault = Problem(
            path.name,
            1,
            "",
            "",
            "is not a JSON object",
            "Write one object: {…}",
        )
        return Settings(problems=[fault])
    return Settings(value)


def write(dataset: Dataset, folder: Path, images: Path | None = None) -> None:
    """Write `dataset` as a dataset folder; image files are copied from the folder `images`.

    `folder` must be new or empty. A table without rows is left out.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise FileExistsError(f"{folder} is not empty: name a new folder.")
    for name, pieces in files(dataset):
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            file.writelines(pieces)
    if images:
        copy_images(dataset, images, folder)


def files(dataset: Dataset) -> Iterator[tuple[str, Iterator[str]]]:
    """The tables and settings of a dataset folder: the name and the text of each, in pieces.

    A table without rows is left out. What a spreadsheet would run is defused, and dataset.json
    says so.
    """
    info: dict[str, object] = {**dataset.info}
    for table, frame in dataset.frames.items():
        columns = columns_in_use(table, dataset)
        written = frame[list(columns)]
        safe = defused(written)
        if safe is not written:
            info[DEFUSED] = True
        if len(frame):
            yield table.file, csv_pieces(safe, columns)
    for name, content in zip(SETTINGS, (info, dataset.study), strict=True):
        if content:
            yield (
                name,
                iter(
                    (json.dumps(content, indent=2, ensure_ascii=False), "\n")
                ),
            )


def copy_images(dataset: Dataset, source: Path, target: Path) -> None:
    """Copy the files that images.csv names from one folder to another."""
    for file in dataset.images["file"]:
        if file:
            (target / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / file, target / file)


def columns_in_use(table: Table, dataset: Dataset) -> tuple[str, ...]:
    frame = dataset.frames[table]
    return table.required + tuple(
        name for name in table.optional if (frame[name] != "").any()
    )


def problems_csv(problems: list[Problem]) -> str:
    """Every problem as CSV, one a line, for people who mend files with a spreadsheet."""
    rows = pd.DataFrame(problems, columns=list(PROBLEMS.columns), dtype=object)
    text = ["file", "column", "value", "what", "remedy"]
    return csv_text(rows.assign(**defused(rows[text])), PROBLEMS.columns)
