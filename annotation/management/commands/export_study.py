"""Export a study as a dataset folder."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from analysis.dataset.folder import write
from annotation.exchange.exporting import study_frames
from annotation.management.named import get_study


class Command(BaseCommand):
    help = "Write a study's dataset with its votes as a dataset folder."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study")
        parser.add_argument(
            "--out", type=Path, required=True, metavar="FOLDER"
        )

    def handle(self, *args: Any, out: Path, **options: Any) -> None:
        study = get_study(options["study"])
        frames = study_frames(study)

        try:
            write(frames, out, study.dataset.folder)
        except OSError as error:
            raise CommandError(str(error)) from None

        self.stdout.write(f"Wrote {out}: {len(frames.votes):,} votes.")
