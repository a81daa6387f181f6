"""Let an account whose phone and recovery codes are lost log in without them."""

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandError

from tercet.annotation.accounts.second_factor import remove_second_factor
from tercet.annotation.management.command import SiteCommand


class Command(SiteCommand):
    help = "Remove the second factor of an account, which can set up another one."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username")

    def handle(self, *args: Any, username: str, **options: Any) -> None:
        user = User.objects.filter(username=username).first()
        if user is None:
            raise CommandError(f"There is no account {username}.")

        remove_second_factor(user)
