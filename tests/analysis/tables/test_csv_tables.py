import csv
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.analysis.tables import file_tables, limits
from tercet.analysis.tables.csv_tables import (
    Problem,
    Sheet,
    Table,
    csv_text,
    in_order,
    printable,
)
from tercet.analysis.tables.encodings import ENCODINGS
from tercet.analysis.tables.file_tables import table_of_values
from tercet.analysis.tables.sheets import sheet_of_table
from tercet.metrics.text import limits as text_limits
from tercet.metrics.text.csv_rows import csv_rows
from tests.support.sheets import read_table

CAPTIONS = Table("captions.csv", ("image", "caption"), ("author",))
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


class Disk:
    """A file to be read, written over by each test as often as it likes."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self, content: str | bytes, encoding: str = "", **columns: str) -> Sheet:
        self.path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read_table(self.path, CAPTIONS, encoding=encoding, columns=columns)

    def only_problem(self, content: str | bytes) -> Problem:
        [problem] = self.read(content).problems
        assert problem.file == CAPTIONS.file
        assert str(problem.remedy)

        return problem


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    return Disk(tmp_path / CAPTIONS.file)


def rows(sheet: Sheet) -> list[tuple[object, ...]]:
    return list(sheet.frame[["image", "caption"]].itertuples(index=False, name=None))


def test_a_file_is_read_as_it_stands(disk: Disk) -> None:
    sheet = disk.read(
        'image,caption,author\ndog," a dog ""Rex"", runs ",Ann\ncat,NA,\n'
    )

    assert sheet.problems == []
    assert sheet.warnings == []
    assert sheet.frame.to_dict("list") == {
        "image": ["dog", "cat"],
        "caption": [' a dog "Rex", runs ', "NA"],
        "author": ["Ann", ""],
        "line": [2, 3],
    }


@pytest.mark.parametrize(
    "content",
    [
        "\ufeffimage,caption\ndog,a dog\ncat,a cat\n",
        "image,caption\r\ndog,a dog\r\ncat,a cat\r\n",
        "image,caption\rdog,a dog\rcat,a cat",
        "image;caption\ndog;a dog\ncat;a cat",
        "image\tcaption\ndog\ta dog\ncat\ta cat\n",
        "image|caption\ndog|a dog\ncat|a cat\n",
        "caption,image\na dog,dog\na cat,cat\n",
        '"image","caption"\ndog,a dog\ncat,a cat\n',
        " image , caption \ndog,a dog\ncat,a cat\n",
        "\n\nimage,caption\n\ndog,a dog\n\n\ncat,a cat\n\n",
        '\ufeff"caption";"image"\r\n"a dog";"dog"\r\n"a cat";"cat"\r\n',
    ],
)
def test_every_usual_dialect_is_understood(disk: Disk, content: str) -> None:
    sheet = disk.read(content)
    assert sheet.problems == []
    assert rows(sheet) == [("dog", "a dog"), ("cat", "a cat")]


def test_other_delimiters_than_that_of_the_header_are_text(disk: Disk) -> None:
    found = rows(disk.read("image;caption\ndog;a dog, a cat\n"))
    assert found == [("dog", "a dog, a cat")]


def test_unknown_columns_are_left_out_with_a_warning(disk: Disk) -> None:
    sheet = disk.read("note,image,split,caption\nx,dog,train,a dog\n")
    assert sheet.problems == []

    columns = list(sheet.frame.columns)
    assert columns == ["image", "caption", "author", "line"]

    warnings = map(str, sheet.warnings)
    assert list(warnings) == ["captions.csv: columns 'note', 'split' are not used"]


def test_a_row_knows_the_line_it_begins_on(disk: Disk) -> None:
    sheet = disk.read(
        'image,caption\ndog,"one\ntwo\r\nthree"\n\ncat,"a\rb"\r\nbird,c\n'
    )

    assert sheet.frame["line"].tolist() == [2, 6, 8]
    assert sheet.frame["caption"].tolist() == ["one\ntwo\r\nthree", "a\rb", "c"]


@pytest.mark.parametrize(
    ("header", "columns"),
    [
        ("picture,caption", ["image"]),
        ("Image,Caption", ["image", "caption"]),
        ("", ["image", "caption"]),
    ],
)
def test_a_missing_column_is_named(disk: Disk, header: str, columns: list[str]) -> None:
    sheet = disk.read(f"{header}\ndog,a dog\n" if header else "")
    assert [(problem.line, problem.column) for problem in sheet.problems] == [
        (1, column) for column in columns
    ]
    assert all(str(problem.what) == "is missing" for problem in sheet.problems)

    assert all(
        "image, caption (and, if wanted, author)" in str(p.remedy)
        for p in sheet.problems
    )
    assert not sheet.readable


def test_a_doubled_column_is_named(disk: Disk) -> None:
    problem = disk.only_problem("image,caption,caption\ndog,a,b\n")
    assert (problem.line, problem.column) == (1, "caption")
    assert "twice" in str(problem.what)


def test_a_doubled_column_that_nobody_reads_does_no_harm(disk: Disk) -> None:
    sheet = disk.read("image,note,caption,note\ndog,x,a dog,y\n")
    assert sheet.problems == []
    assert rows(sheet) == [("dog", "a dog")]


def test_lines_with_too_few_or_too_many_cells_are_named_and_the_others_kept(
    disk: Disk,
) -> None:
    sheet = disk.read(
        'image,caption\ndog,"a\nb"\ncat\nbird,a bird, flying\nfish,a fish\n'
    )

    assert [(problem.line, str(problem.what)) for problem in sheet.problems] == [
        (4, "has 1 cells where the header has 2"),
        (5, "has 3 cells where the header has 2"),
    ]
    assert "quotes" in str(sheet.problems[0].remedy)
    assert sheet.frame["image"].tolist() == ["dog", "fish"]


@pytest.mark.parametrize(
    "broken", ['bird,"a "bird" flies"', 'bird,"a bird', 'bird,"a"b']
)
def test_broken_quoting_is_named_by_the_line_it_begins_on(
    disk: Disk, broken: str
) -> None:
    problem = disk.only_problem(f'image,caption\ndog,"a\ndog"\n\n{broken}\ncat,a cat\n')
    assert problem.line == 5
    assert str(problem.what) == "the quoting is broken"
    assert "twice" in str(problem.remedy)


def test_broken_quoting_in_the_header_is_named(disk: Disk) -> None:
    problem = disk.only_problem('image,"caption\ndog,a dog\n')
    assert (problem.line, str(problem.what)) == (1, "the quoting is broken")


@pytest.mark.parametrize("start", ["", "image,caption\ndog,"])
def test_a_cell_without_end_is_no_exception(disk: Disk, start: str) -> None:
    problem = disk.only_problem(start + "x" * (text_limits.MAX_CELL + 1))
    assert problem.line == start.count("\n") + 1
    assert "limit" in problem.value


def test_bytes_that_are_not_utf_8_are_named(disk: Disk) -> None:
    content = 'image,caption\ndog,"two\nlines"\ncat,über\ncat,Übung\n'.encode()
    problems = disk.read(content + b"caf\xe9,a caf\xe9\n").problems

    assert [(problem.line, problem.column) for problem in problems] == [
        (6, "image"),
        (6, "caption"),
    ]
    assert problems[1].value == r"a caf\udce9"
    assert all(problem.what.endswith("are not UTF-8") for problem in problems)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "windows-1252"])
def test_another_encoding_is_read_and_named(disk: Disk, encoding: str) -> None:
    content = "image,caption\ndog,a café\ncat,naïve\n".encode(encoding)
    sheet = disk.read(content)

    assert rows(sheet) == [("dog", "a café"), ("cat", "naïve")]
    [warning] = sheet.warnings
    assert warning.startswith("captions.csv is not UTF-8 and is read as ")


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("windows-1252", "a café"),
        ("windows-1251", "собака"),
        ("gb18030", "一只狗"),
        ("big5", "一隻狗"),
        ("cp932", "犬①"),
        ("cp949", "개"),
        ("utf-16-le", "\ufeff犬"),
        ("utf-16-be", "犬"),
    ],
)
def test_a_file_is_read_in_the_encoding_given(
    disk: Disk, encoding: str, text: str
) -> None:
    mark, text = ("\ufeff", text[1:]) if text.startswith("\ufeff") else ("", text)
    content = f"{mark}image,caption\r\ndog,{text}\r\n".encode(encoding)
    sheet = disk.read(content, encoding)

    assert sheet.problems == []
    assert rows(sheet) == [("dog", text)]


@pytest.mark.parametrize(
    "encoding", ["windows-1252", "gb18030", "big5", "cp932", "cp949"]
)
def test_what_an_encoding_does_not_have_is_named(disk: Disk, encoding: str) -> None:
    [problem] = disk.read(b"image,caption\ndog,a\ncat,b \x81\xff\n", encoding).problems

    assert (problem.line, problem.column) == (3, "caption")
    assert str(problem.what) == f"is not {ENCODINGS[encoding]}"
    assert "another encoding" in str(problem.remedy)


@pytest.mark.parametrize("encoding", ["gb18030", "utf-16-le", "utf-16-be"])
@given(st.binary(max_size=60))
def test_no_bytes_are_an_exception_in_any_encoding(
    encoding: str, tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    disk = Disk(tmp_path_factory.getbasetemp() / CAPTIONS.file)
    for problem in disk.read(content, encoding).problems:
        str(problem).encode()


def test_columns_of_other_names_are_read_as_ours(disk: Disk) -> None:
    columns = {"image": "img id", "caption": "Text"}
    sheet = disk.read("x; Text ;img id\n1;a dog;dog\n", **columns)

    assert sheet.problems == []
    assert rows(sheet) == [("dog", "a dog")]
    assert [str(warning).partition(" is ")[0] for warning in sheet.warnings] == [
        "captions.csv: column 'x'"
    ]


def test_a_column_that_is_missing_is_told_with_the_unknown_ones(disk: Disk) -> None:
    problem = disk.only_problem("image;sentence;split\ndog;a;x\n")
    assert str(problem.remedy).endswith("; not known are sentence, split")

    remedy = disk.only_problem(f"image;{'x' * 900};\n").remedy
    assert len(str(remedy)) < 400


def test_a_nul_character_is_named(disk: Disk) -> None:
    problem = disk.only_problem("image,caption\ndog,a\0dog\n")
    assert (problem.line, problem.column, problem.value) == (2, "caption", r"a\0dog")


@pytest.mark.parametrize("content", ["image,caption", "image,caption\r\n\r\n"])
def test_a_header_alone_is_a_problem(disk: Disk, content: str) -> None:
    problem = disk.only_problem(content)
    assert (problem.line, str(problem.what)) == (None, "has no rows")


def test_a_problem_reads_as_place_fault_and_remedy() -> None:
    what, remedy = "is not a known choice", "Use B or C"
    problem = Problem("votes.csv", what, remedy, 7, "choice", "D" * 80)
    shown = "D" * 59 + "…"

    assert str(problem) == (
        f"votes.csv, line 7, column choice: is not a known choice ('{shown}'). Use B or C"
    )

    problem = Problem("a.csv", "is missing", "Add it")
    assert str(problem) == "a.csv: is missing. Add it"


def test_reading_tells_how_far_it_has_come(tmp_path: Path) -> None:
    path = tmp_path / CAPTIONS.file
    path.write_text("image,caption\n" + "dog,a dog\n" * 50_000, encoding="utf-8")
    told: list[tuple[float, str]] = []
    read_table(path, CAPTIONS, lambda share, doing: told.append((share, doing)))

    shares = [share for share, _ in told]
    assert shares == sorted(shares)
    assert len(set(shares)) > 1

    assert 0 <= min(shares) < max(shares) <= 1
    assert all(CAPTIONS.file in doing for _, doing in told)


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1))
def test_any_text_survives_writing_and_reading(written: list[tuple[str, str]]) -> None:
    frame = pd.DataFrame(written, columns=["image", "caption"]).astype("str")
    text = csv_text(frame, ("image", "caption"))
    lines = iter(StringIO(text, newline=""))
    rows_read = csv_rows(lines)
    _line, names = next(rows_read)
    records = ((line, dict(zip(names, row, strict=True))) for line, row in rows_read)

    sheet = sheet_of_table(table_of_values("a.csv", names, records), CAPTIONS)
    assert sheet.problems == []
    assert rows(sheet) == written


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1))
def test_what_is_written_is_what_other_readers_read(
    written: list[tuple[str, str]],
) -> None:
    frame = pd.DataFrame(written, columns=["image", "caption"]).astype("str")
    text = csv_text(frame, ("image", "caption"))
    assert [tuple(row) for row in csv.reader(StringIO(text, newline=""))][1:] == written


def test_text_is_written_with_quotes_only_where_needed() -> None:
    frame = pd.DataFrame({"image": ["dog"], "caption": ["a dog, running"], "line": [2]})
    assert (
        csv_text(frame, ("caption", "image")) == 'caption,image\n"a dog, running",dog\n'
    )


@given(st.tuples(TEXTS, TEXTS))
def test_two_texts_in_order_are_the_same_whichever_stands_first(
    texts: tuple[str, str],
) -> None:
    one, other = (pd.Series([text], dtype="str") for text in texts)
    assert in_order(one, other).equals(in_order(other, one))

    ordered = in_order(one, other).to_numpy().tolist()
    assert ordered == [sorted(texts)]


def test_what_cannot_be_shown_is_written_out() -> None:
    assert printable("a\udce9\0") == r"a\udce9\0"
    assert printable("café") == "café"


def test_a_line_without_an_end_is_refused(
    disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_limits, "MAX_LINE", 1_000)
    problem = disk.only_problem(f"image,caption\ndog,a\n{'x' * 2_000}\n")

    assert (problem.line, str(problem.what)) == (3, "is longer than 1,000 characters")

    problem = disk.only_problem("x" * 2_000)
    assert problem.line == 1


def test_too_many_rows_are_refused(disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_ROWS", 2)
    assert disk.read("image,caption\na,b\nc,d\n").problems == []

    problem = disk.only_problem("image,caption\na,b\nc,d\ne,f\n")
    assert (problem.line, str(problem.what)) == (4, "has more than 2 rows")


def test_too_many_lines_are_refused_though_they_are_blank(
    disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A gigabyte of blank lines, which is packed into one megabyte, took five minutes."""
    monkeypatch.setattr(limits, "MAX_LINES", 5)
    assert disk.read("image,caption\n\n\na,b\n\n").problems == []

    problem = disk.only_problem("image,caption\na,b\n" + "\n" * 20)
    assert str(problem.what) == "has more than 5 lines"


