"""Check and import an upload: the work of the background worker.

The result of a check is kept as JSON, with texts in the language of the upload: `files` that may be
read in another way, `names` of all files, `warnings`, and either `counts` of what would be imported
and whether it `asks` if collection is finished, or `problems` (the same ones of several lines
together), the `count` of all, how many are `shown`, and how many are `kept` in the file of
problems; `lacks_references` says whether no file has references. Where an
import could `leave_out` so many faulty lines, the `rest` are the counts then.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User

from tercet.analysis.dataset.dictionary import REMARKS
from tercet.analysis.dataset.flat_files import caption_columns
from tercet.analysis.dataset.folder import Reading, problems_csv, read
from tercet.analysis.dataset.guessing import (
    PROBABLY,
    ForeignFile,
    Layout,
    foreign_files,
)
from tercet.analysis.dataset.table_files import REFERENCES_MISSING
from tercet.analysis.progress import Progress
from tercet.analysis.tables.csv_tables import (
    CsvDialect,
    FaultyDataset,
    Problem,
    ProblemGroup,
    first_of,
    grouped,
)
from tercet.annotation.datasets.dry_run import counts_of, notes_of, preview
from tercet.annotation.datasets.importing import (
    asks_if_finished,
    import_dataset,
    log_import,
)
from tercet.annotation.models import ColumnMapping, Dataset, Upload
from tercet.annotation.studies.audit import log_site
from tercet.annotation.zipfiles import dataset_folder

UNNAMED = "dataset"
"""The name of an upload whose files suggest none."""
MAX_PROBLEMS = 10
"""Different problems on the page; all of them are in the file to download."""

_PEOPLE_LEFT_OUT = (
    "What annotators wrote (the folder people) stays with the study that they wrote it for, and is "
    "not imported"
)
_REMEMBERED = "%(file)s is read like your last imported file with the same columns"

_UPLOAD_REFERENCES = (
    f"Upload {REFERENCES_MISSING.file} with the columns image, caption together with the other "
    "files; if one file has references and pairs, choose its column of the references"
)
_CONFIRM_REFERENCES = (
    "Columns of references are suggested in the form: confirm them, and check again"
)
_CONFIRM_TABLE = "Confirm it in the form, and check again"
_CHOOSE_COLUMN = "Choose it among the columns of the file"

PEOPLE = Path(REMARKS).parent
"""The folder of an archive with what annotators wrote."""

Result = dict[str, Any]


def check_upload(upload: Upload, progress: Progress) -> Result:
    """Check the files of an upload; return what was found."""
    try:
        with dataset_folder(Path(upload.file.path), upload.name) as folder:
            remembered = _apply_choices(upload, folder)
            result = _check_folder(upload, folder, progress)
    except FaultyDataset as error:
        return _with_problems(upload, error)

    notes = [_REMEMBERED % {"file": name} for name in remembered]
    return result | {"warnings": [*notes, *result["warnings"]]}


def _check_folder(upload: Upload, folder: Path, progress: Progress) -> Result:
    reading = read(folder, progress, upload.formats, references_alone=True)
    files = [file.as_json() for file in foreign_files(folder, upload.formats)]
    result: Result = {
        "files": files,
        "names": sorted(path.name for path in folder.iterdir()),
    }
    if not reading.problems:
        counted = _importable(reading, folder, "counts")
        return result | counted

    problems = _for_the_page(reading.problems, files)
    result |= _with_problems(upload, FaultyDataset(problems, reading.more))
    result["lacks_references"] = REFERENCES_MISSING in reading.problems
    result["warnings"] = _warnings_of(reading, folder)
    return result | _without_faulty_lines(upload, folder, reading, progress)


def _importable(reading: Reading, folder: Path, counts: str) -> Result:
    """Describe what could be imported, its counts under this name."""
    dataset = reading.dataset
    return {
        counts: preview(dataset),
        "asks": asks_if_finished(dataset),
        "warnings": [*notes_of(dataset), *_warnings_of(reading, folder)],
    }


def _warnings_of(reading: Reading, folder: Path) -> list[str]:
    """Return what is odd about files that may be imported all the same."""
    warnings = [str(each) for each in reading.warnings]
    if (folder / PEOPLE).is_dir():
        warnings.append(_PEOPLE_LEFT_OUT)

    return warnings


def _for_the_page(
    problems: Iterable[Problem], files: Collection[Result]
) -> list[Problem]:
    """The problems with remedies for files that are uploaded, and for those in a form."""
    mapped = {file["path"] for file in files}
    flat = [file for file in files if file["layout"] == Layout.WITH_PAIRS]
    is_guessed = any(caption_columns(file["dialect"]["columns"]) for file in flat)
    in_words = []

    for problem in problems:
        remedy = problem.remedy
        is_missing = problem.what == REFERENCES_MISSING.what
        if problem.what.startswith(PROBABLY):
            remedy = _CONFIRM_TABLE
        elif problem == REFERENCES_MISSING:
            remedy = _CONFIRM_REFERENCES if is_guessed else _UPLOAD_REFERENCES
        elif is_missing and problem.column and problem.file in mapped:
            remedy = _CHOOSE_COLUMN
        changed = replace(problem, remedy=remedy)
        in_words.append(changed)

    return in_words


def _without_faulty_lines(
    upload: Upload, folder: Path, reading: Reading, progress: Progress
) -> Result:
    """Check again without the faulty lines; say what could be imported then."""
    lines = reading.faulty_lines
    if not lines:
        return {}

    rest = read(folder, progress, upload.formats, lines, references_alone=True)
    if rest.problems:
        return {}

    counts = map(len, lines.values())
    count = sum(counts)
    rest_counts = _importable(rest, folder, "rest")
    return {"leave_out": count, **rest_counts}


def import_upload(
    upload: Upload, progress: Progress, confirm: Callable[[Dataset, Result], None]
) -> Result | None:
    """Import an upload as ordered; return the result of a check that found problems.

    `confirm` is called in the transaction that shows the dataset. Raises NameTaken.
    """
    order = upload.order
    left_out: list[Problem] = []
    result: Result = {}

    def publish(dataset: Dataset) -> None:
        log_import(dataset, upload.created_by, _reading_in_words(upload))
        _keep_list(dataset, left_out, upload.created_by)
        confirm(dataset, result)

    try:
        with dataset_folder(Path(upload.file.path), order["name"]) as folder:
            read_upload = partial(
                read, folder, progress, upload.formats, references_alone=True
            )
            reading = read_upload()
            if order["leave_out"]:
                left_out += reading.problems
                reading = read_upload(reading.faulty_lines)

            result |= {
                "counts": counts_of(reading.dataset),
                "warnings": _warnings_of(reading, folder),
            }
            import_dataset(
                reading.sound(),
                order["name"],
                folder,
                upload.created_by,
                progress,
                collecting=order["collecting"],
                confirm=publish,
            )
            _remember(upload, folder)
    except FaultyDataset as error:
        return _with_problems(upload, error)

    return None


def _reading_in_words(upload: Upload) -> list[str]:
    """Say for each file that is not written as ours are what was read as what."""
    lines = []
    for name, dialect in upload.formats.items():
        read_as = [(theirs, ours) for ours, theirs in dialect.columns.items()]
        if dialect.roles:
            roles = dialect.roles.items()
            read_as = [(column, role) for column, (role, _label) in roles]

        winners = dialect.winners.items()
        read_as += [(value, meant) for value, meant in winners if meant]
        if read_as:
            said = "; ".join(f"{given} → {ours}" for given, ours in read_as)
            lines.append(f"{name}: {said}")
    return lines


def _keep_list(dataset: Dataset, left_out: Sequence[Problem], by: User) -> None:
    """Keep and log the list of the lines that an import left out."""
    if not left_out:
        return

    dataset.folder.mkdir(parents=True, exist_ok=True)
    text = problems_csv(left_out)
    dataset.left_out_file.write_text(text, encoding="utf-8")

    lines = {(each.file, each.line) for each in left_out}
    log_site(by, "left out lines", name=dataset.name, lines=len(lines))


def _apply_choices(upload: Upload, folder: Path) -> list[str]:
    """Read files as people have chosen, here or before; return the names of the latter."""
    names = {path.name for path in folder.iterdir()}
    chosen = {}
    remembered = []

    files = foreign_files(folder, upload.formats)
    settled = {*upload.choices, *upload.formats}
    open_files = [file for file in files if file.path.name not in settled]
    are_sure = all(map(_is_sure, open_files))

    for file in files:
        name = file.path.name
        if name in upload.choices:
            chosen[name] = file.read_as(**upload.choices[name])
            continue

        known = None if name in upload.formats else _remembered(upload, file)
        if known and known.table not in names:
            chosen[name] = known
            remembered.append(name)
            names.add(known.table)
        elif are_sure and file in open_files:
            chosen[name] = file.dialect

    if chosen:
        formats = upload.formats | chosen
        upload.keep_formats(formats)
    return remembered


def _is_sure(file: ForeignFile) -> bool:
    """Return whether a file may be read as it is guessed before anybody has confirmed it.

    It may where nothing is missing: what it is read as is shown before it is imported.
    """
    dialect = file.dialect
    is_guessed = bool(dialect.columns) or dialect.numbered
    is_read = file.layout is Layout.MORE or is_guessed
    return is_read and not (file.lacking or file.taken or file.fault)


def _remember(upload: Upload, folder: Path) -> None:
    """Keep how the files of an import were read, for the account's next ones like them."""
    for file in foreign_files(folder, upload.formats):
        name = file.path.name
        dialect = upload.formats.get(name)

        if dialect and dialect.columns and file.header:
            ColumnMapping.objects.update_or_create(
                key=ColumnMapping.key_of(upload.created_by, file.header),
                defaults={"dialect": asdict(dialect)},
            )


