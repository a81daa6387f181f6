"""Delete what a site no longer needs."""

from typing import Any

from tercet.annotation.management.command import SiteCommand
from tercet.annotation.operations.cleanup import clean_up
from tercet.annotation.studies.compaction import remove_former_keys


class Command(SiteCommand):
    help = (
        "Delete ended sessions, finished tasks, old uploads, tickets, reports "
        "without an evaluation, and for good what was deleted a day ago. Run it daily."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        deleted = clean_up()
        remove_former_keys()
        counts = [f"{count:,} {what}" for what, count in deleted.items()]
        self.stdout.write(f"Deleted {', '.join(counts)}.")
