"""Announcements and the ladder of challenges are removed.

Their table and column are dropped in the next release. Announcements no longer refer to their
challenge by a constraint: it could not be deleted otherwise.
"""

from typing import Any

import django.db.models.deletion
from django.db import migrations, models

from tercet.annotation.migrations._removed import write_removed


def keep(apps: Any, _editor: object) -> None:
    """Write the announcements, and the challenges that had the ladder."""
    announcements = apps.get_model("annotation", "Announcement").objects
    columns = ("challenge__name", "title", "text", "created_at")
    write_removed("announcements", list(announcements.order_by("pk").values(*columns)))

    challenges = apps.get_model("annotation", "Challenge")._base_manager
    with_ladder = challenges.filter(ladder=True).order_by("pk")
    write_removed("ladders", list(with_ladder.values("name", "title")))


class Migration(migrations.Migration):
    dependencies = [("annotation", "0061_column_mappings_by_account")]

    operations = [
        migrations.AlterField(
            model_name="announcement",
            name="challenge",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="announcements",
                to="annotation.challenge",
            ),
        ),
        migrations.AlterField(
            model_name="challenge",
            name="ladder",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.RunPython(keep, migrations.RunPython.noop),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.DeleteModel("Announcement"),
                migrations.RemoveField("challenge", "ladder"),
            ]
        ),
    ]
