"""`tercet analyse FOLDER --out REPORT`: compare caption metrics with people's votes."""

import argparse
import json
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any

from tercet.analysis.dataset.choices_file import read_choices
from tercet.analysis.dataset.folder import Reading, read, with_scores
from tercet.analysis.dataset.rating_pairs import with_pairs_from_ratings
from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.evaluation.results import Results
from tercet.analysis.figures.formats import FORMATS, ImageFormat
from tercet.analysis.figures.style import DEFAULT, Look
from tercet.analysis.findings import choose, definitions, need_scores
from tercet.analysis.findings.finding import Finding
from tercet.analysis.progress import Progress, ProgressBar, part, silent
from tercet.analysis.report.folder import check_folder, summary, write_report
from tercet.analysis.report.ledger import record_variants
from tercet.analysis.scoring.options import CHOICES, Options
from tercet.analysis.scoring.presets import PRESETS, USUAL
from tercet.analysis.scoring.sources import metrics_left_out
from tercet.analysis.scoring.workers import workers
from tercet.analysis.tables.csv_tables import FaultyDataset
from tercet.analysis.tables.schema import DIGEST_VERSIONS, Dataset
from tercet.analysis.tables.unpacking import dataset_folder
from tercet.metrics import ALL, MetricFailed, read_model
from tercet.metrics.arguments import (
    COMBINE_HELP,
    FAILED,
    INTERRUPTED,
    METRIC_FAILED,
    MODEL_HELP,
    REFUSED,
    add_program_options,
    add_shell_options,
    add_strict,
    be_quiet,
    counts,
    print_note,
    program,
    shell_output,
    tell_failed,
    words,
)
from tercet.metrics.composed.learned import DIGITS
from tercet.metrics.core.garbage import rare_collection
from tercet.metrics.outside.command import with_programs
from tercet.metrics.outside.measured import failed_checks

WIDTH = re.compile(r"(\d+(?:\.\d+)?) ?(in|cm|mm)")
UNITS = {"in": 1.0, "cm": 2.54, "mm": 25.4}
"""How many of each are an inch."""
MIN_WIDTH, MAX_WIDTH = 2, 30
"""Of plots, in inches."""
_NAMED = (
    *("folder", "roles", "against", "scores", "predictions", "pairs_from_ratings"),
    "preset",
)
"""What of the command a report names besides its options."""
EXPECTED = (FaultyDataset, ValueError, OSError, RuntimeError, MemoryError)
"""What a command says in words, and ends."""
NUMBERS = ("draws", "seed", "resamples", "flips")
_MEANINGS = {
    "draws": "random orders of the references to average over",
    "seed": "seed of everything random",
    "resamples": "bootstrap resamples for intervals",
    "flips": "sign flips for tests",
    "human_ties": "how a tie of people counts",
    "metric_ties": "how a tie of a metric counts; first: as B",
    "coefficient": "correlation with ratings by which metrics are ordered and compared",
    "folds": "what learned metrics keep in one fold: an image, or all images that share captions",
    "order": "order of the references; file: as in references.csv",
    "documents": "references in which CIDEr counts document frequencies",
    "tokenizer": "how captions are split into words",
    "winners": "who decides a pair: its votes, or a person where adjudications.csv has a decision",
}
"""What an option does, by its name."""
_SWITCHES = {
    "learn": "add a metric that is trained on the winners, or ratings, of other images",
    "exclude_identical": "leave out references that equal a candidate of their image; with "
    "ratings, for this candidate only",
    "exclude_rated": "leave out references that equal a rated caption of their image, for all "
    "captions of the image (for rows of Composite)",
    "exclude_equal_candidates": "leave out pairs of two equal candidates",
}
_LISTS = {
    "headline": "metrics that are plotted and tested together (default: the main ones)",
    "rank_by": "two metrics by which references are ranked and compared",
    "systems_from": "categories of the pairs that compare systems (default MM)",
    "table_adds": "what table.tex has beside accuracies, of intervals, pairs (default none)",
}
"""What an option without a value, or with several, does."""
_TUPLES = {"metrics", "combine", "models", "counts", *_LISTS}
"""The options that are tuples."""


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=program("analyse"), description=__doc__)
    parser.add_argument(
        "folder", type=Path, nargs="?", help="dataset folder, a zip of one, or a file"
    )
    parser.add_argument(
        "--again",
        type=Path,
        metavar="REPORT.JSON",
        help="repeat the evaluation recorded in an earlier report",
    )
    parser.add_argument(
        "--against",
        type=Path,
        metavar="FOLDER",
        help="folder of the same pairs judged under the other protocol",
    )
    parser.add_argument(
        "--roles",
        type=Path,
        metavar="ROLES.JSON",
        help="what columns hold, as tercet doctor --roles writes it",
    )
    _add_score_files(parser)
    add_program_options(parser)
    parser.add_argument(
        "--cluster",
        metavar="tcp://HOST:PORT",
        help="work on the cluster of this Dask scheduler, or of Ray at ray://HOST:PORT",
    )
    add_options(parser)
    _add_figure_options(parser)
    add_strict(parser)
    add_shell_options(parser)
    return parser


