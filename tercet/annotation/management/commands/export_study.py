"""Export a study as a dataset folder, or its tables in another format."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from tercet.analysis.dataset.folder import write
from tercet.annotation.datasets.exporting import study_frames
from tercet.annotation.management.command import SiteCommand, get_study
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
        study = get_study(options)
        if options["format"] == FOLDER:
            frames = study_frames(study)
            folder = study.dataset.folder
            write(frames, out, folder)
            votes = len(frames.votes)
            written = f"{votes:,} votes"
        else:
            files = write_tables(study, options["format"], out)
            written = f"{files} files"

        self.stdout.write(f"Wrote {out}: {written}.")
