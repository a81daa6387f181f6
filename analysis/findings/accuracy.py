"""Accuracy against reference count (CIDEr paper, figures 3, 11 and 12)."""

from functools import partial

import metrics
from analysis.evaluation.chance import RANDOM
from analysis.evaluation.results import Results
from analysis.figures.curves import accuracy_figure
from analysis.figures.style import metrics_by_plot
from analysis.findings.finding import Content, Definition
from analysis.findings.needs import PAIRS

MEANING = (
    "The share of pairs whose winner is the metric's preference, when the metric is given so "
    "many references of the image. The line of people is the majority of as many triplets, "
    "compared with the majority of the other triplets; metrics are compared with that of all, so "
    "the line may run below them. The ceiling is what a perfect metric could reach against "
    "winners that so many votes decided, estimated from the votes: it is a band, as its error was "
    "1 to 5 points in simulations. 50 % is chance. In the table of the human curve accuracy_drop "
    "leaves ties out. `random` tosses a coin for each pair: its accuracy is the expectation, and "
    "its interval holds 95 % of what such coins reach."
)
ONE_DOCUMENT = (
    "CIDEr weighs words by how many images have them; with one image every word weighs nothing, "
    "and all pairs tie. --documents coco-val2014 weighs them by the images of COCO."
)
NO_INTERVAL = "{} has pairs of one image only: no interval."


def accuracy(results: Results) -> Content:
    """Tabulate and plot every metric's curve with its interval, the people and the ceiling."""
    table = results.accuracy
    curve, ceiling = results.people.curve, results.people.ceiling

    plots = {}
    for name, metrics_shown in _shown_metrics(results).items():
        shown = table[table["metric"].isin(metrics_shown)]
        plots[name] = partial(accuracy_figure, shown, curve, ceiling)

    scored = table[table["metric"] != RANDOM]
    has_interval = (
        scored["low"].notna().groupby(scored["category"], sort=False).any()
    )
    notes = [
        NO_INTERVAL.format(category)
        for category in has_interval.index[~has_interval]
    ]
    if _weighs_one_document(results):
        notes.append(ONE_DOCUMENT)

    tables = {"accuracy": table, "human_curve": curve, "ceiling": ceiling}
    return Content(tables, plots, notes=results.with_cut_note(*notes))


def _shown_metrics(results: Results) -> dict[str, list[str]]:
    """Return which metrics each plot shows."""
    return metrics_by_plot(
        list(results.accuracy["metric"].unique()), results.options.headline
    )


def _weighs_one_document(results: Results) -> bool:
    """Return whether a metric scores 0 because its documents are those of one image."""
    if len(results.scored.pairs.captions.references) > 1:
        return False

    from_dataset = results.options.documents != metrics.COCO
    return from_dataset and bool(metrics.weighed(results.metrics))


DEFINITION = Definition(
    name="accuracy",
    title="Accuracy against reference count",
    source="CIDEr paper, figures 3, 11 and 12",
    meaning=MEANING,
    needs=(PAIRS,),
    make=accuracy,
)
