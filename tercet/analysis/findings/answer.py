"""The answer on the first screen: which of two metrics agrees with people more often?"""

from dataclasses import asdict
from itertools import product
from math import nan
from typing import Any

import pandas as pd

from tercet.analysis.evaluation.results import Results
from tercet.analysis.evaluation.verdicts import POINTS, Comparison
from tercet.analysis.findings.finding import Content, finding
from tercet.analysis.findings.first_sentence import first_sentences, why_undecided
from tercet.analysis.findings.needs import PAIRS, TWO_METRICS
from tercet.analysis.findings.reservations import reservations
from tercet.analysis.scoring.tallies import ReferenceCount
from tercet.analysis.stats.planning import about, more_pairs_needed
from tercet.analysis.tables.schema import ALL

MEANING = (
    "Two metrics at a time, on the same pairs, with as many references and in the category that "
    "you choose. The verdict goes by the p of sign-flip permutation tests over images, adjusted "
    "for the comparisons of all main metrics there; the unadjusted p is for these two metrics "
    "alone."
)
COLUMNS = [*Comparison.__match_args__, "verdict", "words"]


@finding(
    title="Which metric agrees with people more often?",
    source="Beside the CIDEr paper: sign-flip permutation tests over images",
    meaning=MEANING,
    needs=(PAIRS, TWO_METRICS),
)
def answer(results: Results) -> Content:
    """Compare every two headline metrics in each group at each shown count, in words.

    The groups are those of at least two images: the main one first, or else all pairs.
    """
    images_of = results.comparisons.images_of
    testable = [group for group in results.groups if images_of(group) > 1]
    groups = sorted(
        testable, key=lambda group: (group != results.main_group, group != ALL)
    )

    compared = []
    for group, count in product(groups, reversed(results.counts)):
        compared.extend(_compare(results, group, count))

    table = pd.DataFrame(compared, columns=pd.Index(COLUMNS))
    if (table["variants"] == 1).all():
        table = table.drop(columns="variants")
    if why_undecided(results):
        table = table[:0]
    found = reservations(results, table)
    sentences = first_sentences(results, table)
    return Content(
        tables={"answer": table},
        sentence=" ".join(sentences),
        headline=sentences[0] if sentences else "",
        reservations=tuple(found),
    )


def _compare(
    results: Results, group: str, count: ReferenceCount
) -> list[dict[str, Any]]:
    """Return a row for every two headline metrics, the better one first."""
    tests = results.comparisons.tests(group, count)
    accuracy = results.compared(group, count)
    rank = {name: place for place, name in enumerate(accuracy.index)}
    there = {"category": group, "reference_count": count}

    compared = []
    for row in tests.to_dict("records"):
        known = row | there | _accuracies(row, accuracy)
        each = Comparison.of(known)
        if rank[each.metric_a] > rank[each.metric_b]:
            each = each.turned
        compared.append(each)

    compared.sort(key=lambda each: (rank[each.metric_a], rank[each.metric_b]))
    return [
        asdict(each) | {"verdict": str(each.verdict), "words": each.in_words}
        for each in compared
    ]


def _accuracies(row: dict[Any, Any], accuracy: pd.DataFrame) -> dict[str, float]:
    """Return the accuracies of the metrics of a test, and the pairs that a verdict takes."""
    a = row["metric_a"]
    b = row["metric_b"]
    pairs = int(accuracy["pairs"][a])
    shares = accuracy["accuracy"]
    more = nan
    if row["error"] > 0:
        needed = more_pairs_needed(pairs, row["error"], POINTS)
        more = about(needed)

    return {
        "pairs": pairs,
        "accuracy_a": float(shares[a]),
        "accuracy_b": float(shares[b]),
        "more_pairs": float(more),
    }
