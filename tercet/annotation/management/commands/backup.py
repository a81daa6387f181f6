"""Write the database and the files of the site into one archive."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from tercet.analysis.progress import ProgressBar
from tercet.annotation.management.command import SiteCommand
from tercet.annotation.operations.backup import write_backup
from tercet.annotation.operations.databases import NotCopied
from tercet.annotation.operations.vitals import BACKED_UP
from tercet.annotation.studies.audit import log_site


class Command(SiteCommand):
    help = "Write the database and the files into one archive, while the site runs."
    refusals = (NotCopied, OSError)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        with ProgressBar() as bar:
            written = write_backup(file, bar)

        size = file.stat().st_size
        log_site(None, BACKED_UP, file=file.name, bytes=size, votes=written.votes)
        files = len(written.digests) - 1
        self.stdout.write(
            f"Wrote {file}: {written.votes:,} votes, {files:,} files, {size:,} bytes."
        )
