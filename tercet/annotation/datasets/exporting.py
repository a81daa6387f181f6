"""Export datasets and studies from the database, as the frames of a dataset folder."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import Any

import pandas as pd
from django.db.models import Exists, F, Max, OuterRef, QuerySet, Value
from django.db.models.functions import Greatest

from tercet.analysis.dataset.dictionary import REMARKS, columns_of
from tercet.analysis.dataset.folder import TableStream
from tercet.analysis.tables.csv_tables import Table
from tercet.analysis.tables.schema import (
    ADJUDICATIONS,
    ANNOTATORS,
    CANDIDATES,
    GOLD,
    IMAGES,
    NAMING,
    NEEDED,
    PAIRS,
    REFERENCES,
    VALID,
    with_numbers,
)
from tercet.analysis.tables.schema import Dataset as Frames
from tercet.analysis.tables.settings import DESCRIBED
from tercet.annotation.judging.kinds import kind_of
from tercet.annotation.judging.kinds.kind import Row
from tercet.annotation.judging.kinds.tables import Fields, fields_of
from tercet.annotation.models import (
    Answer,
    Candidate,
    Dataset,
    Image,
    Pair,
    Reference,
    Remark,
    Study,
)
from tercet.annotation.models.answer import Purpose
from tercet.annotation.models.study import Step
from tercet.annotation.studies.study_file import study_settings

_IN_ORDER = ("pair", "reference__number", "image", "candidate")
"""The order of questions: those of a pair by their references."""
IMAGE_FIELDS = fields_of(IMAGES.columns, image="name", source="provenance")
_REFERENCE_FIELDS = fields_of(REFERENCES.columns, image="image__name")
_CANDIDATE_FIELDS = fields_of(CANDIDATES.columns, image="image__name")
_PAIR_FIELDS = fields_of(
    PAIRS.columns,
    pair="name",
    image="image__name",
    candidate_b="b__caption",
    candidate_c="c__caption",
    source_b="b__source",
    source_c="c__source",
)
_ANNOTATOR_FIELDS = fields_of(
    ANNOTATORS.columns, annotator="name", joined_at="created_at"
)
_OF_RATINGS = ("image", "caption", "aspect", "low", "high")
_QUESTION_FIELDS = {
    "pair": "pair__name",
    "reference": "reference__number",
    "image": "image__name",
    "caption": "candidate__caption",
}
_GOLD_FIELDS = fields_of(
    GOLD.columns,
    **_QUESTION_FIELDS,
    **dict.fromkeys(("answer", *_OF_RATINGS[2:]), "gold"),
)
_NEEDED_FIELDS = fields_of(NEEDED.columns, **_QUESTION_FIELDS)
_ADJUDICATION_FIELDS = fields_of(ADJUDICATIONS.columns, pair="pair__name")
_REMARK_FIELDS = fields_of(
    columns_of(REMARKS),
    annotator="annotator__name",
    **{name: f"question__{field}" for name, field in _QUESTION_FIELDS.items()},
)
CHUNK = 10_000


@dataclass(frozen=True)
class TableRows:
    """Rows of the database in the columns of a table; columns of `blank` are left empty.

    `fields` are the database fields of its columns, in its order; a frame has the fields of
    `more` besides, as they are in the database. `lines` makes the lines of the rows.
    """

    table: Table
    rows: "QuerySet[Any]"
    fields: Fields
    blank: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    lines: Callable[[Iterable[Row]], Iterable[Row]] = iter

    def frame(self) -> pd.DataFrame:
        """Return all rows."""
        return self._as_frame(self._values())

    def frames(self) -> Iterator[pd.DataFrame]:
        """Yield some thousand rows at a time, so that memory is bounded."""
        values = self._values()
        while batch := list(islice(values, CHUNK)):
            yield self._as_frame(batch)

    def stream(self) -> TableStream:
        """Return the table as it is written to a folder: without columns that are not in use."""
        return TableStream(self.table, self._columns_in_use(), self.frames())

    def _columns_in_use(self) -> tuple[str, ...]:
        fields = dict(zip(self.table.columns, self.fields, strict=True))
        optional = [name for name in self.table.optional if name not in self.blank]
        largest = {f"max_{name}": Max(fields[name]) for name in optional}

        found = self.rows.aggregate(**largest)
        used = [name for name in optional if found[f"max_{name}"] not in (None, "")]
        filled = [name for name in self.table.columns if name not in self.blank]
        return (*self.table.required_of(filled), *used)

    def _values(self) -> "Iterator[tuple[Any, ...]]":
        rows = self.rows.values_list(*self.fields, *self.more)
        return iter(self.lines(rows.iterator(chunk_size=CHUNK)))

    def _as_frame(self, values: "Iterable[tuple[Any, ...]]") -> pd.DataFrame:
        columns: list[list[Any]] = [[] for _ in self.fields]
        more: list[list[Any]] = [[] for _ in self.more]
        known: dict[str, str] = {}  # one string for equal cells, to bound memory

        for row in values:
            for column, value in zip(columns, row, strict=False):
                text = _as_text(value)
                column.append(
                    known.setdefault(text, text)
                    if isinstance(value, str | int)
                    else text
                )
            for column, value in zip(more, row[len(columns) :], strict=True):
                column.append(value)

        texts = {
            name: pd.Series(cells, dtype="str")
            for name, cells in zip(self.table.columns, columns, strict=True)
        }
        frame = pd.DataFrame(texts | dict(zip(self.more, more, strict=True)))
        return frame.assign(**dict.fromkeys(self.blank, ""))


def dataset_rows(dataset: Dataset) -> dict[Table, TableRows]:
    """Return the rows of a dataset's tables."""
    images = Image.objects.filter(dataset=dataset, listed=True)
    references = Reference.objects.filter(image__dataset=dataset)
    candidates = Candidate.objects.filter(image__dataset=dataset, listed=True)

    tables = (
        TableRows(IMAGES, images.order_by("pk"), IMAGE_FIELDS),
        TableRows(REFERENCES, references.order_by("pk"), _REFERENCE_FIELDS),
        TableRows(CANDIDATES, candidates.order_by("pk"), _CANDIDATE_FIELDS),
        pair_rows(dataset),
    )
    return {rows.table: rows for rows in tables}


