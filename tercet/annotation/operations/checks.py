"""Django's system checks of a public site."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.core.checks import Warning as CheckWarning
from django.db import DatabaseError

from tercet.annotation.accounts.passwords import accounts_of_the_demo
from tercet.annotation.enabled_metrics import enabled_metrics


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


@register
def check_enabled_metrics(**_options: object) -> list[CheckMessage]:
    """Warn of enabled metrics that the worker could not load."""
    warnings: list[CheckMessage] = []
    for metric in enabled_metrics().values():
        if fault := metric.fault():
            warning = CheckWarning(
                f"{metric.place}, [{metric.name}]: {fault}",
                hint="People may choose this metric, and their results would fail.",
                id="tercet.W001",
            )
            warnings.append(warning)

    return warnings
