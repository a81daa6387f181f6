"""`tercet distractors FOLDER --out SUITE`: make captions that no metric may prefer."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tercet.analysis.dataset.folder import load, write
from tercet.analysis.tables.csv_tables import FaultyDataset
from tercet.analysis.tables.schema import Dataset
from tercet.lab.robustness.suite import make_suite
from tercet.lab.robustness.tasks import BY_NAME, Task
from tercet.lab.tuples import parser as captions
from tercet.metrics.arguments import REFUSED, words


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tercet distractors", description=__doc__)
    parser.add_argument("folder", type=Path, help="dataset folder, or a zip of one")
    parser.add_argument("--out", type=Path, required=True, help="folder for the suite")
    parser.add_argument(
        "--tasks",
        type=tasks,
        default=tuple(BY_NAME.values()),
        help=f"names from {', '.join(BY_NAME)} (default all)",
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of everything random")
    return parser


def tasks(text: str) -> tuple[Task, ...]:
    """Read names of tasks from text such as `shuffle,drop 20`."""
    names = words(text)
    unknown = [name for name in names if name not in BY_NAME]
    if unknown or not names:
        wrong = ", ".join(unknown) or repr(text)
        raise argparse.ArgumentTypeError(
            f"there is no task {wrong}, only {', '.join(BY_NAME)}"
        )
    return tuple(BY_NAME[name] for name in names)


def possible(tasks: Sequence[Task]) -> list[Task]:
    """Leave out the tasks that need a parser where there is none, with a note."""
    problem = captions.missing()
    left_out = [task.name for task in tasks if task.needs_parser and problem]
    if left_out:
        print(f"Note: left out {', '.join(left_out)}: {problem}", file=sys.stderr)
    return [task for task in tasks if task.name not in left_out]


def summary(suite: Dataset, out: Path) -> str:
    """Say how many pairs and changed captions of each task there are."""
    counts = {
        **suite.pairs["category"].value_counts(sort=False),
        **suite.candidates["source"].value_counts(sort=False),
    }
    lines = [f"{name}: {counts[name]:,}" for name in BY_NAME if name in counts]
    return "\n".join([*lines, f"The suite is in {out}."])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    given = parser().parse_args(arguments)

    try:
        made = make_suite(load(given.folder), possible(given.tasks), given.seed)
        write(made, given.out)
    except FaultyDataset as error:
        message = f"The dataset in {given.folder} cannot be used:\n{error}"
        print(message, file=sys.stderr)
        return REFUSED
    except (ValueError, OSError, RuntimeError) as error:
        print(error, file=sys.stderr)
        return REFUSED

    text = summary(made, given.out)
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
