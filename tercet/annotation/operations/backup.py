"""Write the database and the files of a site into one archive, and restore it.

A backup is a zip file: `backup.json`, a copy of the database, and the files of `MEDIA_ROOT` under
`media/`. `backup.json` has the version, the migrations, the rows of every table, and the SHA-256
digest of every other file. It is consistent although people vote meanwhile: the copy of the
database is that of one moment, and the files are read after it, since a row that names a file is
stored after the file.
"""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from hashlib import file_digest, sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile

from django.conf import settings
from django.core.management import call_command
from django.db.migrations.loader import MigrationLoader
from django.utils import timezone

from tercet import __version__
from tercet.analysis.progress import Progress, silent
from tercet.annotation.operations.account_erasure import erase_again
from tercet.annotation.operations.databases import (
    Rows,
    copier,
    is_empty,
    migrations,
    row_counts,
)
from tercet.annotation.quality.erasures import NAME as ERASURES
from tercet.annotation.quality.erasures import merge

DESCRIPTION = "backup.json"
_MEDIA = "media"
CHUNK = 1 << 20
RENAMED_TABLES = {
    "annotation_triplet": "annotation_question",
    "annotation_vote": "annotation_answer",
}
"""The tables of earlier versions that have other names now."""

_FORMER_APPS = {"axes", "otp_static", "otp_totp"}
"""Apps of earlier versions, whose migrations stand in their backups."""


class NotRestored(Exception):
    """A backup cannot be restored; the message says why, and nothing was changed."""


class RowsDiffer(Exception):
    """A restored database has not the rows of the backup; the message names the tables."""


@dataclass(frozen=True)
class _Description:
    """What a backup says about itself."""

    version: str
    created_at: str
    database: str
    migrations: list[str]
    rows: Rows
    digests: dict[str, str]

    @property
    def rows_of_present_tables(self) -> Rows:
        """The rows by the names that tables have after an upgrade."""
        return {RENAMED_TABLES.get(name, name): n for name, n in self.rows.items()}

    @property
    def votes(self) -> int:
        return self.rows_of_present_tables["annotation_answer"]


