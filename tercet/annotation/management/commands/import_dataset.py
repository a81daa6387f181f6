"""Import a dataset folder or a zip of one."""

from argparse import ArgumentParser
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.db import DatabaseError

from tercet.analysis.dataset.choices_file import read_choices
from tercet.analysis.dataset.folder import Reading, read
from tercet.analysis.progress import ProgressBar
from tercet.analysis.tables.csv_tables import FaultyDataset
from tercet.analysis.tables.encodings import ENCODINGS, UTF_8, encoding_of
from tercet.analysis.tables.file_tables import Choices
from tercet.analysis.tables.parse import JSON, JSON_LINES, TEXT, open_bytes, suffix_of
from tercet.annotation.datasets.disk import is_disk_full
from tercet.annotation.datasets.dry_run import counts_of, notes_of, preview
from tercet.annotation.datasets.importing import (
    NameTaken,
    asks_if_finished,
    dataset_name,
    import_dataset,
    log_import,
)
from tercet.annotation.management.command import SiteCommand
from tercet.annotation.operations.memory import return_large_blocks
from tercet.annotation.studies.study_file import with_checked_settings
from tercet.annotation.zipfiles import dataset_folder

FINISHED = (
    "Is collection finished? There are votes and no study.json, so it is taken to be: the study is "
    "imported as closed and needs no more votes (--collecting to collect more)."
)
COLLECTING = (
    "Collection is not finished: the study is imported as open, and needs more votes."
)


class Command(SiteCommand):
    help = "Import a dataset folder or zip; otherwise list every problem with its line."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path, metavar="FOLDER_ZIP_OR_FILE")
        parser.add_argument(
            "--dry-run", action="store_true", help="check without writing anything"
        )
        parser.add_argument(
            "--name", help="name for urls and commands (default: the folder's)"
        )
        parser.add_argument(
            "--collecting",
            action="store_true",
            help="collect the missing votes here, where votes.csv comes without a study.json "
            "(default: collection is finished)",
        )
        parser.add_argument(
            "--encoding",
            type=str.lower,
            choices=ENCODINGS,
            default="",
            help="encoding of files that are not UTF-8 (default: the likeliest)",
        )
        parser.add_argument(
            "--roles",
            type=Path,
            metavar="ROLES.JSON",
            help="what columns hold, as tercet doctor --roles writes it",
        )

    def handle(
        self,
        *args: Any,
        path: Path,
        name: str | None,
        encoding: str,
        roles: Path | None,
        **options: Any,
    ) -> None:
        return_large_blocks()
        try:
            with dataset_folder(path) as folder, ProgressBar() as progress:
                free = dataset_name(name or path.resolve().stem)
                choices = (
                    read_choices(roles) if roles else _in_encoding(folder, encoding)
                )
                found = read(folder, progress, choices, references_alone=True)
                reading = with_checked_settings(found)
                self.run(reading, folder, free, progress, **options)
        except FaultyDataset as error:
            raise CommandError(
                f"{path} was not imported; nothing was written:\n{error}"
            ) from None
        except NameTaken as error:
            raise CommandError(f"{error} (--name NAME)") from None
        except (DatabaseError, OSError) as error:
            if not is_disk_full(error):
                raise
            raise CommandError(
                f"{path} was not imported: the disk is full ({error}). "
                "Free space and try again."
            ) from None

    def run(
        self,
        reading: Reading,
        folder: Path,
        name: str,
        progress: ProgressBar,
        *,
        dry_run: bool,
        collecting: bool,
        **_: Any,
    ) -> None:
        """Import the dataset, or say what would be imported."""
        for warning in reading.warnings:
            self.stderr.write(f"Note: {warning}.")
        reading.sound()

        if asks_if_finished(reading.dataset):
            note = COLLECTING if collecting else FINISHED
            self.stdout.write(note)

        if dry_run:
            for note in notes_of(reading.dataset):
                self.stderr.write(f"Note: {note}.")
            rows = preview(reading.dataset)
            counts = _in_words(rows)
            self.stdout.write(f"{folder.name} is valid: {counts}. Nothing was written.")
            return

        dataset = import_dataset(
            reading.dataset,
            name,
            folder,
            progress=progress,
            collecting=collecting,
            confirm=partial(log_import, by=None),
        )
        rows = counts_of(reading.dataset)
        counts = _in_words(rows)
        self.stdout.write(f"Imported {dataset.name}: {counts}.")
        for study in dataset.studies.all():
            self.stdout.write(f"Created study {study.name} from its votes.")


def _in_encoding(folder: Path, encoding: str) -> dict[str, Choices]:
    """Return that the files of a folder which are not UTF-8 have an encoding."""
    if not encoding:
        return {}
    choices = {}
    for path in folder.iterdir():
        if suffix_of(path.name) in (*TEXT, *JSON, *JSON_LINES):
            with open_bytes(path) as file:
                if encoding_of(file)[0] != UTF_8:
                    choices[path.name] = Choices(encoding)
    return choices


def _in_words(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {what}" for what, count in counts.items())
