"""Files of entries: JSON lines, Parquet and xlsx, read as the CSV files are."""

import json
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import cast
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import pytest

from tercet.analysis.dataset.folder import load, read
from tercet.analysis.tables import conversion, limits
from tercet.analysis.tables import parse as entries
from tercet.analysis.tables.csv_tables import Problem, Sheet
from tercet.analysis.tables.json_tables import list_in
from tercet.analysis.tables.parse import read_file
from tercet.analysis.tables.schema import REFERENCES, VOTES, Dataset
from tercet.metrics.text import limits as text_limits
from tests.support.folders import dataset_folder, three_votes
from tests.support.sheets import read_table
from tests.support.xlsx import Rows, write_xlsx


def json_lines(path: Path, *objects: object) -> Path:
    lines = [json.dumps(each, ensure_ascii=False) + "\n" for each in objects]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def parquet(path: Path, **columns: list[object]) -> Path:
    arrow = pytest.importorskip("arro3.core", reason="needs the extra parquet")
    from arro3.io import write_parquet

    types = {
        str: arrow.DataType.utf8(),
        int: arrow.DataType.int64(),
        float: arrow.DataType.float64(),
        bytes: arrow.DataType.binary(),
    }
    arrays = {
        name: _lists(values)
        if isinstance(values[0], list)
        else arrow.Array(values, type=types[type(values[0])])
        for name, values in columns.items()
    }
    write_parquet(arrow.Table.from_pydict(arrays), path)

    return path


def _lists(values: list[object]) -> object:
    """A column of lists of texts."""
    from arro3.core import Array, DataType, list_array

    lists = cast("list[list[str]]", values)
    ends = np.cumsum([0, *map(len, lists)]).tolist()
    texts = Array([*chain.from_iterable(lists)], type=DataType.utf8())

    return list_array(Array(ends, type=DataType.int32()), texts)


def captions(path: Path) -> Sheet:
    return read_table(path, replace(REFERENCES, file=path.name))


def only_problem(sheet: Sheet) -> Problem:
    [problem] = sheet.problems
    return problem


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "references.jsonl"


def test_each_line_is_a_row_and_its_names_are_the_columns(file: Path) -> None:
    json_lines(
        file,
        {"caption": "a dog", "image": 17},
        {"image": "cat", "caption": "une chatte é"},
    )
    frame = captions(file).frame

    assert frame[["image", "caption"]].to_numpy().tolist() == [
        ["17", "a dog"],
        ["cat", "une chatte é"],
    ]
    assert frame["line"].tolist() == [1, 2]


def test_names_may_first_occur_on_a_later_line(file: Path) -> None:
    json_lines(
        file,
        {"image": "a", "caption": "b"},
        {"image": "a", "caption": "c", "author": "Ann"},
    )

    assert captions(file).frame["author"].tolist() == ["", "Ann"]


def test_numbers_are_as_they_are_written_and_null_is_empty(file: Path) -> None:
    file.write_text('{"image":1.50,"caption":12345678901234567890,"author":null}\n')
    [row] = captions(file).frame[["image", "caption", "author"]].to_numpy().tolist()
    assert row == ["1.50", "12345678901234567890", ""]


def test_blank_lines_and_a_byte_order_mark_do_no_harm(file: Path) -> None:
    file.write_text(
        '\ufeff{"image":"a","caption":"b"}\r\n\r\n{"image":"c","caption":"d"}\r\n'
    )
    sheet = captions(file)

    assert sheet.problems == []

    line = sheet.frame["line"]
    assert line.tolist() == [1, 3]


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ('{"image": "a", ', "is not valid JSON"),
        ("[" * 100_000, "is not valid JSON"),
        ('{"image": ' + "9" * 5_000 + "e, }", "is not valid JSON"),
        ("17", "is not a JSON object"),
        (
            '{"image": "a", "caption": "\\ud800"}',
            "has a character that is not valid Unicode",
        ),
    ],
)
def test_a_faulty_line_is_named_and_the_others_are_read(
    file: Path, line: str, what: str
) -> None:
    sound = '{"image": "a", "caption": "b"}'
    file.write_text(f"{sound}\n{line}\n{sound}\n")
    sheet = captions(file)

    problem = only_problem(sheet)
    assert (problem.line, str(problem.what)) == (2, what)
    assert sheet.frame["line"].tolist() == [1, 3]


