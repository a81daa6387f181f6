"""`tercet bench FOLDER… --out REPORT`: how far metrics agree with people, set by set.

The folders are dataset folders. Each set is evaluated under its published protocol; every value has
an interval and a group, and people, the length of the caption and chance stand beside the metrics.
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from hashlib import sha256
from pathlib import Path

from tercet import __version__
from tercet.analysis.__main__ import EXPECTED, load, options_from, told
from tercet.analysis.bench.adding import add_command, check_command, list_command
from tercet.analysis.bench.columns import METRICS, bench_options, evaluate_set, unscored
from tercet.analysis.bench.kept import KeptSet
from tercet.analysis.bench.page import write_bench
from tercet.analysis.bench.printed import (
    print_check,
    print_reproduction,
    print_verdicts,
)
from tercet.analysis.bench.sets import set_of
from tercet.analysis.dataset.folder import with_scores
from tercet.analysis.evaluation.results import NothingToEvaluate
from tercet.analysis.progress import Progress, ProgressBar, part, silent
from tercet.analysis.scoring.options import Options
from tercet.analysis.tables.csv_tables import FaultyDataset
from tercet.analysis.tables.schema import Dataset
from tercet.metrics.arguments import (
    INTERRUPTED,
    add_shell_options,
    be_quiet,
    print_note,
    program,
    shell_output,
    words,
)

_SUBCOMMANDS: dict[str, Callable[[Sequence[str]], int]] = {
    "list": list_command,
    "add": add_command,
    "check": check_command,
    "check-table": print_check,
    "--reproduce": print_reproduction,
    "--published": print_verdicts,
}
"""What `tercet bench NAME …` runs with the arguments after the name; it returns the status."""


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog=program("bench"), description=__doc__)
    add = made.add_argument
    add("folders", type=Path, nargs="+", metavar="FOLDER", help="dataset folders")
    add("--out", type=Path, required=True, metavar="REPORT", help="folder to write")
    add("--metrics", type=words, default=(), help="names, comma separated")
    add(
        "--scores",
        type=_named_file,
        action="append",
        default=[],
        metavar="NAME=scores.csv",
        help="scores of other metrics for the captions of a set",
    )
    add(
        "--only", type=words, default=(), metavar="SET", help="evaluate these sets only"
    )
    add(
        "--ties",
        choices=("two-fold", "fitted-here"),
        default="two-fold",
        help="images by which the ties of acc_eq are calibrated: those of the other half "
        "(default), or the judged ones, as WMT does",
    )
    add_shell_options(made)
    return made


def _named_file(text: str) -> tuple[str, Path]:
    """Read NAME=FILE."""
    name, separator, file = text.partition("=")
    if not (name and separator and file):
        raise argparse.ArgumentTypeError(
            f"{text!r} names no set: give NAME=FILE, such as composite=scores.csv"
        )
    return name, Path(file)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, or the subcommand that its first argument names."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    with shell_output():
        try:
            if given and given[0] in _SUBCOMMANDS:
                return _SUBCOMMANDS[given[0]](given[1:])
            return _bench(parser().parse_args(given))
        except EXPECTED as error:
            return told(error)
        except KeyboardInterrupt:
            print("Stopped. Run it again to go on where it was.", file=sys.stderr)
            return INTERRUPTED


def _bench(given: argparse.Namespace) -> int:
    be_quiet(given.quiet)
    folders = _by_name(given)
    if given.out.exists() and not given.out.is_dir():
        raise ValueError(f"{given.out} is a file: name a folder for the report.")
    given.metrics = _spelled(folders, given)
    kept = []
    with ProgressBar() as progress:
        for number, (name, folder) in enumerate(folders.items()):
            size = 1 / len(folders)
            own = part(progress, number * size, (number + 1) * size)
            kept.append(_evaluated(name, folder, given, own))
        progress(1.0, "Writing")
        write_bench(kept, given.out)
    print(f"The bench is in {given.out}: open index.html.")
    return 0


def _by_name(given: argparse.Namespace) -> dict[str, Path]:
    """Return the folders that are wanted, by the names of their sets."""
    folders: dict[str, Path] = {}
    for folder in given.folders:
        name = set_of(folder).name
        if name in folders:
            raise ValueError(
                f"{folders[name]} and {folder} are both sets of the name {name}: name one of them."
            )
        folders[name] = folder

    named = [*given.only, *(name for name, _ in given.scores)]
    if unknown := [name for name in named if name not in folders]:
        raise ValueError(
            f"There is no set {unknown[0]}: the folders are those of {', '.join(folders)}."
        )
    wanted = given.only or folders
    return {name: folder for name, folder in folders.items() if name in wanted}


def _spelled(folders: Mapping[str, Path], given: argparse.Namespace) -> tuple[str, ...]:
    """Return the metrics as files of scores spell them; ValueError for one that no set has."""
    options = Options(metrics=given.metrics or METRICS)
    supplied: set[str] = set()
    if unscored(options, supplied):
        be_quiet(True)  # what is left out is said where the set is evaluated
        for name, folder in folders.items():
            supplied.update(_read(name, folder, given).scores["metric"])
        be_quiet(given.quiet)
    for reason in unscored(options, supplied).values():
        raise ValueError(reason)

    spelled = {name.lower(): name for name in sorted(supplied)}
    return tuple(spelled.get(name.lower(), name) for name in given.metrics)


def _read(name: str, folder: Path, given: argparse.Namespace) -> Dataset:
    """Read a set with the files of scores that are given for it."""
    dataset = load(folder, silent)
    for own, file in given.scores:
        if own == name:
            dataset = _with_scores(dataset, file)
    return dataset


def _evaluated(
    name: str, folder: Path, given: argparse.Namespace, progress: Progress
) -> KeptSet:
    """Evaluate a set into the report's folder, unless it is there from an earlier run."""
    progress(0.0, f"{name}: reading")
    dataset = _read(name, folder, given)
    preset = set_of(folder).preset
    options = options_from({"preset": preset, "metrics": given.metrics})
    options = bench_options(options, dataset)
    is_fitted_here = given.ties == "fitted-here"
    made_with = (name, dataset.sha256, asdict(options.named), preset, is_fitted_here)
    key = sha256(repr((*made_with, __version__)).encode()).hexdigest()
    file = given.out / "sets" / f"{name}.json"
    kept = KeptSet.read(file, key)
    if kept is None:
        try:
            kept = evaluate_set(
                name, dataset, options, preset, is_fitted_here, progress
            )
        except NothingToEvaluate as error:
            raise ValueError(f"{folder}: {error}") from error
        kept = replace(kept, use=set_of(folder).use)
        kept.write(file, key)
    return kept


def _with_scores(dataset: Dataset, file: Path) -> Dataset:
    """Add a file of scores; what is left out of it goes to standard error."""
    reading = with_scores(dataset, file)
    for warning in reading.warnings:
        print_note(f"Note: {warning}.")
    try:
        return reading.sound()
    except FaultyDataset as error:
        error.add_note(str(file))
        raise


if __name__ == "__main__":
    sys.exit(main())
