"""An index of the answers that are checks, which no vote of a study is in."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class AddIndexMeanwhile(AddIndexConcurrently):
    """Votes go on while PostgreSQL makes the index; SQLite has one writer anyway."""

    def database_forwards(self, app_label, schema_editor, from_state, to_state):
        add = migrations.AddIndex.database_forwards
        if schema_editor.connection.vendor == "postgresql":
            add = AddIndexConcurrently.database_forwards
        add(self, app_label, schema_editor, from_state, to_state)

    def database_backwards(self, app_label, schema_editor, from_state, to_state):
        remove = migrations.AddIndex.database_backwards
        if schema_editor.connection.vendor == "postgresql":
            remove = AddIndexConcurrently.database_backwards
        remove(self, app_label, schema_editor, from_state, to_state)


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("annotation", "0063_crowd_code")]

    operations = [
        AddIndexMeanwhile(
            "answer",
            models.Index(
                condition=models.Q(
                    ("status", "valid"), models.Q(("purpose", "study"), _negated=True)
                ),
                fields=["annotator", "purpose"],
                name="checks_of_an_annotator",
            ),
        )
    ]
