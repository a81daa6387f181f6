"""Time another version of this library in turns with this one, each in a process of its own."""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np

from tercet.metrics.core.arrays import FloatArray

_ROOT = Path(__file__).resolve().parents[1]
_SCRIPT = """
import sys
from benchmarks import metrics, peers

item, images = sys.argv[1], int(sys.argv[2])
peers.missing = lambda name: "not asked for"
work = metrics.items()[item]
metrics.warm_up([item])
options = metrics.Options(1, False, images or None)
print("ready", flush=True)
for _turn in sys.stdin:
    print(*work(options)[0].seconds, flush=True)
"""
"""Both versions have these functions: the first time of an item is that of the library itself."""


def in_turns(item: str, images: int | None, folder: Path, turns: int) -> FloatArray:
    """Time an item of `benchmarks.metrics` by this version and by that of a folder, in turns.

    Returns the fewest seconds (2 versions, 2): by the clock and of the processor; this version
    first. Each version has scored before.
    """
    with ExitStack() as stack:
        versions = [
            stack.enter_context(_started(root, item, images))
            for root in (_ROOT, folder.resolve())
        ]
        times = [_turn(versions) for _ in range(turns)]

    fewest: FloatArray = np.min(times, axis=0)

    return fewest


@contextmanager
def _started(
    root: Path, item: str, images: int | None
) -> Iterator[subprocess.Popen[str]]:
    """Start the version of a folder; it is ready when it has warmed up."""
    command = [sys.executable, "-c", _SCRIPT, item, str(images or 0)]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    pipe = subprocess.PIPE

    with subprocess.Popen(
        command, stdin=pipe, stdout=pipe, cwd=root, env=environment, text=True
    ) as process:
        _answer(process)
        yield process


def _turn(versions: Sequence["subprocess.Popen[str]"]) -> list[list[float]]:
    """Let each version do its work once; return seconds by version."""
    seconds = []
    for process in versions:
        assert process.stdin
        print("go", file=process.stdin, flush=True)
        seconds.append(list(map(float, _answer(process).split())))

    return seconds


def _answer(process: "subprocess.Popen[str]") -> str:
    assert process.stdout
    return process.stdout.readline()
