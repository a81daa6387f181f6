"""People against people, and metrics on the same split of the triplets (section 7.4)."""

from functools import partial
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tercet.analysis.dataset.winners import UNFINISHED
from tercet.analysis.evaluation.results import Results
from tercet.analysis.figures.curves import accuracy_figure
from tercet.analysis.figures.differences import inflation_figure
from tercet.analysis.figures.points import humans_figure
from tercet.analysis.findings.finding import Content, Need, Plot, finding
from tercet.analysis.findings.first_sentence import NONE, main_name, why_undecided
from tercet.analysis.findings.needs import PAIRS, TRIPLETS, VOTES
from tercet.analysis.number_texts import counted, fixed, plural
from tercet.analysis.scoring.tallies import AS_MANY, GIVEN, NOT_GIVEN
from tercet.analysis.stats.resampling import percentiles
from tercet.analysis.superlatives import AND, Ranking, joined
from tercet.analysis.tables.rows import where
from tercet.analysis.tables.schema import PEOPLE

SPLIT = (
    "The triplets of each pair are split in two. The majority of one part, and each metric given "
    "the references of the same triplets, are judged by the same winners: the majority of the "
    "other part."
)
_HALVES = "The points show the split in halves; the curves show smaller first parts."
EXACT = (
    "People are averaged over all possible splits, exactly. Inflation is how much higher a "
    "metric's accuracy is where it was given the very references that the judging triplets show, "
    "against as many triplets of others."
)
CURVE_COLUMNS = [
    *("rater", "category", "reference_count"),
    *("pairs", "accuracy", "low", "high"),
]
_NO_CEILING = pd.DataFrame(columns=["category", "accuracy", "low", "high"])

_SHOWS = (
    "Accuracy of people and of each metric by category, judged by the same triplets"
)
_SHOWS_CURVE = (
    "Accuracy of people and of each metric against the number of references, both "
    "judged by the triplets of the other references"
)
_SHOWS_INFLATION = (
    "How much the references of the judging triplets raise the accuracy of each "
    "metric, against their number"
)


def _finished(results: Results) -> NDArray[np.bool_]:
    """Return which pairs (P,) have all their votes."""
    states = results.samples.pairs.table["state"]
    is_finished = states != UNFINISHED
    return is_finished.to_numpy()


def _triplets(results: Results) -> NDArray[np.int64]:
    """Return how many triplets of each finished pair (P,) people judged; 0 of other pairs.

    Nobody is asked about equal candidates.
    """
    triplets = results.people.ballots.sum(axis=1)
    return np.where(_finished(results), triplets, 0)


def _all_references_asked(results: Results) -> bool:
    triplets = _triplets(results)
    references = results.samples.pairs.reference_counts
    are_asked = triplets >= references
    return bool(are_asked[triplets > 0].all())


_FINISHED_PAIRS = Need(
    "No pair has all its votes yet.", lambda results: bool(_triplets(results).any())
)
_TWO_TRIPLETS = Need(
    "Some pairs have one triplet: people cannot be judged by other people.",
    lambda results: 1 not in _triplets(results),
)
_ALL_REFERENCES_ASKED = Need(
    (
        "People were asked about some of the references only: metrics cannot be given just those "
        "of the same triplets."
    ),
    _all_references_asked,
)


@finding(
    title="People beside metrics",
    source="CIDEr paper, section 7.4",
    meaning=" ".join([SPLIT, _HALVES, EXACT]),
    needs=(
        PAIRS,
        VOTES,
        TRIPLETS,
        _FINISHED_PAIRS,
        _TWO_TRIPLETS,
        _ALL_REFERENCES_ASKED,
    ),
)
def humans(results: Results) -> Content:
    """Judge people and metrics, given one half of the references, by the triplets of the other."""
    triplets = _triplets(results)
    fewest = triplets[triplets > 0].min()
    half = int(fewest) // 2
    tables = [_people(results, half)]
    for name, group in product(results.headline, results.groups):
        table = _by_the_others(results, name, group, slice(half))
        tables.append(table)
    curve = pd.concat(tables, ignore_index=True)
    split = _split_table(results, half, curve)
    inflation = _inflation_table(results, half)

    halves = (
        f"The points show the split in halves, {counted(half, 'triplet')} each; the curves show "
        "smaller first parts."
    )
    notes = []
    if unfinished := int((~_finished(results)).sum()):
        verb = plural(unfinished, "counts", "count")
        note = f"{counted(unfinished, 'unfinished pair')} {verb} as far as the triplets go."
        notes.append(note)

    return Content(
        tables={"humans": split, "humans_curve": curve, "inflation": inflation},
        plots=_plots(results, split, curve, inflation),
        sentence=_sentence(results, split),
        notes=tuple(notes),
        meaning=" ".join([SPLIT, halves, EXACT]),
    )


