import pytest

from tercet.analysis.tables.settings import check_settings, upgraded


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("protocol", ["triplet"]),
        ("votes", 1_001),
        ("references", 0),
        ("references", True),
        ("language", "deutsch!"),
        ("language", "German"),
        ("language", "a" * 8 + "-b" * 20),
        ("language", "en\n"),
        ("stop_early", "yes"),
        ("collected_elsewhere", None),
    ],
)
def test_a_wrong_setting_is_named(name: str, value: object) -> None:
    [problem] = check_settings({}, {name: value})
    assert (problem.file, problem.column) == ("study.json", name)
    assert str(problem.what) == "is not a valid setting"


def test_a_problem_says_which_values_are_valid() -> None:
    problems = check_settings({}, {"votes": 1_001, "language": "deutsch!"})
    assert [str(problem.remedy) for problem in problems] == [
        "Give a whole number from 1 to 1,000, or remove the setting",
        "Write a code such as en, de or pt-BR, not the name of a language.",
    ]


def test_what_only_the_site_uses_is_not_checked() -> None:
    assert check_settings({}, {"gold_rate": 7, "colour": "red"}) == []


def test_settings_of_bonuses_are_named_and_ignored() -> None:
    study, [warning] = upgraded({"votes": 5, "bonus": 0.5, "bonus_gold": "much"})
    assert "ignores bonus, bonus_gold" in str(warning)
    assert study == {"votes": 5}


def test_whether_cells_were_defused_is_yes_or_no() -> None:
    [problem] = check_settings({"defused": "true"}, {})
    assert (problem.file, problem.column) == ("dataset.json", "defused")
