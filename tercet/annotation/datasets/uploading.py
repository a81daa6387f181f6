"""Check and import an upload: the work of the background worker."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path

from django.contrib.auth.models import User

from tercet.analysis.dataset.files import Files, plans_in
from tercet.analysis.dataset.folder import Reading, check, problems_csv
from tercet.analysis.dataset.plans import Plan
from tercet.analysis.progress import Progress
from tercet.analysis.roles.roles import Role
from tercet.analysis.tables.csv_tables import FaultyDataset, Problem
from tercet.analysis.tables.file_tables import Choices, FileTable
from tercet.annotation.datasets.cards import cards_of
from tercet.annotation.datasets.dry_run import (
    Result,
    counts_of,
    described,
    first_problems,
    losses_of,
)
from tercet.annotation.datasets.importing import import_dataset, log_import
from tercet.annotation.models import ColumnMapping, Dataset, Upload
from tercet.annotation.studies.audit import log_site
from tercet.annotation.studies.study_file import with_checked_settings
from tercet.annotation.zipfiles import dataset_folder

UNNAMED = "dataset"
"""The name of an upload whose files suggest none."""


def check_upload(upload: Upload, progress: Progress) -> Result:
    """Check the files of an upload; return what was found."""
    remembered: list[str] = []
    try:
        with dataset_folder(Path(upload.file.path), upload.name) as folder:
            recall = partial(_recall, upload, remembered)
            found = plans_in(folder, upload.said, progress, recall)
            progress(1.0, "Checking every line")
            reading = rest = _checked(found)
            if reading.faulty_lines and not reading.open_questions:
                rest = _checked(found, reading.faulty_lines)
            result = described(reading, rest)
    except FaultyDataset as error:
        return _refused(upload, error.problems, error.more)

    if reading.problems:
        result |= _refused(upload, reading.problems, reading.more)
    return result | {"files": cards_of(reading, upload.said, remembered)}


def _checked(found: Files, left_out: Mapping[str, Collection[int]] = {}) -> Reading:
    """Check files without some lines of their tables, and the settings of their study."""
    reading = check(found, left_out, references_alone=True)
    return with_checked_settings(reading)


def _refused(upload: Upload, problems: Sequence[Problem], more: int) -> Result:
    """Write the file of problems; return the first ones."""
    upload.problems_file.write_text(problems_csv(problems), encoding="utf-8")
    return first_problems(problems, more)


def _recall(upload: Upload, remembered: list[str], table: FileTable) -> Choices | None:
    """Return what the account last said about a table with this header."""
    key = ColumnMapping.key_of(upload.created_by, table.header)
    known = ColumnMapping.objects.filter(key=key).first()
    if known is None or "roles" not in known.dialect:
        return None
    remembered.append(table.key)
    return Choices(roles=known.dialect["roles"], values=known.dialect["values"])


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
            result |= losses_of(reading)
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
        return _refused(upload, error.problems, error.more)

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
