"""The dataset folder: read with every fault named, and written so that it reads back the same."""

import json
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from analysis.checks import (
    check_images_exist,
    check_scores,
    check_settings,
    check_tables,
    unmatched_metrics,
)
from analysis.dataset import (
    CANDIDATES,
    IMAGES,
    INFO,
    PAIRS,
    RATINGS,
    REFERENCES,
    SCORES,
    STUDY,
    TABLES,
    VOTES,
    Dataset,
    with_numbers,
)
from analysis.progress import Progress, silent
from analysis.tables import Problem, Sheet, Table, csv_text, read_table

PROBLEMS = Table("problems.csv", ("file", "line", "column", "value", "what", "remedy"))


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


class FaultyDataset(ValueError):
    """A dataset folder that cannot be used, with all that is wrong with it."""

    SHOWN = 20

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        lines = [str(problem) for problem in problems[: self.SHOWN]]
        if len(problems) > self.SHOWN:
            lines.append(f"… and {len(problems) - self.SHOWN:,} more problems")
        super().__init__("\n".join(lines))


def load(folder: Path | str, progress: Progress = silent) -> Dataset:
    """The dataset in `folder`; raises FaultyDataset with every problem of its files."""
    return read(Path(folder), progress).sound()


def read(folder: Path, progress: Progress = silent) -> Reading:
    """Read and check a dataset folder; never raises for what its files hold."""
    missing = missing_files(folder)
    if missing:
        return Reading(Dataset(REFERENCES.empty(), PAIRS.empty()), missing, [])
    sheets = {table: read_file(folder, table, progress) for table in TABLES}
    info, info_problems = read_json(folder / "dataset.json")
    study, study_problems = read_json(folder / "study.json")
    dataset = Dataset(
        images=sheets[IMAGES].frame,
        references=with_numbers(sheets[REFERENCES].frame),
        candidates=sheets[CANDIDATES].frame,
        pairs=sheets[PAIRS].frame,
        votes=sheets[VOTES].frame,
        scores=sheets[SCORES].frame,
        ratings=sheets[RATINGS].frame,
        info={"title": folder.resolve().name}
        | {name: str(value) for name, value in info.items() if name in INFO},
        study={name: value for name, value in study.items() if name in STUDY},
    )
    progress(1.0, "Checking every line")
    problems = [problem for sheet in sheets.values() for problem in sheet.problems]
    problems += info_problems + study_problems + check_settings(info, study)
    unreadable = {table.file for table, sheet in sheets.items() if not sheet.readable}
    problems += check_tables(dataset, unreadable) + check_images_exist(dataset.images, folder)
    warnings = [text for sheet in sheets.values() for text in sheet.warnings]
    warnings += [] if problems else unmatched_metrics(dataset)
    return Reading(dataset, sorted(problems, key=place), warnings)


def with_scores(dataset: Dataset, path: Path, progress: Progress = silent) -> Reading:
    """`dataset` with the scores of another file besides its own; never raises for what it holds.

    The file has the columns of scores.csv and any name, by which problems and warnings call it.
    """
    table = replace(SCORES, file=path.name)
    if not path.is_file():
        fault = Problem(str(path), None, "", "", "is not a file", "Name a CSV file of scores")
        return Reading(dataset, [fault], [])
    sheet = read_table(path, table, progress)
    new = replace(dataset, scores=sheet.frame)
    problems = [*sheet.problems, *check_scores(new, table, dataset.scores)]
    warnings = sheet.warnings + ([] if problems else unmatched_metrics(new, table))
    scores = pd.concat([dataset.scores, sheet.frame], ignore_index=True)
    return Reading(replace(dataset, scores=scores), sorted(problems, key=place), warnings)


def place(problem: Problem) -> tuple[int, int]:
    """Where a problem stands: files in the order of the tables, then lines."""
    files = [table.file for table in TABLES]
    file = files.index(problem.file) if problem.file in files else len(files)
    return file, problem.line or 0


def missing_files(folder: Path) -> list[Problem]:
    if not folder.is_dir():
        return [Problem(str(folder), None, "", "", "is not a folder", "Name a dataset folder")]
    problems = []
    if not (folder / REFERENCES.file).is_file():
        remedy = f"Put {REFERENCES.file} with the columns image, caption into the folder"
        problems.append(Problem(REFERENCES.file, None, "", "", "is missing", remedy))
    if not any((folder / table.file).is_file() for table in (PAIRS, CANDIDATES, RATINGS)):
        remedy = f"Give the pairs, or {CANDIDATES.file} to make pairs from, or {RATINGS.file}"
        problems.append(Problem(PAIRS.file, None, "", "", "is missing", remedy))
    return problems


def read_file(folder: Path, table: Table, progress: Progress) -> Sheet:
    path = folder / table.file
    return read_table(path, table, progress) if path.is_file() else Sheet(table.empty())


def read_json(path: Path) -> tuple[dict[str, object], list[Problem]]:
    if not path.is_file():
        return {}, []
    try:
        value = json.loads(path.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError:
        return {}, [Problem(path.name, None, "", "", "is not UTF-8", "Save the file as UTF-8")]
    except json.JSONDecodeError as error:
        remedy = "Correct the JSON there"
        return {}, [Problem(path.name, error.lineno, "", "", error.msg, remedy)]
    except (RecursionError, ValueError):
        remedy = "Write one object of texts and numbers: {…}"
        return {}, [Problem(path.name, None, "", "", "is nested too deep or too large", remedy)]
    if not isinstance(value, dict):
        remedy = "Write one object: {…}"
        return {}, [Problem(path.name, 1, "", "", "is not a JSON object", remedy)]
    return value, []


def write(dataset: Dataset, folder: Path, images: Path | None = None) -> None:
    """Write `dataset` as a dataset folder; image files are copied from the folder `images`.

    `folder` must be new or empty. A table without rows is left out.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise FileExistsError(f"{folder} is not empty: name a new folder.")
    for table, frame in dataset.frames.items():
        if len(frame):
            text = csv_text(frame, columns_in_use(table, dataset))
            (folder / table.file).write_text(text, encoding="utf-8", newline="")
    for name, content in (("dataset.json", dataset.info), ("study.json", dataset.study)):
        if content:
            text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
            (folder / name).write_text(text, encoding="utf-8")
    if images:
        copy_images(dataset, images, folder)


def copy_images(dataset: Dataset, source: Path, target: Path) -> None:
    """Copy the files that images.csv names from one folder to another."""
    for file in dataset.images["file"]:
        if file:
            (target / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / file, target / file)


def columns_in_use(table: Table, dataset: Dataset) -> tuple[str, ...]:
    frame = dataset.frames[table]
    return table.required + tuple(name for name in table.optional if (frame[name] != "").any())


def problems_csv(problems: list[Problem]) -> str:
    """Every problem as CSV, one a line, for people who mend files with a spreadsheet."""
    rows = pd.DataFrame(problems, columns=list(PROBLEMS.columns), dtype=object)
    return csv_text(rows, PROBLEMS.columns)
