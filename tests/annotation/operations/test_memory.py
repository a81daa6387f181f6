"""Memory of processes that read large files."""

import subprocess
import sys

from tests.support.folders import ROOT

ALLOCATE = """
import numpy as np
from pathlib import Path
from tercet.annotation.operations.memory import return_large_blocks

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1])

return_large_blocks()
np.ones(3_000_000)  # freed at once, so that glibc would keep the next ones in its heap
before = resident()
blocks, texts = [], []
for n in range(20):
    blocks.append(np.ones(250_000))
    texts.append(bytes(3_000))
del blocks
print(resident() - before)
"""


def test_large_blocks_are_returned_though_small_ones_lie_between() -> None:
    run = subprocess.run(
        [sys.executable, "-c", ALLOCATE],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )

    assert int(run.stdout) < 1000  # pages of 4 KB; 40 MB stay otherwise
