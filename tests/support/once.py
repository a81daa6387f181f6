"""What all processes of one run of the tests share, and the first that needs it makes."""

import fcntl
from collections.abc import Callable
from pathlib import Path


def once(place: Path, make: Callable[[Path], object]) -> Path:
    """Return a file or folder; make it where no process has, while the others wait.

    Parameters
    ----------
    place
        Where it is to be, in the folder of the fixture `shared`.
    make
        Makes it at a place that it is given.
    """
    with place.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)

        if not place.exists():
            unfinished = place.with_suffix(".unfinished")
            make(unfinished)
            unfinished.rename(place)

    return place