def _remembered(upload: Upload, file: ForeignFile) -> CsvDialect | None:
    """Return how the account last read a file with this header, in the file's own encoding."""
    key = ColumnMapping.key_of(upload.created_by, file.header)
    known = ColumnMapping.objects.filter(key=key).first()
    if known is None:
        return None

    dialect = CsvDialect(**known.dialect)
    has_table = bool(dialect.table)
    is_alike = file.named != has_table
    return replace(dialect, encoding=file.dialect.encoding) if is_alike else None


def _with_problems(upload: Upload, error: FaultyDataset) -> Result:
    """Write the file of problems; return the first ones."""
    text = problems_csv(error.problems)
    upload.problems_file.write_text(text, encoding="utf-8")
    groups = grouped(error.problems)
    shown = groups[:MAX_PROBLEMS]
    return {
        "problems": [_described(each) for each in shown],
        "count": error.count,
        "shown": sum(len(each.problems) for each in shown),
        "kept": len(error.problems),
    }


def _described(group: ProblemGroup) -> Result:
    """Return problems that are the same as JSON."""
    problem = group.first
    names = ("file", "column", "is_entry")
    return {
        **{name: getattr(problem, name) for name in names},
        "line": str(group.lines),
        "value": str(first_of(group.values)),
        "is_several": len(group.problems) > 1,
        "what": str(problem.what),
        "remedy": str(problem.remedy),
    }
