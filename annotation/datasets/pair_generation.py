"""Generate the pairs of a dataset from its candidates."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from django.contrib.humanize.templatetags.humanize import intcomma
from django.db import transaction
from django.utils.translation import gettext as _

from tercet.analysis.dataset.pair_generation import make_pairs
from tercet.annotation.datasets.exporting import dataset_frames
from tercet.annotation.datasets.importing import write_new_pairs
from tercet.annotation.models import Dataset


class PairsExist(ValueError):
    """The dataset has pairs already; a second set would mix with them."""

    def __init__(self, dataset: Dataset) -> None:
        message = _(
            "%(dataset)s already has %(pairs)s pairs. "
            "Import the candidates as another dataset to generate others."
        )
        pairs = intcomma(dataset.pairs.count())
        super().__init__(message % {"dataset": dataset.name, "pairs": pairs})


class NoPairsWanted(ValueError):
    """All counts are 0."""

    def __init__(self) -> None:
        super().__init__(_("Enter a number of pairs for at least one category."))


def add_pairs(dataset: Dataset, counts: Mapping[str, int], seed: int) -> int:
    """Generate so many pairs of each category; return how many were written.

    Raises PairsExist, NoPairsWanted, TooFewCandidates.
    """
    _check_without_pairs(dataset)

    candidates = dataset_frames(dataset).candidates
    pairs = make_pairs(candidates, counts, np.random.default_rng(seed))
    if pairs.empty:
        raise NoPairsWanted

    _write(dataset, pairs)
    return len(pairs)


def _check_without_pairs(dataset: Dataset) -> None:
    if dataset.pairs.exists():
        raise PairsExist(dataset)


@transaction.atomic
def _write(dataset: Dataset, pairs: pd.DataFrame) -> None:
    """Write pairs, and the captions of other images in them as candidates."""
    datasets = Dataset.objects.select_for_update()
    datasets.get(pk=dataset.pk)
    _check_without_pairs(dataset)

    write_new_pairs(dataset, pairs)
