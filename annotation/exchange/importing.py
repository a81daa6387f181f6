"""A dataset into the database: wholly or not at all."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from shutil import rmtree
from typing import Any

import pandas as pd
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import override

from analysis.dataset.csv_tables import Problem
from analysis.dataset.folder import FaultyDataset, copy_images
from analysis.dataset.schema import Dataset as Frames
from analysis.dataset.study_settings import BY_NAME, MAX_VOTES
from analysis.progress import Progress, silent
from annotation.judging.annotators import new_token
from annotation.judging.flow import QUIZZES
from annotation.judging.quizzes import FaultyQuiz, read_quizzes
from annotation.judging.quotas import recount, update_stopped_pairs
from annotation.models import (
    Annotator,
    Candidate,
    Dataset,
    Exit,
    Image,
    Pair,
    Reference,
    Study,
    Triplet,
    Vote,
)
from annotation.models.bulk import BATCH, write_rows
from annotation.models.study import Step
from annotation.models.vote import Purpose, Status
from annotation.studies.audit import log
from annotation.studies.creation import add_owner
from annotation.studies.triplets import Key, free_name, usual_title, write_triplets

CAPTION = ["image", "caption", "source"]
UNKNOWN_ANNOTATOR = {"step": Step.JUDGING, "created_at": None}
"""Of somebody who is known by votes alone."""
CaptionKey = tuple[str, str, str]
NAME_LENGTH = 80
RESERVED = {"upload"}


class NameTaken(ValueError):
    """There is a dataset of this name already."""

    def __init__(self, name: str) -> None:
        words = _("There is a dataset named %(name)s already: give this one another name.")
        super().__init__(words % {"name": name})


def dataset_name(text: str) -> str:
    """A name for urls and commands, from a folder's or a file's; raises NameTaken."""
    name = slugify(text)[:NAME_LENGTH] or "dataset"
    if name in RESERVED or Dataset.objects.filter(name=name).exists():
        raise NameTaken(name)
    return name


def preview(source: Frames) -> dict[str, int]:
    """How many rows of what an import brings."""
    counts = {
        _("images"): len({*source.images["image"], *source.references["image"]}),
        _("references"): len(source.references),
        _("candidates"): len(source.candidates),
        _("pairs"): len(source.pairs),
        _("votes"): len(source.votes),
    }
    return {what: count for what, count in counts.items() if count}


def import_dataset(
    source: Frames,
    name: str,
    files: Path,
    user: User | None = None,
    progress: Progress = silent,
) -> Dataset:
    """Write a checked dataset under a free name; its votes become a study.

    `files` is the folder that the image files are copied from. Raises NameTaken, and
    FaultyDataset where the study has questions that cannot be asked.
    """
    check_quizzes(source.study)
    info = {key: value for key, value in source.info.items() if value}
    row = Dataset(created_by=user, **{"name": name, "title": name} | info)
    with transaction.atomic():
        reserve_name(row)
        try:
            Import(row, source, progress).run()
            copy_images(source, files, row.folder)
        except BaseException:
            rmtree(row.folder, ignore_errors=True)
            raise
    return row


@override("en")  # as all problems of a dataset are told
def check_quizzes(study: dict[str, Any]) -> None:
    for step in QUIZZES:
        try:
            read_quizzes(study.get(step, ""))
        except FaultyQuiz as error:
            remedy = "See the usual text of such a step"
            problem = Problem("study.json", None, step, "", str(error).rstrip("."), remedy)
            raise FaultyDataset([problem]) from None


def reserve_name(row: Dataset) -> None:
    """Save the dataset, and clear its folder of what an import that was killed left there."""
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError:
        raise NameTaken(row.name) from None
    rmtree(row.folder, ignore_errors=True)


def time(text: str) -> datetime | None:
    return datetime.fromisoformat(text).astimezone(UTC) if text else None


def annotator_fields(row: Any) -> dict[str, Any]:
    """The columns of an annotator that a line of annotators.csv tells."""
    return {
        "created_at": time(row.joined_at),
        "step": row.step or Step.JUDGING,
        "outcome": row.outcome,
        "finished_at": time(row.finished_at),
        "excluded_at": time(row.excluded_at),
        "excluded_reason": row.excluded_reason,
        "label": row.label,
        "token": new_token() if row.label else "",
        "external_id": row.external_id,
        "code": row.code,
    }


def records(table: pd.DataFrame) -> Iterator[Any]:
    """The rows as named tuples."""
    return iter(table.itertuples())


def shown_captions(pairs: pd.DataFrame) -> pd.DataFrame:
    """The captions that stand in pairs, B's before C's."""
    sides = [
        pairs[["image", f"candidate_{side}", f"source_{side}"]].set_axis(CAPTION, axis=1)
        for side in "bc"
    ]
    return pd.concat(sides).drop_duplicates()


def write_candidates(
    captions: pd.DataFrame, images: dict[str, int], progress: Progress
) -> dict[CaptionKey, int]:
    """The keys of the new candidates; `captions` has a column `listed` besides."""
    rows = (
        Candidate(
            image_id=images[row.image],
            caption=row.caption,
            source=row.source,
            listed=bool(row.listed),
        )
        for row in records(captions)
    )
    written = write_rows(Candidate.objects, rows, len(captions), "Candidates", progress)
    keys = captions[CAPTION].itertuples(index=False, name=None)
    return dict(zip(keys, written, strict=True))


def write_pairs(
    dataset: Dataset,
    pairs: pd.DataFrame,
    images: dict[str, int],
    candidates: dict[CaptionKey, int],
    progress: Progress,
) -> dict[str, int]:
    """The keys of the new pairs, by name."""
    rows = (
        Pair(
            dataset=dataset,
            name=row.pair,
            image_id=images[row.image],
            b_id=candidates[row.image, row.candidate_b, row.source_b],
            c_id=candidates[row.image, row.candidate_c, row.source_c],
            category=row.category,
            winner=row.winner,
        )
        for row in records(pairs)
    )
    written = write_rows(Pair.objects, rows, len(pairs), "Pairs", progress)
    return dict(zip(pairs["pair"], written, strict=True))


@dataclass
class Import:
    """One import on its way: what is written, and the keys of what has been."""

    dataset: Dataset
    source: Frames
    progress: Progress

    def run(self) -> None:
        self.images = self.write_images()
        self.references = self.write_references()
        listed = self.source.candidates[CAPTION].assign(listed=True)
        shown = shown_captions(self.source.pairs).assign(listed=False)
        captions = pd.concat([listed, shown]).drop_duplicates(CAPTION)
        candidates = write_candidates(captions, self.images, self.progress)
        pairs = self.source.pairs
        self.pairs = write_pairs(self.dataset, pairs, self.images, candidates, self.progress)
        self.pair_images = dict(zip(pairs["pair"], pairs["image"], strict=True))
        if self.source.has_study:
            self.write_study()

    def write_images(self) -> dict[str, int]:
        table = self.source.images.set_index("image")[["file", "url", "alt"]]
        listed: dict[str, Any] = table.to_dict("index")  # type: ignore[assignment]
        names = list(dict.fromkeys(chain(listed, self.source.references["image"])))
        rows = (
            Image(dataset=self.dataset, name=name, listed=name in listed, **listed.get(name, {}))
            for name in names
        )
        written = write_rows(Image.objects, rows, len(names), "Images", self.progress)
        return dict(zip(names, written, strict=True))

    def write_references(self) -> dict[tuple[str, int], int]:
        table = self.source.references
        rows = (
            Reference(
                image_id=self.images[row.image],
                number=row.number,
                caption=row.caption,
                author=row.author,
            )
            for row in records(table)
        )
        written = write_rows(Reference.objects, rows, len(table), "References", self.progress)
        keys = zip(table["image"], table["number"], strict=True)
        return dict(zip(keys, written, strict=True))

    def write_study(self) -> None:
        asked = self.asked()
        most = max([BY_NAME["votes"].default, *asked.values()])
        told = {"votes": min(most, MAX_VOTES)} | self.source.study
        told["protocol"] = self.source.protocol
        told["title"] = told.get("title") or usual_title(self.dataset, self.source.protocol)
        exits = told.pop("exits", {})
        study = Study(dataset=self.dataset, created_by=self.dataset.created_by, **told)
        study.name = free_name(study)
        study.save()
        Exit.objects.bulk_create(
            Exit(study=study, outcome=outcome, **values) for outcome, values in exits.items()
        )
        triplets = write_triplets(study, asked, self.progress)
        self.change_triplets(triplets, self.source.needed, "needed")
        self.change_triplets(triplets, self.source.gold, "answer")
        self.write_votes(triplets, self.write_annotators(study))
        recount(study.triplets.all())
        update_stopped_pairs(study)
        if study.created_by:
            add_owner(study, study.created_by)
        log(study, study.created_by, "imported", votes=len(self.source.votes))

    def asked(self) -> Counter[Key]:
        """Every question that anything is said of, and how many of its votes count."""
        source = self.source
        named = chain.from_iterable(map(self.questions, (source.votes, source.gold, source.needed)))
        asked = Counter(dict.fromkeys(named, 0))
        asked.update(self.questions(source.valid_votes))
        return asked

    def questions(self, rows: pd.DataFrame) -> Iterator[Key]:
        return map(self.question, rows["pair"], rows["reference"])

    def question(self, pair: str, reference: str) -> Key:
        """The keys of a pair and of its reference of this number (none under `pairwise`)."""
        image = self.pair_images[pair]
        return self.pairs[pair], self.references[image, int(reference)] if reference else None

    def change_triplets(self, triplets: dict[Key, int], told: pd.DataFrame, column: str) -> None:
        """Give some of the triplets that were written another value in one column."""
        by_value: dict[str, list[int]] = defaultdict(list)
        for question, value in zip(self.questions(told), told[column], strict=True):
            by_value[value].append(triplets[question])
        for value, keys in by_value.items():
            for start in range(0, len(keys), BATCH):
                some = keys[start : start + BATCH]
                Triplet.objects.filter(pk__in=some).update(**{column: value})

    def write_annotators(self, study: Study) -> dict[str, int | None]:
        """Those of annotators.csv and of votes.csv."""
        people, votes = self.source.annotators, self.source.votes
        told = {row.annotator: annotator_fields(row) for row in records(people)}
        names = [name for name in dict.fromkeys([*told, *votes["annotator"].unique()]) if name]
        judged = votes[votes["status"] != Status.SUPERSEDED].groupby("annotator").size().to_dict()
        rows = (
            Annotator(
                study=study,
                name=name,
                judged=judged.get(name, 0),
                rested=judged.get(name, 0),
                **told.get(name, UNKNOWN_ANNOTATOR),
            )
            for name in names
        )
        written = write_rows(Annotator.objects, rows, len(names), "Annotators", self.progress)
        return {"": None} | dict(zip(names, written, strict=True))

    def write_votes(self, triplets: dict[Key, int], annotators: dict[str, int | None]) -> None:
        votes = self.source.votes
        rows = (
            Vote(
                triplet_id=triplets[question],
                annotator_id=annotators[row.annotator],
                choice=row.choice,
                b_side=row.b_side,
                seconds=float(row.seconds) if row.seconds else None,
                active_seconds=float(row.active_seconds) if row.active_seconds else None,
                created_at=time(row.created_at),
                status=row.status or Status.VALID,
                status_at=time(row.status_at),
                status_reason=row.reason,
                purpose=row.purpose or Purpose.STUDY,
            )
            for row, question in zip(records(votes), self.questions(votes), strict=True)
        )
        write_rows(Vote.objects, rows, len(votes), "Votes", self.progress)
