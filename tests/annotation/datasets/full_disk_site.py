"""Import on a site whose disk is too small, and print what people are told, as JSON.

Arguments: how the disk is filled, a folder with a migrated database, and the dataset.
"""

import json
import os
import resource
import shutil
import subprocess
import sys
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from django.test import Client

    from tercet.annotation.models import Upload

SIZE = 12 << 20
"""Bytes of the disk, which a file fills but for those that follow."""
LEFT = 1 << 19
"""Bytes that are free. With some other numbers, not even the message fits on the disk."""
ROOM = 256 << 10
"""Bytes that an import leaves."""


def main(filled_by: str, prepared: Path, dataset: Path) -> None:
    data = Path(os.environ["DATA_DIR"])
    if filled_by == "mount":
        mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(data)]
        subprocess.run(mount, check=True)

    shutil.copy2(prepared / "tercet.sqlite3", data)

    import django

    django.setup()
    from django.conf import settings
    from django.test import override_settings

    from tercet.annotation.datasets import disk

    disk.ROOM = ROOM
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}

    with override_settings(STORAGES=settings.STORAGES | {"staticfiles": plain}):
        browser = office()
        upload = checked_upload(browser, dataset)
        fill(filled_by, data)
        command = told_by_command(dataset)
        disk.ROOM = 256 << 20
        refused = told_by_command(dataset)
        disk.ROOM = ROOM
        told = {
            "command": command,
            "refused": refused,
            "imported": told_of_import(browser, upload),
            "stored": told_of_upload(browser),
            "datasets": datasets(),
        }
        make_room(data)
        told["rows"] = rows()

    print(json.dumps(told))


def fill(filled_by: str, data: Path) -> None:
    """Leave some of the disk, or let no file grow beyond so much more than the database has."""
    if filled_by == "mount":
        free = shutil.disk_usage(data).free
        (data / "filler").write_bytes(bytes(free - LEFT))
    else:
        size = (data / "tercet.sqlite3").stat().st_size + LEFT
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def make_room(data: Path) -> None:
    """Free the disk, and clean up as every day."""
    from django.core.management import call_command

    (data / "filler").unlink(missing_ok=True)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
    call_command("clean_up", stdout=sys.stderr)


def office() -> "Client":
    """The browser of an administrator."""
    from django.contrib.auth.models import User
    from django.test import Client

    browser = Client(raise_request_exception=False)
    browser.force_login(User.objects.create_user("ada", is_staff=True))
    return browser


def checked_upload(browser: "Client", dataset: Path) -> "Upload":
    """An upload that was checked while there was room."""
    from tercet.annotation.datasets.tasks import process_upload
    from tercet.annotation.models import Upload

    archive = shutil.make_archive(str(dataset), "zip", dataset)
    with Path(archive).open("rb") as file:
        browser.post("/datasets/upload/", {"file": file})

    upload = Upload.objects.get()
    process_upload.call(upload.task_key)
    return upload


def told_by_command(dataset: Path) -> str:
    from django.core.management import CommandError, call_command

    try:
        call_command("import_dataset", dataset)
    except CommandError as error:
        return str(error)

    return "imported"


def told_of_import(browser: "Client", upload: "Upload") -> str:
    """The page of an import that does not fit."""
    from django.db import DatabaseError

    from tercet.annotation.datasets.tasks import process_upload

    browser.post(f"/datasets/upload/{upload.key}/import/", {"name": "another"})
    with suppress(DatabaseError, OSError):
        process_upload.call(upload.task_key)

    page = browser.get(f"/datasets/upload/{upload.key}/")
    return page.getvalue().decode()


def told_of_upload(browser: "Client") -> tuple[int, str]:
    """The answer to a file that does not fit."""
    file = BytesIO(os.urandom(SIZE))
    file.name = "large.zip"
    page = browser.post("/datasets/upload/", {"file": file})

    return page.status_code, page.getvalue().decode()


def datasets() -> int:
    from tercet.annotation.models import Dataset

    return Dataset.objects.count()


def rows() -> int:
    from tercet.annotation.models import Image, Reference

    return Image.objects.count() + Reference.objects.count()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
