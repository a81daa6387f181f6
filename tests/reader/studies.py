"""Reports of datasets in this process, with small options and without drawings."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tercet.analysis import Options, evaluate, load, write_report
from tests.reader.dataset import Data
from tests.reader.degenerate import make
from tests.reader.reader import Fault, read

NAMES = (
    *(
        "answer",
        "accuracy",
        "table",
        "ratings",
        "differences",
        "enough",
        "systems",
        "captions",
    ),
    *("humans", "agreement", "people", "planning", "raters"),
)
"""The findings that need neither a parser nor long computations."""
OF_ORIGINS = ("answer", "accuracy", "differences", "worth")
OF_TEXTS = (
    "answer",
    "accuracy",
    "table",
    "ratings",
    "ranking",
    "gaming",
    "words",
    "profile",
    "learned",
    "learned_ratings",
)
"""Findings that parse captions, train models or write strings, with what their sentences need."""
USUAL = {"exclude_identical": False, "human_ties": "half"}
NOBODY_WON = "NothingToEvaluate: No pair has a winner yet."
ALL_DROPPED = "People decided none of the pairs, and ties are dropped: nothing is left."


def faults_of_seed(
    seed: int, folder: Path, names: Sequence[str] = NAMES
) -> list[Fault]:
    """Make the dataset of a seed and its report, and read it."""
    dataset = folder / f"dataset {seed}"
    options = make(dataset, seed)
    return faults_of(dataset, folder / f"report {seed}", options, names)


def faults_of(
    dataset: Path, report: Path, options: dict[str, Any], names: Sequence[str] = NAMES
) -> list[Fault]:
    """Make the report of a dataset and read it; a refusal is read, too."""
    try:
        write_report(evaluate(load(dataset), Options(**options)), report, names=names)
    except Exception as error:  # a reader of all datasets goes on with the next
        said = f"{type(error).__name__}: {error}"
        return refused(said, Data(dataset, USUAL | options))
    return read(report, dataset)


def refused(message: str, data: Data) -> list[Fault]:
    """Return what is false of the words by which an analysis is refused."""
    if message.endswith(ALL_DROPPED) and data.options["human_ties"] == "drop":
        said = f"{len(data.judged)} pairs are decided"
        return [Fault("refused", message, said)] if data.judged else []
    if not message.startswith(NOBODY_WON):
        return [Fault("refused", message, "this dataset can be analysed")]
    if winners := len(data.with_winner):
        return [Fault("refused", message, f"{winners} pairs have a winner, or a tie")]
    return []
