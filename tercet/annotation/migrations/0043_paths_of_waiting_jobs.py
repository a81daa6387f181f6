from typing import Any

from django.db import migrations
from django.db.models import F, Value
from django.db.models.functions import Replace

MOVED = {
    "annotation.webhooks.": "tercet.annotation.webhooks.delivery.",
    "annotation.tasks.": "tercet.annotation.tasks.",
}
"""Where the functions of jobs stood in version 0.2, and where they stand now."""


def rename(apps: Any, _editor: object, moved: dict[str, str] = MOVED) -> None:
    """Let jobs that an earlier version left in the queue run."""
    jobs = apps.get_model("django_tasks_database", "DBTaskResult").objects
    for old, new in moved.items():
        path = Replace(F("task_path"), Value(old), Value(new))
        jobs.filter(task_path__startswith=old).update(task_path=path)


def rename_back(apps: Any, editor: object) -> None:
    rename(apps, editor, {new: old for old, new in MOVED.items()})


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0042_challenge_daily_limit"),
        ("django_tasks_database", "0001_initial"),
    ]
    operations = [migrations.RunPython(rename, rename_back)]
