"""Dataset folders that come as zip files, unpacked with care; and files packed as a zip."""

import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from io import RawIOBase
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory, TemporaryFile
from time import localtime
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from django.conf import settings
from django.core.files import File
from django.core.files.uploadedfile import UploadedFile

from analysis.dataset.csv_tables import Problem
from analysis.dataset.folder import FaultyDataset
from analysis.dataset.schema import REFERENCES

MOST_FILES = 100_000
CHUNK = 1 << 20
READABLE = 0o644 << 16
"""The rights of a file, as a zip notes them."""


@contextmanager
def dataset_folder(path: Path, name: str = "") -> Iterator[Path]:
    """The dataset folder at `path`, a folder or a zip file; raises FaultyDataset.

    `name` is that of a zip whose file is called otherwise.
    """
    if path.is_dir():
        yield path
        return
    with TemporaryDirectory() as temporary:
        target = Path(temporary) / (name or path.stem)
        target.mkdir()
        unpack(path, target)
        yield root(target)


def root(folder: Path) -> Path:
    """The folder that holds the tables, however deep it was packed; the top if several do."""
    named = [*folder.rglob(REFERENCES.file)] or [*folder.rglob("*.csv")]
    found = {path.parent for path in named}
    least = min((len(path.parts) for path in found), default=0)
    highest = [path for path in found if len(path.parts) == least]
    return highest[0] if len(highest) == 1 else folder


def unpack(path: Path, target: Path) -> None:
    """Unpack a zip; raises FaultyDataset for one that is broken, too large or reaches outside."""
    try:
        with ZipFile(path) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
            refuse(path, members)
            extract(path, archive, members, target)
    except FaultyDataset:
        raise
    except FileNotFoundError:
        raise fault(path, "", "is not there", "Name a dataset folder or a zip of one") from None
    except Exception as error:  # what a broken zip raises depends on where it is broken
        remedy = "Pack the dataset folder as an ordinary zip without a password"
        raise fault(path, str(error), "is not a zip file that can be read", remedy) from error


def refuse(path: Path, members: list[ZipInfo]) -> None:
    if len(members) > MOST_FILES:
        raise fault(path, "", f"holds {len(members):,} files", f"Pack at most {MOST_FILES:,}")
    for member in members:
        if outside(member.filename) or stat.S_ISLNK(member.external_attr >> 16):
            remedy = "Pack plain files below one folder"
            raise fault(path, member.filename, "holds a path outside itself", remedy)


def outside(name: str) -> bool:
    path = PurePosixPath(name.replace("\\", "/"))
    return path.is_absolute() or ".." in path.parts or ":" in "".join(path.parts[:1])


def extract(path: Path, archive: ZipFile, members: list[ZipInfo], target: Path) -> None:
    """Write the members, counting real bytes: what a zip says of its sizes proves nothing."""
    room = settings.UPLOAD_LIMIT
    for member in members:
        file = target / member.filename.replace("\\", "/")
        file.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(member) as packed, file.open("wb") as unpacked:
            while chunk := packed.read(CHUNK):
                room -= len(chunk)
                if room < 0:
                    limit = settings.UPLOAD_LIMIT // 2**20
                    remedy = "Split the dataset, or let an administrator raise UPLOAD_LIMIT_MB"
                    raise fault(path, "", f"is larger than {limit:,} MB unpacked", remedy)
                unpacked.write(chunk)


def fault(path: Path, value: str, what: str, remedy: str) -> FaultyDataset:
    return FaultyDataset([Problem(path.name, None, "", value, what, remedy)])


@contextmanager
def archive_of(files: "Iterable[UploadedFile[bytes]]") -> "Iterator[File[bytes]]":
    """A zip of files that came one by one, in a temporary file."""
    with TemporaryFile() as packed:
        with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
            for file in files:
                with archive.open(file.name or "", "w", force_zip64=True) as member:
                    member.writelines(file.chunks())
        packed.seek(0)
        yield File(packed, name="dataset.zip")


class Pieces(RawIOBase):
    """A file that is written to, and forgets what has been taken from it."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, part: Any, /) -> int:
        self.parts.append(bytes(part))
        return len(self.parts[-1])

    def take(self) -> bytes:
        taken, self.parts = b"".join(self.parts), []
        return taken


def zip_files(files: Mapping[str, Path]) -> Iterator[bytes]:
    """A zip of the files by their names in it, made while it is sent; without missing files."""
    found = {name: path for name, path in files.items() if path.is_file()}
    return zip_pieces((name, file_pieces(path)) for name, path in found.items())


def file_pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(CHUNK):
            yield piece


def zip_pieces(members: Iterable[tuple[str, Iterable[bytes]]]) -> Iterator[bytes]:
    """A zip of members that come in pieces, made while it is sent."""
    pieces = Pieces()
    with ZipFile(pieces, "w", ZIP_DEFLATED) as archive:
        for name, content in members:
            info = ZipInfo(name, localtime()[:6])
            info.compress_type, info.external_attr = ZIP_DEFLATED, READABLE
            with archive.open(info, "w", force_zip64=True) as member:
                for piece in content:
                    member.write(piece)
                    yield pieces.take()
    yield pieces.take()
