"""What is installed: pinned, with digests, from no particular host, and under which licences."""

import re
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from importlib.util import find_spec
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from scripts import licences
from tests.support.folders import ROOT

LOCKS = [ROOT / "requirements.txt", *sorted(ROOT.glob("locks/*.txt"))]
DECLARED = {
    "requirements.txt": ["site"],
    "tuples.txt": ["site", "tuples"],
    "vectors.txt": ["site", "vectors"],
    "oidc.txt": ["site", "oidc"],
    "sentry.txt": ["site", "sentry"],
    "dev.txt": ["site", "sentry", "oidc", "tuples", "vectors", "cluster", "dev"],
    "docs.txt": ["site", "docs"],
    "build.txt": ["build"],
    "benchmarks.txt": ["site", "benchmarks"],
    "embed.txt": ["encoder"],
}
"""The extras and groups of pyproject.toml that each lock holds."""
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def blocks(lock: Path) -> list[str]:
    """The packages of a lock, each with its digests."""
    return re.split(r"\n(?=\S)", lock.read_text(encoding="utf-8").strip())


def locked(lock: Path) -> dict[str, str]:
    """The versions of a lock by package."""
    found = [Requirement(block.partition(" \\")[0]) for block in blocks(lock)]
    return {
        canonicalize_name(each.name): str(each.specifier).removeprefix("==")
        for each in found
    }


def declared(name: str) -> Iterator[Requirement]:
    """The requirements of an extra or a group, and of others that it includes."""
    extras = PYPROJECT["project"]["optional-dependencies"]
    for each in extras.get(name) or PYPROJECT["dependency-groups"][name]:
        if isinstance(each, dict):
            yield from declared(each["include-group"])
            continue

        required = Requirement(each)
        if required.name == "tercet":
            for extra in required.extras:
                yield from declared(extra)
        else:
            yield required


def test_what_is_declared_is_locked_and_nothing_else_is_there() -> None:
    assert {lock.name for lock in LOCKS} == DECLARED.keys()


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_each_file_is_checked_by_its_digest_wherever_it_comes_from(lock: Path) -> None:
    for block in blocks(lock):
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", block), block
        assert "://" not in block


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_a_lock_has_a_version_that_is_allowed_of_all_that_is_declared(
    lock: Path,
) -> None:
    versions = locked(lock)
    needed = [each for name in DECLARED[lock.name] for each in declared(name)]
    assert needed
    assert [
        str(each)
        for each in needed
        if not each.specifier.contains(versions.get(canonicalize_name(each.name), ""))
    ] == [], "run make lock"


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_all_locks_have_the_versions_of_development(lock: Path) -> None:
    tested = locked(ROOT / "locks" / "dev.txt")
    others = {
        name: version
        for name, version in locked(lock).items()
        if tested.get(name, version) != version
    }
    assert others == {}, "run make lock"


def test_the_licences_of_all_packages_are_documented() -> None:
    page = licences.PAGE.read_text(encoding="utf-8")
    _text, start, tables = page.partition(licences.START)
    assert start + tables == licences.sections(), "run python -m scripts.licences"


def test_the_programs_in_the_wheel_of_pycocoevalcap_are_documented() -> None:
    page = licences.PAGE.read_text(encoding="utf-8")
    text = page.partition(licences.START)[0]
    origin = find_spec("pycocoevalcap")
    assert origin is not None
    assert origin.submodule_search_locations is not None
    jars = {
        path.name for path in Path(origin.submodule_search_locations[0]).rglob("*.jar")
    }

    paths = re.findall(r"`([^`]+)`", text)
    named = {name.rpartition("/")[2] for name in paths}
    patterns = {
        name if "*" in name or name.endswith(".jar") else f"{name}-*" for name in named
    }

    assert [
        jar for jar in jars if not any(fnmatch(jar, pattern) for pattern in patterns)
    ] == []
