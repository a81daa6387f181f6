"""Rehearse the restoration of the newest backup, and say how long it takes."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from tercet.annotation.management.command import SiteCommand
from tercet.annotation.operations.backup import NotRestored
from tercet.annotation.operations.drill import rehearse


class Command(SiteCommand):
    help = (
        "Restore the newest backup into a scratch database, compare it, and print the time. "
        "Nothing of this site is changed."
    )
    refusals = (NotRestored, OSError)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "path",
            type=Path,
            metavar="FOLDER_OR_FILE",
            help="a backup, or the folder that has them",
        )

    def handle(self, *args: Any, path: Path, **options: Any) -> None:
        drill = rehearse(path)
        self.stdout.write(drill.report)
        self.stdout.write(
            f"{drill.backup} was restored into a scratch database, which is deleted again, "
            f"in {drill.seconds:.1f} seconds."
        )
        votes = drill.behind["annotation_answer"]
        changed = {table: n for table, n in drill.behind.items() if n}
        rest = ", ".join(f"{table} {n:+,}" for table, n in changed.items())
        self.stdout.write(
            f"Since {drill.created_at} the site has changed by {votes:+,} votes. "
            f"Rows of tables: {rest or 'as in the backup'}."
        )
