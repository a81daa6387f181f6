"""Metrics against each other: tests of every pair of them, and differences over the curve."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import compress

import numpy as np
import pandas as pd

from tercet.analysis import reasons
from tercet.analysis.evaluation.results import Results
from tercet.analysis.evaluation.verdicts import is_difference
from tercet.analysis.figures.differences import difference_figure
from tercet.analysis.findings.finding import Content, Plot, finding
from tercet.analysis.findings.first_sentence import NONE, group_sizes, metrics_in_words
from tercet.analysis.findings.needs import PAIRS, TWO_METRICS
from tercet.analysis.findings.reference_counts import with_cut_note
from tercet.analysis.number_texts import plural
from tercet.analysis.scoring.tallies import ReferenceCount
from tercet.analysis.stats.significance import holm, mcnemar, simultaneous_band
from tercet.analysis.tables.rows import where
from tercet.analysis.values import references_in_words

MEANING = (
    "The difference of two accuracies on the same pairs, with its 95 % interval over images. The "
    "verdict goes by p_adjusted alone, at 5 %: it is that of sign-flip permutation tests over "
    "images, adjusted for all pairs of the main metrics together, and for all other versions, "
    "which are compared with the main metric of their family only (step-down maxT). p is not "
    "adjusted, nor are p_any_count, of no difference at any count, and the intervals, which may "
    "leave out 0 where no difference can be seen after adjusting. The bands of the curves hold "
    "at all counts at once."
)
_SHOWS = (
    "The best metric minus each of the others, in points of accuracy, against the number "
    "of references, with bands"
)
MAIN, VERSIONS = "main metrics", "versions with their main metric"
"""Which comparisons an adjusted p is adjusted for."""
KEYS = (
    *("metric_a", "metric_b", "category", "reference_count"),
    *("difference", "low", "high"),
)


@finding(
    title="Differences between metrics",
    source="Beside the CIDEr paper: Westfall and Young, 1993; McNemar, 1947",
    meaning=MEANING,
    needs=(PAIRS, TWO_METRICS),
)
def differences(results: Results) -> Content:
    """Compare every two metrics at the shown counts, and the best with the others at every count.

    The main group is compared at all shown counts, each other group at the largest.
    """
    images_of = results.comparisons.images_of
    testable = [group for group in results.groups if images_of(group) > 1]

    tests = [pd.DataFrame()]
    for group, count in _wanted(results, testable):
        tests.append(_tests(results, group, count))
    tested = pd.concat(tests, ignore_index=True)
    of_counts = [pd.DataFrame(), *_difference_curves(results)]
    curves = pd.concat(of_counts, ignore_index=True)

    notes = [
        reasons.of_comparison(group, *group_sizes(results, group))
        for group in results.groups
        if group not in testable
    ]
    if testable and tested.empty:
        notes.append(_why_not_compared(results))

    draw = partial(difference_figure, curves)
    plots = {"differences": Plot(draw, _SHOWS)} if len(curves) else {}
    return Content(
        tables={"differences": tested, "difference_curves": curves},
        plots=plots,
        notes=with_cut_note(results, *notes, *_incomplete(results)),
        sentence=_sentence(results, tested),
    )


def _why_not_compared(results: Results) -> str:
    complete = results.comparisons.complete(results.last_count)
    return reasons.first_lack(
        (len(complete) < 2, "Fewer than two metrics score every pair."),
        (
            True,
            "No two of these metrics are compared: a version of a metric is compared with its "
            "main version only.",
        ),
    )


def _wanted(
    results: Results, groups: Sequence[str]
) -> Iterator[tuple[str, ReferenceCount]]:
    """Yield the groups and counts to test."""
    main = results.main_group
    images_of = results.comparisons.images_of
    if main in groups:
        for count in results.counts:
            if images_of(main, count) > 1:
                yield main, count

    for group in groups:
        if group != main:
            yield group, results.last_count


def _incomplete(results: Results) -> Iterator[str]:
    """Yield a note for each metric that does not score every pair."""
    complete = map(results.comparisons.complete, results.counts)
    by_count = dict(zip(results.counts, complete, strict=True))
    for metric in results.metrics:
        missing = [
            str(count) for count, names in by_count.items() if metric not in names
        ]
        if missing:
            yield (
                f"{metric} does not score every pair with {', '.join(missing)} references: it "
                "is not compared there."
            )


def _tests(results: Results, group: str, count: ReferenceCount) -> pd.DataFrame:
    """Return the tests of main metrics, then those of versions of a metric with its main one."""
    comparisons = results.comparisons
    tests = {
        MAIN: comparisons.tests(group, count),
        VERSIONS: comparisons.tests_of_versions(group, count),
    }
    filled = [each.assign(compared=by) for by, each in tests.items() if len(each)]
    if not filled:
        return pd.DataFrame()

    table = pd.concat(filled, ignore_index=True)
    table = table.assign(category=group, reference_count=count)
    if count == results.every_reference:
        exact = _exact_tests(results, table, group)
        table = table.join(exact)

    others = [name for name in table if name not in (*KEYS, "error")]
    return table[[*KEYS, *others]]


def _exact_tests(results: Results, pairs: pd.DataFrame, group: str) -> pd.DataFrame:
    """Return McNemar's tests of some pairs of metrics, with Holm's correction.

    They are on the pairs of candidates on which neither metric ties.
    """
    mask = results.samples.pairs.mask(group)
    credit = {}
    for name, tally in results.samples.tallies.items():
        credit[name] = results.credit(tally.preferred)[mask]
    compared = zip(pairs["metric_a"], pairs["metric_b"], strict=True)
    found = [mcnemar(credit[a], credit[b]) for a, b in compared]
    tests = pd.DataFrame(map(vars, found))
    holms = holm(tests["p"].to_numpy())
    table = tests[["only_a", "only_b"]]
    return table.assign(p_mcnemar=tests["p"], p_mcnemar_holm=holms)


def _difference_curves(results: Results) -> Iterator[pd.DataFrame]:
    """Yield the best headline metric minus each of the others, at every count."""
    comparisons = results.comparisons
    group = results.main_group
    counts = range(1, results.full + 1)
    if results.full < 2:
        return

    complete = map(comparisons.complete, counts)
    names = set(results.headline).intersection(*complete)
    ranked = [name for name in results.ranked if name in names]
    if comparisons.images_of(group) < 2 or len(ranked) < 2:
        return

    contributions = results.samples.contributions(ranked, group)[:, : results.full]
    has_accuracy = np.asarray(np.isfinite(contributions).all(axis=(1, 2)))
    ranked = list(compress(ranked, has_accuracy))
    if len(ranked) < 2:
        return

    best, *others = contributions[has_accuracy]
    tests = comparisons.tests(group, results.full)
    pairs = tests[["metric_a", "metric_b"]].to_numpy()
    p_of = dict(zip(map(frozenset, pairs), tests["p_adjusted"], strict=True))

    for name, other in zip(ranked[1:], others, strict=True):
        lead = best - other
        band = simultaneous_band(lead, comparisons.signs)
        value = lead.sum(axis=1)
        columns = {
            "metric_a": ranked[0],
            "metric_b": name,
            "category": group,
            "reference_count": counts,
            "difference": value,
            "low": value - band.half_width,
            "high": value + band.half_width,
            "p_any_count": band.p,
            "p_adjusted": p_of[frozenset({ranked[0], name})],
        }
        yield pd.DataFrame(columns)


def _sentence(results: Results, tests: pd.DataFrame) -> str:
    """Say how many of the main metrics can be told apart."""
    if tests.empty:
        return NONE

    group = results.main_group
    count = results.last_count
    there = where(tests, category=group, reference_count=count)
    both = there[["metric_a", "metric_b"]]
    is_main = both.isin(results.headline).all(axis=1)
    shown = there[is_main]
    if shown.empty:
        return NONE

    names = {*shown["metric_a"], *shown["metric_b"]}
    return significant_in_words(
        int(is_difference(shown).sum()),
        len(shown),
        metrics=metrics_in_words(names, number=False),
        references=references_in_words(count),
    )


def significant_in_words(
    significant: int, comparisons: int, metrics: str, references: str
) -> str:
    """Say how many comparisons are significant."""
    if comparisons == 1:
        verb = "is" if significant else "is not"
        return (
            f"With {references}, the only comparison of {metrics} {verb} significant (5 %, "
            "adjusted)."
        )

    verb = plural(significant, "is", "are")
    return (
        f"With {references}, {significant} of {comparisons} comparisons of {metrics} {verb} "
        "significant (5 %, adjusted)."
    )
