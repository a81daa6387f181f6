"""The forms of uploads: what may come in, and how foreign files are said to be read."""

from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile, UploadedFile
from django.utils.datastructures import MultiValueDict
from pytest_django.fixtures import Settings

from tercet.analysis.dataset.guessing import foreign_files
from tercet.analysis.formats import entries
from tercet.analysis.tables.csv_tables import CsvDialect
from tercet.analysis.tables.schema import TABLES
from tercet.annotation.web.datasets.grid_form import TableGrid
from tercet.annotation.web.datasets.upload_form import UploadForm
from tests.support.folders import dataset_folder, write_csv

REFUSED = (
    "Choose one zip file, or only files that end in "
    ".csv, .tsv, .jsonl, .parquet, .xlsx, .mat, .json."
)


def uploaded(*names: str, size: int = 10) -> UploadForm:
    files: list[UploadedFile[bytes]] = [
        SimpleUploadedFile(name, b"x" * size) for name in names
    ]
    return UploadForm({}, MultiValueDict({"file": files}))


def format_form(folder: Path, data: dict[str, str] | None = None) -> TableGrid:
    [file] = foreign_files(folder, {})
    return TableGrid(file, data)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A dataset folder with references that have columns of other names."""
    dataset_folder(tmp_path)
    write_csv(
        tmp_path / "references.csv", ("img", "text", "img"), [("dog", "a dog", "x")]
    )

    return tmp_path


@pytest.fixture
def loose(tmp_path: Path) -> Path:
    """A lone file that may be the references or the candidates, in Windows-1252."""
    (tmp_path / "a.csv").write_bytes(
        "img;text;system\ndog;a café;x\n".encode("windows-1252")
    )
    return tmp_path


# Files


@pytest.mark.parametrize("is_installed", [True, False])
def test_parquet_is_offered_where_its_reader_is_installed(
    monkeypatch: pytest.MonkeyPatch, is_installed: bool
) -> None:
    reader = object() if is_installed else None
    monkeypatch.setattr(entries, "find_spec", lambda _: reader)
    offered = UploadForm().fields["file"].widget.attrs["accept"].split(",")

    assert (".parquet" in offered) is is_installed
    assert {".zip", ".csv", ".jsonl"} < {*offered}
    assert uploaded("a.parquet").is_valid(), "the check says what to install"


@pytest.mark.parametrize(
    "names",
    [
        ("a.zip",),
        ("a.csv",),
        ("a.csv", "B.TSV", "c.XLSX", "dataset.json"),
        ("anything",),
    ],
)
def test_one_zip_or_the_files_themselves_may_come_in(names: tuple[str, ...]) -> None:
    form = uploaded(*names)
    assert form.is_valid()
    assert [file.name for file in form.cleaned_data["file"]] == [*names]


@pytest.mark.parametrize(
    ("names", "error"),
    [
        ((), "required"),
        (("a.zip", "b.zip"), REFUSED),
        (("a.csv", "b.png"), REFUSED),
        (("a.ods",), REFUSED),
        (("a.csv", "b.csv", "a.csv"), "Two files are named a.csv"),
    ],
)
def test_other_choices_are_refused_with_what_to_do(
    names: tuple[str, ...], error: str
) -> None:
    assert error in str(uploaded(*names).errors["file"])


def test_files_that_are_too_large_together_are_refused(settings: Settings) -> None:
    settings.UPLOAD_LIMIT = 15
    assert uploaded("a.csv").is_valid()
    assert "The files are larger than" in str(uploaded("a.csv", "b.csv").errors["file"])


# Formats


def test_columns_that_are_missing_are_asked_for_with_a_guess(folder: Path) -> None:
    form = format_form(folder)
    fields = list(form.fields.values())
    assert [field.label for field in fields] == ["Role of img", "Role of text"]
    assert [field.initial for field in fields] == ["image", "caption"]
    offers = str(form["role0"])
    assert ">image (required)<" in offers
    assert ">reference<" in offers
    assert ">author<" in offers


def test_a_lone_file_is_asked_for_its_table_and_its_encoding(loose: Path) -> None:
    form = format_form(loose)
    assert form["table"].initial == "candidates.csv"
    assert form["encoding"].initial == "windows-1252"


def test_each_table_is_offered_with_what_its_lines_are(loose: Path) -> None:
    options = str(format_form(loose)["table"])
    assert "pairs.csv: two captions per line, with or without references" in options
    assert options.count(".csv: ") == len(TABLES)


def test_what_is_chosen_is_the_format(folder: Path) -> None:
    form = format_form(folder, {"role1": "image", "role0": "caption"})
    assert form.is_valid()
    assert form.file.read_as(**form.choice) == CsvDialect(
        columns={"image": "text", "caption": "img"}
    )


def test_what_is_left_open_stays_open(folder: Path) -> None:
    form = format_form(folder, {})
    assert form.is_valid()
    assert form.file.read_as(**form.choice) == CsvDialect()


def test_two_columns_cannot_stand_for_one(folder: Path) -> None:
    form = format_form(folder, {"role0": "image", "role1": "image"})
    assert "Only one column can be image" in str(form.non_field_errors())


@pytest.mark.parametrize("role", ["pair", "0", "Image", "caption (2)"])
def test_a_role_that_is_not_offered_is_refused(folder: Path, role: str) -> None:
    assert not format_form(folder, {"role0": role}).is_valid()


@pytest.mark.parametrize("encoding", ["", "rot13", "idna", "utf-7"])
def test_an_encoding_that_is_not_offered_is_refused(loose: Path, encoding: str) -> None:
    assert "encoding" in format_form(loose, {"encoding": encoding}).errors


def test_a_file_can_be_left_out(loose: Path) -> None:
    form = format_form(
        loose, {"encoding": "windows-1252", "table": "", "role0": "image"}
    )

    assert form.is_valid()
    assert form.file.read_as(**form.choice) == CsvDialect("windows-1252")
