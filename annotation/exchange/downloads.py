"""Zip files of datasets and studies, streamed while they are made."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

import pandas as pd
from django.template.loader import render_to_string
from django.utils.translation import override

from analysis.dataset.csv_injection import escaped
from analysis.dataset.csv_tables import csv_pieces
from analysis.dataset.dictionary import (
    COLUMNS,
    FILE,
    PAIR_WINNERS,
    TRIPLET_WINNERS,
    columns_of,
    dictionary,
)
from analysis.dataset.folder import files
from analysis.dataset.schema import SIMULATED
from analysis.dataset.schema import Dataset as Frames
from analysis.dataset.winners import margins, pair_winners, triplet_winners
from analysis.evaluation.results import VERSION
from annotation.exchange.exporting import study_frames
from annotation.exchange.zipfiles import file_chunks, zip_members
from annotation.judging.texts import text_of
from annotation.models import Study
from annotation.models.study import Step

Members = Iterator[tuple[str, Iterable[bytes]]]
README = "README.txt"


def dataset_zip(name: str, frames: Frames, images: Path) -> Iterator[bytes]:
    """Stream a dataset folder as a zip, inside a folder of this name."""
    return zip_members(_inside(name, folder_members(frames, images)))


def study_zip(
    study: Study, at: datetime, *, names: bool = False
) -> Iterator[bytes]:
    """Stream the complete archive of a study: data, settings, winners and column descriptions.

    `at` is the time that its README states; `names` as in `study_frames`.
    """
    return zip_members(
        _inside(study.name, _study_members(study, at, names=names))
    )


def _inside(folder: str, members: Members) -> Members:
    return ((f"{folder}/{name}", content) for name, content in members)


def folder_members(frames: Frames, images: Path) -> Members:
    """Yield the files of a dataset folder; missing image files are left out."""
    for name, pieces in files(frames):
        yield name, map(str.encode, pieces)

    for file in dict.fromkeys(frames.images["file"]):
        if file and (images / file).is_file():
            yield file, file_chunks(images / file)


def _study_members(study: Study, at: datetime, *, names: bool) -> Members:
    yield FILE, _csv_chunks(dictionary(), COLUMNS)

    frames = study_frames(study, names=names)
    yield README, [_readme(study, frames, at, names=names).encode()]
    yield from folder_members(frames, study.dataset.folder)

    winners = pair_winners(frames)
    shares = {
        "vote_share": winners["vote_share"].round(6),
        "margin": margins(winners).round(6),
    }
    yield (
        PAIR_WINNERS,
        _csv_chunks(winners.assign(**shares), columns_of(PAIR_WINNERS)),
    )
    yield (
        TRIPLET_WINNERS,
        _csv_chunks(triplet_winners(frames), columns_of(TRIPLET_WINNERS)),
    )


def _csv_chunks(
    rows: pd.DataFrame, columns: tuple[str, ...]
) -> Iterator[bytes]:
    return map(str.encode, csv_pieces(escaped(rows), columns))


@override("en")  # like the rest of an export
def _readme(study: Study, frames: Frames, at: datetime, *, names: bool) -> str:
    voters = frames.votes["annotator"]
    context = {
        "study": study,
        "dataset": study.dataset,
        "at": at,
        "names": names,
        "pairs": len(frames.pairs),
        "votes": len(frames.votes),
        "counted": len(frames.valid_votes),
        "people": voters[voters != ""].nunique(),
        "unknown": int((voters == "").sum()),
        "simulated": int(voters.str.startswith(SIMULATED).sum()),
        "texts": [] if study.collected_elsewhere else _texts_of(study),
        "version": VERSION,
    }
    return render_to_string("dataset/export_readme.txt", context)


def _texts_of(study: Study) -> list[tuple[str, str]]:
    """Return the name and the text of each step before judging."""
    return [
        (str(Step(step).label), text_of(study, step)) for step in study.steps
    ]
