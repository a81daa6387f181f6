"""Unpack uploaded zip files, and stream files as a zip."""

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from io import RawIOBase
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from django.conf import settings
from django.core.files import File
from django.core.files.uploadedfile import UploadedFile

from tercet.analysis.tables import unpacking

CHUNK = 1 << 20
_FILE_MODE = 0o644 << 16
"""The permissions of a file, as a zip stores them."""
_FIXED_TIME = (1980, 1, 1, 0, 0, 0)
"""The time of all members of a zip, so that the same files give the same bytes."""

Members = Iterable[tuple[str, Iterable[bytes]]]
"""The name of each member of a zip, and its content in chunks."""


def dataset_folder(path: Path, name: str = "") -> AbstractContextManager[Path]:
    """Unpack a dataset folder, up to the size that may be uploaded; see `unpacking`."""
    remedy = "Split the dataset, or let an administrator raise UPLOAD_LIMIT_MB"
    return unpacking.dataset_folder(path, name, settings.UPLOAD_LIMIT, remedy)


@contextmanager
def archive_of(files: "Iterable[UploadedFile[bytes]]") -> "Iterator[File[bytes]]":
    """Yield a temporary zip of files that were uploaded one by one."""
    with TemporaryFile() as packed:
        with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
            for file in files:
                with archive.open(file.name or "", "w", force_zip64=True) as member:
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
            info = ZipInfo(name, _FIXED_TIME)
            info.compress_type = ZIP_DEFLATED
            info.external_attr = _FILE_MODE

            with archive.open(info, "w", force_zip64=True) as member:
                for chunk in content:
                    member.write(chunk)
                    yield buffer.take()

    yield buffer.take()