def _add_score_files(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--scores",
        type=Path,
        help="scores.csv with scores of other metrics, or capevalkit:FILE.json",
    )
    parser.add_argument(
        "--predictions",
        type=Path,
        help="captions of the ids in capevalkit's scores, JSON Lines",
    )
    parser.add_argument(
        "--pairs-from-ratings",
        type=float,
        metavar="0.5",
        help="also judge pairs of rated captions of one image: the higher mean rating wins, and "
        "means that differ by this or less are a tie",
    )


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of an evaluation, the same for every command that makes one.

    What is not given is absent: so a preset, or an earlier report, can stand in.
    """
    add = partial(parser.add_argument, default=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, required=True, help="folder for the report")
    parser.add_argument(
        "--only",
        type=findings,
        default=(),
        help=f"names from {', '.join(definitions())} (default all)",
    )
    parser.add_argument("--preset", "--as", choices=PRESETS, help="published protocol")
    add("--metrics", type=words, help="names, comma separated (default all)")
    add("--combine", action="append", metavar="FORMULA", help=COMBINE_HELP)
    add(
        "--model", action="append", dest="models", metavar="MODEL.JSON", help=MODEL_HELP
    )
    add(
        "--counts",
        type=counts,
        help="numbers of references, such as 1-48 or 1,5,10 (default all)",
    )
    for name in NUMBERS:
        add(f"--{name}", type=int, help=_option_help(name))
    add(
        "--margin",
        type=float,
        help="mean strength of votes (votes.csv) beyond which a candidate wins, such as 0.5 "
        "(default: the majority wins)",
    )
    for name, choices in CHOICES.items():
        add(_flag(name), choices=choices, help=_option_help(name))
    for name, meaning in _SWITCHES.items():
        add(_flag(name), action="store_true", help=meaning)
    for name, meaning in _LISTS.items():
        add(_flag(name), type=words, help=meaning)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _add_figure_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--figure-width",
        metavar="3.3in",
        help="width of every plot, in in, mm or cm (default: as needed)",
    )
    parser.add_argument(
        "--figure-category",
        metavar="MM",
        help="draw only the panel of this category (default all)",
    )
    parser.add_argument(
        "--formats",
        metavar="png,pdf",
        help="files of every plot besides SVG: png, pdf (default: of the main plot only)",
    )


def _option_help(name: str) -> str:
    """Return what an option does, with its default."""
    return f"{_MEANINGS[name]} (default {getattr(Options(), name)})"


def inches(text: str) -> float:
    """Read a width from text such as `3.3in`, `84mm` or `8.4cm`."""
    written = WIDTH.fullmatch(text)
    width = float(written[1]) / UNITS[written[2]] if written else 0.0

    if not MIN_WIDTH <= width <= MAX_WIDTH:
        raise ValueError(
            f"{text!r} is not a width from {MIN_WIDTH} to {MAX_WIDTH} inches, such as 3.3in."
        )
    return width


def image_formats(text: str) -> tuple[ImageFormat, ...]:
    """Read formats of plots from text such as `png,pdf`."""
    named = words(text)
    if unknown := [name for name in named if name not in FORMATS]:
        raise ValueError(
            f"{unknown[0]!r} is not a format of plots: {', '.join(FORMATS)}."
        )

    return tuple(kind for kind in FORMATS if kind in named)


def findings(text: str) -> tuple[str, ...]:
    """Read names of findings from text such as `table,systems`."""
    try:
        choose(words(text))
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return words(text)


def options_from(
    given: Mapping[str, Any], earlier: Mapping[str, Any] | None = None
) -> Options:
    """Return the options given, else those of the preset, else those of an earlier report."""
    names = {field.name for field in fields(Options)}
    preset = PRESETS[given.get("preset") or USUAL]
    chosen: dict[str, Any] = {**(earlier or {}), **preset.options}
    chosen |= {name: value for name, value in given.items() if name in names}

    for name in _TUPLES & chosen.keys():
        chosen[name] = tuple(chosen[name])
    return Options(**chosen)


def report(
    load: Callable[[Progress], Dataset],
    out: Path,
    options: Options,
    only: Sequence[str] = (),
    other: Dataset | None = None,
    asked: Mapping[str, Any] | None = None,
    look: Look = DEFAULT,
) -> tuple[str, list[Finding]]:
    """Evaluate a dataset into a report folder.

    Parameters
    ----------
    load
        Returns the dataset; called with a progress.
    out
        The folder to write.
    options
        Of the evaluation.
    only
        The findings to make; all of them if empty.
    other
        The same pairs under the other protocol.
    asked
        What of the command is not among the options, to be named in the report.
    look
        Width, category and formats of the plots.

    Returns
    -------
    tuple of str and list of Finding
        The result in words, and the findings of the report.
    """
    results, findings = _make_report(load, out, options, only, other, asked, look)
    return _in_words(results, findings, only, out), findings


def _make_report(
    load: Callable[[Progress], Dataset],
    out: Path,
    options: Options,
    only: Sequence[str],
    other: Dataset | None,
    asked: Mapping[str, Any] | None,
    look: Look,
) -> tuple[Results, list[Finding]]:
    """Evaluate a dataset into a report folder, as `report`."""
    check_folder(out)
    with ProgressBar() as progress:
        dataset = load(part(progress, 0, 0.1))
        scoring = part(progress, 0.1, 0.6)
        writing = part(progress, 0.6, 1)

        results = evaluate(dataset, options, scoring, other, need_scores(only))
        results.provenance.update(asked or {})
        record_variants(results)
        return results, write_report(results, out, writing, only, look)


def _in_words(
    results: Results, findings: Iterable[Finding], wanted: Collection[str], out: Path
) -> str:
    """Return the result, the sentences of wanted findings, and where the report is."""
    end = f"The report is in {out}: open index.html."
    return "\n".join([summary(results), *_sentences(findings, wanted), str(end)])


def _sentences(findings: Iterable[Finding], wanted: Collection[str]) -> Iterator[str]:
    """Yield a line for each wanted finding: its sentence, or why there is none."""
    for finding in findings:
        sentence = finding.sentence or finding.reason

        if sentence and finding.name in wanted:
            said = " ".join([*finding.reservations, sentence])
            yield f"{finding.title}: {said}"


def failures(findings: Iterable[Finding]) -> list[str]:
    """Return a line for each finding that could not be made."""
    lines = []
    for finding in findings:
        if finding.error:
            line = f"The finding {finding.name} could not be made: {finding.error}"
            lines.append(str(line))

    return lines


def load(
    path: Path,
    progress: Progress,
    roles: str | None = None,
    *,
    references_alone: bool = False,
) -> Dataset:
    """Load a dataset from a folder, a zip file of one, or a file; see `analysis.dataset.folder`."""
    with _named(path), dataset_folder(path) as folder:
        choices = read_choices(Path(roles)) if roles else {}
        alone = references_alone
        return _sound(read(folder, progress, choices, references_alone=alone))


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Note in the error of a faulty dataset where it is."""
    try:
        yield
    except FaultyDataset as error:
        error.add_note(str(path))
        raise


