"""Pairs made from a dataset's candidates."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from django.contrib.humanize.templatetags.humanize import intcomma
from django.db import transaction
from django.utils.translation import gettext as _

from analysis.dataset.pair_generation import make_pairs
from analysis.progress import silent
from annotation.exchange.exporting import dataset_frames
from annotation.exchange.importing import shown_captions, write_candidates, write_pairs
from annotation.models import Candidate, Dataset


class PairsExist(ValueError):
    """Pairs are made once: another set would mix with the first."""

    def __init__(self, dataset: Dataset) -> None:
        super().__init__(
            _(
                "%(dataset)s has %(pairs)s pairs already. "
                "Import the candidates as another dataset to make others."
            )
            % {"dataset": dataset.name, "pairs": intcomma(dataset.pairs.count())}
        )


class NoPairsWanted(ValueError):
    """Every count is 0."""

    def __init__(self) -> None:
        super().__init__(_("Say how many pairs to make of at least one category."))


def add_pairs(dataset: Dataset, counts: Mapping[str, int], seed: int) -> int:
    """Make so many pairs of each category; raises PairsExist, NoPairsWanted, TooFewCandidates."""
    check_none(dataset)
    candidates = dataset_frames(dataset).candidates
    pairs = make_pairs(candidates, counts, np.random.default_rng(seed))
    if pairs.empty:
        raise NoPairsWanted
    write_made(dataset, pairs)
    return len(pairs)


def check_none(dataset: Dataset) -> None:
    if dataset.pairs.exists():
        raise PairsExist(dataset)


@transaction.atomic
def write_made(dataset: Dataset, pairs: pd.DataFrame) -> None:
    """Write the pairs, and the captions of other images that they show as candidates."""
    Dataset.objects.select_for_update().get(pk=dataset.pk)
    check_none(dataset)
    images = dict(dataset.images.values_list("name", "pk"))
    known = {
        (image, caption, source): pk
        for pk, image, caption, source in Candidate.objects.filter(
            image__dataset=dataset
        ).values_list("pk", "image__name", "caption", "source")
    }
    shown = shown_captions(pairs)
    new = shown[~pd.MultiIndex.from_frame(shown).isin(known)].assign(listed=False)
    write_pairs(dataset, pairs, images, known | write_candidates(new, images, silent), silent)
