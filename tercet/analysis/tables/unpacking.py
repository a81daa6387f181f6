"""Unpack zip files of dataset folders safely."""

import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BufferedReader, FileIO
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import TypeAlias
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from tercet.analysis.tables.conversion import MATLAB
from tercet.analysis.tables.csv_tables import FaultyDataset, Problem
from tercet.analysis.tables.limits import MAX_FILES, MAX_UNPACKED, MAX_ZIP_DIRECTORY
from tercet.analysis.tables.parse import GZIP, SUFFIXES
from tercet.analysis.tables.schema import REFERENCES
from tercet.metrics.text.faults import not_zip

CHUNK = 1 << 20
ZIP = ".zip"
_REMEDY = "Unpack it, and name the folder"
METHODS = (ZIP_STORED, ZIP_DEFLATED)
"""Compression methods of ordinary zips; Python unpacks others without a bound on memory."""


class _BoundedReader(BufferedReader):
    """Reads a zip file, and refuses a list of its files that is too long: it is read at once."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > MAX_ZIP_DIRECTORY:
            raise ValueError("the list of its files is too long")
        return super().read(size)


@contextmanager
def dataset_folder(
    path: Path, name: str = "", limit: int = MAX_UNPACKED, remedy: str = _REMEDY
) -> Iterator[Path]:
    """Unpack a dataset folder for as long as it is needed.

    Parameters
    ----------
    path : Path
        A dataset folder, which is left as it is, a zip file of one, or a single file.
    name : str, optional
        The name of the dataset where the zip file has another one.
    limit : int, optional
        The most bytes that may be unpacked.
    remedy : str, optional
        What to do with a zip file that is larger.

    Yields
    ------
    Path
        The folder with the tables.

    Raises
    ------
    FaultyDataset
        If the zip file is missing, broken or too large, or has unsafe paths.
    """
    if path.is_dir():
        yield path
        return

    with TemporaryDirectory() as temporary:
        target = Path(temporary) / (name or path.stem)
        target.mkdir()
        if path.is_file() and path.suffix.lower() not in (ZIP, ""):
            (target / path.name).symlink_to(path.resolve())
            yield target
            return
        unpack(path, target, limit, remedy)
        yield _root(target)


@contextmanager
def folder_of(paths: Sequence[Path]) -> Iterator[Path]:
    """Put several files together for as long as they are needed; one is as of `dataset_folder`."""
    if len(paths) == 1:
        with dataset_folder(paths[0]) as folder:
            yield folder
        return
    with TemporaryDirectory() as name:
        for path in paths:
            (Path(name) / path.name).symlink_to(path.resolve())
        yield Path(name)


def _root(folder: Path) -> Path:
    """Return the topmost folder that holds tables; `folder` itself if there are several."""
    suffixes = (*SUFFIXES, MATLAB, *(f"{suffix}{GZIP}" for suffix in SUFFIXES))
    patterns = (REFERENCES.file, *(f"*{suffix}" for suffix in suffixes))
    tables = (list(folder.rglob(pattern)) for pattern in patterns)
    folders = {path.parent for path in next(filter(None, tables), [])}

    depth = min((len(path.parts) for path in folders), default=0)
    topmost = [path for path in folders if len(path.parts) == depth]
    return topmost[0] if len(topmost) == 1 else folder


def unpack(path: Path, target: Path, limit: int, remedy: str) -> None:
    """Unpack a zip file into a folder; parameters and errors as of `dataset_folder`."""
    try:
        with _BoundedReader(FileIO(path)) as file, ZipFile(file) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
            fault = _fault_of(members)
            if not fault and not _extract(archive, members, target, limit):
                what = f"is larger than {limit // 2**20:,} MB unpacked"
                fault = (what, remedy, "")
    except FileNotFoundError:
        fault = ("does not exist", "Name a dataset folder or a zip of one", "")
    except Exception as error:  # what a broken zip raises depends on where it is broken
        fault = _unreadable(str(error))
    if fault:
        what, remedy, value = fault
        raise FaultyDataset([Problem(path.name, what, remedy, value=value)])


_Fault: TypeAlias = tuple[str, str, str]
"""What is wrong, what to do about it, and the value."""


def _fault_of(members: list[ZipInfo]) -> _Fault | None:
    """Return what is wrong with the list of the files of a zip."""
    if len(members) > MAX_FILES:
        return f"holds {len(members):,} files", f"Pack at most {MAX_FILES:,}", ""

    for member in members:
        if member.compress_type not in METHODS:
            return _unreadable(member.filename)

        is_link = stat.S_ISLNK(member.external_attr >> 16)
        if is_link or _is_unsafe(member.filename):
            what = "holds a path outside itself"
            return what, "Pack plain files below one folder", member.filename
    return None


def _unreadable(value: str) -> _Fault:
    fault = not_zip(value)
    return fault.what, fault.remedy, value


def _is_unsafe(name: str) -> bool:
    """Return whether a member would be unpacked outside the target folder."""
    path = PurePosixPath(name.replace("\\", "/"))
    return path.is_absolute() or ".." in path.parts or ":" in "".join(path.parts[:1])


def _extract(
    archive: ZipFile, members: list[ZipInfo], target: Path, limit: int
) -> bool:
    """Write the members, and return whether they are within the limit.

    The bytes written are counted: the sizes that a zip states cannot be trusted.
    """
    remaining = limit

    for member in members:
        file = target / member.filename.replace("\\", "/")
        file.parent.mkdir(parents=True, exist_ok=True)

        with archive.open(member) as packed, file.open("wb") as unpacked:
            while chunk := packed.read(CHUNK):
                remaining -= len(chunk)
                if remaining < 0:
                    return False
                unpacked.write(chunk)
    return True
