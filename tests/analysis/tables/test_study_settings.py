import pytest

from tercet.analysis.tables.settings import known
from tercet.analysis.tables.study_settings import (
    BY_NAME,
    STUDY_SETTINGS,
    check_settings,
    conflicts,
    upgraded,
)

GOOD = {
    "state": "closed",
    "ties": True,
    "max_judgments": None,
    "language": "pt-BR",
    "steps": ["practice"],
    "consent": "Zeile\nمی‌خواهم\n",
    "break_every": 0,
    "gold_rate": 0.5,
    "repeat_rate": 0,
    "min_seconds": 0.25,
    "accounts": "all",
    "study_parameter": "",
    "exits": {"done": {"code": "A", "url": "https://example.org/{code}"}, "failed": {}},
}


def test_every_default_is_valid() -> None:
    for setting in STUDY_SETTINGS:
        assert setting.accepts(setting.default), setting.name


def test_null_is_valid_only_for_optional_settings() -> None:
    for setting in STUDY_SETTINGS:
        assert setting.accepts(None) == setting.optional, setting.name


def test_every_setting_has_a_name_of_its_own() -> None:
    assert len(BY_NAME) == len(STUDY_SETTINGS)


def test_every_setting_on_the_page_has_a_label() -> None:
    for setting in STUDY_SETTINGS:
        assert setting.label or not setting.card


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
        ("max_judgments", 0),
        ("language", "deutsch!"),
        ("language", "German"),
        ("language", "a" * 8 + "-b" * 20),
        ("steps", "consent"),
        ("steps", ["judging"]),
        ("steps", [["consent"]]),
        ("consent", None),
        ("practice", "\ud800"),
        ("break_every", -1),
        ("gold_rate", 0.51),
        ("repeat_rate", True),
        ("min_seconds", float("nan")),
        ("min_seconds", 601),
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
    assert str(problem.what) == "is not a valid setting"


def test_a_problem_says_which_values_are_valid() -> None:
    problems = check_settings({}, {"votes": 1_001, "language": "deutsch!"})
    assert [str(problem.remedy) for problem in problems] == [
        "Give a value of the type whole number (from 1 to 1,000), or remove the setting",
        "Write a code such as en, de or pt-BR, not the name of a language.",
    ]


def test_gold_and_repeats_together_have_a_limit() -> None:
    [problem] = check_settings({}, {"gold_rate": 0.3, "repeat_rate": 0.3})
    assert problem.column == "repeat_rate"
    assert str(problem.remedy) == "Gold and repeats together may not exceed 0.5."
    assert conflicts({"gold_rate": 0.25, "repeat_rate": 0.25}) == {}


def test_parameters_of_one_name_conflict() -> None:
    [problem] = check_settings(
        {}, {"person_parameter": "id", "session_parameter": "id"}
    )

    assert problem.column == "session_parameter"


def test_settings_of_bonuses_are_named_and_ignored() -> None:
    study, [warning] = upgraded({"votes": 5, "bonus": 0.5, "bonus_gold": "much"})
    assert "ignores bonus, bonus_gold" in str(warning)
    assert check_settings({}, study) == []
    assert known(study, STUDY_SETTINGS) == {"votes": 5}


def test_unknown_settings_are_left_out() -> None:
    assert known({"votes": 5, "colour": "red"}, STUDY_SETTINGS) == {"votes": 5}


def test_settings_of_earlier_versions_are_read_by_their_former_names() -> None:
    assert known({"most": 7}, STUDY_SETTINGS) == {"max_judgments": 7}
    assert known({"most": 7, "max_judgments": 8}, STUDY_SETTINGS) == {
        "max_judgments": 8
    }

    [problem] = check_settings({}, {"fastest": -1})
    assert problem.column == "fastest"


def test_whether_cells_were_defused_is_yes_or_no() -> None:
    [problem] = check_settings({"defused": "true"}, {})
    assert (problem.file, problem.column) == ("dataset.json", "defused")
