"""How much room the disk has, and which errors of files and databases say that it has none."""

import errno
import shutil
import sqlite3

from django.conf import settings

ROOM = 256 * 2**20
"""Free bytes below which votes and uploads may soon fail, so that imports are refused."""
FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_FULL_SQLITE = {
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_SHMSIZE,
}
_FULL_POSTGRESQL = "53100"
"""The SQLSTATE of a full disk."""


def is_disk_full(error: BaseException | None) -> bool:
    """Return whether an error, or one that it followed from, says that the disk is full."""
    while error is not None:
        if getattr(error, "errno", None) in FULL:
            return True
        if getattr(error, "sqlite_errorcode", None) in _FULL_SQLITE:
            return True
        if getattr(error, "sqlstate", None) == _FULL_POSTGRESQL:
            return True
        error = error.__cause__ or error.__context__

    return False


def free_space() -> int:
    """Return the free bytes of the disk with the site's data."""
    return shutil.disk_usage(settings.DATA_DIR).free


def has_room() -> bool:
    """Return whether the disk has room for more than votes."""
    return free_space() >= ROOM


def check_room() -> None:
    """Raise the error of a full disk where what is left of it is kept for votes."""
    if not has_room():
        free = free_space() // 2**20
        needed = ROOM // 2**20
        message = f"{free} MB are free, and an import leaves {needed} MB for votes"
        raise OSError(errno.ENOSPC, message)
