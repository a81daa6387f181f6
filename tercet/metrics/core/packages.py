"""Optional packages: whether they are installed, and what exactly is in their files."""

from collections.abc import Iterator
from functools import cache
from hashlib import file_digest, sha256
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

_BLOCK = 1 << 20


class Package(NamedTuple):
    """An installed package: its name, its version, and the SHA-256 of its files."""

    name: str
    version: str
    digest: str

    def __str__(self) -> str:
        return f"{self.name} {self.version}, sha256 {self.digest[:12]}"


def is_installed(name: str) -> bool:
    """Whether a package of this name can be imported."""
    return name.isidentifier() and find_spec(name) is not None


def files(name: str) -> Iterator[tuple[str, Path]]:
    """Yield the files of a package, in a fixed order, with their names in its folder."""
    spec = find_spec(name)
    folders = (spec and spec.submodule_search_locations) or ()

    for folder in map(Path, folders):
        for path in sorted(folder.rglob("*"), key=Path.as_posix):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path.relative_to(folder).as_posix(), path


def file_in(name: str, path: str) -> Path | None:
    """Find a file in the folder of an installed package."""
    return dict(files(name)).get(path)


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


@cache
def describe(name: str) -> Package:
    """Read all files of a package, once in a process."""
    digest = sha256()

    for name_in_folder, path in files(name):
        digest.update(name_in_folder.encode())
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)

    return Package(name, version(name), digest.hexdigest())


def difference(found: Package, tested: Package) -> str:
    """Say in one line that a package is not what was tested, or "" if it is, or another version."""
    is_known = (found.name, found.version) == (tested.name, tested.version)
    if not is_known or found.digest == tested.digest:
        return ""

    return (
        f"the files of {found.name} {found.version} are not those of the tested package "
        f"(their SHA-256 begins with {found.digest[:8]}, not {tested.digest[:8]})"
    )
