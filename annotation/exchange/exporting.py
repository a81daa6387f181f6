"""A dataset or a study out of the database, as the frames of a dataset."""

from dataclasses import replace
from datetime import datetime
from typing import Any

import pandas as pd
from django.db.models import F, QuerySet
from django.db.models.functions import Greatest

from analysis.dataset.csv_tables import Table
from analysis.dataset.schema import (
    ANNOTATORS,
    CANDIDATES,
    GOLD,
    IMAGES,
    NAMING,
    NEEDED,
    PAIRS,
    REFERENCES,
    VALID,
    VOTES,
    with_numbers,
)
from analysis.dataset.schema import Dataset as Frames
from analysis.dataset.study_settings import DATASET_SETTINGS, DEFUSED, STUDY_SETTINGS, names_of
from annotation.models import Candidate, Dataset, Image, Pair, Reference, Study, Vote
from annotation.models.study import Outcome
from annotation.models.vote import Purpose

QUESTION = ("pair__name", "reference__number")


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
        info=dataset_settings(dataset),
    )


def study_frames(study: Study, *, names: bool = False) -> Frames:
    """The study's dataset with its votes, people and settings.

    `names` brings what may tell who the annotators are besides their pseudonyms.
    """
    votes = vote_frame(study)
    triplets = study.triplets.order_by("pair", "reference__number")
    others = triplets.exclude(needed=Greatest(study.votes, F("votes")))
    return replace(
        dataset_frames(study.dataset),
        votes=votes,
        gold=frame(GOLD, triplets.exclude(answer=""), *QUESTION, "answer"),
        needed=frame(NEEDED, others, *QUESTION, "needed"),
        annotators=annotator_frame(study, set(votes["annotator"]), names=names),
        study=study_settings(study),
    )


def dataset_settings(dataset: Dataset) -> dict[str, str]:
    """The contents of dataset.json, without empty settings."""
    names = [name for name in names_of(DATASET_SETTINGS) if name != DEFUSED]
    values = {name: getattr(dataset, name) for name in names}

    return {name: value for name, value in values.items() if value}


def study_settings(study: Study) -> dict[str, object]:
    """The contents of study.json."""
    names = [name for name in names_of(STUDY_SETTINGS) if name != "exits"]
    values = {name: as_setting(getattr(study, name)) for name in names}

    exits = {row.outcome: {"code": row.code, "url": row.url} for row in study.exits.all()}
    in_order = {outcome: exits[outcome] for outcome in Outcome.values if outcome in exits}

    return values | {"exits": in_order}


def as_setting(value: object) -> object:
    """A whole number without its decimal point."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def vote_frame(study: Study) -> pd.DataFrame:
    """All votes but those of people who tried the study out."""
    votes = frame(
        VOTES,
        Vote.objects.real().filter(triplet__study=study).order_by("pk"),
        *(f"triplet__{name}" for name in QUESTION),
        "annotator__name",
        "choice",
        "b_side",
        "seconds",
        "active_seconds",
        "created_at",
        "status",
        "status_at",
        "status_reason",
        "purpose",
    )
    for column, usual in (("status", VALID), ("purpose", Purpose.STUDY)):
        if (votes[column] == usual).all():
            votes[column] = ""
    return votes


def annotator_frame(study: Study, voted: set[str], *, names: bool) -> pd.DataFrame:
    """The study's people; none where votes tell all that is known of them."""
    people = frame(
        ANNOTATORS,
        study.annotators.real().order_by("pk"),
        "name",
        "created_at",
        "step",
        "outcome",
        "finished_at",
        "excluded_at",
        "excluded_reason",
        *NAMING,
    )
    if not names:
        people[[*NAMING]] = ""
    if (people["step"] == "judging").all():
        people["step"] = ""
    told = (people[[*ANNOTATORS.optional]] != "").any(axis=None)
    return people if told or not voted.issuperset(people["annotator"]) else ANNOTATORS.empty()


def frame(table: Table, rows: "QuerySet[Any]", *fields: str) -> pd.DataFrame:
    """The fields as the columns of `table`, in its order, all as text."""
    columns: list[list[str]] = [[] for _ in fields]
    known: dict[str, str] = {}
    for row in rows.values_list(*fields).iterator(chunk_size=10_000):
        for column, value in zip(columns, row, strict=True):
            text = as_text(value)
            column.append(known.setdefault(text, text) if isinstance(value, str | int) else text)
    return pd.DataFrame(
        {
            name: pd.Series(column, dtype="str")
            for name, column in zip(table.columns, columns, strict=True)
        }
    )


def as_text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    return value.isoformat() if isinstance(value, datetime) else str(value)
