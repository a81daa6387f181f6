"""Accuracy against reference count (CIDEr paper, figures 3, 11 and 12)."""

from functools import partial

import metrics
from analysis.evaluation.curves import at_counts
from analysis.evaluation.evidence import Evidence
from analysis.figures.curves import accuracy_figure
from analysis.figures.style import metrics_by_plot
from analysis.findings.finding import Finding

ONE_DOCUMENT = (
    "CIDEr weighs words by how many images have them; with one image every word weighs nothing, "
    "and all pairs tie. --documents coco-val2014 weighs them by the images of COCO."
)
NO_INTERVAL = "{} has pairs of one image only: no interval."


def accuracy(evidence: Evidence) -> Finding:
    """Every metric's curve with its interval, and the lines to hold it against."""
    table = at_counts(evidence.accuracy, evidence.options.counts)
    lines = evidence.human_curve, evidence.ceiling
    alone = table[table["low"].isna()]["category"].unique()
    return Finding(
        "accuracy",
        "Accuracy against reference count",
        "CIDEr paper, figures 3, 11 and 12",
        "The share of pairs whose winner is the metric's preference, when the metric is given so "
        "many references of the image. The line of people is the majority of as many triplets, "
        "judged by the other triplets; the ceiling is what a perfect metric could reach against "
        "winners that so many votes decided; 50 % is chance. In the table of the human curve "
        "accuracy_drop leaves ties out.",
        tables={"accuracy": table, "human_curve": lines[0], "ceiling": lines[1]},
        plots={
            name: partial(accuracy_figure, table[table["metric"].isin(shown)], *lines)
            for name, shown in metrics_by_plot(list(table["metric"].unique())).items()
        },
        notes=(*(NO_INTERVAL.format(category) for category in alone), *one_document(evidence)),
    )


def one_document(evidence: Evidence) -> list[str]:
    """CIDEr's scores are 0 where its documents are one image."""
    alone = len(evidence.judged.pairs.captions.references) == 1
    if (
        alone
        and evidence.options.documents != metrics.COCO
        and metrics.weighed(evidence.judged.names)
    ):
        return [ONE_DOCUMENT]
    return []
