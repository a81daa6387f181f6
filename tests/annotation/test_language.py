"""Pages in the language of whoever reads them."""

import re
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils.translation import override

from tercet.annotation.models import Study
from tests.support.pages import squeeze

pytestmark = pytest.mark.django_db
GERMAN = {"Accept-Language": "de-DE,de;q=0.9,en;q=0.5"}


@pytest.fixture(autouse=True)
def nothing_german_is_left() -> Iterator[None]:
    """A request leaves its language to the thread, where the next test runs."""
    with override("en"):
        yield


def german(user: User | None = None) -> Client:
    """A browser that asks for German."""
    browser = Client(headers=GERMAN)
    if user:
        browser.force_login(user)

    return browser


def page(browser: Client, name: str, *parts: str) -> str:
    response = browser.get(reverse(name, args=parts))
    assert response.status_code == 200

    return squeeze(response.getvalue().decode())


def test_the_first_pages_are_german(db: None) -> None:
    home, login = page(german(), "home"), page(german(), "login")
    assert '<html lang="de">' in home
    assert "Wie weit kann man einer Metrik" in home

    assert "Benutzername" in login
    assert "Anmelden" in login


def test_the_judging_page_is_german_and_its_captions_and_question_are_not(
    study: Study,
) -> None:
    browser = german()
    browser.post(reverse("join", args=[study.join_code]))
    shown = page(browser, "judge", study.name)

    assert 'lang="en" dir="auto">Which sentence is more similar to A?' in shown
    assert "alles gespeichert</span>" in shown
    assert '<span id="a" lang="en"' in shown


@pytest.mark.parametrize(
    ("step", "text"),
    [
        ("consent", "In dieser Studie geht es darum"),
        ("instructions", "Sie sehen drei Sätze"),
        ("comprehension", "Welchen der beiden Sätze"),
    ],
)
def test_default_texts_are_in_the_language_of_the_captions(
    study: Study, step: str, text: str
) -> None:
    Study.objects.update(steps=[step], language="de", institution="A university")
    browser = Client(headers={"Accept-Language": "en"})

    if step == "consent":
        shown = page(browser, "join", study.join_code)
        assert ":</strong> A university" in shown
    else:
        shown = practice(browser, study)

    assert 'lang="de" dir="auto"' in shown
    assert text in shown


def test_the_default_question_is_in_the_language_of_the_captions(study: Study) -> None:
    Study.objects.update(language="fr", ties=True)
    shown = practice(german(), study)
    assert '<legend class="question" lang="fr" dir="auto">Quelle phrase' in shown


def practice(browser: Client, study: Study) -> str:
    """The first practice question of a study."""
    browser.post(reverse("join", args=[study.join_code]))
    return page(browser, "judge", study.name)


@pytest.mark.parametrize("code", ["de", "de-AT", "DE"])
def test_the_default_practice_is_in_the_language_of_the_captions(
    study: Study, code: str
) -> None:
    Study.objects.update(steps=["practice"], language=code)
    shown = practice(Client(headers={"Accept-Language": "en"}), study)

    assert "Practice 1 of 3" in shown
    assert '<div class="caption" lang="de" dir="auto"><p>Zwei Kinder bauen' in shown


def test_practice_is_in_english_where_there_is_none_in_the_language_of_the_captions(
    study: Study,
) -> None:
    Study.objects.update(steps=["practice"], language="it")
    assert 'lang="en" dir="auto"><p>Two children build' in practice(german(), study)


def test_own_practice_questions_are_in_the_language_of_the_captions(
    study: Study,
) -> None:
    own = "Un cane.\n- [x] Un animale.\n- [ ] Un gatto."
    Study.objects.update(steps=["practice"], language="it", practice=own)

    assert '<div class="caption" lang="it" dir="auto"><p>Un cane.' in practice(
        german(), study
    )


@pytest.mark.parametrize("code", ["de", "es", "fr", "zh-hans"])
def test_pages_of_researchers_are_in_english_whatever_a_browser_asks_for(
    study: Study, administrator: User, code: str
) -> None:
    browser = Client(headers={"Accept-Language": code})
    browser.force_login(administrator)
    shown = page(browser, "study_settings", study.name)

    assert '<html lang="en">' in shown
    assert "Save settings" in shown
    assert 'name="language"' not in shown.partition("<footer")[2]


def test_numbers_are_english_on_pages_of_researchers(
    study: Study, administrator: User
) -> None:
    study.questions.update(needed=1000)
    assert "of 12,000</span>" in page(german(administrator), "study", study.name)


def test_problems_of_forms_of_researchers_are_english(administrator: User) -> None:
    response = german(administrator).post(reverse("study_new"), {"title": "Studie"})
    assert "This field is required" in response.getvalue().decode()


def test_the_footer_tells_annotators_no_hypothesis(study: Study) -> None:
    shown = page(Client(), "join", study.join_code).partition("<footer")[2]
    words = re.sub(r"<[^>]+>|<script.*?</script>", " ", shown.partition("</footer>")[0])
    assert words.split()[1:] == [
        "Tercet",
        "Documentation",
        "Deutsch",
        "Español",
        "Français",
        "简体中文",
    ]


def test_a_choice_in_the_footer_is_kept(db: None) -> None:
    browser = german()
    home = reverse("home")

    assert 'name="language" value="en" lang="en">English' in page(browser, "home")

    chosen = browser.post(reverse("set_language"), {"language": "en", "next": home})
    assert chosen["Location"] == home
    assert '<html lang="en">' in page(browser, "login")

    browser.post(reverse("set_language"), {"language": "de", "next": home})
    assert '<html lang="de">' in page(browser, "login")
