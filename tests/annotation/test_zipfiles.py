"""Uploaded zips up to the limit, and zips that are sent."""

import zipfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from secrets import token_bytes

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from pytest_django.fixtures import Settings

from tercet.analysis.tables.csv_tables import FaultyDataset
from tercet.annotation.zipfiles import (
    archive_of,
    dataset_folder,
    file_chunks,
    zip_members,
)
from tests.support.folders import contents

TABLE = b"image,caption\ndog,a dog\n"


def test_an_uploaded_zip_is_unpacked_up_to_the_limit(
    tmp_path: Path, settings: Settings
) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("references.csv", TABLE)

    settings.UPLOAD_LIMIT = len(TABLE)
    with dataset_folder(tmp_path / "a.zip", "dogs") as folder:
        assert folder.name == "dogs"
        assert contents(folder) == {"references.csv": TABLE}

    settings.UPLOAD_LIMIT -= 1
    with (
        pytest.raises(
            FaultyDataset, match="let an administrator raise UPLOAD_LIMIT_MB"
        ),
        dataset_folder(tmp_path / "a.zip"),
    ):
        pass


def test_files_that_came_one_by_one_are_packed(tmp_path: Path) -> None:
    loose = {"references.csv": TABLE, "dataset.json": b"{}"}
    files = [SimpleUploadedFile(name, content) for name, content in loose.items()]
    with archive_of(files) as packed:
        (tmp_path / "a.zip").write_bytes(packed.read())
    with dataset_folder(tmp_path / "a.zip") as folder:
        assert contents(folder) == loose


# Sending


def test_files_are_sent_as_a_zip_in_pieces(tmp_path: Path) -> None:
    contents = {
        "a.csv": b"image,caption\n" * 1_000,
        "page/b.svg": b"<svg/>",
        "empty": b"",
    }
    folder = tmp_path / "folder"
    (folder / "page").mkdir(parents=True)
    for name, content in contents.items():
        (folder / name).write_bytes(content)

    files = ((f"report/{name}", file_chunks(folder / name)) for name in contents)
    pieces = list(zip_members(files))

    assert len(pieces) > 2
    assert b"page/b.svg" not in pieces[0]

    (tmp_path / "sent.zip").write_bytes(b"".join(pieces))
    with zipfile.ZipFile(tmp_path / "sent.zip") as archive:
        assert archive.testzip() is None
        sent = {name: archive.read(name) for name in archive.namelist()}

    assert sent == {f"report/{name}": content for name, content in contents.items()}


def test_a_member_is_sent_while_it_is_made() -> None:
    made = []

    def content() -> Iterator[bytes]:
        for number in range(5):
            made.append(number)
            yield token_bytes(100_000)

    pieces = zip_members([("a", content())])
    assert sum(map(len, islice(pieces, 2))) > 100_000
    assert made == [0, 1]

    assert len(list(pieces)) == 4
    assert made == [0, 1, 2, 3, 4]
