from collections.abc import Mapping
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from tercet.metrics.text.files import (
    CANDIDATES,
    REFERENCES,
    CaptionLine,
    InputError,
    load,
    read,
)

CAPTIONS = "image,caption\n1,a dog\n2,two cats\n"
LINES = [CaptionLine("1", "a dog"), CaptionLine("2", "two cats")]


def zipped(path: Path, files: Mapping[str, str]) -> Path:
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)

    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / REFERENCES).write_text(CAPTIONS, encoding="utf-8")
    return tmp_path


def test_the_captions_of_a_dataset_folder_are_those_of_its_table(folder: Path) -> None:
    assert list(read(folder, REFERENCES)) == LINES


def test_a_folder_without_the_table_is_named(folder: Path) -> None:
    with pytest.raises(FileNotFoundError, match=CANDIDATES):
        load(folder, CANDIDATES)


@pytest.mark.parametrize("inside", ["", "pets/", "data/pets/"])
def test_a_zip_is_read_however_deep_it_was_packed(tmp_path: Path, inside: str) -> None:
    path = zipped(tmp_path / "pets.zip", {f"{inside}{REFERENCES}": "\ufeff" + CAPTIONS})
    assert list(read(path, REFERENCES)) == LINES


def test_the_highest_table_of_a_zip_is_read(tmp_path: Path) -> None:
    files = {f"old/{REFERENCES}": "image,caption\n9,old\n", REFERENCES: CAPTIONS}
    assert list(read(zipped(tmp_path / "pets.zip", files), REFERENCES)) == LINES


def test_a_zip_without_the_table_is_named(tmp_path: Path) -> None:
    path = zipped(tmp_path / "pets.zip", {REFERENCES: CAPTIONS})
    with pytest.raises(InputError, match=r"pets\.zip, no candidates\.csv in it"):
        load(path, CANDIDATES)


def test_a_fault_inside_a_zip_is_named_with_its_line(tmp_path: Path) -> None:
    path = zipped(tmp_path / "pets.zip", {REFERENCES: CAPTIONS + ",a bird\n"})
    with pytest.raises(InputError, match=r"pets\.zip, line 4, column image: is empty"):
        load(path, REFERENCES)


def test_a_damaged_zip_is_named(tmp_path: Path) -> None:
    path = zipped(tmp_path / "pets.zip", {REFERENCES: CAPTIONS * 100})
    content = bytearray(path.read_bytes())
    content[50:60] = b"\xff" * 10

    path.write_bytes(content)
    with pytest.raises(
        InputError, match=r"pets\.zip: is not a zip file that can be read"
    ):
        load(path, REFERENCES)
