"""Uploads no longer keep how their files were read, nor a language.

Their columns are dropped in the next release.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0066_accounts_of_allauth")]

    operations = [
        migrations.AlterField(
            model_name="upload",
            name="reading",
            field=models.JSONField(db_default={}, default=dict),
        ),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveField("upload", "reading"),
                migrations.RemoveField("upload", "language"),
            ]
        ),
    ]
