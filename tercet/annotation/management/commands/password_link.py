"""Create a link with which an account sets a new password."""

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandError

from tercet.annotation.accounts.passwords import password_link
from tercet.annotation.management.command import SiteCommand


class Command(SiteCommand):
    help = "Print the path of a page on which an account sets a new password, valid for 24 hours."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username")

    def handle(self, *args: Any, username: str, **options: Any) -> None:
        user = User.objects.filter(username=username, is_active=True).first()
        if user is None:
            raise CommandError(f"There is no active account {username}.")

        link = password_link(user)
        self.stdout.write(link)
