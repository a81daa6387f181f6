"""Run commands in forks of a Python that has loaded the libraries, which takes it seconds.

`python -m tests.support.forks` reads orders from standard input, each a line of JSON, and answers
each with the exit code of a fork that obeyed it.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest
import scipy

from tercet.analysis import findings  # noqa: F401, loads what most commands need
from tercet.analysis.report import folder as report  # noqa: F401
from tests.support.drawing import draw_nothing
from tests.support.folders import ROOT
from tests.support.interpreter import run


class Forks:
    """A Python that has loaded the libraries, and the pipes to it."""

    def __init__(self, orders: IO[str], answers: IO[str]) -> None:
        self.orders, self.answers = orders, answers

    def run(
        self, commands: Sequence[str], folder: Path, environment: dict[str, str]
    ) -> None:
        """Run commands one after the other in one process; all of them must succeed.

        What they print is in `printed.txt` beside the folder. The plots of reports are empty.
        """
        printed = folder.parent / "printed.txt"
        order = (commands, str(folder), environment, str(printed))
        print(json.dumps(order), file=self.orders, flush=True)

        assert self.answers.readline() == "0\n", printed.read_text(encoding="utf-8")


@contextmanager
def forks(environment: dict[str, str]) -> Iterator[Forks]:
    """Start a Python in this environment; it ends with the context."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.support.forks"],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin
        assert process.stdout

        yield Forks(process.stdin, process.stdout)


def main() -> None:
    scipy.stats.norm  # noqa: B018, loaded when it is asked for

    for line in sys.stdin:
        child = os.fork()
        if not child:
            obey(*json.loads(line))
            return

        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def obey(
    commands: Sequence[str], folder: str, environment: dict[str, str], printed: str
) -> None:
    """Run commands in this process as if it had been started for them."""
    with open(printed, "w", encoding="utf-8") as file:
        os.dup2(file.fileno(), sys.stdout.fileno())
        os.dup2(file.fileno(), sys.stderr.fileno())

    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.path[0] = ""

    draw_nothing(pytest.MonkeyPatch())
    for command in commands:
        print(f"$ {command}", flush=True)
        run(command)


if __name__ == "__main__":
    main()
