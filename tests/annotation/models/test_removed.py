"""What removed features held is kept in files."""

import json
from pathlib import Path

import pytest
from pytest_django.fixtures import Settings

from tercet.annotation.migrations._removed import write_removed


@pytest.fixture(autouse=True)
def folder(settings: Settings, tmp_path: Path) -> Path:
    settings.DATA_DIR = tmp_path
    return tmp_path / "removed-0.3"


def test_a_second_file_does_not_replace_the_first(folder: Path) -> None:
    for number in range(3):
        write_removed("rules", [{"number": number}])

    files = {path.name: json.loads(path.read_text()) for path in folder.iterdir()}
    assert files == {
        "rules.json": [{"number": 0}],
        "rules-2.json": [{"number": 1}],
        "rules-3.json": [{"number": 2}],
    }


def test_only_the_owner_reads_the_file(folder: Path) -> None:
    write_removed("rules", ["é"])
    assert (folder / "rules.json").stat().st_mode & 0o077 == 0


def test_nothing_is_written_without_rows(folder: Path) -> None:
    write_removed("rules", [])
    assert not folder.exists()
