"""What the commands of the site have in common."""

from django.core.checks import Tags
from django.core.management.base import BaseCommand


class SiteCommand(BaseCommand):
    """A command that starts quickly: before it, Django checks the models only.

    The other checks load all pages of the site, which takes 100 MB of memory.
    """

    requires_system_checks = (Tags.models,)