def _sound(reading: Reading) -> Dataset:
    """Return the dataset that was read; what was left out of it goes to standard error."""
    for warning in reading.warnings:
        note = f"Note: {warning}."
        print_note(note)
    return reading.sound()


def run(given: argparse.Namespace) -> tuple[str, list[str], list[str]]:
    """Do what the command says.

    Returns the result in words, the findings that could not be made, and the checks that metrics
    from outside did not pass.
    """
    earlier = _earlier_report(given.again) if given.again else {}
    asked: dict[str, Any] = {}
    for name in _NAMED:
        value = earlier.get(name) if (own := getattr(given, name)) is None else own
        if value is not None:
            asked[name] = str(value)

    if "folder" not in asked:
        raise ValueError("Name the dataset folder.")

    other = load(Path(asked["against"]), silent) if "against" in asked else None
    if other and "against_sha256" in earlier:
        _check_same(other, asked["against"], earlier, "against_sha256")

    options = options_from(vars(given), earlier.get("options"))
    _check_programs(given.metric_command, earlier.get("metric_command", []))
    if given.metric_command:
        asked["metric_command"] = given.metric_command
        options = _with_programs(options, given)
    for line in metrics_left_out(options):
        print_note(f"Note: {line}.")
    only = given.only or [finding["name"] for finding in earlier.get("findings", [])]
    figures = {
        name: value
        for name in ("figure_width", "figure_category", "formats")
        if (value := getattr(given, name) or earlier.get(name))
    }

    look = _look_of(figures)
    with workers(given.cluster):
        load_asked = partial(_load_asked, asked, earlier)
        results, findings = _make_report(
            load_asked, given.out, options, only, other, asked | figures, look
        )

    text = _in_words(results, findings, only, given.out)
    unpassed = failed_checks(results.sources.measured, results.outside)
    return text, failures(findings), unpassed


