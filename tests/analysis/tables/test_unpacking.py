"""Zips of dataset folders: ordinary ones, odd ones and hostile ones."""

import stat
import struct
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tercet.analysis.tables import unpacking
from tercet.analysis.tables.csv_tables import FaultyDataset
from tercet.analysis.tables.limits import MAX_UNPACKED
from tercet.analysis.tables.unpacking import dataset_folder, folder_of
from tests.support.folders import contents

TABLE = b"image,caption\ndog,a dog\n"
FILES = {"references.csv": TABLE, "pictures/dog.svg": b"<svg/>"}


def zipped(
    path: Path, files: Mapping[str, bytes], packing: int = zipfile.ZIP_DEFLATED
) -> Path:
    with zipfile.ZipFile(path, "w", packing) as archive:
        for name, content in files.items():
            archive.writestr(name, content)

    return path


def unpacked(path: Path, limit: int = MAX_UNPACKED) -> dict[str, bytes]:
    with dataset_folder(path, limit=limit) as folder:
        return contents(folder)


def refusal(path: Path, limit: int = MAX_UNPACKED) -> str:
    with pytest.raises(FaultyDataset) as error, dataset_folder(path, limit=limit):
        pass

    (problem,) = error.value.problems
    assert problem.file == path.name
    assert problem.remedy

    return str(problem)


@pytest.fixture(autouse=True)
def no_trace_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing is left in the temporary folder, and nothing lands outside of it."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    before = {path.name for path in tmp_path.iterdir()}

    yield
    assert list(temporary.iterdir()) == []

    made = {path.name for path in tmp_path.iterdir()} - before
    assert {name for name in made if not name.endswith(".zip")} <= {"folder"}


def test_a_folder_is_used_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with dataset_folder(tmp_path / "folder") as folder:
        assert folder == tmp_path / "folder"


