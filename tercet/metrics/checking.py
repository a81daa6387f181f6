"""Check metrics from outside in a shell: ``tercet metrics check NAME``."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from tercet.metrics.arguments import (
    FAILED,
    add_caption_files,
    add_program_options,
    program,
    refused,
)
from tercet.metrics.core.arrays import FloatArray
from tercet.metrics.outside.calls import MetricFailed
from tercet.metrics.outside.checks import LENGTH, CheckOutcome, rank_correlation
from tercet.metrics.outside.command import with_programs
from tercet.metrics.outside.text_metric import TextMetric
from tercet.metrics.registry import measure_all, resolve, text_metric
from tercet.metrics.scoring import totals_of
from tercet.metrics.text.files import CANDIDATES, REFERENCES, check_images, load
from tercet.metrics.text.inputs import Inputs, check, text_of
from tercet.metrics.text.tokens import plain

_CAPTIONS = Path(__file__).parent / "outside" / "captions"
"""What is scored unless other captions are given: 20 candidates of 10 images."""
_THOROUGH = 10.0
"""Calls that checks may add, as a share: this command is about them."""
_WORDS = {True: "passed", False: "FAILED", None: "noted "}


def add_options(parser: ArgumentParser) -> None:
    """Add what is checked, and with which captions."""
    parser.add_argument(
        "name",
        nargs="?",
        help="metric of an installed package, or of the extra embed; none with --metric-command",
    )
    add_program_options(parser)
    add_caption_files(parser, "without both, captions that come with Tercet")


def check_metrics(given: Namespace) -> int:
    """Check the metrics that are named; return the exit status."""
    try:
        captions = _captions(given.references, given.candidates)
        failed = [_is_failed(each, captions) for each in _metrics(given)]
    except (OSError, ValueError, RuntimeError) as error:
        return refused(program("metrics"), error)

    return FAILED if any(failed) else 0


def _metrics(given: Namespace) -> list[TextMetric]:
    """Find the metrics; a program is not answered for by scores of earlier runs."""
    if not (given.name or given.metric_command):
        raise ValueError("name a metric, or a program by --metric-command")

    found = []
    named = resolve(given.name) if given.name else ()
    limits = given.metric_limits
    for each in with_programs(named, given.metric_command, limits, cache=False):
        own = text_metric(each)
        if own is None:
            raise ValueError(
                f"{each} is a metric of Tercet: checks are of metrics from outside"
            )
        if own.needs_image:
            raise ValueError(
                f"metric {own.name} takes images: check it with a dataset that has them, by "
                "tercet analyse FOLDER --only outside"
            )
        found.append(own)

    return found


def _captions(references: Path | None, candidates: Path | None) -> Inputs:
    """Read the captions of files, or those that come with the package."""
    if (references is None) != (candidates is None):
        raise ValueError("give both --references and --candidates, or neither")

    known = load(references or _CAPTIONS, REFERENCES)
    scored = load(candidates or _CAPTIONS, CANDIDATES)
    check_images(scored, known.images, several=True)

    numbers = np.array([known.images[image] for image in scored.images])
    every = np.arange(len(known.images))
    return check(known.by_image(every), scored.captions, numbers[scored.image])


def _is_failed(metric: TextMetric, captions: Inputs) -> bool:
    """Print what a metric declares, and a line for each check; return whether one failed."""
    print(metric.name)
    for declared in metric.signature.split("|"):
        name, _, value = declared.partition(":")
        print(f"  {name:<18}{value}")

    outcomes = list(_outcomes(metric, captions))
    for each in outcomes:
        print(f"{_WORDS[each.passed]}  {each.check:<12}{each.what}")

    return any(each.passed is False for each in outcomes)


def _outcomes(metric: TextMetric, captions: Inputs) -> Iterator[CheckOutcome]:
    """Score captions, and yield what each check says."""
    try:
        measured = measure_all([metric], captions, "pool", [-1], check_share=_THOROUGH)
        [totals] = totals_of(captions, measured, plain, "pool")
    except MetricFailed as error:
        if not error.check:
            raise
        yield CheckOutcome(error.check, False, str(error))
        return

    scores = totals.scores[metric.name]
    yield CheckOutcome("bounds", True, _range(metric, scores))
    for each in measured:
        if not isinstance(each, str):
            yield from each.checks.outcomes(metric)
    yield _length(scores, list(map(text_of, captions.candidates)))


def _range(metric: TextMetric, scores: FloatArray) -> str:
    what = (
        f"scores of {len(scores):,} candidates from {scores.min():.4g} to {scores.max():.4g}, "
        "all finite"
    )
    if metric.bounds:
        low, high = metric.bounds
        what += f" and from {low:g} to {high:g}"

    return what


def _length(scores: FloatArray, captions: Sequence[str]) -> CheckOutcome:
    words = np.array([len(plain(caption)) for caption in captions], float)
    rho = rank_correlation(scores, words)
    what = f"Spearman's rho of scores with the number of words is {rho:.2f}"
    follows = ": they follow the length of a caption" if abs(rho) >= LENGTH else ""

    return CheckOutcome("length", None if follows else True, what + follows)
