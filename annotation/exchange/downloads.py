"""Zip files of datasets and studies, made while they are sent."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

import pandas as pd
from django.template.loader import render_to_string
from django.utils.translation import override

from analysis.dataset.csv_injection import defused
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
from annotation.exchange.zipfiles import file_pieces, zip_pieces
from annotation.judging.texts import text_of
from annotation.models import Study
from annotation.models.study import Step

Members = Iterator[tuple[str, Iterable[bytes]]]
README = "README.txt"


def dataset_zip(name: str, frames: Frames, images: Path) -> Iterator[bytes]:
    """The dataset folder in a zip, in a folder of this name."""
    return zip_pieces(below(name, folder_members(frames, images)))


def study_zip(study: Study, at: datetime, *, names: bool = False) -> Iterator[bytes]:
    """A study for those who know nothing of it: its dataset folder, winners, and what all means.

    `at` is the time that the read-me notes; `names` as in `study_frames`.
    """
    return zip_pieces(below(study.name, study_members(study, at, names=names)))


def below(folder: str, members: Members) -> Members:
    return ((f"{folder}/{name}", content) for name, content in members)


def folder_members(frames: Frames, images: Path) -> Members:
    """The files of a dataset folder; an image file that is lost is left out."""
    for name, pieces in files(frames):
        yield name, map(str.encode, pieces)
    for file in dict.fromkeys(frames.images["file"]):
        if file and (images / file).is_file():
            yield file, file_pieces(images / file)


def study_members(study: Study, at: datetime, *, names: bool) -> Members:
    yield FILE, table(dictionary(), COLUMNS)
    frames = study_frames(study, names=names)
    yield README, [read_me(study, frames, at, names=names).encode()]
    yield from folder_members(frames, study.dataset.folder)
    winners = pair_winners(frames)
    shares = {"vote_share": winners["vote_share"].round(6), "margin": margins(winners).round(6)}
    yield PAIR_WINNERS, table(winners.assign(**shares), columns_of(PAIR_WINNERS))
    yield TRIPLET_WINNERS, table(triplet_winners(frames), columns_of(TRIPLET_WINNERS))


def table(rows: pd.DataFrame, columns: tuple[str, ...]) -> Iterator[bytes]:
    return map(str.encode, csv_pieces(defused(rows), columns))


@override("en")  # as all of an export is
def read_me(study: Study, frames: Frames, at: datetime, *, names: bool) -> str:
    voters = frames.votes["annotator"]
    context = {
        "study": study,
        "dataset": study.dataset,
        "at": at,
        "names": names,
        "pairs": len(frames.pairs),
        "votes": len(frames.votes),
        "counted": len(frames.valid_votes),
        "people": voters[voters != ""].nunique() + int((voters == "").sum()),
        "simulated": int(voters.str.startswith(SIMULATED).sum()),
        "texts": [(Step(step).label, text_of(study, step)) for step in study.steps],
        "version": VERSION,
    }
    return render_to_string("dataset/export_readme.txt", context)
