"""The command `tercet` and its subcommands, such as `tercet score`.

`tercet-metrics`, `tercet-analysis`, `tercet-train` and `tercet-site` are the names of version 0.2;
they stay for one version.
"""

import sys
from argparse import REMAINDER, ArgumentParser, RawDescriptionHelpFormatter
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from tercet.checkout import ShowVersion


class _Subcommand(NamedTuple):
    module: str
    extra: str
    """Of the installation; empty where the base suffices."""
    description: str


_COMMANDS = {
    "doctor": _Subcommand(
        "analysis.doctor", "analysis", "say what files are, and what is open"
    ),
    "score": _Subcommand("metrics.__main__", "", "score captions by their references"),
    "analyse": _Subcommand(
        "analysis.__main__", "analysis", "measure how well metrics agree with people"
    ),
    "bench": _Subcommand(
        "analysis.bench.__main__",
        "analysis",
        "measure metrics on many sets of judgments",
    ),
    "train": _Subcommand(
        "analysis.train", "analysis", "train a metric on people's judgments"
    ),
    "metrics": _Subcommand("metrics.listing", "", "list and check metrics"),
    "distractors": _Subcommand(
        "lab.robustness.__main__", "analysis", "make captions that are false"
    ),
    "digest": _Subcommand(
        "analysis.digest", "analysis", "write digests of images that a metric has seen"
    ),
    "warm-up": _Subcommand(
        "metrics.warm_up", "", "compile for this machine what scoring uses"
    ),
    "site": _Subcommand("config.__main__", "site", "run a command of the site"),
}


def main() -> int | None:
    """Run the subcommand that the command line names, with the arguments after it."""
    lines = [f"  {name:<13}{each.description}" for name, each in _COMMANDS.items()]
    parser = ArgumentParser(
        prog="tercet",
        description="Score captions, and measure how well metrics agree with people.",
        epilog="commands:\n" + "\n".join(lines),
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=ShowVersion, nargs=0)
    parser.add_argument("command", choices=_COMMANDS, metavar="command")
    parser.add_argument("arguments", nargs=REMAINDER, help="see tercet COMMAND --help")
    given = parser.parse_args()

    sys.argv = [f"tercet {given.command}", *given.arguments]
    return _run(given.command)


def metrics() -> int | None:
    """Run `tercet score` under its former name, `tercet-metrics`."""
    return _run("score")


def analysis() -> int | None:
    """Run `tercet analyse` under its former name, `tercet-analysis`."""
    return _run("analyse")


def train() -> int | None:
    """Run `tercet train` under its former name, `tercet-train`."""
    return _run("train")


def site() -> int | None:
    """Run `tercet site` under its former name, `tercet-site`."""
    return _run("site")


def _run(name: str) -> int | None:
    """Run a subcommand, or end with what to install where its libraries are missing."""
    command = _COMMANDS[name]
    try:
        module = import_module(f"tercet.{command.module}")
    except ModuleNotFoundError as error:
        started = Path(sys.argv[0]).name
        package = (error.name or name).partition(".")[0]
        extra = f"[{command.extra}]" if command.extra else ""
        sys.exit(f"{started} needs {package}: run pip install 'tercet{extra}'")

    status: int | None = module.main()
    return status
