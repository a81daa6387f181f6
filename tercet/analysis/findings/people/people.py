"""Agreement among people, and accuracy on clear and on contested pairs."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np
import pandas as pd

from tercet.analysis import reasons
from tercet.analysis.dataset.sorted_annotators import ARE_COLUMNS, votes_are_sorted
from tercet.analysis.evaluation.results import Results
from tercet.analysis.figures.curves import reliability_figure
from tercet.analysis.figures.points import strata_figure
from tercet.analysis.findings.finding import Content, Plot, finding
from tercet.analysis.findings.first_sentence import NONE
from tercet.analysis.findings.needs import PAIRS, VOTES
from tercet.analysis.number_texts import counted, fixed
from tercet.analysis.stats.people.annotator_agreement import (
    Measure,
    Strata,
    agreement,
    annotators,
    margin,
    one_against_others,
    reliability,
    strata,
)
from tercet.analysis.stats.resampling import share_and_interval
from tercet.analysis.tables.rows import where

_SHOWS = (
    "How often the majority of some of a pair's votes is the majority of its other "
    "votes, against their number"
)
_SHOWS_MARGINS = (
    "Accuracy of each metric on pairs that people find contested, and clear"
)
MEANING = (
    "How far the votes on a pair agree (and those on one triplet, where it has several): raw, "
    "beyond chance (kappa, alpha), and as a share of variance (ICC); how often the majority of "
    "n of a pair's votes is the majority of its other votes; "
    "the same by category, of triplets, in human_curve (accuracy_drop leaves ties out); "
    "and the accuracy of metrics on pairs that people find clear and on contested ones."
)
_NO_OTHERS = "No pair has two votes: there are no other votes to compare with."
_STRATUM_NAMES = {
    "contested": "contested",
    "middle": "middle",
    "clear": "clear",
    "all alike": "all alike",
}
_ALL_TIES = "All votes are “can't tell”: they do not show how far people agree."
_SIZES = (*range(1, 16, 2), 21, 23, 31, 47, 63, 101)


@finding(
    title="People",
    source="Beside the CIDEr paper: Fleiss, 1971; Krippendorff, 2004; Shrout and Fleiss, 1979",
    meaning=MEANING,
    needs=(PAIRS, VOTES),
)
def people(results: Results) -> Content:
    """Tabulate how annotators agree, what more votes would bring, and where metrics fail."""
    votes = results.people.votes
    most = int(votes.sum(axis=1).max())
    image = results.samples.pairs.image
    valid = results.dataset.valid_votes
    reliable = reliability(votes, image, results.samples.weights, sizes(most // 2))
    found = strata(margin(votes))
    margins = _accuracy_by_stratum(results, found)
    are_columns = votes_are_sorted(valid)
    named = annotators(valid).iloc[: 0 if are_columns else None]
    measures = _measures(results)
    tables = {
        "people": pd.DataFrame(map(vars, measures)),
        "reliability": reliable,
        "human_curve": results.people.curve,
        "margins": margins,
        "annotators": named,
    }

    notes = []
    for name, bounds in found.bounds.items():
        stratum = _STRATUM_NAMES[name]
        notes.append(f"{stratum}: {bounds}.")
    if reliable.empty:
        notes.append(_NO_OTHERS)
    if are_columns:
        notes.append(f"The votes on each question are sorted: {ARE_COLUMNS}.")
    else:
        names = set(valid["annotator"]) - {""}
        notes += filter(None, [reasons.of_annotators(len(names), len(named) > 0)])

    return Content(
        tables,
        _plots(results, reliable, margins),
        notes=tuple(notes),
        sentence=_sentence(reliable) if votes[:, :2].any() else _ALL_TIES,
    )


def sizes(most: int) -> list[int]:
    """Return odd numbers of votes up to `most`, fewer where there are many."""
    return [size for size in _SIZES if size <= most]


def _plots(
    results: Results, reliable: pd.DataFrame, margins: pd.DataFrame
) -> dict[str, Plot]:
    plots = {}
    if len(reliable):
        draw = partial(reliability_figure, reliable)
        plots["reliability"] = Plot(draw, _SHOWS)

    shown = where(margins, metric=results.headline)
    if len(shown):
        draw = partial(strata_figure, shown)
        plots["margins"] = Plot(draw, _SHOWS_MARGINS)
    return plots


def _measures(results: Results) -> Iterator[Measure]:
    """Yield the measures of agreement on pairs, then those on triplets."""
    votes = results.people.votes
    image = results.samples.pairs.image
    yield from agreement(votes, image, results.samples.weights)
    yield one_against_others(votes, image, results.samples.weights)

    votes, pair = results.people.votes_by_triplet
    if votes.sum(axis=1).max() < 2 or not results.dataset.asks_with_reference:
        return
    for measure in agreement(votes, image[pair], results.samples.weights):
        name = f"{measure.name}, within triplets"
        yield replace(measure, name=name)


def _accuracy_by_stratum(results: Results, found: Strata) -> pd.DataFrame:
    """Return the accuracy of each metric with all references on contested and clear pairs."""
    image = results.samples.pairs.image
    rows = []
    for stratum, (name, tally) in product(
        found.bounds, results.samples.tallies.items()
    ):
        credit = results.credit(tally.preferred)
        earned = np.where(found.stratum == stratum, credit, np.nan)
        is_counted = ~np.isnan(earned)
        estimate = share_and_interval(earned, image, results.samples.weights)
        row = (stratum, name, int(is_counted.sum()), *estimate)
        rows.append(row)

    columns = ["stratum", "metric", "pairs", "accuracy", "low", "high"]
    return pd.DataFrame(rows, columns=columns)


def _sentence(reliability: pd.DataFrame) -> str:
    """Say how often one vote, and the most votes, are the majority of the others."""
    rows = reliability.dropna(subset="agreement")
    if rows.empty or rows["votes"].iloc[0] != 1:
        return NONE

    first = rows.iloc[0]
    last = rows.iloc[-1]
    share = 100 * first["agreement"]
    one = (
        f"A single vote agrees with the majority of the pair's other votes in {fixed(share, 1)} "
        f"% of cases ({counted(int(first['pairs']), 'pair')} with at least 2 votes)."
    )
    if len(rows) == 1:
        return one

    most = int(last["votes"])
    more = (
        f"The majority of {most} votes agrees with the majority of the pair's other votes in "
        f"{fixed(100 * last['agreement'], 1)} % ({counted(int(last['pairs']), 'pair')} with at "
        f"least {2 * most} votes)."
    )
    return " ".join([one, more])
