"""Import a dataset folder into the database, wholly or not at all."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from itertools import repeat
from pathlib import Path
from shutil import rmtree
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from django.contrib.auth.models import User
from django.db import IntegrityError
from django.db.models import F
from django.utils.text import slugify
from numpy.typing import NDArray

from tercet.analysis.dataset.caption_language import SAMPLE, guess_language
from tercet.analysis.dataset.folder import copy_images
from tercet.analysis.progress import Progress, silent
from tercet.analysis.tables.csv_tables import FaultyDataset
from tercet.analysis.tables.protocol_settings import RATING
from tercet.analysis.tables.schema import COUNTED, IMAGES, VALID, shown_captions
from tercet.analysis.tables.schema import Dataset as Frames
from tercet.analysis.tables.settings import MAX_VOTES
from tercet.annotation.datasets.disk import check_room
from tercet.annotation.datasets.hidden_rows import HiddenRows, hidden_rows
from tercet.annotation.judging.annotators import new_token
from tercet.annotation.judging.kinds import KINDS
from tercet.annotation.judging.kinds.kind import Keys
from tercet.annotation.judging.kinds.tables import cells, rows_of
from tercet.annotation.judging.quotas import (
    B_MARGIN,
    LEFT_BALANCE,
    update_stopped_pairs,
)
from tercet.annotation.models import (
    Adjudication,
    Annotator,
    Answer,
    Candidate,
    Dataset,
    Image,
    Pair,
    Question,
    Reference,
    Study,
)
from tercet.annotation.models.answer import Purpose, Status
from tercet.annotation.models.bulk import (
    copy_rows,
    refresh_statistics,
    stored_times,
    write_rows,
)
from tercet.annotation.models.dataset import content_of
from tercet.annotation.models.question import Subject
from tercet.annotation.models.study import Rank, State, Step
from tercet.annotation.names import first_free, numbered
from tercet.annotation.studies.audit import log, log_site
from tercet.annotation.studies.creation import default_title, free_name
from tercet.annotation.studies.questions import Counters, write_questions
from tercet.annotation.studies.study_file import StudyFile, read_study_file

CAPTION = ["image", "caption", "source"]
QUESTION = ["pair", "reference"]
_UNKNOWN_ANNOTATOR = {"step": Step.JUDGING, "created_at": None}
"""The fields of an annotator who is known only by votes."""
_ABOUT_ANSWERS = (
    "annotator",
    "strength",
    "purpose",
    "b_side",
    "seconds",
    "active_seconds",
    "created_at",
    "status",
    "status_at",
    "reason",
)
"""The cells of an answer besides what it is about, and what is answered."""
NAME_LENGTH = 80
RESERVED_NAMES = {"upload"}

_WRITTEN = (Image, Reference, Candidate, Pair, Question, Annotator, Answer)
"""Of what an import writes many rows."""
_CHANGED = 500
"""Questions that are changed at once."""

_Name = TypeVar("_Name")
_Ints = NDArray[np.int64]
_CaptionKey = tuple[str, ...]
"""An image's name, a caption and its source."""


class NameTaken(ValueError):
    """There is already a dataset of this name."""

    def __init__(self, name: str) -> None:
        message = "There is already a dataset named %(name)s. Choose another name."
        super().__init__(message % {"name": name})


def dataset_name(text: str) -> str:
    """Turn the name of a folder or file into a name for urls and commands; raises NameTaken."""
    name = slugify(text)[:NAME_LENGTH] or "dataset"
    if name in RESERVED_NAMES or Dataset.objects.filter(name=name).exists():
        raise NameTaken(name)

    return name


def free_dataset_name(text: str) -> str:
    """Return a name that no dataset has, from the name of a folder or file."""
    stem = slugify(text)[:NAME_LENGTH] or "dataset"
    names = (
        name
        for name in numbered(stem, longest=NAME_LENGTH)
        if name not in RESERVED_NAMES
    )
    return first_free(names, Dataset.objects)


