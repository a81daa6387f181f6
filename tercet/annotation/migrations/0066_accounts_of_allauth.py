"""Whose person at the provider is which account is kept by django-allauth.

The former table is dropped in the next release. It no longer refers to accounts by a constraint.
"""

from hashlib import sha256
from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def key_of(name: str) -> str:
    """As `accounts.identities` has it."""
    return name if len(name) <= 190 else sha256(name.encode()).hexdigest()


def copy_identities(apps: Any, _editor: object) -> None:
    identities = apps.get_model("annotation", "Identity").objects
    accounts = apps.get_model("socialaccount", "SocialAccount").objects
    for each in identities.order_by("pk").iterator():
        known = {"provider": key_of(each.issuer), "uid": key_of(each.subject)}
        accounts.get_or_create(**known, defaults={"user_id": each.user_id})


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0065_pay_decisions"),
        ("socialaccount", "0006_alter_socialaccount_extra_data"),
    ]

    operations = [
        migrations.AlterField(
            model_name="identity",
            name="user",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="identities",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.RunPython(copy_identities, migrations.RunPython.noop),
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.DeleteModel("Identity")]
        ),
    ]
