"""Processor time of processes with their children, read from /proc (Linux)."""

import os
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
PARENT, TIMES = 1, slice(11, 15)
"""Fields of /proc/PID/stat after the name: the parent; user and system time of the process and of
its children that have ended."""


def processor_seconds(process: int) -> float:
    """Return the processor time of a process and of all that it started, alive or ended."""
    stats = _stats()
    family = {process}
    before = 0

    while len(family) > before:
        before = len(family)
        family |= {pid for pid, stat in stats.items() if stat[PARENT] in family}

    return sum(sum(stats[pid][TIMES]) for pid in family if pid in stats) / TICKS


def parent_of(process: int) -> int:
    """Return the process that started a process."""
    return _stats()[process][PARENT]


def _stats() -> dict[int, list[int]]:
    """Return the fields of each process after its name and state."""
    stats = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            text = (folder / "stat").read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has ended

        state, *fields = text.rpartition(")")[2].split()
        stats[int(folder.name)] = [ord(state), *map(int, fields)]

    return stats
