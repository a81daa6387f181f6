"""Check whether a site can serve people: its database, migrations, worker, and disk."""

from datetime import timedelta

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from tercet.annotation.datasets.disk import free_space, has_room
from tercet.annotation.models import Worker

WORKER_PATIENCE = timedelta(minutes=5)
"""How long a task may wait where no worker has been started."""


def problems() -> dict[str, str]:
    """Return what is wrong, by the name of each check; a check that passes has an empty text."""
    disk = "" if has_room() else f"{free_space() // 2**20} MB free"

    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
        migrations = f"{len(missing)} not applied: run migrate" if missing else ""
        worker = "" if migrations else _worker_problem()
    except DatabaseError:
        return {"database": "does not answer", "disk": disk}

    return {"database": "", "migrations": migrations, "worker": worker, "disk": disk}


def _worker_problem() -> str:
    """Tell whether a worker has died, or tasks wait although none has been started."""
    if Worker.objects.alive().exists():
        return ""
    if dead := Worker.objects.order_by("heard_at").last():
        return f"none has reported since {dead.heard_at:%Y-%m-%d %H:%M} UTC: start db_worker"

    too_early = timezone.now() - WORKER_PATIENCE
    waiting = DBTaskResult.objects.ready().filter(enqueued_at__lt=too_early)
    count = waiting.count()
    return f"{count} tasks wait: start db_worker" if count else ""
