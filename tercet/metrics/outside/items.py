"""The comparisons of captions, one by one, as a metric from outside takes them."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tercet.metrics.core.arrays import IntArray, offsets_of
from tercet.metrics.corpora.corpus import Documents
from tercet.metrics.outside.calls import ScoredItem
from tercet.metrics.outside.text_metric import TextMetric
from tercet.metrics.text.inputs import Inputs, text_of


def check_captions(metric: TextMetric, captions: Inputs, documents: Documents) -> None:
    """Raise ValueError where captions lack what a metric takes."""
    if metric.fit and documents == "k":
        raise ValueError(
            f"metric {metric.name} is fitted to all references, which documents='k' does not "
            "allow: choose other documents"
        )
    if not metric.needs_image:
        return
    if captions.files is None:
        raise ValueError(
            f"metric {metric.name} takes the file of each image: give files= to score, or name "
            "the files in images.csv and their folder"
        )

    for image in np.unique(captions.candidate_image).tolist():
        file = captions.files[image]
        if file is None or not file.is_file():
            raise ValueError(
                f"metric {metric.name}: {captions.name_of_image(image)} has no file "
                f"{file or ''}".rstrip()
                + ": add the file, or leave the metric out"
            )


def offsets_of_items(metric: TextMetric, captions: Inputs) -> IntArray:
    """Where the items of each candidate begin, and the last end (candidates + 1,)."""
    if metric.combine == "none":
        return np.arange(len(captions.candidates) + 1)

    return offsets_of(captions.reference_counts[captions.candidate_image])


def items_of(metric: TextMetric, captions: Inputs) -> Iterator[ScoredItem]:
    """Yield each candidate with each of its references, or alone if that is what is compared."""
    for candidate in range(len(captions.candidates)):
        whole = whole_item(metric, captions, candidate)
        if metric.combine == "none":
            yield whole
            continue
        for reference in whole.references:
            yield whole._replace(references=(reference,))


def whole_item(metric: TextMetric, captions: Inputs, candidate: int) -> ScoredItem:
    """Return a candidate with all its references, and with its image if that is needed."""
    image = int(captions.candidate_image[candidate])
    texts: tuple[str, ...] = ()
    if metric.combine != "none":
        texts = tuple(map(text_of, captions.references[image]))

    file: Path | None = None
    if metric.needs_image and captions.files:
        file = captions.files[image]

    return ScoredItem(text_of(captions.candidates[candidate]), texts, file)


def item_at(
    metric: TextMetric, captions: Inputs, offsets: IntArray, number: int
) -> ScoredItem:
    """Return the item of a number, as `items_of` yields them."""
    candidate = int(np.searchsorted(offsets, number, side="right")) - 1
    whole = whole_item(metric, captions, candidate)
    if metric.combine == "none":
        return whole

    reference = whole.references[number - offsets[candidate]]
    return whole._replace(references=(reference,))


def in_one_order(item: ScoredItem, metric: TextMetric) -> ScoredItem:
    """Sort the references of an item by their texts, unless their order counts."""
    if metric.ordered:
        return item

    return item._replace(references=tuple(sorted(item.references)))
