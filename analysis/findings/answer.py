"""The answer on the first screen: which of two metrics agrees with people more often?"""

from dataclasses import asdict
from math import nan
from typing import Any

import pandas as pd

from tercet.analysis.evaluation.results import Results
from tercet.analysis.evaluation.verdicts import POINTS, Comparison
from tercet.analysis.findings.finding import Content, Definition
from tercet.analysis.findings.first_sentence import first_sentence
from tercet.analysis.findings.needs import PAIRS, TWO_METRICS
from tercet.analysis.findings.reservations import reservations
from tercet.analysis.scoring.tallies import ReferenceCount
from tercet.analysis.stats.planning import about, more_pairs_needed
from tercet.analysis.tables.schema import ALL
from tercet.analysis.texts import gettext as _

MEANING = _(
    "Two metrics at a time, on the same pairs, with as many references and in the category that "
    "you choose. The verdict goes by the p of sign-flip permutation tests over images, adjusted "
    "for the comparisons of all main metrics there; the unadjusted p is for these two metrics "
    "alone."
)
NOTHING = _(
    "No two of the main metrics can be compared: it takes pairs of at least two images, and two "
    "metrics that score every pair."
)
COLUMNS = [*Comparison.__match_args__, "verdict", "words"]


def answer(results: Results) -> Content:
    """Compare every two headline metrics in each group at each shown count, in words."""
    parts = [
        _compare(results, group, count)
        for group in _comparable(results)
        for count in reversed(results.counts)
    ]
    rows = [row for part in parts for row in part]
    table = pd.DataFrame(rows, columns=pd.Index(COLUMNS))

    return Content(
        tables={"answer": table},
        notes=() if len(table) else (NOTHING,),
        sentence=first_sentence(results, table),
        reservations=tuple(reservations(results, table)),
    )


def _comparable(results: Results) -> list[str]:
    """Return the groups of at least two images: the main one first, or else all pairs."""
    groups = [
        group for group in results.groups if results.comparisons.images_of(group) > 1
    ]
    return sorted(groups, key=lambda group: (group != results.main_group, group != ALL))


def _compare(
    results: Results, group: str, count: ReferenceCount
) -> list[dict[str, Any]]:
    """Return a row for every two headline metrics, the better one first."""
    tests = results.comparisons.tests(group, count)
    accuracy = results.compared(group, count)
    rank = {name: place for place, name in enumerate(accuracy.index)}

    compared = [
        _better_first(_comparison(row, accuracy, group, count), rank)
        for row in tests.to_dict("records")
    ]
    compared.sort(key=lambda each: (rank[each.metric_a], rank[each.metric_b]))
    return [
        asdict(each) | {"verdict": str(each.verdict), "words": each.in_words}
        for each in compared
    ]


def _comparison(
    row: dict[Any, Any], accuracy: pd.DataFrame, group: str, count: ReferenceCount
) -> Comparison:
    """Return the comparison of a row of tests, with the accuracies of its metrics."""
    pairs = int(accuracy["pairs"][row["metric_a"]])
    more = nan
    if row["error"] > 0:
        more = about(more_pairs_needed(pairs, row["error"], POINTS))

    shares = accuracy["accuracy"]
    return Comparison.of(
        row
        | {
            "category": group,
            "reference_count": count,
            "pairs": pairs,
            "accuracy_a": float(shares[row["metric_a"]]),
            "accuracy_b": float(shares[row["metric_b"]]),
            "more_pairs": float(more),
        }
    )


def _better_first(compared: Comparison, rank: dict[str, int]) -> Comparison:
    is_first = rank[compared.metric_a] < rank[compared.metric_b]
    return compared if is_first else compared.turned


DEFINITION = Definition(
    name="answer",
    title=_("Which metric agrees with people more often?"),
    source=_("Beside the CIDEr paper: sign-flip permutation tests over images"),
    meaning=MEANING,
    needs=(PAIRS, TWO_METRICS),
    make=answer,
)
