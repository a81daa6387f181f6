"""Generate the pairs of a dataset from its candidates, and take them back."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, Max, OuterRef, Q

from tercet.analysis.dataset.pair_generation import make_pairs, possible_pairs
from tercet.analysis.tables.schema import CANDIDATES, PAIRS
from tercet.annotation.datasets.exporting import dataset_rows
from tercet.annotation.datasets.importing import write_new_pairs
from tercet.annotation.models import Candidate, Challenge, Dataset, Pair, Study
from tercet.annotation.studies.audit import log_site
from tercet.annotation.studies.lifecycle import NotPossible


class PairsChanged(NotPossible):
    """Others have generated pairs, or taken some back, meanwhile."""

    def __init__(self, dataset: Dataset) -> None:
        super().__init__(
            "Somebody changed the pairs of %(dataset)s meanwhile. Look at them, and try again.",
            dataset=dataset.name,
        )


def add_pairs(
    dataset: Dataset, counts: Mapping[str, int], seed: int, by: User | None = None
) -> int:
    """Generate the wanted number of new pairs of each category; return how many were written.

    Raises NotPossible where a study or a challenge uses the dataset, PairsChanged, and ValueError
    where all counts are 0 or there are too few candidates.
    """
    _check_unused(dataset)
    last = last_batch(dataset)
    candidates, known = _candidates_and_pairs(dataset)
    generator = np.random.default_rng(seed)
    pairs = make_pairs(candidates, counts, generator, known)
    if pairs.empty:
        raise ValueError("Enter a number of pairs for at least one category.")

    with transaction.atomic():
        _lock(dataset)
        if last_batch(dataset) != last or dataset.pairs.count() != len(known):
            raise PairsChanged(dataset)

        write_new_pairs(dataset, pairs, last + 1)
        details = {"pairs": len(pairs), "seed": seed}
        log_site(by, "generated pairs", dataset=dataset.name, **details)
    return len(pairs)


def take_back_pairs(dataset: Dataset, batch: int, by: User | None = None) -> int:
    """Delete the pairs that were generated last; return how many.

    Captions that stood in nothing but these pairs go with them. Raises NotPossible where a study
    or a challenge uses the dataset, and PairsChanged unless `batch` is the last one.
    """
    with transaction.atomic():
        _lock(dataset)
        if batch != last_batch(dataset) or batch == 0:
            raise PairsChanged(dataset)

        count, _rows = dataset.pairs.filter(batch=batch).delete()
        in_pair = Pair.objects.filter(Q(b=OuterRef("pk")) | Q(c=OuterRef("pk")))
        unlisted = Candidate.objects.filter(image__dataset=dataset, listed=False)
        unlisted.filter(~Exists(in_pair)).delete()
        log_site(by, "took back pairs", dataset=dataset.name, pairs=count)
    return count


def possible_counts(dataset: Dataset) -> dict[str, int]:
    """Return how many more pairs of each category the candidates allow."""
    return possible_pairs(*_candidates_and_pairs(dataset))


def _candidates_and_pairs(dataset: Dataset) -> tuple[pd.DataFrame, pd.DataFrame]:
    rows = dataset_rows(dataset)
    return rows[CANDIDATES].frame(), rows[PAIRS].frame()


def merged_captions(dataset: Dataset) -> int:
    """Count the candidates whose caption is in pairs of their image under other sources only."""
    as_b, as_c = (Pair.objects.filter(**{side: OuterRef("pk")}) for side in "bc")
    in_pair = Exists(as_b) | Exists(as_c)
    equal = Candidate.objects.filter(
        in_pair, image=OuterRef("image"), caption=OuterRef("caption")
    )
    others = equal.exclude(source="").exclude(source=OuterRef("source"))
    listed = Candidate.objects.filter(image__dataset=dataset, listed=True)
    own = equal.filter(source=OuterRef("source"))
    return listed.filter(Exists(others) & ~Exists(own)).count()


def last_batch(dataset: Dataset) -> int:
    """Return the number of the pairs that were generated last, 0 if none were."""
    batches = dataset.pairs.aggregate(last=Max("batch"))
    return batches["last"] or 0


def is_used(dataset: Dataset, *, by_deleted: bool = True) -> bool:
    """Return whether a study or challenge uses the dataset; also a deleted one `by_deleted`."""
    studies = Study.everything if by_deleted else Study.objects
    challenges = Challenge.everything if by_deleted else Challenge.objects
    as_either = Q(dataset=dataset) | Q(development=dataset)
    in_study = studies.filter(dataset=dataset).exists()
    return in_study or challenges.filter(as_either).exists()


def _lock(dataset: Dataset) -> None:
    datasets = Dataset.objects.select_for_update()
    datasets.get(pk=dataset.pk)
    _check_unused(dataset)


def _check_unused(dataset: Dataset) -> None:
    if is_used(dataset):
        message = (
            "A study or a challenge uses %(dataset)s: its pairs stay as they are. Import the "
            "candidates as another dataset to generate others."
        )
        raise NotPossible(message, dataset=dataset.name)
