"""Export a study as a dataset folder, or its tables in another format."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from tercet.analysis.dataset.folder import write
from tercet.annotation.datasets.exporting import study_frames
from tercet.annotation.management.command import SiteCommand, get_named
from tercet.annotation.models import Study
from tercet.annotation.results.table_files import FORMATS, ParquetMissing, write_tables

FOLDER = "folder"
"""The format of a dataset folder."""


class Command(SiteCommand):
    help = "Write a study's dataset with its votes as a dataset folder or in another format."
    refusals = (OSError, ParquetMissing)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study")
        parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
        parser.add_argument("--format", choices=[FOLDER, *FORMATS], default=FOLDER)

    def handle(self, *args: Any, out: Path, **options: Any) -> None:
        study = get_named(Study, options["study"])
        if options["format"] == FOLDER:
            frames = study_frames(study)
            write(frames, out, study.dataset.folder)
            written = f"{len(frames.votes):,} votes"
        else:
            written = f"{write_tables(study, options['format'], out)} files"

        self.stdout.write(f"Wrote {out}: {written}.")
