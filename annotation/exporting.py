"""A dataset or a study out of the database, as the frames of a dataset"""

from dataclasses import replace
from datetime import datetime
from typing import Any

import pandas as pd
from django.db.models import QuerySet

from analysis.dataset import (
    CANDIDATES,
    IMAGES,
    INFO,
    PAIRS,
    REFERENCES,
    STUDY,
    VALID,
    VOTES,
    with_numbers,
)
from analysis.dataset import Dataset as Frames
from analysis.tables import Table
from annotation.models import Candidate, Dataset, Image, Pair, Reference, Study, Vote


def dataset_frames(dataset: Dataset) -> Frames:
    """The dataset without any votes."""
    images = Image.objects.filter(dataset=dataset, listed=True)
    references = Reference.objects.filter(image__dataset=dataset)
    candidates = Candidate.objects.filter(image__dataset=dataset, listed=True)
    return Frames(
        images=frame(IMAGES, images.order_by("pk"), "name", "file", "url", "alt"),
        references=with_numbers(
            frame(REFERENCES, references.order_by("pk"), "image__name", "caption", "author")
        ),
        candidates=frame(CANDIDATES, candidates.order_by("pk"), "image__name", "caption", "source"),
        pairs=frame(
            PAIRS,
            Pair.objects.filter(dataset=dataset).order_by("pk"),
            "name",
            "image__name",
            "b__caption",
            "c__caption",
            "category",
            "b__source",
            "c__source",
            "winner",
        ),
        info={name: getattr(dataset, name) for name in INFO if getattr(dataset, name)},
    )


def study_frames(study: Study) -> Frames:
    """The study's dataset with its votes and settings."""
    settings = {name: getattr(study, name) for name in STUDY}
    return replace(dataset_frames(study.dataset), votes=vote_frame(study), study=settings)


def vote_frame(study: Study) -> pd.DataFrame:
    votes = frame(
        VOTES,
        Vote.objects.filter(triplet__study=study).order_by("pk"),
        "triplet__pair__name",
        "triplet__reference__number",
        "annotator__name",
        "choice",
        "b_side",
        "seconds",
        "active_seconds",
        "created_at",
        "status",
    )
    if (votes["status"] == VALID).all():
        votes["status"] = ""
    return votes


def frame(table: Table, rows: "QuerySet[Any]", *fields: str) -> pd.DataFrame:
    """The fields as the columns of `table`, in its order, all as text."""
    values = rows.values_list(*fields).iterator(chunk_size=10_000)
    columns = list(zip(*values, strict=True)) or [()] * len(fields)
    return pd.DataFrame(
        {
            name: pd.Series([as_text(value) for value in column], dtype="str")
            for name, column in zip(table.columns, columns, strict=True)
        }
    )


def as_text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    return value.isoformat() if isinstance(value, datetime) else str(value)
