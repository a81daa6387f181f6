"""How files were read is kept by account. What was kept for all accounts is deleted."""

from typing import Any

from django.db import migrations


def forget(apps: Any, _editor: object) -> None:
    apps.get_model("annotation", "ColumnMapping").objects.all().delete()


class Migration(migrations.Migration):
    dependencies = [("annotation", "0060_evaluations_by_digest")]

    operations = [migrations.RunPython(forget, migrations.RunPython.noop)]
