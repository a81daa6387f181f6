"""The installed commands that need more than the base installation.

Where their packages are missing, they say in one line what to install.
"""

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path


def analysis() -> int | None:
    """Run ``tercet-analysis``: evaluate metrics from a dataset folder."""
    return _main("tercet.analysis.__main__", "analysis")()


def train() -> int | None:
    """Run ``tercet-train``: train a metric on people's judgments."""
    return _main("tercet.analysis.train", "analysis")()


def site() -> int | None:
    """Run ``tercet-site``: the commands of the site."""
    return _main("tercet.config.__main__", "site")()


def _main(module: str, extra: str) -> Callable[[], int | None]:
    """Return the function of a command; end with what to install where it cannot be imported."""
    try:
        main: Callable[[], int | None] = import_module(module).main
    except ModuleNotFoundError as error:
        command = Path(sys.argv[0]).name
        package = (error.name or module).partition(".")[0]
        sys.exit(f"{command} needs {package}: run pip install 'tercet[{extra}]'")

    return main
