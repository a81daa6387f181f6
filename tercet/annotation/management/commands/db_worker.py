"""Run the background worker, which computes evaluations."""

from argparse import ArgumentParser
from typing import Any

from django.core.checks import Tags
from django_tasks_db.management.commands.db_worker import Command as DatabaseWorker

from tercet.annotation.operations.memory import return_large_blocks
from tercet.annotation.operations.workers import heartbeat, worker_name

ALL_QUEUES = "*"


class Command(DatabaseWorker):
    help = "Run the background worker. It restarts the work of workers that died."
    requires_system_checks = (Tags.models,)
    """As in `SiteCommand`: other checks load all pages of the site."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.set_defaults(worker_id=worker_name(), queue_name=ALL_QUEUES)

    def handle(self, *, worker_id: str, **options: Any) -> None:
        return_large_blocks()
        with heartbeat(worker_id):
            super().handle(worker_id=worker_id, **options)
