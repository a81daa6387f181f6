"""Make the site read-only, or let people write again."""

from argparse import ArgumentParser
from typing import Any

from tercet.annotation.management.command import SiteCommand
from tercet.annotation.operations.read_only import (
    expected_end,
    is_read_only,
    switch_off,
    switch_on,
)


class Command(SiteCommand):
    help = (
        "Make the site read-only during a migration or an incident, or let people write again. "
        "Without an argument, say which it is."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("mode", nargs="?", choices=["on", "off"])
        parser.add_argument(
            "--minutes",
            type=int,
            help="how long it will probably take; it does not end by itself",
        )

    def handle(self, *, mode: str | None, minutes: int | None, **options: Any) -> None:
        if mode == "on":
            switch_on(minutes)
        elif mode == "off":
            switch_off()

        end = expected_end()
        until = f", probably until {end:%Y-%m-%d %H:%M} UTC" if end else ""
        state = f"read-only{until}" if is_read_only() else "writable"
        self.stdout.write(f"The site is {state}.")
