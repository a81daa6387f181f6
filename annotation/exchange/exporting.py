"""Export datasets and studies from the database, as the frames of a dataset folder."""

from dataclasses import replace
from datetime import datetime
from typing import Any

import pandas as pd
from django.db.models import F, QuerySet, Value
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
from analysis.dataset.study_settings import (
    DATASET_SETTINGS,
    DEFUSED,
    STUDY_SETTINGS,
    names_of,
)
from annotation.models import (
    Candidate,
    Dataset,
    Image,
    Pair,
    Reference,
    Study,
    Vote,
)
from annotation.models.study import Outcome
from annotation.models.vote import Purpose

QUESTION = ("pair__name", "reference__number")
IMAGE_FIELDS = ("name", "file", "url", "alt")
REFERENCE_FIELDS = ("image__name", "caption", "author")
CANDIDATE_FIELDS = ("image__name", "caption", "source")
PAIR_FIELDS = (
    "name",
    "image__name",
    "b__caption",
    "c__caption",
    "category",
    "b__source",
    "c__source",
    "winner",
)
VOTE_FIELDS = (
    "triplet__pair__name",
    "triplet__reference__number",
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
ANNOTATOR_FIELDS = (
    "name",
    "created_at",
    "step",
    "outcome",
    "finished_at",
    "excluded_at",
    "excluded_reason",
    *NAMING,
)
"""The database fields of the columns of each table, in its order."""
CHUNK = 10_000


def dataset_frames(dataset: Dataset) -> Frames:
    """Return the frames of a dataset, without votes."""
    images = Image.objects.filter(dataset=dataset, listed=True)
    references = Reference.objects.filter(image__dataset=dataset)
    candidates = Candidate.objects.filter(image__dataset=dataset, listed=True)
    pairs = Pair.objects.filter(dataset=dataset)

    return Frames(
        images=_frame(IMAGES, images.order_by("pk"), IMAGE_FIELDS),
        references=with_numbers(
            _frame(REFERENCES, references.order_by("pk"), REFERENCE_FIELDS)
        ),
        candidates=_frame(
            CANDIDATES, candidates.order_by("pk"), CANDIDATE_FIELDS
        ),
        pairs=_frame(PAIRS, pairs.order_by("pk"), PAIR_FIELDS),
        info=_dataset_settings(dataset),
    )


def study_frames(study: Study, *, names: bool = False) -> Frames:
    """Return the frames of a study: its dataset, votes, people and settings.

    With `names`, they include what may identify the annotators besides their pseudonyms.
    """
    votes = vote_frame(study)
    triplets = study.triplets.order_by("pair", "reference__number")
    gold = triplets.exclude(answer="")
    default_need = 0 if study.collected_elsewhere else study.votes
    with_other_need = triplets.exclude(
        needed=Greatest(Value(default_need), F("votes"))
    )

    return replace(
        dataset_frames(study.dataset),
        votes=votes,
        gold=_frame(GOLD, gold, (*QUESTION, "answer")),
        needed=_frame(NEEDED, with_other_need, (*QUESTION, "needed")),
        annotators=_annotator_frame(
            study, set(votes["annotator"]), names=names
        ),
        study=study_settings(study),
    )


def _dataset_settings(dataset: Dataset) -> dict[str, str]:
    """Return the contents of dataset.json, without empty settings."""
    names = [name for name in names_of(DATASET_SETTINGS) if name != DEFUSED]
    values = {name: getattr(dataset, name) for name in names}

    return {name: value for name, value in values.items() if value}


def study_settings(study: Study) -> dict[str, object]:
    """Return the contents of study.json."""
    names = [name for name in names_of(STUDY_SETTINGS) if name != "exits"]
    values = {name: _as_setting(getattr(study, name)) for name in names}

    exits = {
        row.outcome: {"code": row.code, "url": row.url}
        for row in study.exits.all()
    }
    in_order = {
        outcome: exits[outcome]
        for outcome in Outcome.values
        if outcome in exits
    }

    return values | {"exits": in_order}


def _as_setting(value: object) -> object:
    """Return a whole number as an integer, so that it is written without a decimal point."""
    return (
        int(value)
        if isinstance(value, float) and value.is_integer()
        else value
    )


def vote_frame(study: Study) -> pd.DataFrame:
    """Return all votes but those of test annotators."""
    rows = Vote.objects.real().filter(triplet__study=study).order_by("pk")
    votes = _frame(VOTES, rows, VOTE_FIELDS)

    for column, default in (("status", VALID), ("purpose", Purpose.STUDY)):
        if (votes[column] == default).all():
            votes[column] = ""

    return votes


def _annotator_frame(
    study: Study, voted: set[str], *, names: bool
) -> pd.DataFrame:
    """Return the study's people; an empty frame where the votes already say all about them."""
    people = _frame(
        ANNOTATORS, study.annotators.real().order_by("pk"), ANNOTATOR_FIELDS
    )

    if not names:
        people[[*NAMING]] = ""
    if (people["step"] == "judging").all():
        people["step"] = ""

    has_details = (people[[*ANNOTATORS.optional]] != "").any(axis=None)
    have_all_voted = voted.issuperset(people["annotator"])
    return ANNOTATORS.empty() if have_all_voted and not has_details else people


def _frame(
    table: Table, rows: "QuerySet[Any]", fields: tuple[str, ...]
) -> pd.DataFrame:
    """Return the fields as the columns of `table`, in its order, all as text."""
    columns: list[list[str]] = [[] for _ in fields]
    known: dict[str, str] = {}  # one string for equal cells, to bound memory

    for row in rows.values_list(*fields).iterator(chunk_size=CHUNK):
        for column, value in zip(columns, row, strict=True):
            text = _as_text(value)
            column.append(
                known.setdefault(text, text)
                if isinstance(value, str | int)
                else text
            )

    named = zip(table.columns, columns, strict=True)
    return pd.DataFrame(
        {name: pd.Series(column, dtype="str") for name, column in named}
    )


def _as_text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    if isinstance(value, datetime):
        return value.isoformat()

    return str(value)