def _plots(
    results: Results, split: pd.DataFrame, curve: pd.DataFrame, inflation: pd.DataFrame
) -> dict[str, Plot]:
    """Return the plots of the tables, and of the inflation where there is any."""
    raters = [PEOPLE, *results.headline]
    draw_split = partial(humans_figure, where(split, rater=raters))
    is_people = curve["rater"] == PEOPLE
    people = curve[is_people].rename(columns={"reference_count": "triplets"})
    metrics = curve[~is_people].rename(columns={"rater": "metric"})

    draw_curve = partial(accuracy_figure, metrics, people, _NO_CEILING)

    plots = {
        "humans": Plot(draw_split, _SHOWS),
        "humans_curve": Plot(draw_curve, _SHOWS_CURVE),
    }
    shown = where(inflation, metric=results.headline)
    if len(shown):
        draw = partial(inflation_figure, shown)
        plots["inflation"] = Plot(draw, _SHOWS_INFLATION)
    return plots


def _people(results: Results, half: int) -> pd.DataFrame:
    """Return the curve of people up to half of the triplets."""
    drop = results.options.human_ties == "drop"
    curve = results.people.curve_by("drop" if drop else "half")
    is_shown = curve["triplets"] <= half
    known = curve[is_shown].dropna(subset=["accuracy"])
    named = known.rename(columns={"triplets": "reference_count"})
    return named.assign(rater=PEOPLE)[CURVE_COLUMNS]


def _by_the_others(
    results: Results, name: str, group: str, counts: slice
) -> pd.DataFrame:
    """Return the accuracy of a metric by the triplets of the references that it was not given."""
    tally = results.samples.tallies[name]
    sample = results.samples.of_metric(tally, group, NOT_GIVEN, counts)
    estimate = sample.estimate(results.samples.resamples)
    first = counts.start or 0

    last = first + len(sample.value)
    is_in_group = results.samples.pairs.mask(group)
    columns = {
        "rater": name,
        "category": group,
        "reference_count": np.arange(first, last) + 1,
        "pairs": int(is_in_group.sum()),
        "accuracy": estimate.accuracy,
        "low": estimate.low,
        "high": estimate.high,
    }
    return pd.DataFrame(columns)


def _split_table(results: Results, half: int, curve: pd.DataFrame) -> pd.DataFrame:
    """Return a row for people and each metric, and each group, at half of the references."""
    tables = [where(curve, reference_count=half)]
    at_half = slice(half - 1, half)
    others = [name for name in results.metrics if name not in results.headline]
    for name, group in product(others, results.groups):
        table = _by_the_others(results, name, group, at_half)
        tables.append(table)

    split = pd.concat(tables, ignore_index=True)
    split = split.rename(columns={"reference_count": "triplets"})
    return split[["rater", "category", "accuracy", "low", "high", "triplets"]]


def _inflation_table(results: Results, half: int) -> pd.DataFrame:
    """Return by how much the given references raise accuracy, for each metric and count."""
    samples = results.samples
    group = results.main_group
    counts = slice(half)
    tables = []

    for name, tally in results.samples.tallies.items():
        given = samples.of_metric(tally, group, GIVEN, counts)
        others = samples.of_metric(tally, group, AS_MANY, counts)
        difference = given.resampled - others.resampled
        low, high = percentiles(difference)
        columns = {
            "metric": name,
            "reference_count": np.arange(1, half + 1),
            "inflation": given.value - others.value,
            "low": low,
            "high": high,
        }
        tables.append(pd.DataFrame(columns))

    return pd.concat(tables)


def _sentence(results: Results, split: pd.DataFrame) -> str:
    """Compare people with the best headline metrics, both judged by the same triplets."""
    rows = where(split, category=results.main_group)
    accuracy = rows.set_index("rater")["accuracy"].dropna()
    names = accuracy.index.intersection(results.named_as_best)
    best = Ranking.of(accuracy[names])
    if PEOPLE not in accuracy.index or not best.values or why_undecided(results):
        return NONE

    triplets = rows["triplets"].iloc[0]
    each = plural(len(best.first), "", "each ")
    return (
        "Judged by the other half of the triplets, people reach "
        f"{fixed(100 * float(accuracy[PEOPLE]), 1)} % ({main_name(results)}), and "
        f"{joined(best.first, AND)}, given the references of the same half ({int(triplets)}), "
        f"{each}{fixed(100 * best.highest, 1)} %."
    )
