"""`python -m analysis FOLDER --out REPORT`: judge caption metrics by a dataset folder's votes."""

import argparse
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

from analysis.dataset import Dataset
from analysis.evaluation import evaluate
from analysis.folder import FaultyDataset, read
from analysis.options import CHOICES, Options
from analysis.progress import Bar, Progress, part
from analysis.report import check_folder, summary, write_report

RANGE = re.compile(r"(\d{1,5})(?:-(\d{1,5}))?")


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m analysis", description=__doc__)
    parser.add_argument("folder", type=Path, help="dataset folder")
    add_options(parser)
    return parser


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of an evaluation, the same for every command that makes one."""
    default = Options()
    parser.add_argument("--out", type=Path, required=True, help="folder for the report")
    parser.add_argument("--metrics", type=words, default=(), help="names, comma separated (all)")
    parser.add_argument("--counts", type=counts, default=(), help="such as 1-48 or 1,5,10 (all)")
    for name in ("draws", "seed", "resamples"):
        value = getattr(default, name)
        parser.add_argument(f"--{name}", type=int, default=value, help=f"default {value}")
    for name, choices in CHOICES.items():
        value = getattr(default, name)
        flag = f"--{name.replace('_', '-')}"
        parser.add_argument(flag, choices=choices, default=value, help=f"default {value}")
    parser.add_argument(
        "--exclude-identical",
        action="store_true",
        help="leave out references that equal a candidate of their image",
    )


def words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def counts(text: str) -> tuple[int, ...]:
    """Reference counts from text such as `1-48` or `1,5,10-12`."""
    wanted: set[int] = set()
    for word in words(text):
        written = RANGE.fullmatch(word)
        first, last = (int(written[1]), int(written[2] or written[1])) if written else (0, 0)
        if not 1 <= first <= last:
            raise argparse.ArgumentTypeError(f"{word!r} is not a count or a range such as 1-48")
        wanted.update(range(first, last + 1))
    return tuple(sorted(wanted))


def options_from(given: Mapping[str, Any]) -> Options:
    return Options(**{field.name: given[field.name] for field in fields(Options)})


def report(load: Callable[[Progress], Dataset], out: Path, options: Options) -> str:
    """Evaluate the dataset that `load` gives into the folder `out`; gives the result in words."""
    check_folder(out)
    with Bar() as progress:
        dataset = load(part(progress, 0, 0.1))
        evaluation = evaluate(dataset, options, part(progress, 0.1, 0.7))
        write_report(evaluation, out, part(progress, 0.7, 1))
    return f"{summary(evaluation)}\nThe report is in {out}."


def load(folder: Path, progress: Progress) -> Dataset:
    """The dataset in `folder`; what was left out of it goes to standard error."""
    reading = read(folder, progress)
    for warning in reading.warnings:
        print(f"Note: {warning}.", file=sys.stderr)
    return reading.sound()


def main(arguments: list[str] | None = None) -> int:
    given = parser().parse_args(arguments)
    try:
        print(report(partial(load, given.folder), given.out, options_from(vars(given))))
    except FaultyDataset as error:
        print(f"The dataset in {given.folder} cannot be used:\n{error}", file=sys.stderr)
        return 2
    except (ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
