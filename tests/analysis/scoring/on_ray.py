"""Score on a Ray cluster of this machine that loses a worker, and compare with scores without it.

A script, since Ray listens on the address of the machine, so that the test runs this in a network
of its own: `python -m tests.analysis.scoring.on_ray FOLDER`. It prints `the same` or fails.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path

from tercet.analysis.evaluation import scoring
from tercet.analysis.scoring.workers import workers
from tests.analysis.scoring.test_workers import assert_the_same, scored

ROOT = Path(__file__).resolve().parents[3]
PORT = 10_001
OPTIONS = {
    "port": 6_379,
    "ray-client-server-port": PORT,
    "num-cpus": 2,
    "object-store-memory": 100_000_000,
    "include-dashboard": "false",
}


def main(folder: Path) -> None:
    """Start the cluster, score with a worker killed half way, and end the cluster."""
    scoring.COMPARISONS = 30
    command = [sys.executable, "-m", "ray.scripts.scripts", "start", "--head"]
    command += [f"--{name}={value}" for name, value in OPTIONS.items()]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    subprocess.run([*command, f"--temp-dir={folder}"], env=environment, check=True)

    lost: list[int] = []

    def lose_one(share: float, doing: str) -> None:
        busy = processes("ray::_call")
        if doing.startswith("Scored batch") and share < 1 and busy and not lost:
            os.kill(busy[0], signal.SIGKILL)
            lost.append(busy[0])

    with workers(f"ray://127.0.0.1:{PORT}"):
        found = scored(lose_one)

    assert lost
    assert_the_same(found, scored())
    print("the same")


def processes(command: str) -> list[int]:
    """Return the processes in this test's network whose command begins so."""
    here = os.readlink("/proc/self/ns/net")
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            said = (entry / "cmdline").read_bytes()
            is_here = os.readlink(entry / "ns/net") == here
        except OSError:  # it has ended, or is somebody else's
            continue

        if is_here and said.startswith(command.encode()):
            found.append(int(entry.name))
    return found


if __name__ == "__main__":
    main(Path(sys.argv[1]))
