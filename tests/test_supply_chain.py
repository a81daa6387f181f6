"""What is installed: pinned, with digests, from no particular host, and under which licences."""

import re
from fnmatch import fnmatch
from importlib.util import find_spec
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from scripts import licences
from tests.support.folders import ROOT

LOCKS = {
    "site": "requirements.txt",
    "build": "requirements-build.txt",
    "tuples": "requirements-tuples.txt",
    "vectors": "requirements-vectors.txt",
    "embed": "requirements-embed.txt",
    "oidc": "requirements-oidc.txt",
    "sentry": "requirements-sentry.txt",
    "docs": "requirements-docs.txt",
    "dev": "requirements-dev.txt",
    "benchmarks": "requirements-benchmarks.txt",
}
OUTSIDE_THE_SUITE = {"benchmarks"}
"""Peers that are compared with; no test installs them."""


def pinned(lines: list[str]) -> dict[str, str]:
    """The versions of packages by their names."""
    found = [Requirement(line) for line in lines if "==" in line]
    return {
        canonicalize_name(each.name): str(each.specifier).removeprefix("==")
        for each in found
    }


def required(file: str) -> dict[str, str]:
    """The packages of a requirements file, and of those that it includes."""
    versions: dict[str, str] = {}
    for line in (ROOT / file).read_text().splitlines():
        if line.startswith("-r "):
            versions |= required(line[3:])
        elif line and not line.startswith("#"):
            versions |= pinned([line])

    return versions


def blocks(lock: str) -> list[str]:
    """The packages of a lock file, each with its digests."""
    text = (ROOT / "locks" / f"{lock}.txt").read_text()
    return re.split(r"\n(?=\S)", text.strip())


def locked(lock: str) -> dict[str, str]:
    return pinned([block.partition(" \\")[0] for block in blocks(lock)])


@pytest.mark.parametrize("lock", LOCKS)
def test_each_file_is_checked_by_its_digest_wherever_it_comes_from(lock: str) -> None:
    for block in blocks(lock):
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", block), block
        assert "://" not in block


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_has_what_is_required(lock: str) -> None:
    versions = locked(lock)
    assert {
        name: (version, versions.get(name))
        for name, version in required(LOCKS[lock]).items()
        if versions.get(name) != version
    } == {}, "run make lock"


@pytest.mark.parametrize("lock", sorted(set(LOCKS) - OUTSIDE_THE_SUITE))
def test_locks_and_constraints_agree(lock: str) -> None:
    constraints = pinned((ROOT / "constraints.txt").read_text().splitlines())
    versions = locked(lock)
    versions.pop("colorama", None)  # on Windows only

    assert {name: constraints.get(name) for name in versions} == versions


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
