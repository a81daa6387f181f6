"""The language of captions is guessed by their most frequent words."""

import pytest

from tercet.analysis.dataset.caption_language import guess_language, may_be_in

CAPTIONS = {
    "de": ["Ein Hund läuft über das Gras.", "Eine Katze schläft auf dem Dach."],
    "en": ["A dog runs over the grass.", "A cat is asleep on the roof."],
    "es": ["Un perro corre por la hierba.", "El gato duerme en el tejado."],
    "fr": ["Un chien court dans l'herbe.", "Le chat dort sur le toit de la maison."],
    "it": ["Un cane corre nel prato.", "Il gatto dorme sul tetto della casa."],
    "nl": ["Een hond rent over het gras.", "De kat slaapt op het dak van een huis."],
    "pt": ["Um cão corre no parque.", "O gato dorme em uma casa com os cães."],
    "zh": ["一只狗在草地上奔跑。", "一只猫睡在屋顶上。"],
}


@pytest.mark.parametrize("code", CAPTIONS)
def test_captions_are_known_by_their_small_words(code: str) -> None:
    assert guess_language(CAPTIONS[code]) == code


@pytest.mark.parametrize(
    "captions",
    [
        [],
        [""],
        ["dog, grass", "cat, roof"],
        ["犬が草の上を走る。"],
        ["Собака бежит по траве."],
        [*CAPTIONS["de"], *CAPTIONS["en"]],
    ],
    ids=[
        "none",
        "empty",
        "words without sentences",
        "Japanese",
        "Russian",
        "two languages",
    ],
)
def test_nothing_is_guessed_where_no_language_is_clearly_ahead(
    captions: list[str],
) -> None:
    assert guess_language(captions) == ""


@pytest.mark.parametrize("code", CAPTIONS)
def test_captions_may_be_in_their_own_language_and_not_in_another(code: str) -> None:
    for caption in CAPTIONS[code]:
        assert may_be_in(caption, code)
        assert may_be_in(caption, f"{code}-CH")
        others = {"de": "en", "zh": "en"}
        assert not may_be_in(caption, others.get(code, "de"))


@pytest.mark.parametrize(
    ("caption", "code", "may_be"),
    [
        ("Собака бежит по траве.", "en", False),
        ("Собака бежит по траве.", "ru", True),
        ("犬が草の上を走る。", "ja", True),
        ("A dog runs over the grass.", "ja", False),
        ("tram, 12:30", "en", True),
        ("12:30", "he", True),
        ("Pies biegnie po trawie do domu.", "pl", True),
        ("ሰላም", "am", True),
        ("", "en", True),
    ],
)
def test_other_scripts_speak_against_a_language_and_nothing_else(
    caption: str, code: str, may_be: bool
) -> None:
    assert may_be_in(caption, code) is may_be
