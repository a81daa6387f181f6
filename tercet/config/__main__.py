"""Tercet's command line: `python manage.py help` or `tercet-site help` lists the commands."""

import os
import sys

from django.core.management import execute_from_command_line


def main() -> None:
    """Run the command named on the command line with the settings of `tercet.config.settings`."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tercet.config.settings")
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
