"""Restore the database and the files of the site from a backup."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from tercet.analysis.progress import ProgressBar
from tercet.annotation.judging.quotas import miscounted
from tercet.annotation.management.command import SiteCommand
from tercet.annotation.models import Question
from tercet.annotation.operations.backup import NotRestored, RowsDiffer, restore_backup
from tercet.annotation.operations.databases import NotCopied
from tercet.annotation.operations.vitals import RESTORED
from tercet.annotation.studies.audit import log_site


class Command(SiteCommand):
    help = "Restore a backup into an empty site. Stop the site and the worker first."
    refusals = (NotCopied, NotRestored, RowsDiffer, OSError)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument(
            "--replace",
            action="store_true",
            help="replace the data of this site, which are lost",
        )

    def handle(self, *args: Any, file: Path, replace: bool, **options: Any) -> None:
        with ProgressBar() as bar:
            restored, erased = restore_backup(file, replace=replace, progress=bar)

        log_site(None, RESTORED, file=file.name, votes=restored.votes)
        self.stdout.write(
            f"Restored the backup of {restored.created_at}: {restored.votes:,} votes. "
            f"Rows of all {len(restored.rows)} tables are as in the backup."
        )
        if erased:
            self.stdout.write(
                f"Erased again, as the list of erasures says: {erased:,}."
            )
        if wrong := miscounted(Question.objects.all()):
            raise CommandError(
                f"The counters of {wrong:,} questions differ from their votes. "
                "The backup was made of a damaged database."
            )
        self.stdout.write("The counters of all questions match their votes.")
