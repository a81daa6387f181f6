"""Metrics of installed packages: entry points of the group ``tercet.metrics``."""

import hashlib
from dataclasses import replace
from functools import cache
from importlib.metadata import Distribution, EntryPoint, entry_points

from tercet.metrics.core.packages import Package
from tercet.metrics.core.plug_ins import METRICS, imported, is_own, package_name
from tercet.metrics.outside.text_metric import TextMetric


def installed() -> dict[str, list[EntryPoint]]:
    """Find the metrics of other packages by name, in lower case; nothing is imported."""
    found: dict[str, list[EntryPoint]] = {}
    for each in entry_points(group=METRICS):
        if is_own(each):
            continue
        found.setdefault(each.name.lower(), []).append(each)

    return found


def by_name(name: str) -> TextMetric | None:
    """Import the metric of a name, in any case; None where no package has one.

    Raises ValueError where two packages have one, or `loaded` does.
    """
    entry = _entry(name)
    return loaded(entry) if entry else None


def package_of(name: str) -> Package | None:
    """Find which package has the metric of a name, without importing it; None where none has.

    Raises ValueError where two packages have one.
    """
    entry = _entry(name)
    return _package_of(entry.dist) if entry and entry.dist else None


@cache
def loaded(entry: EntryPoint) -> TextMetric:
    """Import the metric of a package.

    Raises ValueError if that fails, or it is no metric, or has another name.
    """
    made = imported(entry, "metric", TextMetric, "tercet.metric")
    if made.name.lower() != entry.name.lower():
        raise ValueError(
            f"the metric {entry.name} of the package {package_name(entry)} calls itself "
            f"{made.name}: give both the same name"
        )

    origin = str(_package_of(entry.dist)) if entry.dist else ""
    return replace(made, origin=origin)


def _entry(name: str) -> EntryPoint | None:
    """Find the entry point of a name, in any case; ValueError where two packages have one."""
    entries = installed().get(name.lower(), [])
    packages = sorted({package_name(entry) for entry in entries})
    if len(packages) > 1:
        raise ValueError(
            f"the packages {' and '.join(packages)} have a metric {name}: uninstall one of them"
        )

    return entries[0] if entries else None


def _package_of(installed: Distribution) -> Package:
    """Return the package with the digest of its Python files."""
    digest = hashlib.sha256()
    for file in sorted(installed.files or [], key=str):
        if file.suffix == ".py":
            digest.update(str(file).encode() + file.read_binary())

    return Package(installed.name, installed.version, digest.hexdigest())
