"""Metrics of installed packages: entry points of the group ``tercet.metrics``."""

import hashlib
from dataclasses import replace
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from tercet.metrics.outside.text_metric import TextMetric

_GROUP = "tercet.metrics"


def installed() -> dict[str, list[EntryPoint]]:
    """Find the metrics of installed packages by name, in lower case; nothing is imported."""
    found: dict[str, list[EntryPoint]] = {}
    for each in entry_points(group=_GROUP):
        found.setdefault(each.name.lower(), []).append(each)

    return found


def by_name(name: str) -> TextMetric | None:
    """Import the metric of a name, in any case; None where no package has one.

    Raises ValueError where two packages have one, or `loaded` does.
    """
    entries = installed().get(name.lower(), [])
    packages = sorted({_package(entry) for entry in entries})
    if len(packages) > 1:
        raise ValueError(
            f"the packages {' and '.join(packages)} have a metric {name}: uninstall one of them"
        )

    return loaded(entries[0]) if entries else None


@cache
def loaded(entry: EntryPoint) -> TextMetric:
    """Import the metric of a package.

    Raises ValueError if that fails, or it is no metric, or has another name.
    """
    place = f"the metric {entry.name} of the package {_package(entry)}"
    try:
        made = entry.load()
    except Exception as error:
        raise ValueError(f"{place} cannot be imported: {error}") from error

    if not isinstance(made, TextMetric):
        raise ValueError(
            f"{place} is {made!r:.60}: its entry point must name what tercet.metric returned"
        )
    if made.name.lower() != entry.name.lower():
        raise ValueError(f"{place} calls itself {made.name}: give both the same name")

    return replace(made, origin=_origin(entry))


def _package(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist else "of no name"


def _origin(entry: EntryPoint) -> str:
    """Return the package with its version and the digest of its files."""
    package = entry.dist
    if package is None:
        return ""

    digest = hashlib.sha256()
    for file in sorted(package.files or [], key=str):
        if file.suffix == ".py":
            digest.update(str(file).encode() + file.read_binary())

    return f"{package.name} {package.version} sha256 {digest.hexdigest()[:12]}"
