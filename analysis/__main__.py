"""`python -m analysis FOLDER --out REPORT`: judge caption metrics by a dataset folder's votes."""

import argparse
import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

from analysis.dataset.folder import FaultyDataset, Reading, read, with_scores
from analysis.dataset.schema import Dataset
from analysis.evaluation.options import CHOICES, PRESETS, Options
from analysis.evaluation.parallel import workers
from analysis.evaluation.results import evaluate, evaluate_ratings
from analysis.findings import FINDINGS
from analysis.progress import Bar, Progress, part, silent
from analysis.report.folder import check_folder, summary, write_report

RANGE = re.compile(r"(\d{1,5})(?:-(\d{1,5}))?")
INTERRUPTED = 130
CHANGED = "{} has changed since the report was made: its digest is another."


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m analysis", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", help="dataset folder")
    parser.add_argument(
        "--again", type=Path, metavar="REPORT.JSON", help="as the report with this file was made"
    )
    parser.add_argument(
        "--against", type=Path, metavar="FOLDER", help="the same pairs under the other protocol"
    )
    parser.add_argument("--scores", type=Path, help="scores of further metrics, a scores.csv")
    parser.add_argument(
        "--cluster", metavar="tcp://HOST:PORT", help="work on the cluster of this Dask scheduler"
    )
    add_options(parser)
    return parser


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of an evaluation, the same for every command that makes one.

    What is not given is absent: so a preset, or an earlier report, can stand in.
    """
    default = Options()
    add = partial(parser.add_argument, default=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, required=True, help="folder for the report")
    parser.add_argument("--only", type=findings, default=(), help=f"of {', '.join(FINDINGS)} (all)")
    parser.add_argument("--preset", choices=PRESETS, help="count as published work did")
    add("--metrics", type=words, help="names, comma separated (all)")
    add("--counts", type=counts, help="such as 1-48 or 1,5,10 (all)")
    for name in ("draws", "seed", "resamples", "flips"):
        add(f"--{name}", type=int, help=f"default {getattr(default, name)}")
    for name, choices in CHOICES.items():
        flag = f"--{name.replace('_', '-')}"
        add(flag, choices=choices, help=f"default {getattr(default, name)}")
    add(
        "--exclude-identical",
        action="store_true",
        help="leave out references that equal a candidate of their image",
    )


def words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def findings(text: str) -> tuple[str, ...]:
    """Names of findings from text such as `table,systems`."""
    unknown = [name for name in words(text) if name not in FINDINGS]
    if unknown:
        raise argparse.ArgumentTypeError(f"there is no {unknown[0]!r}, only {', '.join(FINDINGS)}")
    return words(text)


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


def options_from(given: Mapping[str, Any], earlier: Mapping[str, Any] | None = None) -> Options:
    """The options given, before those of the preset, before those of an earlier report."""
    names = {field.name for field in fields(Options)}
    chosen: dict[str, Any] = dict(earlier or {}) | PRESETS[given.get("preset") or "tercet"]
    chosen |= {name: value for name, value in given.items() if name in names}
    for name in {"metrics", "counts"} & chosen.keys():
        chosen[name] = tuple(chosen[name])
    return Options(**chosen)


def report(
    load: Callable[[Progress], Dataset],
    out: Path,
    options: Options,
    only: Sequence[str] = (),
    other: Dataset | None = None,
    asked: Mapping[str, str] | None = None,
) -> str:
    """Evaluate the dataset that `load` gives into the folder `out`; gives the result in words.

    asked: what of the command is not among the options, for the report to name.
    """
    check_folder(out)
    with Bar() as progress:
        dataset = load(part(progress, 0, 0.1))
        judged = part(progress, 0.1, 0.6)
        evaluation = (
            evaluate_ratings(dataset, options)
            if dataset.pairs.empty and len(dataset.ratings)
            else evaluate(dataset, options, judged, other)
        )
        evaluation.provenance.update(asked or {})
        write_report(evaluation, out, part(progress, 0.6, 1), only)
    return f"{summary(evaluation)}\nThe report is in {out}: open index.html."


def load(folder: Path, progress: Progress) -> Dataset:
    """The dataset in `folder`."""
    return noted(read(folder, progress), folder)


def noted(reading: Reading, place: Path) -> Dataset:
    """The dataset that was read; what was left out of it goes to standard error."""
    for warning in reading.warnings:
        print(f"Note: {warning}.", file=sys.stderr)
    try:
        return reading.sound()
    except FaultyDataset as error:
        error.add_note(str(place))
        raise


def run(given: argparse.Namespace) -> str:
    """What the command does; gives the result in words."""
    earlier = earlier_report(given.again) if given.again else {}
    asked = {
        name: str(path)
        for name in ("folder", "against", "scores")
        if (path := place(name, given, earlier))
    }
    if "folder" not in asked:
        raise ValueError("Name the dataset folder.")
    other = load(Path(asked["against"]), silent) if "against" in asked else None
    if other and earlier.get("against_sha256", other.sha256) != other.sha256:
        raise ValueError(CHANGED.format(asked["against"]))
    options = options_from(vars(given), earlier.get("options"))
    only = given.only or [each["name"] for each in earlier.get("findings", [])]
    with workers(given.cluster):
        return report(
            partial(load_as_asked, asked, earlier), given.out, options, only, other, asked
        )


def earlier_report(path: Path) -> dict[str, Any]:
    """What a report.json says of how its report was made; ValueError if it is another file."""
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        options_from({}, told["options"])
        unknown = [each["name"] for each in told["findings"] if each["name"] not in FINDINGS]
        known = isinstance(told["sha256"], str) and not unknown
    except (KeyError, TypeError, AttributeError, ValueError):
        known = False
    if not known:
        raise ValueError(f"{path} is not the report.json of a report that can be made again.")
    return dict(told)


def place(name: str, given: argparse.Namespace, earlier: Mapping[str, Any]) -> Path | str | None:
    """Where some input is: as given, or as in an earlier report."""
    named: Path | None = getattr(given, name)
    return named or earlier.get(name)


def load_as_asked(
    asked: Mapping[str, str], earlier: Mapping[str, Any], progress: Progress
) -> Dataset:
    """The dataset with its further scores; ValueError if it is not that of the earlier report."""
    dataset = load(Path(asked["folder"]), progress)
    if "scores" in asked:
        dataset = noted(with_scores(dataset, Path(asked["scores"])), Path(asked["scores"]))
    if earlier and earlier["sha256"] != dataset.sha256:
        raise ValueError(CHANGED.format(asked["folder"]))
    return dataset


def main(arguments: list[str] | None = None) -> int:
    given = parser().parse_args(arguments)
    try:
        print(run(given))
    except FaultyDataset as error:
        print(f"The dataset in {error.__notes__[0]} cannot be used:\n{error}", file=sys.stderr)
        return 2
    except (ValueError, OSError, RuntimeError, MemoryError) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Stopped: nothing was written.", file=sys.stderr)
        return INTERRUPTED
    return 0


if __name__ == "__main__":
    sys.exit(main())
