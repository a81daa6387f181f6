"""References and pairs in one file."""

from collections.abc import Collection, Mapping
from pathlib import Path

import pytest

from tercet.analysis.dataset.flat_files import series_in
from tercet.analysis.dataset.folder import NO_LINES, Reading, read
from tercet.analysis.tables import limits
from tercet.analysis.tables.csv_tables import CsvDialect

HEADER = "pic,ref,one,two,pair\n"
LeftOut = Mapping[str, Collection[int]]
COLUMNS = {"image": "pic", "caption": "ref", "candidate_b": "one", "candidate_c": "two"}


def read_flat(
    folder: Path, lines: str, *, numbered: bool = True, left_out: LeftOut = NO_LINES
) -> Reading:
    (folder / "all.csv").write_text(HEADER + lines)
    dialect = CsvDialect(columns=COLUMNS, table="pairs.csv", numbered=numbered)
    return read(folder, dialects={"all.csv": dialect}, left_out=left_out)


def test_each_reference_and_each_pair_is_read_once(tmp_path: Path) -> None:
    lines = "dog,r1,a,b,x\ndog,r2,a,b,x\ncat,r3,c,d,y\ncat,r3,c,e,z\n"
    dataset = read_flat(tmp_path, lines, numbered=False).sound()

    assert [*dataset.references["caption"]] == ["r1", "r2", "r3"]
    assert [*dataset.references["number"]] == [1, 2, 1]
    assert [*dataset.pairs["pair"]] == ["x", "y", "z"]


def test_a_line_may_have_a_reference_or_a_pair_alone(tmp_path: Path) -> None:
    dataset = read_flat(tmp_path, "dog,r1,,,x\ndog,,a,b,y\n", numbered=False).sound()

    assert [*dataset.references["caption"]] == ["r1"]

    pair = dataset.pairs["pair"]
    assert [*pair] == ["y"]


def test_lines_that_repeat_an_earlier_one_are_counted(tmp_path: Path) -> None:
    lines = "dog,r1,a,b,x\ndog,r2,a,b,x\ndog,r1,a,b,x\n"
    reading = read_flat(tmp_path, lines, numbered=False)

    warning = "all.csv: 1 line repeats an earlier one and was left out (line 4)"
    assert warning in map(str, reading.warnings)


def test_a_fault_is_named_once_with_the_column_of_the_file(tmp_path: Path) -> None:
    reading = read_flat(
        tmp_path, "dog,r1,a,,x\ndog,r2,a,,x\ncat,r3,c,d,y\n", numbered=False
    )

    [problem] = reading.problems
    assert (problem.file, problem.line, problem.column) == ("all.csv", 2, "two")
    assert reading.faulty_lines == {"all.csv": {2}}


def test_references_of_their_own_come_first(tmp_path: Path) -> None:
    (tmp_path / "references.csv").write_text("image,caption\ndog,own\n")
    dataset = read_flat(tmp_path, "dog,r1,a,b,x\n", numbered=False).sound()
    assert [*dataset.references["caption"]] == ["own"]


def test_pairs_without_names_are_numbered_and_a_note_says_so(tmp_path: Path) -> None:
    lines = "dog,r1,a,b,\ndog,r2,a,b,\ncat,r3,c,d,\n"
    reading = read_flat(tmp_path, lines)

    assert [*reading.sound().pairs["pair"]] == ["p1", "p2"]
    assert any("pairs are named p1, p2, …" in str(text) for text in reading.warnings)


def test_the_name_of_a_line_that_is_left_out_stays_unused(tmp_path: Path) -> None:
    lines = "dog,r1,a,b,\ndog,r2,a,,\ncat,r3,c,d,\n"
    faulty = read_flat(tmp_path, lines)

    assert any("stays unused" in str(text) for text in faulty.warnings)

    rest = read_flat(tmp_path, lines, left_out=faulty.faulty_lines).sound()
    assert [*rest.pairs["pair"]] == ["p1", "p3"]


SERIES = {"caption": "ref1", "caption (2)": "ref2"}
SERIES_HEADER = "pic,one,two,ref1,ref2\n"


def read_series(folder: Path, lines: str) -> Reading:
    (folder / "all.csv").write_text(SERIES_HEADER + lines)
    dialect = CsvDialect(columns=COLUMNS | SERIES, table="pairs.csv", numbered=True)
    return read(folder, dialects={"all.csv": dialect})


def test_a_line_may_have_several_references(tmp_path: Path) -> None:
    reading = read_series(
        tmp_path, "dog,a,b,r1,r2\ndog,c,d,r2,r3\ncat,e,f,, \ncat,g,h,,r4\n"
    )
    references = reading.sound().references

    assert [*references["caption"]] == ["r1", "r2", "r3", "r4"]
    assert [*references["number"]] == [1, 2, 3, 1]
    assert [*references["line"]] == [2, 2, 3, 5]

    words = [str(text) for text in reading.warnings]
    assert "all.csv: columns ref1, ref2 are read as references" in words
    assert not any("not known" in text for text in words)


def test_a_fault_in_one_of_several_references_names_its_column(tmp_path: Path) -> None:
    [problem] = read_series(tmp_path, "dog,a,b,r1,r\0\n").problems
    assert (problem.file, problem.line, problem.column) == ("all.csv", 2, "ref2")


def test_references_in_several_columns_are_bounded_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_ROWS", 3)
    lines = "dog,a,b,r1,r2\ndog,c,d,r1,r3\n"

    assert len(read_series(tmp_path, lines).sound().references) == 3

    [problem] = read_series(tmp_path, lines + "dog,e,f,r4,r5\n").problems
    assert "all.csv: has more than 3 references" in str(problem)


def read_references(folder: Path, lines: str) -> Reading:
    references = folder / "references.csv"
    references.write_text("pic,ref1,ref2\n" + lines)
    (folder / "pairs.csv").write_text(
        "pair,image,candidate_b,candidate_c,category\np,dog,a,b,HC\n"
    )
    dialect = CsvDialect(columns=SERIES | {"image": "pic"})

    return read(folder, dialects={"references.csv": dialect})


def test_a_file_of_references_may_have_several_on_a_line(tmp_path: Path) -> None:
    reading = read_references(tmp_path, "dog,r1,r2\ncat,,r3\ndog,r1, \n")
    references = reading.sound().references

    assert [*references["caption"]] == ["r1", "r2", "r3", "r1"]
    assert [*references["number"]] == [1, 2, 1, 3]
    assert [*references["line"]] == [2, 2, 3, 4]

    words = [str(text) for text in reading.warnings]
    assert "references.csv: columns ref1, ref2 are read as references" in words


def test_a_line_without_any_reference_is_named(tmp_path: Path) -> None:
    reading = read_references(tmp_path, "dog,r1,r2\ncat,, \n")
    [problem] = reading.problems

    assert (problem.file, problem.line) == ("references.csv", 3)
    assert reading.faulty_lines == {"references.csv": {3}}


@pytest.mark.parametrize(
    ("names", "series"),
    [
        ("ref1 ref2 ref10", "ref1 ref2 ref10"),
        ("ref-1 Ref-2", "ref-1 Ref-2"),
        ("caption caption_a caption_b", "caption caption_a caption_b"),
        ("text topic", "text"),
        ("2020 2021", "2020"),
    ],
)
def test_names_with_running_numbers_or_letters_are_one_series(
    names: str, series: str
) -> None:
    first, *_ = series_in(names.split()).values()
    assert first == tuple(series.split())