def import_dataset(
    source: Frames,
    name: str,
    files: Path,
    user: User | None = None,
    progress: Progress = silent,
    *,
    collecting: bool = False,
    confirm: Callable[[Dataset], None] | None = None,
) -> Dataset:
    """Write a checked dataset under a free name; its votes become a study.

    Votes without a study.json are taken to be complete, unless `collecting` says that the missing
    ones are collected here. `confirm` is called in the transaction that shows the dataset; what it
    raises takes everything back. `files` is the folder from which image files are copied. Raises
    NameTaken, FaultyDataset where study.json cannot be stored, and OSError where the
    disk is full.
    """
    check_room()
    is_rated = len(source.ratings) > 0 and not source.has_study
    if is_rated or (asks_if_finished(source) and not collecting):
        source = _collected_elsewhere(source)
    settings = read_study_file(source.study)
    if settings.problems:
        raise FaultyDataset(settings.problems)

    info = {key: value for key, value in source.info.items() if value}
    names = {"name": name, "title": name}
    dataset = Dataset(created_by=user, **names | info)

    with hidden_rows() as rows:
        _reserve_name(dataset, rows)
        try:
            told = _leaving_room(progress)
            work = Import(dataset, source, settings, told, rows, files)
            work.write_content()
            copy_images(source, files, dataset.folder)
            with rows.publish():
                work.write_study_details()
                if confirm:
                    confirm(dataset)
        except BaseException:
            rmtree(dataset.folder, ignore_errors=True)
            raise

    refresh_statistics(*_WRITTEN)
    return dataset


def _leaving_room(progress: Progress) -> Progress:
    """Also look after each batch whether the disk has room left for votes."""

    def report(share: float, doing: str) -> None:
        check_room()
        progress(share, doing)

    return report


def asks_if_finished(source: Frames) -> bool:
    """Whether only the user can know if all votes have been collected."""
    return bool(len(source.votes)) and not source.study


def _collected_elsewhere(source: Frames) -> Frames:
    """Add a closed study that needs the votes or ratings it has, question by question."""
    study = {"collected_elsewhere": True, "state": State.CLOSED}
    if not len(source.votes):
        return replace(source, study=study | {"protocol": RATING})

    per_question = source.valid_votes.groupby(QUESTION).size()
    most = int(per_question.max()) if len(per_question) else 1
    return replace(source, study=study | {"votes": min(most, MAX_VOTES)})


def _reserve_name(dataset: Dataset, rows: HiddenRows) -> None:
    """Save the dataset, and delete image files that a killed import of this name left behind."""
    try:
        rows.add_parent(dataset)
    except IntegrityError:
        raise NameTaken(dataset.name) from None

    rmtree(dataset.folder, ignore_errors=True)


def _time(text: str) -> datetime | None:
    return datetime.fromisoformat(text).astimezone(UTC) if text else None


def _number(text: str) -> float | None:
    return float(text) if text else None


def _annotator_fields(row: Any) -> dict[str, Any]:
    """Return the fields of an annotator from a line of annotators.csv."""
    return {
        "created_at": _time(row.joined_at),
        "step": row.step or Step.JUDGING,
        "outcome": row.outcome,
        "finished_at": _time(row.finished_at),
        "excluded_at": _time(row.excluded_at),
        "excluded_reason": row.excluded_reason,
        "label": row.label,
        "token": new_token() if row.label else "",
        "external_id": row.external_id,
        "code": row.code,
    }


def _records(table: pd.DataFrame) -> Iterator[Any]:
    return iter(table.itertuples())


def _named_keys(names: Iterable[_Name], keys: Iterable[int]) -> dict[_Name, int]:
    return dict(zip(names, keys, strict=True))


def write_references(
    references: pd.DataFrame, images: dict[str, int], progress: Progress
) -> dict[tuple[str, int], int]:
    """Write references, and return their keys by image and number."""
    columns = {
        "image": map(images.__getitem__, cells(references, "image")),
        "number": references["number"].tolist(),
        "caption": cells(references, "caption"),
        "author": cells(references, "author"),
        "origin": cells(references, "origin"),
    }
    total = len(references)
    keys = copy_rows(Reference, columns, total, "References", progress)
    names = zip(cells(references, "image"), columns["number"], strict=True)
    return _named_keys(names, keys)


