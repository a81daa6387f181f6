"""Webhooks are removed. Their tables are dropped in the next release.

The tables no longer refer to others: a study could not be deleted otherwise.
"""

from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from tercet.annotation.migrations._removed import write_removed

TASKS = "tercet.annotation.webhooks."


def keep_addresses(apps: Any, _editor: object) -> None:
    """Write the addresses, and delete messages, which nothing would clean up any more."""
    webhooks = apps.get_model("annotation", "Webhook").objects
    columns = ("study__name", "url", "created_at", "created_by__username")
    write_removed("webhooks", list(webhooks.order_by("pk").values(*columns)))

    apps.get_model("annotation", "Delivery").objects.all().delete()
    tasks = apps.get_model("django_tasks_database", "DBTaskResult").objects
    tasks.filter(task_path__startswith=TASKS).delete()


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0057_teams"),
        ("django_tasks_database", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name="webhook",
            name="study",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="webhooks",
                to="annotation.study",
            ),
        ),
        migrations.AlterField(
            model_name="webhook",
            name="created_by",
            field=models.ForeignKey(
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.RunPython(keep_addresses, migrations.RunPython.noop),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.DeleteModel("Delivery"),
                migrations.DeleteModel("Webhook"),
            ]
        ),
    ]
