"""Add references and pairs to the dataset of a draft study, with all checks of an import."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
from django.contrib.auth.models import User
from django.db import transaction

from tercet.analysis.dataset.checks import check_tables, warn_of_pairs
from tercet.analysis.progress import silent
from tercet.analysis.tables.csv_tables import FaultyDataset, Problems, Sheet, Table
from tercet.analysis.tables.file_tables import table_of_values
from tercet.analysis.tables.schema import (
    CANDIDATES,
    IMAGES,
    PAIRS,
    REFERENCES,
    with_numbers,
)
from tercet.analysis.tables.schema import Dataset as Frames
from tercet.analysis.tables.sheets import sheet_of_table
from tercet.annotation.datasets.exporting import dataset_frames
from tercet.annotation.datasets.importing import write_new_pairs, write_references
from tercet.annotation.models import Answer, Challenge, Dataset, Image, Reference, Study
from tercet.annotation.models.study import State
from tercet.annotation.studies.audit import log
from tercet.annotation.studies.creation import check_dataset
from tercet.annotation.studies.lifecycle import NotPossible
from tercet.annotation.studies.questions import redraw_questions

Entry = Mapping[str, Any]

MAX_SIZE = 200_000
"""References, pairs and questions: each addition checks and draws all of them again."""


@dataclass(frozen=True)
class Addition:
    """How many entries were added, how many there are now, and what was odd about them."""

    added: int
    total: int
    triplets: int
    warnings: list[str]


@transaction.atomic
def add_references(study: Study, entries: Sequence[Entry], by: User | None) -> Addition:
    """Add references, after those that their images have, and draw the questions again.

    Raises NotPossible, and FaultyDataset with the numbers of the entries, from 1.
    """
    dataset = _lock(study)
    frames, sheet = _checked(dataset, REFERENCES, entries)

    new = frames.references[frames.references["line"] > 0]
    images = dict(dataset.images.values_list("name", "pk"))
    for name in new["image"].unique():
        if name not in images:
            images[name] = Image.objects.create(dataset=dataset, name=name).pk

    write_references(new, images, silent)
    return _finished(study, by, "references", len(new), frames, sheet)


@transaction.atomic
def add_pairs(study: Study, entries: Sequence[Entry], by: User | None) -> Addition:
    """Add pairs of images that have references, and draw the questions again.

    Raises NotPossible, Unsuitable, and FaultyDataset with the numbers of the entries, from 1.
    """
    dataset = _lock(study)
    frames, sheet = _checked(dataset, PAIRS, entries)

    new = frames.pairs[frames.pairs["line"] > 0]
    write_new_pairs(dataset, new)
    check_dataset(study)
    return _finished(study, by, "pairs", len(new), frames, sheet)


def _lock(study: Study) -> Dataset:
    """Lock the study and its dataset; raises NotPossible unless both may still change."""
    dataset = Dataset.objects.select_for_update().get(pk=study.dataset_id)
    locked = study.lock()

    if locked.state != State.DRAFT:
        raise NotPossible("Only a draft study takes references and pairs.")
    if Study.everything.filter(dataset=dataset).exclude(pk=study.pk).exists():
        raise NotPossible("Another study uses the same dataset.")
    if Answer.objects.real().filter(question__study=study).exists():
        raise NotPossible("The study has votes.")
    if Challenge.objects.filter(development=dataset).exists():
        message = "The dataset is the development split of a challenge."
        raise NotPossible(message)

    _check_size(study, dataset)
    return dataset


def _check_size(study: Study, dataset: Dataset) -> None:
    """Raise NotPossible for a dataset that is too large to be checked in a request."""
    references = Reference.objects.filter(image__dataset=dataset)
    pairs = dataset.pairs.count()
    questions = study.questions.count()
    size = references.count() + pairs + questions
    if size > MAX_SIZE:
        message = (
            "The dataset has more than %(count)s references, pairs and questions: import larger "
            "ones as files."
        )
        raise NotPossible(message, count=MAX_SIZE)


def _checked(
    dataset: Dataset, table: Table, entries: Sequence[Entry]
) -> tuple[Frames, Sheet]:
    """Return the dataset with the new rows, whose lines are their numbers; raises FaultyDataset."""
    names = list(dict.fromkeys(name for entry in entries for name in entry))
    given = table_of_values(table.file, names, enumerate(entries, 1))
    sheet = sheet_of_table(given, table)

    frames = dataset_frames(dataset)
    tables = {
        each.name: frames.frames[each].assign(line=0)
        for each in (IMAGES, REFERENCES, CANDIDATES, PAIRS)
    }

    both = [tables[table.name].drop(columns="number", errors="ignore"), sheet.frame]
    tables[table.name] = pd.concat(both, ignore_index=True)
    references = tables["references"]
    tables["references"] = with_numbers(references)
    frames = Frames(**tables, info={}, study={})
    problems = Problems(sheet.problems, sheet.more)
    if sheet.readable:
        check_tables(frames, set(), problems)

    faults = []
    for problem in problems.kept:
        what = problem.what
        if what == "repeats line 0":  # of a row that is none of the entries
            what = "is in the dataset already"
        faults.append(replace(problem, what=what, is_entry=True))

    if faults:
        raise FaultyDataset(faults, problems.more)
    return frames, sheet


def _finished(
    study: Study, by: User | None, what: str, added: int, frames: Frames, sheet: Sheet
) -> Addition:
    """Draw the questions of the study again, and log what was added to its dataset."""
    redraw_questions(study)
    log(study, by, "added to dataset", **{what: added})

    warnings = list(sheet.warnings)
    if what == "pairs":
        new = frames.pairs["line"] > 0
        warnings += warn_of_pairs(frames.pairs[new])

    return Addition(
        added,
        len(getattr(frames, what)),
        study.questions.count(),
        [str(each) for each in warnings],
    )
