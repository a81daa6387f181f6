"""How many references are enough (CIDEr paper, section 7.1)."""

from functools import partial

import pandas as pd

from tercet.analysis.evaluation.results import Results
from tercet.analysis.figures.differences import gains_figure
from tercet.analysis.findings.finding import Content, Plot, finding
from tercet.analysis.findings.first_sentence import (
    NONE,
    best_metric,
    main_name,
    references_in_words,
)
from tercet.analysis.findings.needs import PAIRS, SEVERAL_COUNTS, TWO_COUNTS
from tercet.analysis.findings.reference_counts import with_cut_note
from tercet.analysis.stats import saturation
from tercet.analysis.tables.rows import where
from tercet.analysis.texts import Text, enumeration
from tercet.analysis.texts import gettext as _

MEANING = _(
    "The count from which on a metric's accuracy stays within half a point of that with all "
    "references, with the range of that count over resampled images and orders; and what more "
    "references gain: each step doubles their number, the last one reaches all of them."
)
_SHOWS = _("What each step to more references gains each metric, in points of accuracy")
_ENOUGH_COLUMNS = ["metric", "reference_count", "low", "high", "reason"]
_GAINS_COLUMNS = ["metric", "from_count", "to_count", "gain", "low", "high"]


@finding(
    title=_("How many references are enough"),
    source=_("CIDEr paper, section 7.1"),
    meaning=MEANING,
    needs=(PAIRS, TWO_COUNTS, SEVERAL_COUNTS),
)
def enough(results: Results) -> Content:
    """Tabulate where each metric's curve levels off, and what each doubling gains it."""
    full, resamples = results.full_shown, results.samples.resamples
    gains, stops = [], []

    for name, tally in results.scored.tallies.items():
        sample = results.samples.of_metric(tally, results.main_group)
        value, resampled = sample.value[:full], sample.shifted(resamples)[:, :full]
        gains.append(saturation.gains(value, resampled).assign(metric=name))
        stops.append(saturation.enough(value, resampled).assign(metric=name))

    gained = pd.concat(gains, ignore_index=True)
    shown = gained[gained["metric"].isin(results.headline)]
    stopped = pd.concat(stops, ignore_index=True)
    plot = Plot(partial(gains_figure, shown), _SHOWS)
    return Content(
        tables={"enough": stopped[_ENOUGH_COLUMNS], "gains": gained[_GAINS_COLUMNS]},
        plots={"gains": plot} if len(shown) else {},
        notes=with_cut_note(results),
        sentence=_sentence(results, stopped),
        meaning=_(
            "{meaning} Accuracy is that of {group}.",
            meaning=MEANING,
            group=main_name(results),
        ),
    )


def _sentence(results: Results, stops: pd.DataFrame) -> Text:
    """Say between which counts the best headline metric stops improving."""
    best = best_metric(results)
    row = where(stops, metric=best).iloc[0]
    if pd.isna(row["reference_count"]) or pd.isna(row["low"]):
        return NONE

    low, high = int(row["low"]), int(row["high"])
    if low == results.full_shown:
        return _(
            "The accuracy of {metric} still changes at {references}: more may be needed.",
            metric=best,
            references=references_in_words(low),
        )

    range_of_count = _(
        # xgettext:no-python-format
        "To stay within half a point of its accuracy with {all}, {metric} takes {count} (95 % of "
        "resampled images and orders).",
        metric=best,
        all=references_in_words(results.full_shown),
        count=_range_in_words(low, high),
    )
    if high < results.full_shown:
        return range_of_count

    more = _("More than {all} may improve it further.", all=results.full_shown)
    return enumeration([range_of_count, more], " ")


def _range_in_words(low: int, high: int) -> Text:
    if low == high:
        return references_in_words(low)
    return _("between {low} and {high} references", low=low, high=high)