def test_too_much_text_is_refused_where_it_begins(disk: Disk) -> None:
    rows = [f"{n},{n}{'x' * 900_000}\n" for n in range(4)]
    disk.path.write_text("image,caption\n" + "".join(rows), encoding="utf-8")
    sheet = read_table(disk.path, CAPTIONS, memory=2_500_000)

    [problem] = sheet.problems
    assert (problem.line, sheet.readable, len(sheet.frame)) == (4, False, 0)
    assert "has more text than fits in memory" in str(problem.what)


def test_equal_texts_take_memory_once(disk: Disk) -> None:
    row = f"a,{'x' * 900_000}\n"
    disk.path.write_text("image,caption\n" + 5 * row, encoding="utf-8")
    sheet = read_table(disk.path, CAPTIONS, memory=1_000_000)

    assert (sheet.problems, len(sheet.frame)) == ([], 5)
    assert 900_000 < sheet.size < 1_000_000


def test_problems_beyond_a_bound_are_counted(
    disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_PROBLEMS", 3)
    sheet = disk.read("image,caption\n" + "one\n" * 10)

    assert [problem.line for problem in sheet.problems] == [2, 3, 4]
    assert sheet.more == 7


@pytest.mark.parametrize("memory", range(300, 3_000, 140))
def test_limits_hold_for_each_row_however_many_are_stored_together(
    disk: Disk, monkeypatch: pytest.MonkeyPatch, memory: int
) -> None:
    lines = [f"image {n % 5},caption {n % 9},{'é' * (n % 4)}" for n in range(40)]
    disk.path.write_text("\n".join(["image,caption,author", *lines]), encoding="utf-8")
    monkeypatch.setattr(limits, "MAX_SHARED", 6)
    monkeypatch.setattr(limits, "MAX_ROWS", 30)

    read = []
    for together in (1, 4, 500):
        monkeypatch.setattr(file_tables, "_ROWS_TOGETHER", together)
        sheet = read_table(disk.path, CAPTIONS, memory=memory)
        [problem] = sheet.problems
        read.append((sheet.size, str(problem)))

    assert len(set(read)) == 1
