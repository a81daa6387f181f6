"""The images of a dataset and their references, as a challenge scores them."""

from collections.abc import Collection
from itertools import groupby

from tercet.annotation.models import Dataset, Reference

References = dict[str, list[str]]
"""The references of each image, in the order of the file, by the image's name."""


def references_of(dataset: Dataset, names: Collection[str] | None = None) -> References:
    """Return the references of each image that has any, or only of the images of these names."""
    rows = Reference.objects.filter(image__dataset=dataset)
    if names is not None:
        rows = rows.filter(image__name__in=names)

    ordered = rows.order_by("image_id", "number")
    values = ordered.values_list("image__name", "caption")

    return {
        image: [caption for _, caption in group]
        for image, group in groupby(values.iterator(), key=lambda row: row[0])
    }


def images_of(dataset: Dataset) -> list[str]:
    """Return the names of the images of a dataset that have references, in their order."""
    rows = dataset.images.filter(references__number=1)
    return list(rows.order_by("pk").values_list("name", flat=True))
