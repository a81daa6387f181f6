"""Rehearse a restoration: of the newest backup, into a scratch database that is then deleted.

The command `restore` does it in a process of its own, which knows the scratch database and a
scratch folder only, so nothing of the site can change.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from django.conf import settings
from django.db import DatabaseError, connection

from tercet.annotation.operations.backup import NotRestored, described
from tercet.annotation.operations.databases import Rows, row_counts
from tercet.annotation.quality.erasures import NAME as ERASURES
from tercet.annotation.quality.erasures import merge


@dataclass(frozen=True)
class _Drill:
    """What a rehearsal found.

    `report` is what `restore` said of rows and counters, `behind` how many rows the site has now
    beyond the backup, by the table; negative for fewer.
    """

    backup: Path
    created_at: str
    seconds: float
    report: str
    behind: Rows


def rehearse(path: Path) -> _Drill:
    """Restore a backup, or the newest one of a folder, into a scratch database.

    Raises
    ------
    NotRestored
        If there is no backup, or it cannot be restored.
    """
    backup = _newest_backup(path)
    description = described(backup)

    with _scratch_site() as environment:
        began = time.monotonic()
        report = _restore(backup, environment)
        seconds = time.monotonic() - began

    now = row_counts()
    rows = description.rows_of_present_tables
    behind = {table: now.get(table, 0) - rows[table] for table in rows}
    return _Drill(backup, description.created_at, seconds, report, behind)


def _newest_backup(path: Path) -> Path:
    """Return a backup, or the newest one in a folder; raises NotRestored if there is none."""
    if not path.is_dir():
        return path

    backups = sorted(path.glob("*.zip"), key=lambda file: file.stat().st_mtime)
    if not backups:
        raise NotRestored(f"{path} has no backups (*.zip).")
    return backups[-1]


def _restore(backup: Path, environment: dict[str, str]) -> str:
    """Run `restore` on the scratch site; return what it says."""
    command = [sys.executable, "-m", "django", "restore", str(backup.resolve())]
    done = subprocess.run(
        command,
        cwd=settings.BASE_DIR,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        reason = done.stderr.strip().splitlines()[-1:]
        raise NotRestored(f"{backup} cannot be restored: {''.join(reason)}")

    return done.stdout.strip()


@contextmanager
def _scratch_site() -> Iterator[dict[str, str]]:
    """Yield the environment of a site with an empty database and the list of erasures."""
    with (
        TemporaryDirectory(dir=settings.DATA_DIR, prefix=".drill-") as folder,
        _scratch_database(Path(folder)) as url,
    ):
        if settings.ERASURES.exists():
            merge(settings.ERASURES, Path(folder, ERASURES))
        yield os.environ | {
            "DATA_DIR": folder,
            "DATABASE_URL": url,
            "SECRET_KEY": settings.SECRET_KEY,
            "DJANGO_SETTINGS_MODULE": settings.SETTINGS_MODULE,
        }


@contextmanager
def _scratch_database(folder: Path) -> Iterator[str]:
    """Yield the DATABASE_URL of a new database, which is deleted afterwards."""
    if connection.vendor == "sqlite":
        yield f"sqlite:///{folder}/scratch.sqlite3"
        return

    name = f"tercet_drill_{token_hex(5)}"
    try:
        _execute(f"CREATE DATABASE {name}")
    except DatabaseError as error:
        raise NotRestored(
            f"No scratch database can be created: {str(error).strip()}. "
            "Allow it: ALTER ROLE … CREATEDB, as a superuser of PostgreSQL."
        ) from None

    try:
        url = urlsplit(os.environ["DATABASE_URL"])
        yield url._replace(path=f"/{name}").geturl()
    finally:
        _execute(f"DROP DATABASE {name}")


def _execute(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)
