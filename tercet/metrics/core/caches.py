"""The directory where compiled code and data are kept, and the warning where it cannot be written.

Nothing depends on it but time: what cannot be kept is made anew in each process.
"""

import multiprocessing
import os
import tempfile
from pathlib import Path

from platformdirs import user_cache_path

from tercet.metrics.core.warned import warn

VARIABLE = "TERCET_CACHE"

_warned: set[Path] = set()


def chosen_directory() -> Path | None:
    """Return the directory that the environment variable TERCET_CACHE names."""
    name = os.environ.get(VARIABLE)
    return Path(name) if name else None


def cache_directory() -> Path:
    """Return the directory that TERCET_CACHE names, or else the user's cache directory."""
    return chosen_directory() or user_cache_path("tercet")


def obstacle(directory: Path) -> OSError | None:
    """Return why no file can be made in a directory; make the directory where it is missing."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            return None
    except OSError as error:
        return error


def warn_not_kept(directory: Path, error: OSError | None) -> None:
    """Warn that nothing is kept in a directory, once for each directory.

    The workers of a process are silent: it has given the warning.
    """
    is_worker = multiprocessing.parent_process() is not None
    if is_worker or directory in _warned:
        return

    _warned.add(directory)
    reason = (error and error.strerror) or "it cannot be used"
    message = (
        f"nothing can be kept in {directory} ({reason}): scoring works, but compiles code and data "
        f"anew in each process; set {VARIABLE} to a folder that can be written"
    )
    warn(message, RuntimeWarning)
