"""Zip files of datasets and studies, streamed while they are made."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from itertools import chain

import pandas as pd
from django.template.loader import render_to_string

from tercet import __version__
from tercet.analysis.dataset.dictionary import (
    COLUMNS,
    DICTIONARY,
    FILE,
    PAIR_WINNERS,
    QUESTIONNAIRE_FIELDS,
    QUESTIONNAIRES,
    REMARKS,
    TRIPLET_WINNERS,
    columns_of,
    dictionary,
)
from tercet.analysis.dataset.folder import TableStream, streamed_files
from tercet.analysis.dataset.winners import margins
from tercet.analysis.tables.csv_injection import escaped
from tercet.analysis.tables.csv_tables import Table, csv_of_frames
from tercet.analysis.tables.settings import STUDY_FILE
from tercet.annotation.datasets.exporting import (
    TableRows,
    answer_rows,
    dataset_rows,
    dataset_settings,
    remarks_frame,
    study_rows,
)
from tercet.annotation.datasets.remark_files import answers_dictionary, answers_frame
from tercet.annotation.judging.kinds import kind_of
from tercet.annotation.models import Dataset, Study
from tercet.annotation.models.study import Step, Time
from tercet.annotation.participation.texts import (
    questions_of,
    text_of,
    text_of_questionnaire,
)
from tercet.annotation.results.methods import methods_text
from tercet.annotation.results.tallies import Tally
from tercet.annotation.studies.study_file import ENTRIES, study_settings
from tercet.annotation.zipfiles import file_chunks, zip_members

Members = Iterator[tuple[str, Iterable[bytes]]]
README = "README.txt"


def dataset_zip(dataset: Dataset) -> Iterator[bytes]:
    """Stream the folder of a dataset as a zip."""
    tables = _streams(dataset_rows(dataset))
    members = _folder_members(dataset, tables, {})
    return zip_members(inside(dataset.name, members))


def study_folder_zip(study: Study) -> Iterator[bytes]:
    """Stream the dataset folder of a study as a zip."""
    tables = _streams(study_rows(study))
    members = _folder_members(study.dataset, tables, study_settings(study))
    return zip_members(inside(study.name, members))


def study_zip(study: Study, at: datetime, *, names: bool = False) -> Iterator[bytes]:
    """Stream the complete archive of a study: data, settings, winners and column descriptions.

    `at` is the time that its README states; `names` as in `study_rows`.
    """
    members = _study_members(study, at, names=names)
    return zip_members(inside(study.name, members))


def answers_csv(study: Study) -> Iterator[str]:
    """Stream the table of the answers with all its columns."""
    table = kind_of(study).table
    frames_of_votes = answer_rows(study).frames()
    frames = map(escaped, frames_of_votes)
    return csv_of_frames(chain([table.empty()], frames), table.columns)


def inside(folder: str, members: Members) -> Members:
    """Put the members of a zip into a folder."""
    return ((f"{folder}/{name}", content) for name, content in members)


def _streams(tables: Mapping[Table, TableRows]) -> list[TableStream]:
    """The tables that have rows."""
    return [rows.stream() for rows in tables.values() if rows.rows.exists()]


def _folder_members(
    dataset: Dataset, tables: Iterable[TableStream], settings: Mapping[str, object]
) -> Members:
    """Yield the files of a dataset folder; missing image files are left out."""
    info = dataset_settings(dataset)
    for name, pieces in streamed_files(tables, info, settings):
        yield name, map(str.encode, pieces)

    listed = dataset.images.filter(listed=True).exclude(file="")
    for file in listed.values_list("file", flat=True).distinct():
        if (dataset.folder / file).is_file():
            yield file, file_chunks(dataset.folder / file)


def _study_members(study: Study, at: datetime, *, names: bool) -> Members:
    explained = {**DICTIONARY, STUDY_FILE: tuple(ENTRIES.values())}
    yield FILE, _csv_chunks([dictionary(explained)], COLUMNS)

    tally = Tally(study)
    tables = watched_streams(study, tally, names=names)
    yield from _folder_members(study.dataset, tables, study_settings(study))

    for file, frames in winner_frames(tally):
        yield file, _csv_chunks(frames, columns_of(file))

    if names:
        yield from _people_members(study)

    readme = _readme(study, tally, at, names=names)
    yield README, [readme.encode()]


def _people_members(study: Study) -> Members:
    """Yield what people wrote: remarks, and answers to questionnaires with their columns."""
    remarks = remarks_frame(study)
    if len(remarks):
        yield REMARKS, _csv_chunks([remarks], columns_of(REMARKS))

    answers = answers_frame(study)
    if len(answers):
        explained = answers_dictionary(study, answers)
        columns = tuple(answers.columns)
        yield QUESTIONNAIRES, _csv_chunks([answers], columns)
        yield QUESTIONNAIRE_FIELDS, _csv_chunks([explained], COLUMNS)


def watched_streams(
    study: Study, tally: Tally, *, names: bool = False
) -> list[TableStream]:
    """Return the tables of a study that have rows; the tally counts the votes that are read."""
    return [
        replace(stream, frames=tally.watch(stream.frames))
        if stream.table == kind_of(study).table
        else stream
        for stream in _streams(study_rows(study, names=names))
    ]


def winner_frames(tally: Tally) -> Iterator[tuple[str, Iterator[pd.DataFrame]]]:
    """Yield the files of winners with their frames, for the choices that the tally has counted."""
    if not tally.chooses:
        return
    yield PAIR_WINNERS, map(_with_margins, tally.pair_winners())
    yield TRIPLET_WINNERS, tally.triplet_winners()


def _with_margins(winners: pd.DataFrame) -> pd.DataFrame:
    share = winners["vote_share"].round(6)
    return winners.assign(vote_share=share, margin=margins(winners).round(6))


def _csv_chunks(
    frames: Iterable[pd.DataFrame], columns: tuple[str, ...]
) -> Iterator[bytes]:
    return map(str.encode, csv_of_frames(map(escaped, frames), columns))


def _readme(study: Study, tally: Tally, at: datetime, *, names: bool) -> str:
    kind = kind_of(study)
    answers = tally.counted if kind.chooses else study.questions.progress()["votes"]
    context = {
        "study": study,
        "kind": kind,
        "questions": questions_of(study),
        "dataset": study.dataset,
        "at": at,
        "names": names,
        "pairs": study.dataset.pairs.count(),
        "votes": tally.votes,
        "counted": tally.counted,
        "people": len(tally.people),
        "unknown": tally.unknown,
        "simulated": tally.simulated,
        "methods": methods_text(study, len(tally.counted_people), answers),
        "texts": [] if study.collected_elsewhere else _texts_of(study),
        "version": __version__,
    }
    return render_to_string("datasets/export_readme.txt", context)


def _texts_of(study: Study) -> list[tuple[str, str]]:
    """Return the name and the text of each step before judging, and of the questionnaires."""
    texts = [(str(Step(step).label), text_of(study, step)) for step in study.steps]
    for time in Time:
        text = text_of_questionnaire(study, time)
        texts += [(str(time.label), text)] if text else []
    return texts
