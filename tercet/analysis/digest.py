"""`tercet digest FOLDER > seen.txt`: digests of images, for what a metric was `trained_on`."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tercet.analysis.__main__ import load
from tercet.analysis.evaluation.training_examples import digests
from tercet.analysis.progress import silent
from tercet.analysis.train import refused_dataset
from tercet.metrics.arguments import add_shell_options, be_quiet, program, shell_output

_PROGRAM = program("digest")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    parser = argparse.ArgumentParser(prog=_PROGRAM, description=__doc__)
    folders = "dataset folder, or a zip of one; references are enough"
    parser.add_argument("folder", type=Path, nargs="+", help=folders)
    add_shell_options(parser)

    with shell_output():
        given = parser.parse_args(arguments)
        be_quiet(given.quiet)
        try:
            datasets = [
                load(path, silent, references_alone=True) for path in given.folder
            ]
        except (ValueError, OSError, RuntimeError) as error:
            return refused_dataset(_PROGRAM, error)

        print("\n".join(digests(datasets)))
        return 0


if __name__ == "__main__":
    sys.exit(main())
