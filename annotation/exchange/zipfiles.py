"""Unpack uploaded zip files of dataset folders safely, and stream files as a zip."""

import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from io import RawIOBase
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from django.conf import settings
from django.core.files import File
from django.core.files.uploadedfile import UploadedFile

from analysis.dataset.csv_tables import Problem
from analysis.dataset.folder import FaultyDataset
from analysis.dataset.schema import REFERENCES

MAX_FILES = 100_000
CHUNK = 1 << 20
FILE_MODE = 0o644 << 16
"""The permissions of a file, as a zip stores them."""
FIXED_TIME = (1980, 1, 1, 0, 0, 0)
"""The time of all members of a zip, so that the same files give the same bytes."""

Members = Iterable[tuple[str, Iterable[bytes]]]
"""The name of each member of a zip, and its content in chunks."""


@contextmanager
def dataset_folder(path: Path, name: str = "") -> Iterator[Path]:
    """Yield the dataset folder at `path`, a folder or a zip file; raises FaultyDataset.

    `name` is the name of the dataset where the zip file has another one.
    """
    if path.is_dir():
        yield path
        return

    with TemporaryDirectory() as temporary:
        target = Path(temporary) / (name or path.stem)
        target.mkdir()
        _unpack(path, target)
        yield _root(target)


def _root(folder: Path) -> Path:
    """Return the topmost folder that holds tables; `folder` itself if there are several."""
    tables = [*folder.rglob(REFERENCES.file)] or [*folder.rglob("*.csv")]
    folders = {path.parent for path in tables}

    depth = min((len(path.parts) for path in folders), default=0)
    topmost = [path for path in folders if len(path.parts) == depth]
    return topmost[0] if len(topmost) == 1 else folder


def _unpack(path: Path, target: Path) -> None:
    """Unpack a zip; raises FaultyDataset if it is broken, too large or has unsafe paths."""
    try:
        with ZipFile(path) as archive:
            members = [
                member for member in archive.infolist() if not member.is_dir()
            ]
            _check_members(path, members)
            _extract(path, archive, members, target)
    except FaultyDataset:
        raise
    except FileNotFoundError:
        raise _fault(
            path, "", "is not there", "Name a dataset folder or a zip of one"
        ) from None
    except (
        Exception
    ) as error:  # what a broken zip raises depends on where it is broken
        remedy = (
            "Pack the dataset folder as an ordinary zip without a password"
        )
        raise _fault(
            path, str(error), "is not a zip file that can be read", remedy
        ) from error


def _check_members(path: Path, members: list[ZipInfo]) -> None:
    if len(members) > MAX_FILES:
        raise _fault(
            path,
            "",
            f"holds {len(members):,} files",
            f"Pack at most {MAX_FILES:,}",
        )

    for member in members:
        is_link = stat.S_ISLNK(member.external_attr >> 16)
        if is_link or _is_unsafe(member.filename):
            remedy = "Pack plain files below one folder"
            raise _fault(
                path, member.filename, "holds a path outside itself", remedy
            )


def _is_unsafe(name: str) -> bool:
    """Return whether a member would be unpacked outside the target folder."""
    path = PurePosixPath(name.replace("\\", "/"))
    return (
        path.is_absolute()
        or ".." in path.parts
        or ":" in "".join(path.parts[:1])
    )


def _extract(
    path: Path, archive: ZipFile, members: list[ZipInfo], target: Path
) -> None:
    """Write the members, up to UPLOAD_LIMIT real bytes: stated sizes cannot be trusted."""
    remaining = settings.UPLOAD_LIMIT

    for member in members:
        file = target / member.filename.replace("\\", "/")
        file.parent.mkdir(parents=True, exist_ok=True)

        with archive.open(member) as packed, file.open("wb") as unpacked:
            while chunk := packed.read(CHUNK):
                remaining -= len(chunk)
                if remaining < 0:
                    raise _too_large(path)
                unpacked.write(chunk)


def _too_large(path: Path) -> FaultyDataset:
    limit = settings.UPLOAD_LIMIT // 2**20
    remedy = "Split the dataset, or let an administrator raise UPLOAD_LIMIT_MB"
    return _fault(path, "", f"is larger than {limit:,} MB unpacked", remedy)


def _fault(path: Path, value: str, what: str, remedy: str) -> FaultyDataset:
    return FaultyDataset([Problem(path.name, None, "", value, what, remedy)])


@contextmanager
def archive_of(
    files: "Iterable[UploadedFile[bytes]]",
) -> "Iterator[File[bytes]]":
    """Yield a temporary zip of files that were uploaded one by one."""
    with TemporaryFile() as packed:
        with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
            for file in files:
                with archive.open(
                    file.name or "", "w", force_zip64=True
                ) as member:
                    member.writelines(file.chunks())

        packed.seek(0)
        yield File(packed, name="dataset.zip")


class _Buffer(RawIOBase):
    """A file that is written to, and emptied whenever its content is taken."""

    def __init__(self) -> None:
        self.chunks: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, chunk: Any, /) -> int:
        self.chunks.append(bytes(chunk))
        return len(self.chunks[-1])

    def take(self) -> bytes:
        content = b"".join(self.chunks)
        self.chunks = []
        return content


def zip_files(files: Mapping[str, Path]) -> Iterator[bytes]:
    """Stream a zip of files, by their names in it; missing files are left out."""
    existing = {name: path for name, path in files.items() if path.is_file()}
    return zip_members(
        (name, file_chunks(path)) for name, path in existing.items()
    )


def file_chunks(path: Path) -> Iterator[bytes]:
    """Read a file in chunks."""
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            yield chunk


def zip_members(members: Members) -> Iterator[bytes]:
    """Stream a zip while its members are being made; the same members give the same bytes."""
    buffer = _Buffer()

    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        for name, content in members:
            info = ZipInfo(name, FIXED_TIME)
            info.compress_type, info.external_attr = ZIP_DEFLATED, FILE_MODE

            with archive.open(info, "w", force_zip64=True) as member:
                for chunk in content:
                    member.write(chunk)
                    yield buffer.take()

    yield buffer.take()
