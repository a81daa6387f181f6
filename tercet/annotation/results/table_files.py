"""The tables of a study as JSON lines, as Parquet, and as a dataset of the Hugging Face Hub.

Cells have types here: numbers are numbers, and empty cells are null.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
from django.template.loader import render_to_string

from tercet.analysis.dataset.dictionary import (
    DECIMAL,
    DICTIONARY,
    TRIPLET_WINNERS,
    WHOLE,
    columns_of,
    meanings_of,
)
from tercet.analysis.dataset.files import TABLES_FOLDER
from tercet.analysis.dataset.folder import make_empty, streamed_files
from tercet.analysis.tables.parse import reads_parquet
from tercet.analysis.tables.schema import IMAGES, VOTES
from tercet.annotation.datasets.exporting import dataset_settings
from tercet.annotation.judging.kinds import kind_of
from tercet.annotation.models import Study
from tercet.annotation.participation.texts import questions_of
from tercet.annotation.results.downloads import (
    Members,
    inside,
    watched_streams,
    winner_frames,
)
from tercet.annotation.results.tallies import Tally
from tercet.annotation.studies.study_file import study_settings
from tercet.annotation.zipfiles import file_chunks, zip_members

Cell = str | int | float | None
_CONVERTERS: dict[str, Callable[[str], Cell]] = {WHOLE: int, DECIMAL: float}
"""Cells of other types stay texts."""
_ARROW_TYPES = {WHOLE: "int64", DECIMAL: "float64"}
README = "README.md"
_PICTURES = (IMAGES, "file")
"""The column that names pictures, which do not come with these tables."""


class ParquetMissing(RuntimeError):
    """The package that writes Parquet is not installed."""


@dataclass(frozen=True)
class _TypedTable:
    """A table of a study: its file in the archive, its columns, and its rows, some at a time."""

    file: str
    columns: tuple[str, ...]
    frames: Iterable[pd.DataFrame]

    @property
    def name(self) -> str:
        stem = self.file.removesuffix(".csv")
        return stem.replace("/", "_")

    @property
    def types(self) -> dict[str, str]:
        """The types of the columns, as the data dictionary has them."""
        types = {entry.column: entry.type for entry in DICTIONARY[self.file]}
        return {column: types[column] for column in self.columns}

    @property
    def arrow_types(self) -> dict[str, str]:
        """The Arrow types of the columns."""
        types = self.types.items()
        return {column: _ARROW_TYPES.get(name, "string") for column, name in types}

    def batches(self) -> Iterator[dict[str, list[Cell]]]:
        """Yield the cells of some rows at a time, by column."""
        types = self.types.items()
        for frame in self.frames:
            yield {column: _cells(frame[column], name) for column, name in types}


def _cells(column: pd.Series, type_name: str) -> list[Cell]:
    convert = _CONVERTERS.get(type_name, str)
    return [None if pd.isna(cell) or cell == "" else convert(cell) for cell in column]


def _study_tables(study: Study) -> list[_TypedTable]:
    """Return the tables of a study, with pseudonyms only.

    Read the tables in this order: winners follow from the votes that were read.
    """
    tally = Tally(study)
    tables = []
    for stream in watched_streams(study, tally):
        columns = [name for name in stream.columns if (stream.table, name) != _PICTURES]
        table = _TypedTable(stream.table.file, tuple(columns), stream.frames)
        tables.append(table)

    winners = dict(winner_frames(tally))
    if VOTES.file not in {table.file for table in tables}:
        winners.pop(TRIPLET_WINNERS, None)  # no rows

    for file, frames in winners.items():
        tables.append(_TypedTable(file, columns_of(file), frames))
    return tables


def _settings_members(study: Study) -> Members:
    """Yield the settings of a dataset and its study, without codes that end a participation."""
    settings = study_settings(study)
    del settings["exits"]
    info = dataset_settings(study.dataset)
    for name, pieces in streamed_files((), info, settings):
        yield name, map(str.encode, pieces)


def _jsonl_members(study: Study) -> Members:
    yield from _settings_members(study)
    for table in _study_tables(study):
        yield f"{table.name}.jsonl", _json_lines(table)


def _json_lines(table: _TypedTable) -> Iterator[bytes]:
    for batch in table.batches():
        cells = zip(*batch.values(), strict=True)
        rows = (dict(zip(batch, row, strict=True)) for row in cells)
        lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
        yield "".join(lines).encode()


def _parquet_members(study: Study) -> Members:
    """Yield a Parquet file for each table; raises ParquetMissing."""
    if not reads_parquet():
        raise ParquetMissing(
            'Parquet needs the package arro3-io: run pip install "tercet[parquet]".'
        )

    yield from _settings_members(study)
    for table in _study_tables(study):
        yield f"{table.name}.parquet", _parquet(table)


def _parquet(table: _TypedTable) -> Iterator[bytes]:
    from arro3 import core  # an extra
    from arro3.io import write_parquet

    names = table.arrow_types.items()
    types = {column: getattr(core.DataType, name)() for column, name in names}
    fields = [core.Field(column, each) for column, each in types.items()]
    schema = core.Schema(fields)
    arrays = (
        [core.Array(batch[column], each) for column, each in types.items()]
        for batch in table.batches()
    )
    batches = (core.RecordBatch.from_arrays(each, schema=schema) for each in arrays)

    with TemporaryDirectory() as folder:
        file = Path(folder) / "table.parquet"
        reader = core.RecordBatchReader.from_batches(schema, batches)
        write_parquet(reader, file)
        yield from file_chunks(file)


def _hugging_face_members(study: Study) -> Members:
    """Yield the files of a dataset of the Hugging Face Hub: a README, and JSON lines."""
    for name, pieces in _settings_members(study):
        yield f"{TABLES_FOLDER}/{name}", pieces
    tables = _study_tables(study)
    for table in tables:
        yield f"{TABLES_FOLDER}/{table.name}.jsonl", _json_lines(table)

    readme = _hugging_face_readme(study, tables)
    yield README, [readme.encode()]


def _hugging_face_readme(study: Study, tables: list[_TypedTable]) -> str:
    columns = {}
    for table in tables:
        meanings = meanings_of(table.file).items()
        columns[table.name] = [each for each in meanings if each[0] in table.columns]

    context = {
        "study": study,
        "kind": kind_of(study),
        "questions": questions_of(study),
        "dataset": study.dataset,
        "title": json.dumps(study.title, ensure_ascii=False),
        "tables": tables,
        "columns": columns,
    }
    return render_to_string("datasets/hugging_face.md", context)


FORMATS: dict[str, Callable[[Study], Members]] = {
    "jsonl": _jsonl_members,
    "parquet": _parquet_members,
    "huggingface": _hugging_face_members,
}


def tables_zip(study: Study, name: str) -> Iterator[bytes]:
    """Stream a zip of a study's tables in one of FORMATS."""
    members = FORMATS[name](study)
    return zip_members(inside(study.name, members))


def write_tables(study: Study, name: str, folder: Path) -> int:
    """Write a study's tables in one of FORMATS to a new folder, and return how many files.

    Raises FileExistsError if the folder is not empty, and ParquetMissing.
    """
    make_empty(folder)
    written = 0

    for file, chunks in FORMATS[name](study):
        path = folder / file
        path.parent.mkdir(exist_ok=True)
        with path.open("wb") as target:
            target.writelines(chunks)
        written += 1

    return written
