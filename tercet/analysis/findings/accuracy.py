"""Accuracy against reference count (CIDEr paper, figures 3, 11 and 12)."""

from functools import partial

import pandas as pd

from tercet import metrics
from tercet.analysis import reasons
from tercet.analysis.evaluation.results import Results
from tercet.analysis.figures.curves import accuracy_figure, group_figure
from tercet.analysis.figures.families import metrics_by_plot
from tercet.analysis.figures.points import single_count_figure
from tercet.analysis.findings.ceilings import ceiling_in_words
from tercet.analysis.findings.finding import Content, Draw, Plot, finding
from tercet.analysis.findings.first_sentence import (
    NONE,
    best_in_words,
    best_metric,
    group_sizes,
    on_what,
    why_undecided,
)
from tercet.analysis.findings.needs import PAIRS
from tercet.analysis.findings.reference_counts import with_cut_note
from tercet.analysis.number_texts import fixed, percent
from tercet.analysis.scoring.sources import RANDOM
from tercet.analysis.tables.rows import where
from tercet.analysis.values import references_in_words

MEANING = (
    "The share of pairs whose winner is the metric's preference, when the metric is given this "
    "number of references of the image. 50 % is chance. “mean” is the mean over categories; pairs "
    "without one are a category of their own where others have one. “all” counts every pair. "
    "People are judged by "
    "other triplets than all, so they are compared with metrics further below, where both are "
    "judged by the same ones. “random” tosses a coin for each pair: its accuracy is the "
    "expectation, and its interval holds 95 % of what such coins reach."
)
_ONE_DOCUMENT = (
    "CIDEr weighs words by how many images have them; with one image every word weighs nothing, "
    "and all pairs tie. --documents coco-val2014 weighs them by the images of COCO."
)
_ONE_COLUMN, _TWO_COLUMNS = 3.3, 6.9
"""Inches of figures in papers of two columns."""
_MOST_GROUPS = 12
"""The most groups of pairs that have a plot of their own."""
_NO_PEOPLE = pd.DataFrame(columns=["category", "triplets", "accuracy"])


@finding(
    title="Accuracy against reference count",
    source="CIDEr paper, figures 3, 11 and 12",
    meaning=MEANING,
    needs=(PAIRS,),
)
def accuracy(results: Results) -> Content:
    """Tabulate and plot every metric's curve with its interval, the people and the ceiling."""
    people = results.people
    table = results.accuracy
    is_metric = table["metric"] != RANDOM
    scored = table[is_metric]
    has_low = scored["low"].notna()
    has_interval = has_low.groupby(scored["category"], sort=False).any()

    without_interval = has_interval.index[~has_interval]
    notes = [
        reasons.of_interval(group, *group_sizes(results, group))
        for group in without_interval
    ]
    if _weighs_one_document(results):
        notes.append(_ONE_DOCUMENT)

    return Content(
        {"accuracy": table, "ceiling": people.ceiling},
        _plots(results),
        notes=with_cut_note(results, *notes),
        sentence=_sentence(results),
        meaning=f"{MEANING} {ceiling_in_words(results)}",
    )


def _plots(results: Results) -> dict[str, Plot]:
    """Return plots of the main metrics, of each family, and of each group of pairs.

    With one count only there are none of families.
    """
    table = results.accuracy
    metric = table["metric"]
    counts = table["reference_count"]
    by_plot = metrics_by_plot(list(metric.unique()), results.options.headline)
    plots: dict[str, Plot] = {}

    for name, members in by_plot.items():
        shown = where(table, metric=members)
        listed = ", ".join(members)
        shows = f"Accuracy by category against the number of references: {listed}"
        if counts.nunique() == 1:
            draw = partial(single_count_figure, shown, results.people.ceiling)
            plots[name] = Plot(draw, shows, paper_width=_TWO_COLUMNS)
            break

        draw = partial(accuracy_figure, shown, _NO_PEOPLE, results.people.ceiling)
        family = members if plots else ()
        width = 0.0 if plots else _TWO_COLUMNS
        plots[name] = Plot(draw, shows, family, paper_width=width)

    return plots | _group_plots(results, by_plot["accuracy"])


def _group_plots(results: Results, members: list[str]) -> dict[str, Plot]:
    """Return a plot of the main metrics for each group of pairs, the main group first."""
    groups = [results.main_group, *results.groups][:_MOST_GROUPS]
    plots = {}

    for number, group in enumerate(dict.fromkeys(groups), start=1):
        shown = where(results.accuracy, category=group, metric=members)
        shows = (
            f"Accuracy against the number of references ({group}): {', '.join(members)}"
        )
        if len(shown):
            draw: Draw = partial(group_figure, shown, results.people.ceiling)
            if shown["reference_count"].nunique() == 1:
                draw = partial(single_count_figure, shown, results.people.ceiling)
            plot = Plot(draw, shows, group=group, paper_width=_ONE_COLUMN)
            plots[f"group-{number}"] = plot

    return plots


def _weighs_one_document(results: Results) -> bool:
    """Return whether a metric scores 0 because documents were counted in one image only."""
    images = results.samples.pairs.captions.references
    if len(images) > 1 or results.options.documents == metrics.COCO:
        return False

    return bool(metrics.weighed(results.metrics))


def _sentence(results: Results) -> str:
    """Say what the best headline metric gains from its references."""
    group = results.main_group
    fewest, most = results.counts[0], results.last_count
    table = where(results.all_counts, metric=best_metric(results), category=group)
    rows = where(table, reference_count=[fewest, most])
    if why_undecided(results) or rows.empty or rows["accuracy"].isna().any():
        return NONE

    best = best_in_words(results)

    shares = rows["accuracy"].map(percent)
    last = fixed(shares.iloc[-1], 1)
    agrees = f"{on_what(results, group, most)}, {best} agrees with people in"
    if len(rows) == 1:
        return f"{agrees} {last} % of cases with {references_in_words(most)}, the only count here."

    return (
        f"{agrees} {fixed(shares.iloc[0], 1)} % of cases with {references_in_words(fewest)}, and "
        f"in {last} % with {references_in_words(most)}."
    )