@pytest.mark.parametrize("packing", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_an_ordinary_zip_is_unpacked(tmp_path: Path, packing: int) -> None:
    assert unpacked(zipped(tmp_path / "a.zip", FILES, packing)) == FILES


@pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_methods_that_unpack_without_a_bound_are_refused(
    tmp_path: Path, packing: int
) -> None:
    """A zip of 836 bytes took 1.9 GB of memory."""
    told = refusal(zipped(tmp_path / "a.zip", FILES, packing))
    assert "is not a zip file that can be read ('references.csv')" in told


def test_a_list_of_files_that_is_too_long_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """1,361,000 files in a zip of 64 MB took 595 MB of memory before they were counted."""
    path = zipped(tmp_path / "a.zip", FILES)
    monkeypatch.setattr(unpacking, "MAX_ZIP_DIRECTORY", 100)
    assert "the list of its files is too long" in refusal(path)


def test_one_folder_inside_is_the_dataset(tmp_path: Path) -> None:
    files = {f"dogs/{name}": content for name, content in FILES.items()}
    files |= {"__MACOSX/dogs/._references.csv": b"x", "__MACOSX/._dogs": b"x"}

    with dataset_folder(zipped(tmp_path / "a.zip", files)) as folder:
        assert folder.name == "dogs"
        assert contents(folder) == FILES


def test_a_dataset_is_found_however_deep_it_was_packed(tmp_path: Path) -> None:
    files = {f"home/ada/dogs/{name}": content for name, content in FILES.items()}
    files |= {
        "home/ada/read me.txt": b"hello",
        "home/ada/dogs/old/references.csv": b"older",
    }
    with dataset_folder(zipped(tmp_path / "a.zip", files)) as folder:
        assert folder.name == "dogs"


def test_of_two_datasets_side_by_side_none_is_chosen(tmp_path: Path) -> None:
    files = {"cats/references.csv": TABLE, "dogs/references.csv": TABLE}
    assert unpacked(zipped(tmp_path / "a.zip", files)) == files


def test_a_zip_that_holds_the_tables_at_its_top_is_called_as_its_file(
    tmp_path: Path,
) -> None:
    path = zipped(tmp_path / "dogs.zip", FILES)
    with dataset_folder(path) as folder:
        assert folder.name == "dogs"
    with dataset_folder(path, "cats") as folder:
        assert folder.name == "cats"


def test_folders_beside_the_tables_do_not_hide_them(tmp_path: Path) -> None:
    files = FILES | {"pictures/references.csv": b"another"}
    assert unpacked(zipped(tmp_path / "a.zip", files)) == files


def test_backslashes_of_windows_are_folders(tmp_path: Path) -> None:
    files = {name.replace("/", "\\"): content for name, content in FILES.items()}
    assert unpacked(zipped(tmp_path / "a.zip", files)) == FILES


def test_folders_of_their_own_are_no_files(tmp_path: Path) -> None:
    assert unpacked(zipped(tmp_path / "a.zip", {"pictures/": b""} | FILES)) == FILES


@pytest.mark.parametrize(
    "name",
    [
        "../evil.csv",
        "dogs/../../evil.csv",
        "/evil.csv",
        "//evil.csv",
        "..\\evil.csv",
        "\\evil.csv",
        "C:\\evil.csv",
        "c:evil.csv",
        "..",
    ],
)
def test_a_path_outside_the_zip_is_refused(tmp_path: Path, name: str) -> None:
    told = refusal(zipped(tmp_path / "a.zip", {"references.csv": TABLE, name: b"evil"}))
    assert "holds a path outside itself" in told
    assert repr(name) in told


def test_a_link_is_refused(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("references.csv")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")

    assert "outside itself" in refusal(tmp_path / "a.zip")


def test_a_zip_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    bomb = zipped(
        tmp_path / "a.zip", {"a.csv": bytes(2 * 2**20), "b.csv": bytes(2 * 2**20)}
    )

    assert bomb.stat().st_size < 2**14
    assert "is larger than 3 MB unpacked" in refusal(bomb, 3 * 2**20)


def test_a_zip_of_just_the_limit_is_unpacked(tmp_path: Path) -> None:
    assert unpacked(zipped(tmp_path / "a.zip", {"references.csv": TABLE}), len(TABLE))


def test_a_zip_that_lies_about_its_size_is_refused(tmp_path: Path) -> None:
    bomb = zipped(tmp_path / "a.zip", {"a.csv": bytes(4 * 2**20)})
    size = struct.pack("<L", 4 * 2**20)
    data = bomb.read_bytes()

    assert data.count(size) == 2

    bomb.write_bytes(data.replace(size, struct.pack("<L", 10)))
    with zipfile.ZipFile(bomb) as archive:
        assert archive.getinfo("a.csv").file_size == 10

    assert refusal(bomb, 2**20)


def test_a_zip_of_too_many_files_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unpacking, "MAX_FILES", 2)
    assert unpacked(zipped(tmp_path / "a.zip", FILES)) == FILES
    assert "holds 3 files" in refusal(
        zipped(tmp_path / "b.zip", FILES | {"c.csv": b""})
    )


@pytest.mark.parametrize(
    "content", [b"", b"image,caption\n", b"PK\x03\x04 and then nothing"]
)
def test_what_is_no_zip_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.zip").write_bytes(content)
    assert "is not a zip file that can be read" in refusal(tmp_path / "a.zip")


def test_what_is_not_there_is_refused(tmp_path: Path) -> None:
    assert "does not exist" in refusal(tmp_path / "a.zip")


def test_a_zip_with_a_password_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"references.csv": TABLE}, zipfile.ZIP_STORED)
    data = bytearray(path.read_bytes())
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1

    path.write_bytes(data)
    assert "without a password" in refusal(path)


def test_a_file_in_the_place_of_a_folder_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"dogs": b"", "dogs/references.csv": TABLE})
    assert "is not a zip file that can be read" in refusal(path)


def test_wherever_a_zip_is_damaged_it_is_refused_or_unpacked(tmp_path: Path) -> None:
    whole = zipped(tmp_path / "a.zip", {"é/references.csv": TABLE * 20}).read_bytes()
    outcomes = set()

    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 0xFF
        (tmp_path / "a.zip").write_bytes(damaged)

        try:
            unpacked(tmp_path / "a.zip")
            outcomes.add("unpacked")
        except FaultyDataset:
            outcomes.add("refused")

    assert outcomes == {"unpacked", "refused"}


@pytest.mark.parametrize("name", [".", "a" * 300])
def test_a_name_that_no_file_can_have_is_no_crash(tmp_path: Path, name: str) -> None:
    path = zipped(tmp_path / "a.zip", FILES | {name: b""})
    assert "is not a zip file that can be read" in refusal(path)


def test_tables_of_other_names_are_found_however_deep_they_were_packed(
    tmp_path: Path,
) -> None:
    files = {
        "home/dogs/captions.csv": TABLE,
        "home/dogs/pairs.csv": TABLE,
        "home/notes": b"x",
    }
    with dataset_folder(zipped(tmp_path / "a.zip", files)) as folder:
        assert folder.name == "dogs"


def test_several_files_are_one_folder(tmp_path: Path) -> None:
    files = [tmp_path / "folder" / name for name in ("one.csv", "two.csv")]
    files[0].parent.mkdir()
    for file in files:
        file.write_bytes(TABLE)
    with folder_of(files) as folder:
        assert sorted(contents(folder)) == ["one.csv", "two.csv"]
