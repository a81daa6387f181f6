"""Whether notes and progress are shown on standard error."""

import multiprocessing
import sys
from contextvars import ContextVar

QUIET = ContextVar("quiet", default=False)
PATIENCE_SECONDS = 2.0
"""Seconds of work after which its progress is shown."""


def hides_progress() -> bool | None:
    """Return what disables a bar of tqdm: True if it should be quiet, None without a terminal."""
    return QUIET.get() or None


def print_note(text: object) -> None:
    """Print a note on standard error, unless it should be quiet."""
    if not QUIET.get():
        print(text, file=sys.stderr, flush=True)


def announce(work: str) -> None:
    """Say what takes a while before it begins; workers of a process are silent."""
    if multiprocessing.parent_process() is None:
        print_note(f"Note: {work}.")
