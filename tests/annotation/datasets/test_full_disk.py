"""Imports on a disk that is full, of the site's own process."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from tests.support.databases import copy_database
from tests.support.folders import ROOT, dataset_folder

UNSHARE = ("unshare", "--map-root-user", "--mount")
"""What lets a process mount a file system that only itself sees."""


def may_mount() -> bool:
    try:
        return subprocess.run([*UNSHARE, "true"], check=False).returncode == 0
    except FileNotFoundError:
        return False


def fill_the_disk(place: Path, filled_by: str) -> dict[str, Any]:
    """What a site says that imports a large dataset until its disk is full."""
    copy_database(place / "prepared")
    (place / "data").mkdir()
    many = [
        (f"i{n}", f"the dog {n} runs over {k} fields")
        for n in range(4_000)
        for k in range(5)
    ]
    folder = dataset_folder(place / "big", many, pairs=None)
    environment = os.environ | {
        "DATA_DIR": str(place / "data"),
        "DATABASE_URL": f"sqlite:///{place}/data/tercet.sqlite3",
        "ALLOWED_HOSTS": "testserver",
        "DJANGO_SETTINGS_MODULE": "tercet.config.settings",
        "PYTHONPATH": str(ROOT),
        "TMPDIR": str(place),
    }
    script = Path(__file__).with_name("full_disk_site.py")
    command: list[str | Path] = [
        sys.executable,
        script,
        filled_by,
        place / "prepared",
        folder,
    ]

    done = subprocess.run(
        [*UNSHARE, *command] if filled_by == "mount" else command,
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr

    last_line = done.stdout.splitlines()[-1]
    return dict(json.loads(last_line))


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("filled_by", ["mount", "limit"])
def test_an_import_on_a_full_disk_says_so_and_leaves_nothing(
    tmp_path: Path, filled_by: str
) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL's files belong to its server.")
    if filled_by == "mount" and not may_mount():
        pytest.skip("This user may not mount file systems.")

    told = fill_the_disk(tmp_path, filled_by)

    assert "was not imported: the disk is full" in told["command"]
    assert (
        "an import leaves 256 MB for votes" in told["refused"] or filled_by == "limit"
    )
    assert (
        "The disk of the server is full or almost full, so nothing was saved."
        in told["imported"]
    )

    status, page = told["stored"]
    assert status == 507
    assert "The disk of the server is full" in page
    assert (told["datasets"], told["rows"]) == (0, 0)
