"""Evaluations are known by a digest of their votes, no longer by the number of these.

Those of earlier versions have no digest: they are due again. The column `final_votes` is dropped
in the next release.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0059_remove_bonus")]

    operations = [
        migrations.AddField(
            model_name="evaluation",
            name="digest",
            field=models.CharField(
                db_default="",
                default="",
                help_text="Of these votes; empty: they changed while it read them, or of version 0.2.",
                max_length=64,
            ),
        ),
        migrations.AddField(
            model_name="evaluation",
            name="final_digest",
            field=models.CharField(
                db_default="",
                default="",
                help_text="Of the votes at the end of the study that started it; empty: it was asked for.",
                max_length=64,
            ),
        ),
        migrations.AddField(
            model_name="evaluation",
            name="methods",
            field=models.TextField(
                db_default="",
                default="",
                help_text="What the methods section says of these votes.",
            ),
        ),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveField(model_name="evaluation", name="final_votes")
            ]
        ),
    ]