def log_import(dataset: Dataset, by: User | None, reading: Sequence[str] = ()) -> None:
    """Record that a dataset was imported, and which columns of its files were read as what."""
    references = Reference.objects.filter(image__dataset=dataset)
    log_site(
        by,
        "imported dataset",
        name=dataset.name,
        images=dataset.images.count(),
        references=references.count(),
        pairs=dataset.pairs.count(),
        reading=list(reading) or "",
    )


def write_new_pairs(dataset: Dataset, pairs: pd.DataFrame, batch: int = 0) -> None:
    """Write pairs of images that a dataset has, and the captions that it lacks.

    `batch` is the number of generated ones.
    """
    images = dict(dataset.images.values_list("name", "pk"))
    found = Candidate.objects.filter(image__dataset=dataset)
    known: dict[_CaptionKey, int] = {}
    for key, *caption in found.values_list("pk", "image__name", "caption", "source"):
        known[tuple(caption)] = key

    captions = shown_captions(pairs, CAPTION).drop_duplicates()
    is_known = pd.MultiIndex.from_frame(captions).isin(list(known))
    unknown = captions[~is_known]
    new = unknown.assign(listed=False)
    candidates = known | _write_candidates(new, images, silent)
    _write_pairs(dataset, pairs.assign(batch=batch), images, candidates, silent)


def _write_candidates(
    captions: pd.DataFrame, images: dict[str, int], progress: Progress
) -> dict[_CaptionKey, int]:
    """Write captions, which have a column `listed` besides, and return their keys."""
    columns = {
        "image": map(images.__getitem__, cells(captions, "image")),
        "caption": cells(captions, "caption"),
        "source": cells(captions, "source"),
        "listed": captions["listed"].tolist(),
    }
    total = len(captions)
    keys = copy_rows(Candidate, columns, total, "Candidates", progress)
    return _named_keys(rows_of(captions, *CAPTION), keys)


def _write_pairs(
    dataset: Dataset,
    pairs: pd.DataFrame,
    images: dict[str, int],
    candidates: dict[_CaptionKey, int],
    progress: Progress,
) -> dict[str, int]:
    b, c = (
        map(candidates.__getitem__, rows_of(pairs, "image", *names))
        for names in (("candidate_b", "source_b"), ("candidate_c", "source_c"))
    )
    columns = {
        "dataset": repeat(dataset.pk),
        "name": cells(pairs, "pair"),
        "image": map(images.__getitem__, cells(pairs, "image")),
        "b": b,
        "c": c,
        "category": cells(pairs, "category"),
        "winner": cells(pairs, "winner"),
        "batch": pairs["batch"].tolist(),
    }
    keys = copy_rows(Pair, columns, len(pairs), "Pairs", progress)
    return _named_keys(cells(pairs, "pair"), keys)


