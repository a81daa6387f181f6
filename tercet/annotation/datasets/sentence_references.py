"""Make a dataset of the sentences of a study: its references, and perhaps candidates."""

import pandas as pd
from django.contrib.auth.models import User
from django.db.models.fields.json import KT

from tercet.analysis.stats.draws import numbers_of_names, uniform_by_name
from tercet.analysis.tables.schema import CANDIDATES, HUMAN, IMAGES, PAIRS, with_numbers
from tercet.analysis.tables.schema import Dataset as Frames
from tercet.annotation.datasets.exporting import dataset_rows, dataset_settings
from tercet.annotation.datasets.importing import (
    free_dataset_name,
    import_dataset,
    log_import,
)
from tercet.annotation.models import Answer, Dataset, Study
from tercet.annotation.studies.audit import log
from tercet.annotation.studies.lifecycle import NotPossible


def use_as_references(
    study: Study,
    by: User | None,
    *,
    unreviewed: bool = False,
    candidates: int = 0,
    seed: int = 0,
) -> Dataset:
    """Import the accepted sentences of a study as the references of a new dataset.

    `unreviewed` takes those that nobody has reviewed, too. Of each image, `candidates`
    sentences, drawn by the seed, become candidates by people instead; each image keeps at least one
    reference. Raises NotPossible where there are no sentences.
    """
    answers = Answer.objects.counted().filter(question__study=study)
    if not unreviewed:
        answers = answers.exclude(status_at=None)
    in_order = answers.order_by("question__image", "pk")
    rows = in_order.values_list(
        "question__image__name", KT("content__text"), "annotator__name"
    )
    sentences = pd.DataFrame(rows, columns=["image", "caption", "author"], dtype="str")
    if sentences.empty:
        raise NotPossible("There are no accepted sentences yet. Review some first.")

    is_candidate = _drawn(sentences, candidates, seed)
    references = sentences[~is_candidate].reset_index(drop=True)
    source = Frames(
        references=with_numbers(references.assign(origin="")),
        pairs=PAIRS.empty(),
        candidates=_as_candidates(sentences[is_candidate]),
        images=dataset_rows(study.dataset)[IMAGES].frame(),
        info=dataset_settings(study.dataset) | {"title": f"{study.title}: sentences"},
    )
    name = free_dataset_name(f"{study.name}-references")
    dataset = import_dataset(source, name, study.dataset.folder, by)
    log_import(dataset, by)
    log(study, by, "used sentences", dataset=name, references=len(references))
    return dataset


def _drawn(sentences: pd.DataFrame, count: int, seed: int) -> "pd.Series[bool]":
    """Draw up to `count` different sentences of each image, and leave one at least."""
    names = (sentences["image"] + "\0" + sentences["caption"]).tolist()
    draws = uniform_by_name(numbers_of_names(names), (seed,))
    distinct = sentences.assign(draw=draws).drop_duplicates(["image", "caption"])
    by_image = distinct.groupby("image")["draw"]
    rank = by_image.rank().reindex(sentences.index)
    size = sentences.groupby("image")["image"].transform("size")
    return rank.le(count) & rank.lt(size)


def _as_candidates(sentences: pd.DataFrame) -> pd.DataFrame:
    candidates = sentences.assign(source=HUMAN)[[*CANDIDATES.columns]]
    return candidates.reset_index(drop=True)
