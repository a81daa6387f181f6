"""The version, sizes, and last backup of a site."""

import shutil
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.utils import timezone

from tercet import __version__
from tercet.annotation.models import Event

BACKED_UP, RESTORED = "wrote backup", "restored backup"
"""How the log calls what the commands `backup` and `restore` did."""
_BACKUP_PATIENCE = timedelta(days=2)
"""How old the last backup may be: twice the interval of the timer in `deploy/`."""
_LOW = 0.1
"""The share of free space below which a disk is low."""


@dataclass(frozen=True)
class _Vitals:
    """What a site consists of; sizes in bytes."""

    version: str
    database: str
    database_bytes: int
    free_bytes: int
    total_bytes: int
    backup: Event | None
    restoration: Event | None

    @property
    def is_disk_low(self) -> bool:
        return self.free_bytes < _LOW * self.total_bytes

    @property
    def is_backup_old(self) -> bool:
        oldest = timezone.now() - _BACKUP_PATIENCE
        return self.backup is None or self.backup.at < oldest


def vitals() -> _Vitals:
    """Measure the database and the disk with the site's data, and look up the last backup."""
    disk = shutil.disk_usage(settings.DATA_DIR)
    events = Event.objects.filter(study=None)

    return _Vitals(
        __version__,
        connection.display_name,
        _database_bytes(),
        disk.free,
        disk.total,
        events.filter(what=BACKED_UP).first(),
        events.filter(what=RESTORED).first(),
    )


def _database_bytes() -> int:
    """Return the size of the database; of SQLite with what is not yet in its main file."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_database_size(current_database())")
            return int(cursor.fetchone()[0])

    file = Path(connection.settings_dict["NAME"])
    files = [file, file.with_name(f"{file.name}-wal")]
    return sum(each.stat().st_size for each in files if each.exists())
