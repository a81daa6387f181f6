"""How many references are enough (CIDEr paper, section 7.1)."""

from functools import partial

import pandas as pd

from tercet.analysis.evaluation.results import Results
from tercet.analysis.figures.differences import gains_figure
from tercet.analysis.findings.finding import Content, Plot, finding
from tercet.analysis.findings.first_sentence import (
    NONE,
    best_in_words,
    best_metric,
    main_name,
    why_undecided,
)
from tercet.analysis.findings.needs import PAIRS, SEVERAL_COUNTS, TWO_COUNTS
from tercet.analysis.findings.reference_counts import with_cut_note
from tercet.analysis.stats import saturation
from tercet.analysis.tables.rows import where
from tercet.analysis.values import references_in_words

MEANING = (
    "The count from which on a metric's accuracy stays within half a point of that with all "
    "references, with the range of that count over resampled images and orders; and what more "
    "references gain: each step doubles their number, the last one reaches all of them."
)
_SHOWS = "What each step to more references gains each metric, in points of accuracy"
_ENOUGH_COLUMNS = ["metric", "reference_count", "low", "high", "reason"]
_GAINS_COLUMNS = ["metric", "from_count", "to_count", "gain", "low", "high"]


@finding(
    title="How many references are enough",
    source="CIDEr paper, section 7.1",
    meaning=MEANING,
    needs=(PAIRS, TWO_COUNTS, SEVERAL_COUNTS),
)
def enough(results: Results) -> Content:
    """Tabulate where each metric's curve levels off, and what each doubling gains it."""
    full = results.full_shown
    resamples = results.samples.resamples
    gains, stops = [], []

    for name, tally in results.samples.tallies.items():
        sample = results.samples.of_metric(tally, results.main_group)
        value = sample.value[:full]
        resampled = sample.shifted(resamples)[:, :full]
        gained = saturation.gains(value, resampled)
        gains.append(gained.assign(metric=name))
        stopped = saturation.enough(value, resampled)
        stops.append(stopped.assign(metric=name))

    all_gains = pd.concat(gains, ignore_index=True)
    all_stops = pd.concat(stops, ignore_index=True)
    shown = where(all_gains, metric=results.headline)
    draw = partial(gains_figure, shown)
    meaning = f"{MEANING} Accuracy is that of {main_name(results)}."
    return Content(
        tables={
            "enough": all_stops[_ENOUGH_COLUMNS],
            "gains": all_gains[_GAINS_COLUMNS],
        },
        plots={"gains": Plot(draw, _SHOWS)} if len(shown) else {},
        notes=with_cut_note(results),
        sentence=_sentence(results, all_stops),
        meaning=meaning,
    )


def _sentence(results: Results, stops: pd.DataFrame) -> str:
    """Say between which counts the best headline metric stops improving."""
    best = best_metric(results)
    [row] = where(stops, metric=best).to_dict("records")
    if pd.isna(row["reference_count"]) or pd.isna(row["low"]) or why_undecided(results):
        return NONE

    best = best_in_words(results)
    low = int(row["low"])
    high = int(row["high"])
    if low == results.full_shown:
        return (
            f"The accuracy of {best} still changes at {references_in_words(low)}: more may be "
            "needed."
        )

    range_of_count = (
        "To stay within half a point of its accuracy with "
        f"{references_in_words(results.full_shown)}, {best} takes {_range_in_words(low, high)} "
        "(95 % of resampled images and orders)."
    )
    if high < results.full_shown:
        return range_of_count

    more = f"More than {results.full_shown} may improve it further."
    return " ".join([range_of_count, more])


def _range_in_words(low: int, high: int) -> str:
    if low == high:
        return references_in_words(low)
    return f"between {low} and {high} references"