def write_backup(path: Path, progress: Progress = silent) -> _Description:
    """Write a backup; a file of this name is replaced once the new one is complete.

    Only its owner can read it. The list of erasures, which it does not contain, is copied into
    the same folder, where it grows.

    Raises
    ------
    NotCopied
        If the database cannot be copied.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    database = copier()

    with TemporaryDirectory(dir=path.parent, prefix=".backup-") as folder:
        progress(0, "Copying the database")
        applied = migrations()
        copy = Path(folder, database.file)
        rows = database.copy(copy)

        members = {database.file: copy} | dict(_media_files())
        unfinished = Path(folder, path.name)
        with (
            open(unfinished, "xb", opener=partial(os.open, mode=0o600)) as file,
            ZipFile(file, "w", ZIP_DEFLATED) as archive,
        ):
            digests = dict(_add_files(archive, members, progress))
            now = timezone.now().isoformat(timespec="seconds")
            description = _Description(
                __version__, now, database.vendor, sorted(applied), rows, digests
            )
            text = json.dumps(asdict(description), indent=1)
            archive.writestr(DESCRIPTION, text)

        unfinished.replace(path)

    merge(settings.ERASURES, path.parent / ERASURES)
    return description


def restore_backup(
    path: Path, *, replace: bool = False, progress: Progress = silent
) -> tuple[_Description, int]:
    """Restore a backup: check all of it, then replace the database and the files.

    The database is upgraded where the backup is of an earlier version. Who was erased since is
    erased again, by the list of erasures of this site and the one beside the backup; the number
    of them is returned, too.

    Parameters
    ----------
    path
        The backup.
    replace
        Whether the data of a site that is in use may be replaced.
    progress
        Reports the progress.

    Raises
    ------
    NotRestored
        If the backup is damaged or of another database or a later version, or if there are data
        that may not be replaced. Nothing has been changed then.
    NotCopied
        If the database refuses the copy; it is as before then.
    RowsDiffer
        If the restored tables do not have the rows that the backup says.
    """
    media = settings.MEDIA_ROOT

    with _opened(path) as (archive, description):
        _check_fit(description)
        if not replace and (not is_empty() or any(_media_files())):
            raise NotRestored(
                "This site has data. Back them up, then restore with --replace."
            )

        media.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=media.parent, prefix=".restore-") as folder:
            _extract(archive, description, Path(folder), progress)

            progress(0.8, "Restoring the database")
            copier().replace(Path(folder, copier().file))
            _swap(Path(folder, _MEDIA), media)
            differing = description.rows.items() - row_counts().items()
            if differing:
                tables = ", ".join(sorted(table for table, _count in differing))
                raise RowsDiffer(
                    f"Restored, but these tables differ from the backup: {tables}."
                )

    progress(0.9, "Upgrading the database")
    call_command("migrate", verbosity=0)
    merge(path.parent / ERASURES, settings.ERASURES)
    return description, erase_again()


def described(path: Path) -> _Description:
    """Return what a backup says about itself; raises NotRestored where it is none."""
    with _opened(path) as (_archive, description):
        return description


def _media_files() -> Iterator[tuple[str, Path]]:
    """Yield the files of the site, by their names in a backup."""
    media = settings.MEDIA_ROOT
    for path in sorted(media.rglob("*")):
        if path.is_file():
            yield f"{_MEDIA}/{path.relative_to(media).as_posix()}", path


def _add_files(
    archive: ZipFile, members: dict[str, Path], progress: Progress
) -> Iterator[tuple[str, str]]:
    """Add files to an archive, but for those deleted meanwhile; yield the digest of each."""
    for number, (name, path) in enumerate(members.items()):
        progress(0.3 + 0.7 * number / len(members), "Adding files")

        try:
            source = path.open("rb")
        except FileNotFoundError:
            continue

        digest = sha256()
        with source, archive.open(name, "w", force_zip64=True) as member:
            while chunk := source.read(CHUNK):
                digest.update(chunk)
                member.write(chunk)
        yield name, digest.hexdigest()


@contextmanager
def _opened(path: Path) -> Iterator[tuple[ZipFile, _Description]]:
    """Open a backup, and read what it says about itself."""
    try:
        archive = ZipFile(path)
    except (OSError, BadZipFile) as error:
        raise NotRestored(f"{path} cannot be read: {error}.") from None

    with archive:
        try:
            description = _Description(**json.loads(archive.read(DESCRIPTION)))
        except (KeyError, TypeError, ValueError, BadZipFile):
            raise NotRestored(
                f"{path} is not a backup: it has no readable {DESCRIPTION}."
            ) from None
        yield archive, description


def _check_fit(description: _Description) -> None:
    """Check that a backup is of this kind of database, and of no later version."""
    vendor = copier().vendor
    if description.database != vendor:
        raise NotRestored(
            f"The backup is of {description.database}, but DATABASE_URL names {vendor}: "
            f"set it to a {description.database} database."
        )

    known = MigrationLoader(None, ignore_no_migrations=True).disk_migrations
    replaced = {name for migration in known.values() for name in migration.replaces}
    names = {f"{app}.{name}" for app, name in {*known, *replaced}}
    later = sorted(
        name
        for name in set(description.migrations) - names
        if name.partition(".")[0] not in _FORMER_APPS
    )
    if later:
        raise NotRestored(
            f"The backup is of a later version, {description.version}: install that first "
            f"(unknown here: {', '.join(later[:3])})."
        )


def _extract(
    archive: ZipFile, description: _Description, folder: Path, progress: Progress
) -> None:
    """Unpack the files of a backup into a folder, and check the digest of each."""
    Path(folder, _MEDIA).mkdir()
    root = folder.resolve()

    for number, (name, digest) in enumerate(description.digests.items()):
        progress(0.8 * number / len(description.digests), "Checking files")

        path = (root / name).resolve()
        if not path.is_relative_to(root):
            raise NotRestored(f"The backup has a file outside itself: {name}.")

        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with archive.open(name) as source, path.open("wb") as target:
                shutil.copyfileobj(source, target, CHUNK)
        except (KeyError, BadZipFile, EOFError):
            raise NotRestored(f"{name} is missing or damaged.") from None

        with path.open("rb") as file:
            if file_digest(file, "sha256").hexdigest() != digest:
                raise NotRestored(f"{name} differs from its digest.")


def _swap(new: Path, old: Path) -> None:
    """Put a folder in the place of another one, which is deleted afterwards."""
    before = new.with_name("before")
    if old.exists():
        old.rename(before)

    new.rename(old)
