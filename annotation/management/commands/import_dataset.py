"""Import a dataset folder or a zip of one."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from analysis.dataset.csv_tables import FaultyDataset
from analysis.dataset.encodings import ENCODINGS, UTF_8
from analysis.dataset.folder import Reading, read
from analysis.dataset.guessing import dialects_in
from analysis.progress import Bar
from annotation.exchange.importing import (
    NameTaken,
    dataset_name,
    import_dataset,
    preview,
)
from annotation.exchange.zipfiles import dataset_folder


class Command(BaseCommand):
    help = "Import a dataset folder or zip; otherwise list every problem with its line."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path, metavar="FOLDER_OR_ZIP")
        parser.add_argument(
            "--dry-run",
            action="store_true",
            help="check without writing anything",
        )
        parser.add_argument(
            "--name", help="name for urls and commands (default: the folder's)"
        )
        parser.add_argument(
            "--encoding",
            type=str.lower,
            choices=ENCODINGS,
            default=UTF_8,
            help="encoding of files that are not UTF-8",
        )

    def handle(
        self,
        *args: Any,
        path: Path,
        dry_run: bool,
        name: str | None,
        encoding: str,
        **_: Any,
    ) -> None:
        try:
            with dataset_folder(path) as folder, Bar() as progress:
                free = dataset_name(name or path.resolve().stem)
                reading = read(folder, progress, dialects_in(folder, encoding))
                self.run(reading, folder, free, dry_run, progress)
        except FaultyDataset as error:
            raise CommandError(
                f"{path} was not imported; nothing was written:\n{error}"
            ) from None
        except NameTaken as error:
            raise CommandError(f"{error} (--name NAME)") from None

    def run(
        self,
        reading: Reading,
        folder: Path,
        name: str,
        dry_run: bool,
        progress: Bar,
    ) -> None:
        for warning in reading.warnings:
            self.stderr.write(f"Note: {warning}.")
        if reading.problems:
            raise FaultyDataset(reading.problems)
        counts = ", ".join(
            f"{count:,} {what}"
            for what, count in preview(reading.dataset).items()
        )
        if dry_run:
            self.stdout.write(
                f"{folder.name} is valid: {counts}. Nothing was written."
            )
            return
        dataset = import_dataset(
            reading.dataset, name, folder, progress=progress
        )
        self.stdout.write(f"Imported {dataset.name}: {counts}.")
        for study in dataset.studies.all():
            self.stdout.write(f"Created study {study.name} from its votes.")