def test_a_file_without_an_object_has_the_problems_of_its_lines(file: Path) -> None:
    file.write_text("image,caption\n")
    assert str(only_problem(captions(file)).what) == "is not valid JSON"


def test_a_missing_name_is_told_with_those_that_are_not_known(file: Path) -> None:
    problem = only_problem(captions(json_lines(file, {"image": "a", "sentence": "b"})))
    assert str(problem) == (
        "references.jsonl, column caption: is missing. "
        "Each entry needs image, caption (and, if wanted, author, origin); not known are sentence"
    )


def test_limits_are_those_of_csv(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = {"image": "a", "caption": "b" * 50}
    json_lines(file, row, row, row)

    monkeypatch.setattr(text_limits, "MAX_CELL", 49)
    assert len(captions(file).problems) == 3

    monkeypatch.setattr(text_limits, "MAX_CELL", 50)
    monkeypatch.setattr(limits, "MAX_ROWS", 2)

    assert str(only_problem(captions(file)).what) == "has more than 2 rows"

    monkeypatch.setattr(text_limits, "MAX_LINE", 40)
    assert str(only_problem(captions(file)).what) == "is longer than 40 characters"


WIDE = ["image", "caption", *(f"more {number}" for number in range(999))]


def wide_file(path: Path) -> Path:
    """A table of more columns than are read, with one row."""
    cells = ["dog", "a dog", *["x"] * 999]
    entry = dict(zip(WIDE, cells, strict=True))
    match path.suffix:
        case ".jsonl":
            return json_lines(path, entry)
        case ".parquet":
            columns: dict[str, list[object]] = {
                name: [cell] for name, cell in entry.items()
            }
            return parquet(path, **columns)
        case ".xlsx":
            return write_xlsx(path, {"One": [WIDE, cells]})

    path.write_text("\n".join([",".join(WIDE), ",".join(cells)]))
    return path


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet", ".xlsx"])
def test_too_many_columns_are_refused(tmp_path: Path, suffix: str) -> None:
    path = wide_file(tmp_path / f"references{suffix}")
    assert "has more than 1,000 columns" in str(only_problem(captions(path)).what)


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_as_many_columns_as_are_allowed_are_read(
    tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_limits, "MAX_COLUMNS", len(WIDE))
    assert captions(wide_file(tmp_path / f"references{suffix}")).problems == []


def test_another_encoding_can_be_chosen(file: Path) -> None:
    file.write_bytes('{"image":"a","caption":"кот"}\n'.encode("windows-1251"))
    sheet = read_table(file, REFERENCES, encoding="windows-1251")
    assert sheet.frame["caption"].tolist() == ["кот"]

    file.write_bytes('{"image":"a","caption":"café"}\n'.encode("utf-16"))
    assert captions(file).frame["caption"].tolist() == ["café"]


def test_too_many_lines_are_refused_though_they_are_empty(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_LINES", 5)
    file.write_text('{"image": "dog", "caption": "a dog"}\n' + "\n" * 20)
    assert str(only_problem(captions(file)).what) == "has more than 5 lines"


# Parquet


def test_parquet_is_read_as_text(tmp_path: Path) -> None:
    path = parquet(
        tmp_path / "votes.parquet",
        pair=["p1", "p1"],
        reference=[1, 2],
        annotator=["Ann", "Bob"],
        choice=["B", "C"],
        seconds=[1.5, 2.0],
    )
    frame = read_table(path, VOTES).frame

    assert frame["reference"].tolist() == ["1", "2"]
    assert frame["seconds"].tolist() == ["1.5", "2"]
    assert frame["line"].tolist() == [1, 2]


def test_what_is_no_parquet_is_told(tmp_path: Path) -> None:
    pytest.importorskip("arro3.io", reason="needs the extra parquet")
    path = tmp_path / "references.parquet"
    path.write_bytes(b"PAR1 and no more")

    assert (
        str(only_problem(captions(path)).what)
        == "is not a Parquet file that can be read"
    )


def test_parquet_that_unpacks_to_too_much_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of 1 KB took 3 GB."""
    monkeypatch.setitem(conversion.MEMORY, ".parquet", 80_000_000)
    path = parquet(
        tmp_path / "references.parquet",
        image=["dog"] * 40,
        caption=[1_000_000 * "a"] * 40,
    )
    problem = only_problem(captions(path))

    assert str(problem.what) == "is too large"
    assert "memory" in problem.value.lower()

    small = captions(parquet(path, image=["dog"], caption=["a dog"]))
    assert small.problems == []


def test_parquet_is_read_no_further_than_rows_are_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_ROWS", 2)
    path = parquet(
        tmp_path / "references.parquet", image=["dog"] * 400, caption=["a dog"] * 400
    )

    assert "has more than 2 rows" in str(only_problem(captions(path)))


def test_without_a_reader_one_line_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entries, "find_spec", lambda _: None)
    path = tmp_path / "references.parquet"
    path.write_bytes(b"PAR1")

    assert "tercet[parquet]" in str(only_problem(captions(path)).remedy)


def test_a_problem_in_parquet_names_the_entry(tmp_path: Path) -> None:
    folder = dataset_folder(tmp_path, pairs=[("p1", "dog", "a dog", "a cat", "HC")])
    (folder / "references.csv").unlink()
    parquet(folder / "references.parquet", image=["dog", "dog"], caption=["a dog", ""])

    [problem] = read(folder).problems
    assert str(problem).startswith(
        "references.parquet, entry 2, column caption: is empty"
    )


def test_lists_in_parquet_are_columns(tmp_path: Path) -> None:
    path = tmp_path / "references.parquet"
    parquet(path, image=["dog", "cat"], caption=[["a dog", "the dog"], ["a cat"]])
    folder = dataset_folder(tmp_path / "folder")
    (folder / "references.csv").unlink()

    path.rename(folder / path.name)
    assert references_of(read(folder).dataset) == [
        ("dog", "a dog"),
        ("dog", "the dog"),
        ("cat", "a cat"),
    ]


# Lists in JSON lines


def references_of(dataset: Dataset) -> list[tuple[str, str]]:
    frame = dataset.references
    return list(zip(frame["image"], frame["caption"], strict=True))


def test_a_list_of_references_is_read_as_references(tmp_path: Path) -> None:
    folder = dataset_folder(tmp_path)
    (folder / "references.csv").unlink()
    json_lines(
        folder / "references.jsonl",
        {"image": "dog", "caption": ["a dog", "the dog"]},
        {"image": "cat", "caption": ["a cat", "cats", 17]},
        {"image": "cat", "caption": "one cat"},
    )

    reading = read(folder)
    assert reading.problems == []
    assert references_of(reading.dataset) == [
        ("dog", "a dog"),
        ("dog", "the dog"),
        ("cat", "a cat"),
        ("cat", "cats"),
        ("cat", "17"),
        ("cat", "one cat"),
    ]


def test_lists_of_another_name_are_read_as_references(tmp_path: Path) -> None:
    folder = dataset_folder(tmp_path)
    (folder / "references.csv").unlink()
    entry = {"img": "dog", "references": ["a dog", "the dog"], "more": {"x": 1}}
    json_lines(folder / "data.jsonl", entry, entry | {"img": "cat"})

    assert len(read(folder).dataset.references) == 4


def test_values_that_are_not_used_may_be_anything(file: Path) -> None:
    entry = {"image": "dog", "caption": "a dog", "meta": {"x": [1]}, "bad": "\ud800"}
    file.write_text(json.dumps(entry), encoding="utf-8")
    sheet = captions(file)

    assert sheet.problems == []
    assert sheet.frame["caption"].tolist() == ["a dog"]


# Excel


def test_a_sheet_is_read_as_text_with_the_numbers_of_its_rows(tmp_path: Path) -> None:
    rows: Rows = [
        ["image", "caption"],
        [391895, "a dog"],
        [None, None],
        [1.5, True],
        ["cat", ""],
    ]
    path = write_xlsx(
        tmp_path / "references.xlsx", {"Empty": [], "One": rows, "Two": [["x"]]}
    )
    sheet = captions(path)

    assert sheet.frame[["image", "caption", "line"]].to_numpy().tolist() == [
        ["391895", "a dog", 2],
        ["1.5", "true", 4],
        ["cat", "", 5],
    ]

    assert [each.part for each in read_file(path, {})] == ["One", "Two"]


def test_a_folder_may_have_its_tables_in_excel(tmp_path: Path) -> None:
    folder = dataset_folder(tmp_path)
    (folder / "references.csv").unlink()
    rows = [["image", "caption"], ["dog", "a dog"], ["cat", ""]]
    write_xlsx(folder / "references.xlsx", {"Sheet1": rows})

    [problem] = read(folder).problems
    assert str(problem).startswith("references.xlsx, line 3, column caption: is empty")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 and no more"])
def test_what_is_no_excel_file_is_told(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "references.xlsx"
    path.write_bytes(content)
    what = str(only_problem(captions(path)).what)

    assert what == "is not an Excel file (xlsx) that can be read"


FAR_CELL = b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
LONG_CELL = b'<row r="2"><c r="A2" t="inlineStr"><is><t>'


@pytest.mark.parametrize(("begun", "letters"), [(FAR_CELL, 0), (LONG_CELL, 1 << 28)])
def test_an_excel_file_that_unpacks_to_too_much_is_told(
    tmp_path: Path, begun: bytes, letters: int
) -> None:
    """Cells as far from each other as a sheet allows, and a quarter of a gigabyte of text."""
    path = write_xlsx(tmp_path / "references.xlsx", {"One": [["image", "caption"]]})
    with ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}

    inserted = begun + b"a" * letters
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text.replace(b"</sheetData>", inserted))

    assert path.stat().st_size < 1_000_000

    problem = only_problem(captions(path))
    assert str(problem.what) == "is too large"
    assert "memory" in problem.value


def test_an_excel_file_is_read_within_the_limits_of_csv(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows: Rows = [["image", "caption"], *[["dog", "a dog"]] * 5]
    references = tmp_path / "references.xlsx"
    path = write_xlsx(references, {"One": rows})
    monkeypatch.setattr(limits, "MAX_ROWS", 2)

    assert "has more than 2 rows" in str(only_problem(captions(path)))

    monkeypatch.setattr(limits, "MAX_ROWS", 9)
    monkeypatch.setattr(text_limits, "MAX_CELL", 3)

    assert {str(each.what) for each in captions(path).problems} == {
        "is longer than 3 characters"
    }


# Folders


def test_a_folder_of_json_lines_is_the_same_dataset(tmp_path: Path) -> None:
    csv = tmp_path / "csv"
    folder = dataset_folder(csv, votes=three_votes())
    expected = load(folder)
    other = tmp_path / "jsonl"
    other.mkdir()

    for table, frame in expected.frames.items():
        rows = frame[list(table.columns)].to_dict("records")
        if rows:
            json_lines((other / table.file).with_suffix(".jsonl"), *rows)

    assert load(other).sha256 == expected.sha256


def test_csv_is_read_where_a_table_is_there_twice(tmp_path: Path) -> None:
    folder = dataset_folder(tmp_path)
    (folder / "references.jsonl").write_text("not read")
    assert read(folder).problems == []


def test_each_json_shape_of_a_table_is_read(tmp_path: Path) -> None:
    shapes: list[object] = [
        [{"image": "dog", "caption": "a dog"}, {"image": "cat", "caption": "a cat"}],
        {"image": ["dog", "cat"], "caption": ["a dog", "a cat"]},
        {"image": {"0": "dog", "1": "cat"}, "caption": {"0": "a dog", "1": "a cat"}},
        [["image", "caption"], ["dog", "a dog"], ["cat", "a cat"]],
        {"columns": ["image", "caption"], "data": [["dog", "a dog"], ["cat", "a cat"]]},
        {
            "info": {},
            "annotations": [
                {"image": "dog", "caption": "a dog"},
                {"image": "cat", "caption": "a cat"},
            ],
        },
    ]
    for shape in shapes:
        path = tmp_path / "references.json"
        path.write_text(json.dumps(shape))
        sheet = captions(path)
        cells = sheet.frame[["image", "caption"]].to_numpy().tolist()
        assert cells == [["dog", "a dog"], ["cat", "a cat"]], shape


@pytest.mark.parametrize(
    "cell",
    [
        '["it\'s", "a dog"]',
        "[\"it's\", 'a dog']",
        "[\"it's\" 'a dog']",
        "it's | a dog",
        "array([\"it's\", 'a dog'], dtype=object)",
    ],
)
def test_a_list_in_a_cell_is_its_texts(cell: str) -> None:
    assert list_in(cell) == ["it's", "a dog"]


def test_all_after_the_number_of_a_caption_is_the_caption(tmp_path: Path) -> None:
    file = tmp_path / "tokens.txt"
    file.write_bytes(b'1.jpg#0\t"A" dog\truns .\r\n1.jpg#1\tA dog .\n')
    [table] = read_file(file, {})
    assert table.frame["column 2"].tolist() == ['"A" dog\truns .', "A dog ."]
