"""Check and import an upload: the work of the background worker.

The result of a check is kept as JSON, with texts in the language of the upload: `files` that may be
read in another way, `names` of all files, `warnings`, and either `counts` of what would be imported
and whether it `asks` if collection is finished, or `problems`, their `count`, and how many are
`kept` in the file of problems.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from analysis.dataset.csv_tables import FaultyDataset, Problem
from analysis.dataset.folder import Reading, problems_csv, read
from analysis.dataset.guessing import foreign_files
from analysis.progress import Progress
from annotation.exchange.importing import (
    asks_if_finished,
    import_dataset,
    preview,
)
from annotation.exchange.zipfiles import dataset_folder
from annotation.models import Dataset, Upload

UNNAMED = "dataset"
"""The name of an upload whose files suggest none."""
MAX_PROBLEMS = 1_000
"""Problems on the page; all of them are in the file to download."""

Result = dict[str, Any]


def check_upload(upload: Upload, progress: Progress) -> Result:
    """Check the files of an upload; return what was found."""
    try:
        with dataset_folder(Path(upload.file.path), upload.name) as folder:
            _apply_choices(upload, folder)
            files = _files_of(folder, upload)
            reading = read(
                folder, progress, upload.formats, references_alone=True
            )
    except FaultyDataset as error:
        return _with_problems(upload, error)

    if reading.problems:
        faulty = FaultyDataset(reading.problems, reading.more)
        return _with_problems(upload, faulty) | files | _warnings(reading)

    return {
        "counts": preview(reading.dataset),
        "asks": asks_if_finished(reading.dataset),
        **files,
        **_warnings(reading),
    }


def import_upload(
    upload: Upload,
    progress: Progress,
    confirm: Callable[[Dataset, Result], None],
) -> Result | None:
    """Import an upload as ordered; return the result of a check that found problems.

    `confirm` is called in the transaction that shows the dataset. Raises NameTaken.
    """
    order = upload.order
    title = order["name"] if upload.name == UNNAMED else upload.name

    try:
        with dataset_folder(Path(upload.file.path), title) as folder:
            reading = read(
                folder, progress, upload.formats, references_alone=True
            )
            result = {"counts": preview(reading.dataset)}
            import_dataset(
                reading.sound(),
                order["name"],
                folder,
                upload.created_by,
                progress,
                collecting=order["collecting"],
                confirm=lambda dataset: confirm(dataset, result),
            )
    except FaultyDataset as error:
        return _with_problems(upload, error)

    return None


def _apply_choices(upload: Upload, folder: Path) -> None:
    """Read files as people have chosen; columns were chosen by their positions."""
    if not upload.choices:
        return

    chosen = {}
    for file in foreign_files(folder, upload.formats):
        choice = upload.choices.get(file.path.name)
        if choice is not None:
            chosen[file.path.name] = file.read_as(**choice)
    upload.keep_formats(upload.formats | chosen)


def _files_of(folder: Path, upload: Upload) -> Result:
    """Describe the files that may be read in another way, and name all files."""
    files = foreign_files(folder, upload.formats)
    return {
        "files": [file.as_json() for file in files],
        "names": sorted(path.name for path in folder.iterdir()),
    }


def _warnings(reading: Reading) -> Result:
    return {"warnings": [str(text) for text in reading.warnings]}


def _with_problems(upload: Upload, error: FaultyDataset) -> Result:
    """Write the file of problems; return the first ones."""
    upload.problems_file.write_text(
        problems_csv(error.problems), encoding="utf-8"
    )
    return {
        "problems": [
            _described(each) for each in error.problems[:MAX_PROBLEMS]
        ],
        "count": error.count,
        "kept": len(error.problems),
    }


def _described(problem: Problem) -> Result:
    """Return a problem as JSON."""
    return {
        "file": problem.file,
        "line": problem.line,
        "column": problem.column,
        "value": problem.value,
        "what": str(problem.what),
        "remedy": str(problem.remedy),
        "is_entry": problem.is_entry,
    }