def pair_rows(dataset: Dataset) -> TableRows:
    """Return the rows of a dataset's pairs."""
    pairs = Pair.objects.filter(dataset=dataset)
    return TableRows(PAIRS, pairs.order_by("pk"), _PAIR_FIELDS, more=("pk",))


def study_rows(study: Study, *, names: bool = False) -> dict[Table, TableRows]:
    """Return the rows of a study's tables: its dataset, votes, checks and people.

    With `names`, they include what may identify the annotators besides their pseudonyms.
    """
    kind = kind_of(study)
    questions = study.questions.order_by(*_IN_ORDER)
    gold = questions.gold()
    default_need = 0 if study.collected_elsewhere else study.votes
    usual = Greatest(Value(default_need), F("answers"))
    needed = questions.exclude(needed=usual).exclude(needed=0)
    no_gold: tuple[str, ...] = _OF_RATINGS
    not_needed: tuple[str, ...] = _OF_RATINGS[:2]
    if not kind.chooses:
        no_gold, not_needed = GOLD.required, NEEDED.required[:2]
    decisions = study.adjudications.order_by("pk")

    tables = (
        answer_rows(study),
        TableRows(GOLD, gold, _GOLD_FIELDS, blank=no_gold, lines=kind.gold_lines),
        TableRows(NEEDED, needed, _NEEDED_FIELDS, blank=not_needed),
        _annotator_rows(study, names=names),
        TableRows(ADJUDICATIONS, decisions, _ADJUDICATION_FIELDS),
    )
    return dataset_rows(study.dataset) | {rows.table: rows for rows in tables}


def dataset_frames(dataset: Dataset) -> Frames:
    """Return the frames of a dataset, without votes."""
    rows = dataset_rows(dataset)
    return _frames(rows, dataset_settings(dataset), {})


def study_frames(study: Study, *, names: bool = False) -> Frames:
    """Return the frames of a study; see `study_rows`."""
    tables = study_rows(study, names=names)
    return _frames(tables, dataset_settings(study.dataset), study_settings(study))


def _frames(
    tables: dict[Table, TableRows], info: dict[str, str], study: dict[str, object]
) -> Frames:
    frames = {
        table.name: rows.frame()[list(table.columns)] for table, rows in tables.items()
    }
    frames["references"] = with_numbers(frames["references"])
    return Frames(**frames, info=info, study=study)


def dataset_settings(dataset: Dataset) -> dict[str, str]:
    """Return the contents of dataset.json, without empty settings."""
    values = {name: getattr(dataset, name) for name in DESCRIBED}

    return {name: value for name, value in values.items() if value}


def answer_rows(study: Study) -> TableRows:
    """Return all answers except test annotators'; frames also have the question's key.

    A table without the status of answers has those that count.
    """
    kind = kind_of(study)
    real = Answer.objects.real().filter(question__study=study)
    answers = real.annotate(value=kind.value).order_by("pk")
    if "status" not in kind.table.columns:
        answers = answers.counted()

    defaults = {"status": VALID, "purpose": Purpose.STUDY}
    blank = kind.blank(answers)
    for column, default in defaults.items():
        usual = {column: default}
        others = answers.exclude(**usual)
        if not others.exists():
            blank.append(column)

    return TableRows(
        kind.table,
        answers,
        kind.fields,
        tuple(blank),
        more=("question_id",),
        lines=kind.lines(study),
    )


def _annotator_rows(study: Study, *, names: bool) -> TableRows:
    """Return the study's people; no rows where the votes already say all about them."""
    people = study.annotators.real().order_by("pk")
    blank = () if names else NAMING
    if not people.exclude(step=Step.JUDGING).exists():
        blank = (*blank, "step")

    rows = TableRows(ANNOTATORS, people, _ANNOTATOR_FIELDS, blank)
    voted = Answer.objects.real().filter(annotator=OuterRef("pk"))
    have_all_voted = not people.filter(~Exists(voted)).exists()

    columns = rows.stream().columns
    has_details = columns != ANNOTATORS.required
    if have_all_voted and not has_details:
        return replace(rows, rows=people.none())
    return rows


def remarks_frame(study: Study) -> pd.DataFrame:
    """Return what annotators said about questions and about the study, in the order of writing."""
    remarks = Remark.objects.filter(annotator__study=study, annotator__is_test=False)
    values = remarks.order_by("pk").values_list(*_REMARK_FIELDS)
    rows = [[*map(_as_text, row)] for row in values]
    return pd.DataFrame(rows, columns=list(columns_of(REMARKS)), dtype="str")


def _as_text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if value is None:
        return ""
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    if isinstance(value, datetime):
        return value.isoformat()

    return str(value)
