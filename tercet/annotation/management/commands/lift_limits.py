"""Lift the limits of logins, codes and requests for passwords."""

from typing import Any

from tercet.annotation.management.command import SiteCommand
from tercet.annotation.models import RateLimit


class Command(SiteCommand):
    help = "Forget all wrong passwords and codes, so that nobody has to wait."

    def handle(self, *args: Any, **options: Any) -> None:
        removed = RateLimit.objects.all().delete()[0]
        self.stdout.write(f"{removed} limits removed.")
