"""Damage of spreadsheets is named with its line and column."""

import re
from pathlib import Path
from zipfile import ZipFile

from tercet.analysis.dataset.folder import read
from tests.support.folders import write_csv
from tests.support.xlsx import write_xlsx

CAPTIONS = (
    "a dog runs on the beach",
    "a cat sleeps on a chair",
    "a tram climbs a hill",
)


def test_a_formula_without_its_value_is_named(tmp_path: Path) -> None:
    rows = [("image", "caption"), *zip("abc", CAPTIONS, strict=True)]
    made = write_xlsx(tmp_path / "made.xlsx", {"One": rows})
    formula = b'<c r="B3"><f>A3&amp;"x"</f><v></v></c>'
    with ZipFile(made) as source, ZipFile(tmp_path / "table.xlsx", "w") as target:
        for name in source.namelist():
            content = re.sub(rb'<c r="B3".*?</c>', formula, source.read(name))
            target.writestr(name, content)
    made.unlink()

    found = [
        (each.line, each.column)
        for each in read(tmp_path).problems
        if "formula" in each.what
    ]
    assert found == [(3, "caption")]


def test_names_that_are_dates_are_damage_where_others_are_none(tmp_path: Path) -> None:
    header = ("image", "reference")
    named = {"some": ("12.03.2026", "2026-12-01", "kite"), "all": ("2026-01-01",) * 3}
    for folder, names in named.items():
        (tmp_path / folder).mkdir()
        rows = [*zip(names, CAPTIONS, strict=True)]
        write_csv(tmp_path / folder / "table.csv", header, rows)

    some, every = (
        read(tmp_path / name, references_alone=True) for name in ("some", "all")
    )
    assert [each.line for each in some.problems] == [2, 3]
    assert every.problems == []


def test_a_line_that_repeats_one_of_another_file_is_named_with_both(
    tmp_path: Path,
) -> None:
    references = [("a", CAPTIONS[0]), ("b", CAPTIONS[1])]
    write_csv(tmp_path / "references.csv", ("image", "caption"), references)
    candidates = [("a", CAPTIONS[2], "x")]
    for name in ("candidates.csv", "others.csv"):
        write_csv(tmp_path / name, ("image", "caption", "source"), candidates)

    [problem] = read(tmp_path).problems
    assert problem.file == "others.csv"
    assert problem.what == "repeats line 2 (candidates.csv)"
