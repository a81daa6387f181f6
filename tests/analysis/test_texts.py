"""Texts of the analysis, in English and in the language of the reader."""

import json

import pytest

from tercet.analysis.texts import (
    LANGUAGES,
    Text,
    catalogue_of,
    from_json,
    gettext,
    in_language,
    ngettext,
    verbatim,
)

ROWS = gettext("has more than {limit:,} rows", limit=1_000_000)
NESTED = gettext(
    "{required} (and, if wanted, {optional})", required=ROWS, optional="{x} 1,5"
)
PROBLEMS = [
    ngettext("… and {count:,} more problem", "… and {count:,} more problems", count)
    for count in (1, 2_000)
]


def test_a_text_is_english_unless_told_otherwise() -> None:
    assert str(ROWS) == ROWS.english == "has more than 1,000,000 rows"
    assert str(Text("is missing")) == "is missing"


def test_a_text_is_rendered_in_the_language_of_the_context() -> None:
    with in_language("de"):
        assert str(ROWS) == "hat mehr als 1.000.000 Zeilen"
        assert ROWS.english == "has more than 1,000,000 rows"

    assert str(ROWS) == ROWS.english


def test_fractions_have_the_separator_of_the_language() -> None:
    limit = gettext("from 0 to {most:g}", most=0.5)
    assert limit.english == "from 0 to 0.5"
    assert limit.rendered(catalogue_of("de")) == "von 0 bis 0,5"


def test_numbers_without_a_format_are_left_as_they_are() -> None:
    assert gettext("repeats line {line}", line=1_234).english == "repeats line 1234"


def test_a_number_decides_the_form_of_a_text() -> None:
    german = catalogue_of("de")
    assert [text.english for text in PROBLEMS] == [
        "… and 1 more problem",
        "… and 2,000 more problems",
    ]
    assert [text.rendered(german) for text in PROBLEMS] == [
        "… und 1 weiteres Problem",
        "… und 2.000 weitere Probleme",
    ]


def test_texts_in_texts_are_rendered_in_the_same_language() -> None:
    with in_language("de"):
        assert (
            str(NESTED)
            == "hat mehr als 1.000.000 Zeilen (und, falls gewünscht, {x} 1,5)"
        )
        assert (
            NESTED.english == "has more than 1,000,000 rows (and, if wanted, {x} 1,5)"
        )


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_verbatim_text_is_never_changed(language: str) -> None:
    assert (
        verbatim("is {missing} 1,000.5").rendered(catalogue_of(language))
        == "is {missing} 1,000.5"
    )
    assert verbatim("").rendered(catalogue_of(language)) == ""


@pytest.mark.parametrize("text", [ROWS, NESTED, *PROBLEMS])
def test_a_text_outlasts_being_stored(text: Text) -> None:
    assert from_json(json.loads(json.dumps(text.as_json()))) == text
