from typing import Any

import pytest

from tercet.analysis.tables.languages import CODES, NAMES, with_language_code
from tercet.analysis.tables.settings import check_settings


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("German", "de"),
        ("deutsch", "de"),
        ("English-US", "en-US"),
        ("Klingon", "und"),
        ("Klingon-Latn", "und"),
    ],
)
def test_names_of_languages_become_codes_with_a_warning(name: str, code: str) -> None:
    study, warnings = with_language_code({"language": name, "votes": 3})
    assert study == {"language": code, "votes": 3}
    assert len(warnings) == 1

    assert f"“{name}” is not a code. It is read as “{code}”" in str(warnings[0])
    assert check_settings({}, study) == []


@pytest.mark.parametrize("study", [{}, {"language": "pt-BR"}, {"language": "gsw"}])
def test_codes_stay_without_a_warning(study: dict[str, Any]) -> None:
    assert with_language_code(study) == (study, [])


@pytest.mark.parametrize("value", ["deutsch!", "", "Norwegian", 7, None])
def test_what_no_version_accepted_stays_for_the_check(value: object) -> None:
    study, warnings = with_language_code({"language": value})
    assert (study, warnings) == ({"language": value}, [])
    assert check_settings({}, study)


def test_each_name_is_one_that_could_be_written() -> None:
    assert sum(len(names.split()) for names in NAMES.values()) == len(CODES)
    assert all(name.isascii() and 4 <= len(name) <= 8 for name in CODES)
