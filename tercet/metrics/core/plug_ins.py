"""Plug-ins of Tercet itself: the entry points of its own distribution."""

from functools import cache
from importlib.metadata import EntryPoint, PackageNotFoundError, distribution
from typing import Any

OWN = "tercet"
"""The name of the distribution."""
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


def not_installed() -> str:
    """Say what to install where the plug-ins are not found; else empty."""
    return "" if own_entries(METRICS) else NOT_INSTALLED
