import pytest

from analysis.dataset.schema import STUDY
from analysis.dataset.study_settings import STUDY_CHECKS, check_settings

GOOD = {
    "state": "closed",
    "ties": True,
    "most": None,
    "language": "pt-BR",
    "steps": ["practice"],
    "consent": "Zeile\nمی‌خواهم\n",
    "break_every": 0,
    "gold_rate": 0.5,
    "repeat_rate": 0,
    "fastest": 0.25,
    "accounts": "all",
    "study_parameter": "",
    "exits": {"done": {"code": "A", "url": "https://example.org/{code}"}, "failed": {}},
}


def test_every_setting_of_a_study_is_checked() -> None:
    assert set(STUDY_CHECKS) == set(STUDY)


@pytest.mark.parametrize("name", GOOD)
def test_a_good_setting_is_no_problem(name: str) -> None:
    assert check_settings({}, {name: GOOD[name]}) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("title", "x" * 2001),
        ("title", "a\0b"),
        ("state", "gone"),
        ("ties", 1),
        ("most", 0),
        ("language", "deutsch!"),
        ("language", "a" * 8 + "-b" * 20),
        ("steps", "consent"),
        ("steps", ["judging"]),
        ("steps", [["consent"]]),
        ("consent", None),
        ("practice", "\ud800"),
        ("break_every", -1),
        ("gold_rate", 0.51),
        ("repeat_rate", True),
        ("fastest", float("nan")),
        ("fastest", 601),
        ("stop_early", "yes"),
        ("accounts", "none"),
        ("link_is_open", None),
        ("person_parameter", ""),
        ("session_parameter", "x" * 61),
        ("exits", ["done"]),
        ("exits", {"left": {}}),
        ("exits", {"done": "CODE"}),
        ("exits", {"done": {"code": 5}}),
        ("exits", {"done": {"code": "x" * 61}}),
        ("exits", {"done": {"url": "javascript:alert(1)"}}),
        ("exits", {"done": {"address": "https://example.org"}}),
    ],
)
def test_a_wrong_setting_is_named(name: str, value: object) -> None:
    [problem] = check_settings({}, {name: value})
    assert (problem.file, problem.column) == ("study.json", name)
    assert problem.what == "is not a valid setting"


def test_whether_cells_were_defused_is_yes_or_no() -> None:
    [problem] = check_settings({"defused": "true"}, {})
    assert (problem.file, problem.column) == ("dataset.json", "defused")
