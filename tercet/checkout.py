"""Which Tercet this is: a version, and in a checkout the commit."""

import subprocess
from argparse import Action, ArgumentParser
from pathlib import Path
from typing import Any

from tercet import __version__


class ShowVersion(Action):
    """Print which Tercet this is, and end: an option without a value."""

    help = "show the version, and in a checkout the commit"

    def __call__(self, parser: ArgumentParser, *_: Any) -> None:
        print(f"tercet {stated_version()}")
        parser.exit()


def stated_version(root: Path = Path(__file__).parents[1]) -> str:
    """Return the version, with the commit where the files are a checkout's."""
    if not (root / ".git").exists():
        return __version__

    command = ["git", "-C", str(root), "rev-parse", "--short=12", "HEAD"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return __version__
    return f"{__version__} (commit {done.stdout.strip()})"
