"""The images of a challenge as a table, without their references."""

from collections.abc import Callable

import pandas as pd

from tercet.analysis.tables.csv_injection import escaped
from tercet.analysis.tables.csv_tables import csv_text
from tercet.annotation.challenges.references import images_of
from tercet.annotation.models import Dataset

COLUMNS = ("image", "url")


def images_csv(dataset: Dataset, absolute: Callable[[str], str]) -> str:
    """Return the names of images, and where their pictures are, as CSV.

    `absolute` completes the address of a picture on this site.
    """
    pictures = {
        image.name: image.source for image in dataset.images.select_related("dataset")
    }
    rows = [
        (name, absolute(pictures[name]) if pictures[name] else "")
        for name in images_of(dataset)
    ]
    frame = pd.DataFrame(rows, columns=list(COLUMNS), dtype="str")
    return csv_text(escaped(frame), COLUMNS)
