"""Rehearsals with real commands: vote, back up meanwhile, destroy, restore, compare."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from annotation.models import Study
from annotation.operations.backup import DESCRIPTION, NotRestored, restore_backup, write_backup
from tests.annotation.children import database_url, environment
from tests.databases import copied_tables
from tests.folders import ROOT, contents, dataset_folder
from tests.postgresql import CLIENT

SIMULATE = ("simulate", "small-triplet", "--annotators", "3", "--seed", "1")


class Site:
    """A site of its own, whose commands are run as an administrator runs them."""

    def __init__(self, folder: Path) -> None:
        self.data = folder / "data"
        self.data.mkdir()
        self.backup = folder / "backup.zip"
        self.environment = environment() | {
            "DATA_DIR": str(self.data),
            "DATABASE_URL": database_url(copied_tables("site")),
            "PATH": f"{CLIENT}:{os.environ['PATH']}",
        }

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        return subprocess.Popen(
            [sys.executable, *arguments],
            cwd=ROOT,
            env=self.environment,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            text=True,
        )

    def run(self, *commands: str) -> str:
        """Run commands of manage.py one after the other, in one process; give what they say."""
        out, error, code = self._run(commands)
        assert code == 0, error
        return out

    def refused(self, *commands: str) -> str:
        """Run commands, of which the last one must fail; give its message."""
        out, error, code = self._run(commands)
        assert code != 0
        assert out.splitlines()[-1] == f"$ python manage.py {commands[-1]}"
        return error

    def _run(self, commands: tuple[str, ...]) -> tuple[str, str, int]:
        lines = [f"python manage.py {command}" for command in commands]
        with self.start("tests/interpreter.py") as process:
            out, error = process.communicate("\n".join(lines))
        return out, error, process.returncode

    def destroy(self) -> None:
        """Delete what the site has stored: its files, and the content of its database."""
        shutil.rmtree(self.data)
        self.data.mkdir()
        copied_tables("site")


@pytest.mark.voting
@pytest.mark.django_db(transaction=True)
def test_a_backup_made_while_people_vote_is_restored_to_the_vote(tmp_path: Path) -> None:
    site = Site(tmp_path)
    site.run(f"import_dataset {dataset_folder(tmp_path / 'small')}", "create_study small --open")
    picture = site.data / "media" / "images" / "dog.png"
    picture.parent.mkdir(parents=True)
    picture.write_bytes(b"a picture of a dog")

    with site.start("manage.py", *SIMULATE) as voting:
        while voting.poll() is None and not site.backup.exists():
            site.run(f"backup {site.backup}")
        _, error = voting.communicate()
    assert voting.returncode == 0, error

    before, after = tmp_path / "before", tmp_path / "after"
    refused = site.refused(
        f"backup {site.backup}",
        f"export_study small-triplet --out {before}",
        f"restore {site.backup}",
    )
    assert "CommandError: This site has data. Back them up, then restore with --replace." in refused

    site.destroy()
    said = site.run(f"restore {site.backup}", f"export_study small-triplet --out {after}")
    assert "The counters of all triplets match their votes." in said
    assert contents(after) == contents(before)
    assert picture.read_bytes() == b"a picture of a dog"

    picture.write_bytes(b"another picture")
    site.run(f"restore {site.backup} --replace")
    assert picture.read_bytes() == b"a picture of a dog"


@pytest.fixture
def backup(tmp_path: Path, study: Study, settings: Any) -> Path:
    settings.MEDIA_ROOT = tmp_path / "media"
    path = tmp_path / "backup.zip"
    write_backup(path)
    return path


def change(backup: Path, described: dict[str, object], more: bytes = b"") -> None:
    """Change what a backup says about itself, and the copy of its database."""
    with ZipFile(backup) as source:
        members = {name: source.read(name) for name in source.namelist()}
    members[DESCRIPTION] = json.dumps(json.loads(members[DESCRIPTION]) | described).encode()
    members["database.sqlite3"] += more
    with ZipFile(backup, "w") as target:
        for name, content in members.items():
            target.writestr(name, content)


@pytest.mark.parametrize(
    ("described", "more", "message"),
    [
        ({}, b"more", "differs from its digest"),
        ({"database": "mysql"}, b"", "is of mysql, but DATABASE_URL names sqlite"),
        (
            {"migrations": ["annotation.9999_later"], "version": "9.0"},
            b"",
            "is of a later version, 9.0: install that first",
        ),
        ({"digests": {"../outside": "0"}}, b"", "has a file outside itself: ../outside"),
        ({"digests": {"media/lost.png": "0"}}, b"", "media/lost.png is missing or damaged"),
        ({"unknown": 1}, b"", "is not a backup"),
    ],
)
@pytest.mark.django_db(transaction=True)
def test_a_damaged_or_foreign_backup_changes_nothing(
    backup: Path, study: Study, described: dict[str, object], more: bytes, message: str
) -> None:
    change(backup, described, more)
    Study.objects.update(title="changed since")
    with pytest.raises(NotRestored, match=message):
        restore_backup(backup, replace=True)
    assert Study.objects.get().title == "changed since"


def test_a_file_that_is_no_zip_is_refused(tmp_path: Path) -> None:
    (tmp_path / "backup.zip").write_text("nothing")
    with pytest.raises(NotRestored, match="cannot be read"):
        restore_backup(tmp_path / "backup.zip")
