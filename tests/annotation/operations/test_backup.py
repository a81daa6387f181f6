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

from tercet.annotation.models import Study
from tercet.annotation.operations.backup import (
    DESCRIPTION,
    NotRestored,
    restore_backup,
    write_backup,
)
from tests.annotation.judging.children import database_url, environment
from tests.postgresql import CLIENT
from tests.support.databases import copied_tables
from tests.support.folders import ROOT, contents, dataset_folder

SIMULATE = ("simulate", "small-triplet", "--annotators", "3", "--seed", "1")

FIRST = 'from tercet.annotation.models import Annotator; kim = Annotator.objects.earliest("pk")'
NAME_FIRST = f'{FIRST}; kim.external_id = "5f3a77c0ffee"; kim.save()'
EXCLUDE_NAMED = (
    "from tercet.annotation.models import Annotator as A; "
    "from tercet.annotation.quality.exclusion import exclude_annotator; "
    'exclude_annotator(A.objects.get(external_id="5f3a77c0ffee"), None, "asked for it")'
)
COUNT_NAMED = (
    "from tercet.annotation.models import Annotator as A; "
    'named, out = A.objects.exclude(external_id=""), A.objects.exclude(excluded_at=None); '
    'print(f"named: {named.count()}, excluded: {out.count()}")'
)


class Site:
    """A site of its own, whose commands are run as an administrator runs them."""

    def __init__(self, folder: Path) -> None:
        self.data = folder / "data"
        self.data.mkdir()
        self.backup = folder / "backup.zip"
        self.environment = environment() | {
            "DATA_DIR": str(self.data),
            "DATABASE_URL": database_url(copied_tables(f"site{os.getpid()}")),
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
        with self.start("tests/support/interpreter.py") as process:
            out, error = process.communicate("\n".join(lines))

        return out, error, process.returncode

    def destroy(self) -> None:
        """Delete what the site has stored: its files, and the content of its database."""
        shutil.rmtree(self.data)
        self.data.mkdir()
        copied_tables(f"site{os.getpid()}")


def back_up_while_people_vote(site: Site) -> None:
    with site.start("manage.py", *SIMULATE) as voting:
        while voting.poll() is None and not site.backup.exists():
            site.run(f"backup {site.backup}")
        _, error = voting.communicate()

    assert voting.returncode == 0, error


@pytest.mark.voting
@pytest.mark.django_db(transaction=True)
def test_a_backup_made_while_people_vote_is_restored_to_the_vote(
    tmp_path: Path,
) -> None:
    site = Site(tmp_path)
    site.run(
        f"import_dataset {dataset_folder(tmp_path / 'small')}",
        "create_study small --open",
    )
    picture = site.data / "media" / "images" / "dog.png"
    picture.parent.mkdir(parents=True)
    picture.write_bytes(b"a picture of a dog")
    back_up_while_people_vote(site)

    before, after = tmp_path / "before", tmp_path / "after"
    refused = site.refused(
        f"backup {site.backup}",
        f"export_study small-triplet --out {before}",
        f"restore {site.backup}",
    )
    remedy = "This site has data. Back them up, then restore with --replace."
    assert f"CommandError: {remedy}" in refused

    site.destroy()
    export = f"export_study small-triplet --out {after}"
    said = site.run(f"restore {site.backup}", export)

    assert "The counters of all questions match their votes." in said
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


def test_a_backup_is_for_its_owner_only(tmp_path: Path, backup: Path) -> None:
    before = os.umask(0)
    try:
        write_backup(tmp_path / "open" / "backup.zip")
    finally:
        os.umask(before)

    assert (tmp_path / "open" / "backup.zip").stat().st_mode & 0o777 == 0o600


@pytest.mark.voting
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("is_new_machine", [False, True])
def test_who_was_erased_after_a_backup_is_erased_again(
    tmp_path: Path, is_new_machine: bool
) -> None:
    site = Site(tmp_path)
    site.run(
        f"import_dataset {dataset_folder(tmp_path / 'small')}",
        "create_study small --open",
        " ".join(SIMULATE),
        f"shell --no-imports -c '{NAME_FIRST}'",
        f"backup {site.backup}",
        f"shell --no-imports -c '{EXCLUDE_NAMED}'",
        "erase_annotator small-triplet 5f3a77c0ffee",
        f"backup {tmp_path / 'later.zip'}",
    )
    listed = site.data / "erasures.txt"

    assert listed.stat().st_mode & 0o777 == 0o600

    if is_new_machine:
        site.destroy()

    said = site.run(
        f"restore {site.backup} --replace", f"shell --no-imports -c '{COUNT_NAMED}'"
    )

    assert "Erased again, as the list of erasures says: 1." in said
    assert said.endswith("named: 0, excluded: 1\n")
    assert len(listed.read_text().splitlines()) == 1

    with ZipFile(site.backup) as archive:
        assert listed.name not in archive.namelist()


def change(backup: Path, described: dict[str, object], more: bytes = b"") -> None:
    """Change what a backup says about itself, and the copy of its database."""
    with ZipFile(backup) as source:
        members = {name: source.read(name) for name in source.namelist()}

    members[DESCRIPTION] = json.dumps(
        json.loads(members[DESCRIPTION]) | described
    ).encode()
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
        (
            {"digests": {"../outside": "0"}},
            b"",
            "has a file outside itself: ../outside",
        ),
        (
            {"digests": {"media/lost.png": "0"}},
            b"",
            "media/lost.png is missing or damaged",
        ),
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
