"""Django's system checks of a public site."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.db import DatabaseError

from tercet.annotation.accounts.passwords import accounts_of_the_demo


@register(Tags.database)
def check_passwords(
    databases: Sequence[str] | None = None, **options: Any
) -> list[CheckMessage]:
    """Refuse accounts with the demo's password; `migrate` runs this check before anything else."""
    if not settings.HTTPS or not databases:
        return []

    try:
        names = accounts_of_the_demo()
    except DatabaseError:  # a database without tables
        return []
    return [
        Error(
            f"The account {name} has the password of the demo, which everybody knows, "
            "and this site is public (HTTPS=1).",
            hint=f"Run: python manage.py changepassword {name}",
            id="tercet.E001",
        )
        for name in names
    ]
