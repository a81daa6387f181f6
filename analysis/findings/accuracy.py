"""Accuracy against reference count (CIDEr paper, figures 3, 11 and 12)."""

from functools import partial

import pandas as pd

from tercet import metrics
from tercet.analysis.evaluation.results import Results
from tercet.analysis.figures.curves import accuracy_figure
from tercet.analysis.figures.families import metrics_by_plot
from tercet.analysis.figures.points import single_count_figure
from tercet.analysis.findings.finding import Content, Plot, finding
from tercet.analysis.findings.first_sentence import (
    NONE,
    best_metric,
    on_what,
    references_in_words,
    with_ceiling_error,
)
from tercet.analysis.findings.needs import PAIRS
from tercet.analysis.findings.reference_counts import with_cut_note
from tercet.analysis.number_texts import percent
from tercet.analysis.scoring.sources import RANDOM
from tercet.analysis.tables.rows import where
from tercet.analysis.tables.schema import MEAN
from tercet.analysis.texts import Text
from tercet.analysis.texts import gettext as _

MEANING = _(
    # xgettext:no-python-format
    "The share of pairs whose winner is the metric's preference, when the metric is given so "
    "many references of the image. The ceiling is what a perfect metric could reach against "
    "winners that so many votes decided. It is estimated from the votes and drawn as a band. "
    "50 % is chance. “mean” is the mean over "
    "categories, without pairs that have none; “all” counts every pair. People are judged by "
    "other triplets than all, so they are compared with metrics further below, where both are "
    "judged by the same ones. “random” tosses a coin for each pair: its accuracy is the "
    "expectation, and its interval holds 95 % of what such coins reach."
)
_ONE_DOCUMENT = _(
    "CIDEr weighs words by how many images have them; with one image every word weighs nothing, "
    "and all pairs tie. --documents coco-val2014 weighs them by the images of COCO."
)
_NO_PEOPLE = pd.DataFrame(columns=["category", "triplets", "accuracy"])


@finding(
    title=_("Accuracy against reference count"),
    source=_("CIDEr paper, figures 3, 11 and 12"),
    meaning=MEANING,
    needs=(PAIRS,),
)
def accuracy(results: Results) -> Content:
    """Tabulate and plot every metric's curve with its interval, the people and the ceiling."""
    table = results.accuracy
    ceiling = results.people.ceiling
    scored = table[table["metric"] != RANDOM]
    has_interval = scored["low"].notna().groupby(scored["category"], sort=False).any()
    notes = [_without_interval(name) for name in has_interval.index[~has_interval]]
    if _weighs_one_document(results):
        notes.append(_ONE_DOCUMENT)

    return Content(
        {"accuracy": table, "ceiling": ceiling.dropna(subset="accuracy")},
        _plots(results),
        notes=with_cut_note(results, *notes),
        sentence=_sentence(results),
        meaning=with_ceiling_error(MEANING, results),
    )


def _without_interval(group: str) -> Text:
    if group == MEAN:
        return _("The mean over categories has no interval, as one of them has none.")

    return _("{category} has pairs of one image only: no interval.", category=group)


def _plots(results: Results) -> dict[str, Plot]:
    """Return a plot of the main metrics and one for each family; of one count, only the first."""
    table = results.accuracy
    names = list(table["metric"].unique())
    is_single = table["reference_count"].nunique() == 1
    plots: dict[str, Plot] = {}

    for name, members in metrics_by_plot(names, results.options.headline).items():
        shown = table[table["metric"].isin(members)]
        shows = _(
            "Accuracy by category against the number of references: {metrics}",
            metrics=", ".join(members),
        )
        if is_single:
            return {name: Plot(partial(single_count_figure, shown), shows)}

        draw = partial(accuracy_figure, shown, _NO_PEOPLE, results.people.ceiling)
        plots[name] = Plot(draw, shows, members if plots else ())

    return plots


def _weighs_one_document(results: Results) -> bool:
    """Return whether a metric scores 0 because its documents are those of one image."""
    has_one_image = len(results.scored.pairs.captions.references) == 1
    from_dataset = results.options.documents != metrics.COCO
    return has_one_image and from_dataset and bool(metrics.weighed(results.metrics))


def _sentence(results: Results) -> Text:
    """Say what the best headline metric gains from its references."""
    best, group = best_metric(results), results.main_group
    counts = [results.counts[0], results.last_count]
    table = results.all_counts
    rows = where(table, metric=best, category=group)
    rows = rows[rows["reference_count"].isin(counts)]
    if rows.empty or rows["accuracy"].isna().any():
        return NONE

    first, last = rows["accuracy"].iloc[[0, -1]]
    known = {
        "on": on_what(results, group, results.last_count),
        "metric": best,
        "last": percent(last),
        "references": references_in_words(results.last_count),
    }
    if len(rows) == 1:
        return _(
            "{on}, {metric} agrees with people in {last:.1f} % of cases with {references}, the "
            "only count here.",
            **known,
        )

    return _(
        "{on}, {metric} agrees with people in {first:.1f} % of cases with {fewest}, and in "
        "{last:.1f} % with {references}.",
        first=percent(first),
        fewest=references_in_words(results.counts[0]),
        **known,
    )
