"""What the commands of the site have in common."""

from typing import Any

from django.core.checks import Tags
from django.core.management.base import BaseCommand, CommandError


class SiteCommand(BaseCommand):
    """A command that starts quickly: before it, Django checks the models only.

    The other checks load all pages of the site, which takes 100 MB of memory.
    """

    requires_system_checks = (Tags.models,)
    refusals: tuple[type[Exception], ...] = ()
    """Exceptions whose messages say why the command cannot be done, and what to do."""

    def execute(self, *args: Any, **options: Any) -> Any:
        try:
            return super().execute(*args, **options)
        except self.refusals as error:
            raise CommandError(str(error)) from None
