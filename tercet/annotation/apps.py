"""The Django app."""

from importlib import import_module

from django.apps import AppConfig
from django.db.models.signals import pre_migrate

from tercet.annotation.enabled_metrics import enabled_metrics


class AnnotationConfig(AppConfig):
    """Check the settings when the site starts."""

    name = "tercet.annotation"
    label = "annotation"

    def ready(self) -> None:
        # models can be imported only now
        from django.contrib.auth.models import User

        from tercet.annotation.accounts.names import check_name

        import_module("tercet.annotation.operations.checks")
        User._meta.get_field("username").validators.append(check_name)
        enabled_metrics()
        pre_migrate.connect(_delete_leftovers, sender=self)


def _delete_leftovers(**_: object) -> None:
    """Delete the rows of a killed import, which would make a migration on SQLite fail."""
    from tercet.annotation.datasets.hidden_rows import without_leftovers

    with without_leftovers():
        pass
