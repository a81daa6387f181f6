import json
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.test import Client
from django.urls import reverse

from tercet.analysis.dataset.folder import load
from tercet.analysis.tables import parse as entries
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.models import Study
from tercet.annotation.results.table_files import (
    FORMATS,
    ParquetMissing,
    tables_zip,
    write_tables,
)
from tests.annotation.full import full_folder

pytestmark = pytest.mark.django_db

TABLES = {
    "votes",
    "references",
    "pairs",
    "annotators",
    "winners_pairs",
    "winners_triplets",
}
Rows = list[dict[str, Any]]


@pytest.fixture
def full(tmp_path: Path) -> Study:
    """A study with every table, and with a label that identifies a person."""
    folder = full_folder(tmp_path / "full")
    row = import_dataset(load(folder), "full", folder).studies.get()
    row.annotators.filter(name="kim").update(label="Kim Doe", external_id="crowd-7")

    return row


def packed(study: Study, name: str) -> dict[str, bytes]:
    content = BytesIO(b"".join(tables_zip(study, name)))
    with zipfile.ZipFile(content) as archive:
        assert archive.testzip() is None
        files = {each: archive.read(each) for each in archive.namelist()}

    return {each.removeprefix(f"{study.name}/"): text for each, text in files.items()}


def lines(content: bytes) -> Rows:
    return [json.loads(line) for line in content.decode().splitlines()]


def test_every_table_is_a_file_of_json_lines(full: Study) -> None:
    files = packed(full, "jsonl")
    assert {f"{name}.jsonl" for name in TABLES} <= set(files)
    assert len(lines(files["votes.jsonl"])) == 13
    assert len(lines(files["winners_pairs.jsonl"])) == full.dataset.pairs.count()


def test_cells_have_types_and_missing_ones_are_null(full: Study) -> None:
    votes = lines(packed(full, "jsonl")["votes.jsonl"])
    assert {type(vote["reference"]) for vote in votes} == {int}
    assert {type(vote["seconds"]) for vote in votes} == {float, type(None)}
    assert "" not in {cell for vote in votes for cell in vote.values()}


@pytest.mark.parametrize("name", ["jsonl", "huggingface"])
def test_nobody_is_named(full: Study, name: str) -> None:
    everything = b"".join(packed(full, name).values()).decode()
    assert "kim" in everything
    assert "Kim Doe" not in everything
    assert "crowd-7" not in everything


@pytest.mark.parametrize("name", ["jsonl", "parquet"])
def test_the_same_captions_pairs_and_votes_are_read_again(
    full: Study, tmp_path: Path, name: str
) -> None:
    if name == "parquet":
        pytest.importorskip("arro3.io", reason="the extra parquet is not installed")

    write_tables(full, name, tmp_path / "out")
    again, before = load(tmp_path / "out"), load(tmp_path / "full")

    assert again.sha256 == before.sha256


def test_parquet_has_the_rows_and_types_of_the_json_lines(
    full: Study, tmp_path: Path
) -> None:
    arro3 = pytest.importorskip("arro3.io", reason="the extra parquet is not installed")
    write_tables(full, "parquet", tmp_path / "out")
    files = packed(full, "jsonl")

    assert {path.stem for path in (tmp_path / "out").iterdir()} == {
        Path(name).stem for name in files
    }

    tables = {name: text for name, text in files.items() if name.endswith(".jsonl")}
    for name, content in tables.items():
        table = arro3.read_parquet(
            tmp_path / "out" / Path(name).with_suffix(".parquet")
        ).read_all()
        columns = {column: table[column].to_pylist() for column in table.column_names}
        rows = zip(*columns.values(), strict=True)

        assert [dict(zip(columns, row, strict=True)) for row in rows] == lines(content)


def test_without_its_package_parquet_names_the_extra(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entries, "find_spec", lambda name: None)
    with pytest.raises(ParquetMissing, match=r"tercet\[parquet\]"):
        write_tables(study, "parquet", tmp_path / "out")


def test_the_hub_finds_every_table_and_its_types(full: Study) -> None:
    files = packed(full, "huggingface")
    _, header, text = files["README.md"].decode().split("---\n", 2)
    metadata = yaml.safe_load(header)

    assert metadata["pretty_name"] == full.title

    described = {
        each["config_name"]: {
            feature["name"]: feature["dtype"] for feature in each["features"]
        }
        for each in metadata["dataset_info"]
    }

    for config in metadata["configs"]:
        rows = lines(files.pop(config["data_files"]))
        assert list(rows[0]) == list(described[config["config_name"]])

    assert list(files) == ["data/dataset.json", "data/study.json", "README.md"]
    assert "exits" not in json.loads(files["data/study.json"])

    assert described["votes"]["reference"] == "int64"
    assert described["votes"]["seconds"] == "float64"
    assert "Nobody (2026)" in text
    assert "CC0" in text


@pytest.mark.parametrize("name", FORMATS)
def test_an_export_never_mixes_with_what_is_there(
    study: Study, tmp_path: Path, name: str
) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(FileExistsError, match="is not empty"):
        write_tables(study, name, tmp_path)


def test_tables_without_rows_are_left_out(study: Study) -> None:
    assert set(packed(study, "jsonl")) == {
        "dataset.json",
        "study.json",
        "references.jsonl",
        "pairs.jsonl",
        "winners_pairs.jsonl",
    }


@pytest.mark.parametrize("file", ["jsonl.zip", "parquet.zip", "huggingface.zip"])
def test_the_tables_are_among_the_downloads(
    office: Client, study: Study, file: str
) -> None:
    address = reverse("study_file", args=[study.name, file])
    assert address in office.get(study.get_absolute_url()).getvalue().decode()

    response = office.get(address)
    assert f"{study.name}-{file}" in response["Content-Disposition"]
    assert zipfile.ZipFile(BytesIO(response.getvalue())).testzip() is None


def test_parquet_is_among_the_downloads_only_where_it_can_be_written(
    office: Client, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entries, "find_spec", lambda name: None)
    address = reverse("study_file", args=[study.name, "parquet.zip"])

    assert address not in office.get(study.get_absolute_url()).text
    assert office.get(address).status_code == 404
