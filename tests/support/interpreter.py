"""Run the commands of standard input in one process, each line as a shell would.

Python is started once for all of them, and its libraries are imported once: that takes longer
than most commands. What a command writes to the disk is all that the next one needs.
"""

import runpy
import shlex
import subprocess
import sys


def run(command: str) -> None:
    program, *arguments = shlex.split(command)

    if program == "python":
        _run_python(arguments)
    elif program == "tercet":
        _run_python(["-m", program, *arguments])
    else:
        subprocess.run([program, *arguments], check=True)


def _run_python(arguments: list[str]) -> None:
    try:
        if arguments[0] == "-m":
            sys.argv = arguments[1:]
            runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
        else:
            sys.argv = arguments
            runpy.run_path(sys.argv[0], run_name="__main__")
    except SystemExit as end:
        if end.code:
            raise


if __name__ == "__main__":
    sys.path[0] = ""  # the current folder, as for `python -m`

    for line in sys.stdin.read().splitlines():
        print(f"$ {line}", flush=True)
        run(line)
