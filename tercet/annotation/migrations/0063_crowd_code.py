"""A code of the crowd link, which people of the shared link do not know."""

import secrets

from django.db import migrations, models

import tercet.annotation.models.study


def fill(apps, _schema_editor):
    """Give each study a code; links that are open on a platform go on to work."""
    for study in apps.get_model("annotation", "Study").objects.filter(crowd_code=""):
        own = secrets.token_urlsafe(12)
        study.crowd_code = study.join_code if study.crowd_is_open else own
        study.save(update_fields=["crowd_code"])


class Migration(migrations.Migration):

    dependencies = [("annotation", "0062_remove_announcements_and_ladder")]

    operations = [
        migrations.AddField(
            "study",
            "crowd_code",
            models.CharField(
                db_default="",
                default=tercet.annotation.models.study.join_code,
                editable=False,
                max_length=20,
            ),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop, elidable=True),
        migrations.AddConstraint(
            "study",
            models.UniqueConstraint(
                condition=models.Q(("crowd_code", ""), _negated=True),
                fields=("crowd_code",),
                name="crowd_code_once",
            ),
        ),
    ]
