"""Plug-ins of Tercet itself: the entry points of its own distribution."""

from functools import cache
from importlib.metadata import EntryPoint, PackageNotFoundError, distribution
from typing import Any, TypeVar

OWN = "tercet"
"""The name of the distribution."""
T = TypeVar("T")
METRICS = "tercet.metrics"
FINDINGS = "tercet.findings"
CHECKS = "tercet.checks"
NOT_INSTALLED = (
    "The plug-ins of Tercet are not installed, which have more metrics and findings: run "
    "pip install -e . in its folder."
)


@cache
def own_entries(group: str) -> tuple[EntryPoint, ...]:
    """Find the plug-ins of Tercet by their group; none where it is not installed."""
    try:
        installed = distribution(OWN)
    except PackageNotFoundError:
        return ()

    return tuple(installed.entry_points.select(group=group))


@cache
def own_plug_ins(group: str) -> tuple[Any, ...]:
    """Import the plug-ins of Tercet of a group."""
    return tuple(entry.load() for entry in own_entries(group))


def is_own(entry: EntryPoint) -> bool:
    """Return whether an entry point is Tercet's, not one of another package."""
    return entry.dist is not None and entry.dist.name == OWN


def package_name(entry: EntryPoint) -> str:
    """Return the name of the package that has an entry point."""
    return entry.dist.name if entry.dist else "of no name"


def imported(entry: EntryPoint, what: str, wanted: type[T], maker: str) -> T:
    """Import what an entry point names; raises ValueError if that fails, or it is not `wanted`."""
    place = f"the {what} {entry.name} of the package {package_name(entry)}"
    try:
        made = entry.load()
    except Exception as error:
        raise ValueError(f"{place} cannot be imported: {error}") from error

    if not isinstance(made, wanted):
        raise ValueError(
            f"{place} is {made!r:.60}: its entry point must name what {maker} returned"
        )
    return made


def not_installed() -> str:
    """Say what to install where the plug-ins are not found; else empty."""
    return "" if own_entries(METRICS) else NOT_INSTALLED
