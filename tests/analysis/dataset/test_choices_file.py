"""A file of roles is refused where an answer cannot be one."""

import json
from pathlib import Path
from typing import Any

import pytest

from tercet.analysis.dataset.choices_file import read_choices
from tercet.analysis.tables.csv_tables import FaultyDataset


@pytest.mark.parametrize(
    ("said", "column"),
    [
        ({"roles": {"Bild": ["picture", ""]}}, "Bild"),
        ({"values": {"Urteil": {"ja": "first"}}}, "Urteil, ja"),
        ({"encoding": "klingon"}, "encoding"),
        ({"header": "two"}, "header"),
        ({"first": [3]}, "first"),
    ],
)
def test_an_answer_that_cannot_be_one_is_named(
    tmp_path: Path, said: dict[str, Any], column: str
) -> None:
    path = tmp_path / "roles.json"
    path.write_text(json.dumps({"table.csv": said}))
    with pytest.raises(FaultyDataset) as error:
        read_choices(path)
    [problem] = error.value.problems
    assert (problem.file, problem.column) == ("roles.json", column)


def test_open_answers_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "roles.json"
    said = {"roles": {"a": ["?", ""]}, "values": {"b": {"x": "?", "y": "tie"}}}
    path.write_text(json.dumps({"table.csv": said}))
    choices = read_choices(path)["table.csv"]
    assert (choices.roles, choices.values) == ({}, {"b": {"y": "tie"}})
