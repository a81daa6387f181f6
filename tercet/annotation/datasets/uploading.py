"""Check and import an upload: the work of the background worker.

The result of a check is kept as JSON: `files` as the page shows them (`cards`), `warnings`, what
is `lost`, `unread` files, and how many `questions` are open; the `counts` of what would be imported
and whether it `asks` if collection is finished; or `problems` (the same ones of several lines
together), the `count` of all, how many are `shown`, and how many are `kept` in the file of
problems. Where an import could `leave_out` so many faulty lines, the `rest` are the counts then,
and `share` is their share of all lines.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User

from tercet.analysis.dataset.dictionary import REMARKS
from tercet.analysis.dataset.files import Files, plans_in
from tercet.analysis.dataset.folder import Reading, check, problems_csv
from tercet.analysis.dataset.plans import Plan
from tercet.analysis.progress import Progress
from tercet.analysis.roles.roles import Role
from tercet.analysis.tables.csv_tables import (
    FaultyDataset,
    Problem,
    ProblemGroup,
    first_of,
    grouped,
)
from tercet.analysis.tables.file_tables import Choices, FileTable
from tercet.annotation.datasets.cards import cards_of
from tercet.annotation.datasets.dry_run import counts_of, notes_of, preview
from tercet.annotation.datasets.importing import (
    asks_if_finished,
    import_dataset,
    log_import,
)
from tercet.annotation.models import ColumnMapping, Dataset, Upload
from tercet.annotation.studies.audit import log_site
from tercet.annotation.studies.study_file import with_checked_settings
from tercet.annotation.zipfiles import dataset_folder

UNNAMED = "dataset"
"""The name of an upload whose files suggest none."""
MAX_PROBLEMS = 10
"""Different problems on the page; all of them are in the file to download."""
_PEOPLE_LEFT_OUT = (
    "What annotators wrote (the folder people) stays with the study that they wrote it for, and is "
    "not imported"
)
PEOPLE = Path(REMARKS).parent
"""The folder of an archive with what annotators wrote."""

Result = dict[str, Any]


def check_upload(upload: Upload, progress: Progress) -> Result:
    """Check the files of an upload; return what was found."""
    remembered: list[str] = []
    try:
        with dataset_folder(Path(upload.file.path), upload.name) as folder:
            found = plans_in(
                folder, upload.said, progress, partial(_recall, upload, remembered)
            )
            progress(1.0, "Checking every line")
            reading = _checked(found)
            result = _described_reading(upload, reading, folder)
            if reading.problems and not reading.open_questions:
                result |= _without_faulty_lines(reading, folder)
    except FaultyDataset as error:
        return _with_problems(upload, error)

    cards = cards_of(reading, upload.said, remembered)
    return result | {"files": cards}


def _checked(found: Files, left_out: Mapping[str, Collection[int]] = {}) -> Reading:
    """Check files without some lines of their tables, and the settings of their study."""
    reading = check(found, left_out, references_alone=True)
    return with_checked_settings(reading)


def _recall(upload: Upload, remembered: list[str], table: FileTable) -> Choices | None:
    """Return what the account last said about a table with this header."""
    key = ColumnMapping.key_of(upload.created_by, table.header)
    known = ColumnMapping.objects.filter(key=key).first()
    if known is None or "roles" not in known.dialect:
        return None
    remembered.append(table.key)
    return Choices(roles=known.dialect["roles"], values=known.dialect["values"])


def _described_reading(upload: Upload, reading: Reading, folder: Path) -> Result:
    result = _losses(reading, reading.plans, folder)
    unread = [each.file for each in reading.files.unread if not each.is_spare]
    unknown = [each.table.key for each in reading.plans if each.is_unknown]
    result["unread"] = [*unread, *unknown]
    result["questions"] = len(reading.open_questions)
    if reading.problems:
        problems = FaultyDataset(reading.problems, reading.more)
        return result | _with_problems(upload, problems)
    return result | _importable(reading, folder, "counts")


def _importable(reading: Reading, folder: Path, counts: str) -> Result:
    """Describe what could be imported, its counts under this name."""
    dataset = reading.dataset
    return {
        counts: preview(dataset),
        "asks": asks_if_finished(dataset),
        "warnings": [*notes_of(dataset), *_warnings_of(reading, folder)],
    }


def _losses(reading: Reading, plans: Sequence[Plan], folder: Path) -> Result:
    """Return what is odd about files, and what the plans of their tables lose."""
    lost = [text for plan in plans for text in plan.lost]
    return {"warnings": _warnings_of(reading, folder), "lost": lost}


def _warnings_of(reading: Reading, folder: Path) -> list[str]:
    """Return what is odd about files that may be imported all the same, losses apart."""
    lost = {text for plan in reading.plans for text in plan.lost}
    warnings = [text for text in reading.warnings if text not in lost]
    if (folder / PEOPLE).is_dir():
        warnings.append(_PEOPLE_LEFT_OUT)

    return warnings


def _without_faulty_lines(reading: Reading, folder: Path) -> Result:
    """Check again without the faulty lines; say what could be imported then."""
    lines = reading.faulty_lines
    if not lines:
        return {}

    rest = _checked(reading.files, lines)
    if rest.problems:
        return {}

    count = sum(map(len, lines.values()))
    rows = sum(len(plan.table.frame) for plan in reading.plans)
    rest_counts = _importable(rest, folder, "rest")
    return {"leave_out": count, "share": count / max(rows, 1), **rest_counts}


def import_upload(
    upload: Upload, progress: Progress, confirm: Callable[[Dataset, Result], None]
) -> Result | None:
    """Import an upload as ordered; return the result of a check that found problems.

    `confirm` is called in the transaction that shows the dataset. Raises NameTaken.
    """
    order = upload.order
    left_out: list[Problem] = []
    result: Result = {}
    plans: list[Plan] = []

    def publish(dataset: Dataset) -> None:
        log_import(dataset, upload.created_by, _reading_in_words(plans))
        _keep_list(dataset, left_out, upload.created_by)
        confirm(dataset, result)

    try:
        with dataset_folder(Path(upload.file.path), order["name"]) as folder:
            recall = partial(_recall, upload, [])
            found = plans_in(folder, upload.said, progress, recall)
            progress(1.0, "Checking every line")
            reading = _checked(found)
            plans += reading.plans
            if order["leave_out"]:
                left_out += reading.problems
                reading = _checked(found, reading.faulty_lines)

            result["counts"] = counts_of(reading.dataset)
            result |= _losses(reading, plans, folder)
            import_dataset(
                reading.sound(),
                order["name"],
                folder,
                upload.created_by,
                progress,
                collecting=order["collecting"],
                confirm=publish,
            )
            _remember(upload, plans)
    except FaultyDataset as error:
        return _with_problems(upload, error)

    return None


def _reading_in_words(plans: Iterable[Plan]) -> list[str]:
    """Say for each table that is not written as ours are what was read as what."""
    lines = []
    for plan in plans:
        roles = plan.roles.items()
        read_as = [(name, role) for name, (role, _) in roles if role != Role.UNUSED]
        for meant in plan.values.values():
            read_as += [(value, each) for value, each in meant.items() if each]
        if read_as and not plan.own:
            said = "; ".join(f"{given} → {ours}" for given, ours in read_as)
            lines.append(f"{plan.table.key}: {said}")
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


def _remember(upload: Upload, plans: Iterable[Plan]) -> None:
    """Keep what was said about tables, for the account's next ones with the same header."""
    for plan in plans:
        said = upload.said.get(plan.table.key)
        if said and (said.roles or said.values):
            kept = {"roles": asdict(said)["roles"], "values": asdict(said)["values"]}
            ColumnMapping.objects.update_or_create(
                key=ColumnMapping.key_of(upload.created_by, plan.table.header),
                defaults={"dialect": kept},
            )


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