@dataclass
class Import:
    """An import in progress, with the keys of what has been written."""

    dataset: Dataset
    source: Frames
    settings: StudyFile
    progress: Progress
    rows: HiddenRows
    files: Path
    study: Study | None = None

    def write_content(self) -> None:
        """Write the captions and pairs, then the questions, annotators and votes of a study."""
        source = self.source
        progress = self.progress
        self.images = self._write_images()
        self.references = write_references(source.references, self.images, progress)

        if source.has_study:
            self._read_answers()
        captions = self._write_captions()
        pairs = source.pairs
        imported = pairs.assign(batch=0)
        self.pairs = _write_pairs(
            self.dataset, imported, self.images, captions, progress
        )
        pair_images = dict(zip(pairs["pair"], pairs["image"], strict=True))
        self.keys = Keys(
            self.images, self.references, captions, self.pairs, pair_images
        )

        if self.source.has_study:
            self._write_study()

    def _write_images(self) -> dict[str, int]:
        listed = self.source.images.set_index("image")[[*IMAGES.optional]]
        reference_images = self.source.references["image"]
        names = list(dict.fromkeys([*listed.index, *reference_images.unique()]))
        known = listed.reindex(names, fill_value="")
        files = cells(known, "file")
        contents = [
            content_of(self.files / file) if file else ("", "") for file in files
        ]
        columns = {
            "dataset": repeat(self.dataset.pk),
            "name": names,
            "file": cells(known, "file"),
            "url": cells(known, "url"),
            "alt": cells(known, "alt"),
            "sha256": cells(known, "sha256"),
            "licence": cells(known, "licence"),
            "provenance": cells(known, "source"),
            "content_type": [content_type for content_type, _digest in contents],
            "digest": [digest for _content_type, digest in contents],
            "listed": known.index.isin(listed.index).tolist(),
        }
        keys = copy_rows(Image, columns, len(names), "Images", self.progress)
        return _named_keys(names, keys)

    def _write_captions(self) -> dict[_CaptionKey, int]:
        """Write the candidates, and the captions that only pairs, answers or gold name."""
        candidates = self.source.candidates[CAPTION]
        listed = candidates.assign(listed=True)
        others = [shown_captions(self.source.pairs, CAPTION)]
        if self.source.has_study:
            others.append(self.kind.captions_of(self.answers, self.source.gold))
        unlisted = pd.concat(others).assign(listed=False)
        captions = pd.concat([listed, unlisted]).drop_duplicates(CAPTION)
        return _write_candidates(captions, self.images, self.progress)

    def _read_answers(self) -> None:
        """Make the answers of the lines of their table."""
        self.kind = KINDS[self.source.protocol]
        lines = self.source.frames[self.kind.table]
        answers = self.kind.answers(
            lines, is_foreign=self.source.is_collected_elsewhere
        )
        columns = dict.fromkeys((*answers.columns, *_ABOUT_ANSWERS))
        self.answers = answers.reindex(columns=list(columns), fill_value="")

    def _write_study(self) -> None:
        gold, expected = self.kind.gold(self.source.gold)
        needed = self.source.needed
        tables = [self.answers, gold, needed]
        of_answers, of_gold, of_needed = self._write_questions(tables)
        _change_questions(of_needed, needed["needed"], "needed")
        _change_questions(of_gold, expected, "gold")
        if self.study and not self.source.is_collected_elsewhere:
            checks = self.study.questions.gold().filter(candidate__listed=False)
            checks.update(needed=F("answers"))
        self._write_answers(of_answers, self._write_annotators())

    def _write_questions(self, tables: list[pd.DataFrame]) -> list[_Ints]:
        """Write the study and its questions; return the question's key of each row of tables."""
        numbers, subjects = self._numbered_subjects(tables)
        counters = self._counters(subjects, numbers[: len(self.answers)])
        most = max((each.answers for each in counters.values()), default=0)

        self.study = self._new_study(most)
        questions = write_questions(self.study, counters, self.progress)
        keys = np.array([questions[subject] for subject in subjects], dtype=np.int64)
        ends = np.cumsum([len(table) for table in tables])
        return np.split(keys[numbers], ends[:-1])

    def write_study_details(self) -> None:
        """Write what refers to the study itself."""
        study = self.study
        if study is None:
            return

        self._write_adjudications(study)
        if study.stop_early:
            update_stopped_pairs(study)
        study.exits.add(*self.settings.exits, bulk=False)

        if study.created_by:
            study.roles.create(user=study.created_by, rank=Rank.OWNER)
        log(study, study.created_by, "imported", votes=len(self.answers))

    def _new_study(self, most_votes: int) -> Study:
        """Save the study with its settings; `most_votes` is how many votes a question has."""
        source = self.source
        dataset = self.dataset
        usual = Study()
        votes = max(usual.votes, most_votes)
        language = guess_language(source.references.caption[:SAMPLE])
        values = {
            "votes": min(votes, MAX_VOTES),
            "language": language or usual.language,
            **self.settings.values,
            "protocol": source.protocol,
        }
        if not values.get("title"):
            values["title"] = default_title(dataset, source.protocol)

        study = Study(dataset=dataset, created_by=dataset.created_by, **values)
        study.name = free_name(study)
        self.rows.add_parent(study)
        return study

    def _numbered_subjects(
        self, tables: list[pd.DataFrame]
    ) -> tuple[_Ints, list[Subject]]:
        """Return whose subject each row of the tables has, by number, and the subjects."""
        about = list(self.kind.about)
        named = [table.reindex(columns=about, fill_value="") for table in tables]
        every = pd.concat(named, ignore_index=True)
        groups = every.groupby(about, sort=False)
        numbers = groups.ngroup().to_numpy().astype(np.int64)
        subjects = self.kind.subjects(every.drop_duplicates(), self.keys)
        return numbers, list(subjects)

    def _counters(
        self, subjects: list[Subject], numbers: _Ints
    ) -> dict[Subject, Counters]:
        """Count the valid answers about each subject; `numbers` says whose each answer is."""
        answers = self.answers
        is_valid = answers["status"].isin(["", VALID])
        is_counted = (is_valid & answers["purpose"].isin(COUNTED)).to_numpy()
        choices, _contents = self.kind.given(answers)
        added = map(B_MARGIN.__getitem__, choices)
        margins = np.fromiter(added, dtype=np.int64, count=len(answers))
        balances = answers["b_side"].map(LEFT_BALANCE).to_numpy()

        counted = numbers[is_counted]
        sums = [
            np.bincount(counted, weights[is_counted], len(subjects)).astype(int)
            for weights in (is_counted, margins, balances)
        ]
        counters = map(Counters, *(each.tolist() for each in sums))
        known: dict[Counters, Counters] = {}
        shared = (known.setdefault(each, each) for each in counters)
        return dict(zip(subjects, shared, strict=True))

    def _write_annotators(self) -> dict[str, int | None]:
        """Write the people of annotators.csv and of the answers, and return their keys by name."""
        answers = self.answers
        people = _records(self.source.annotators)
        fields = {row.annotator: _annotator_fields(row) for row in people}
        names = dict.fromkeys([*fields, *answers["annotator"].unique()])
        names.pop("", None)

        is_undone = answers["status"] == Status.SUPERSEDED
        judges = answers.loc[~is_undone, "annotator"]
        judged = judges.value_counts().to_dict()
        rows = (
            Annotator(
                study=self.study,
                name=name,
                judged=judged.get(name, 0),
                judged_at_break=judged.get(name, 0),
                **fields.get(name, _UNKNOWN_ANNOTATOR),
            )
            for name in names
        )
        doing = "Annotators"
        keys = write_rows(Annotator.objects, rows, len(names), doing, self.progress)
        return {"": None} | _named_keys(names, keys)

    def _write_adjudications(self, study: Study) -> None:
        table = self.source.adjudications
        rows = (
            Adjudication(
                study=study,
                pair_id=self.pairs[row.pair],
                decision=row.decision,
                reason=row.reason,
                adjudicator=row.adjudicator,
                decided_at=_time(row.decided_at),
                superseded_at=_time(row.superseded_at),
            )
            for row in _records(table)
        )
        write_rows(Adjudication.objects, rows, len(table), "Decisions", self.progress)

    def _write_answers(
        self, questions: _Ints, annotators: dict[str, int | None]
    ) -> None:
        answers = self.answers
        choices, contents = self.kind.given(answers)
        of_column = partial(cells, answers)
        purposes = of_column("purpose")
        statuses = of_column("status")
        columns = {
            "question": map(int, questions),
            "choice": choices,
            "strength": (int(each) if each else None for each in of_column("strength")),
            "content": contents,
            "annotator": map(annotators.__getitem__, of_column("annotator")),
            "purpose": (each or Purpose.STUDY.value for each in purposes),
            "b_side": of_column("b_side"),
            "seconds": map(_number, of_column("seconds")),
            "active_seconds": map(_number, of_column("active_seconds")),
            "created_at": stored_times(of_column("created_at")),
            "status": (each or Status.VALID.value for each in statuses),
            "status_at": stored_times(of_column("status_at")),
            "status_reason": of_column("reason"),
        }
        copy_rows(Answer, columns, len(answers), "Votes", self.progress)


def _change_questions(keys: _Ints, values: "pd.Series[str]", field: str) -> None:
    """Set one field of the questions with these keys."""
    for value, positions in values.groupby(values, sort=False).indices.items():
        for start in range(0, len(positions), _CHANGED):
            chosen = keys[positions[start : start + _CHANGED]]
            questions = Question.objects.filter(pk__in=chosen.tolist())
            questions.update(**{field: value})