def _look_of(figures: Mapping[str, str]) -> Look:
    """Return width, category and formats of the plots, from the options that are given."""
    return Look(
        width=inches(figures["figure_width"]) if "figure_width" in figures else None,
        category=figures.get("figure_category", ""),
        formats=image_formats(figures.get("formats", "")),
    )


def _with_programs(options: Options, given: argparse.Namespace) -> Options:
    """Add the metrics that are programs; kept scores serve no report that is made again."""
    named = options.metrics or (ALL,)
    limits = given.metric_limits
    is_first = not given.again
    metrics = with_programs(named, given.metric_command, limits, cache=is_first)
    return replace(options, metrics=metrics)


def _check_programs(given: Sequence[str], earlier: Sequence[str]) -> None:
    """Raise ValueError where a report names programs: no file but the user starts one."""
    missing = [command for command in earlier if command not in given]
    if missing:
        raise ValueError(
            f"The report was made with the program {missing[0]}: name it again by "
            "--metric-command if you know it."
        )


def _earlier_report(path: Path) -> dict[str, Any]:
    """Read how a report was made from its report.json; ValueError if it is another file."""
    try:
        described = json.loads(path.read_text(encoding="utf-8"))
        options_from({}, described["options"])
        names = [finding["name"] for finding in described["findings"]]
        is_report = (
            isinstance(described["sha256"], str)
            and described.get("digest", 1) in DIGEST_VERSIONS
            and set(names) <= set(definitions())
        )
    except (KeyError, TypeError, AttributeError, ValueError):
        is_report = False

    if not is_report:
        raise ValueError(
            f"{path} is not the report.json of a report that can be made again."
        )
    _check_models(described)
    return dict(described)


def _check_models(earlier: Mapping[str, Any]) -> None:
    """Raise ValueError if a model is another one than the earlier report had."""
    made_with = " ".join(earlier.get("composites", []))
    for path in earlier["options"].get("models", []):
        if read_model(path).sha256[:DIGITS] not in made_with:
            raise ValueError(_changed(path))


def _load_asked(
    asked: Mapping[str, Any], earlier: Mapping[str, Any], progress: Progress
) -> Dataset:
    """Load the dataset with its further scores and pairs.

    Raises ValueError if the earlier report had another.
    """
    folder = Path(asked["folder"])
    dataset = load(folder, progress, asked.get("roles"))

    if "scores" in asked:
        scores = Path(asked["scores"])
        with _named(scores):
            predictions = Path(asked["predictions"]) if "predictions" in asked else None
            reading = with_scores(dataset, scores, silent, predictions)
            dataset = _sound(reading)

    if "pairs_from_ratings" in asked:
        threshold = float(asked["pairs_from_ratings"])
        dataset = with_pairs_from_ratings(dataset, threshold)
    if earlier:
        _check_same(dataset, asked["folder"], earlier, "sha256")
    return dataset


def _check_same(
    dataset: Dataset, folder: str, earlier: Mapping[str, Any], name: str
) -> None:
    """Raise ValueError if a dataset has another digest than in an earlier report."""
    version = earlier.get("digest", DIGEST_VERSIONS[0])
    if dataset.digest(version) != earlier[name]:
        raise ValueError(_changed(folder))


def _changed(folder: str) -> str:
    return f"{folder} has changed since the report was made: its digest is another."


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    with shell_output():
        given = parser().parse_args(arguments)
        be_quiet(given.quiet)
        with rare_collection():
            return _status_of(given)


def told(error: Exception) -> int:
    """Print one of the `EXPECTED` errors, and return the status with which a command ends."""
    if isinstance(error, FaultyDataset):
        print(f"The dataset in {error.__notes__[0]} cannot be used:", file=sys.stderr)
    print(error, file=sys.stderr)
    return METRIC_FAILED if isinstance(error, MetricFailed) else REFUSED


def _status_of(given: argparse.Namespace) -> int:
    """Run the command with these arguments, and print what becomes of it."""
    try:
        text, problems, unpassed = run(given)
    except EXPECTED as error:
        return told(error)
    except KeyboardInterrupt:
        print("Stopped: nothing was written.", file=sys.stderr)
        return INTERRUPTED

    print(text)
    for problem in problems:
        print(problem, file=sys.stderr)
    status = tell_failed(unpassed, given.strict)
    return FAILED if problems else status


if __name__ == "__main__":
    sys.exit(main())
