"""Metrics of installed packages: entry points of the group ``tercet.metrics``."""

import hashlib
from dataclasses import replace
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from tercet.metrics.outside.text_metric import TextMetric

GROUP = "tercet.metrics"


def installed() -> dict[str, EntryPoint]:
    """Find the metrics of installed packages by name, in lower case; nothing is imported.

    Raises ValueError where two packages have a metric of the same name.
    """
    found: dict[str, EntryPoint] = {}
    for each in entry_points(group=GROUP):
        other = found.setdefault(each.name.lower(), each)
        if _package(other) != _package(each):
            raise ValueError(
                f"the packages {_package(other)} and {_package(each)} both have a metric "
                f"{each.name}: uninstall one of them"
            )

    return found


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
