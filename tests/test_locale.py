"""Languages of annotators' pages: every text is translated, and what runs is what is written."""

import ast
import gettext
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest
from django.conf import settings
from django.utils.translation import override, to_locale

from scripts import messages
from tercet.annotation.judging.kinds import KINDS
from tercet.annotation.models.study import Step
from tercet.annotation.participation.flow import QUIZZES
from tercet.annotation.participation.quizzes import Quiz, read_quizzes
from tercet.annotation.participation.texts import default_text
from tests.support.folders import ROOT

LANGUAGES = [
    code for code, _name in settings.LANGUAGES if code != settings.LANGUAGE_CODE
]
LINE = re.compile(r'^([a-z]+(?:_plural)?(?:\[\d+\])?)? *(".*")$', re.MULTILINE)
FIXED = re.compile(r"%\(\w+\)[a-z]|%%|%[a-z]|\{\w*[^}]*\}|</?\w+")
"""What a translation keeps as it is: places for values, signs of per cent, tags."""

HAN = re.compile("[\u4e00-\u9fff]")

Entry = dict[str, str]


def po_of(language: str, folder: Path = ROOT) -> Path:
    return folder / "locale" / to_locale(language) / "LC_MESSAGES" / "django.po"


def entries(file: Path) -> Iterator[Entry]:
    """The entries of a .po file: msgid, msgctxt, msgid_plural, msgstr or msgstr[0], …"""
    _header, *blocks = file.read_text(encoding="utf-8").strip().split("\n\n")
    for block in blocks:
        entry: Entry = {}
        name = ""

        for field, text in LINE.findall(block):
            name = field or name
            entry[name] = entry.get(name, "") + ast.literal_eval(text)

        yield entry


def source(entry: Entry) -> tuple[str, ...]:
    return tuple(entry.get(name, "") for name in ("msgctxt", "msgid", "msgid_plural"))


def forms(entry: Entry) -> list[str]:
    """The translation; where numbers decide, one for each form."""
    return [text for name, text in entry.items() if name.startswith("msgstr")]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The files that texts are collected from, in a folder where that may be done."""
    if shutil.which("xgettext") is None:
        reason = "No gettext: translations were not checked (Debian: apt-get install gettext)"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)

    ignored = ignore_patterns("__pycache__")
    for name in ("tercet", "templates", "locale"):
        copytree(ROOT / name, tmp_path / name, ignore=ignored)

    shutil.copy(ROOT / "manage.py", tmp_path)
    return tmp_path


def test_every_text_of_the_code_is_there_and_no_other(copy: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "SECRET_KEY": "l" * 50}
    subprocess.run(
        messages.command(), cwd=copy, env=environment, capture_output=True, check=True
    )

    for language in LANGUAGES:
        collected = {
            source(entry)
            for entry in entries(po_of(language, copy))
            if "msgid" in entry
        }
        expected = entries(po_of(language))
        assert collected == {source(entry) for entry in expected}


def test_no_alias_hides_a_text_from_the_collection() -> None:
    hiding = re.compile(r"gettext(_lazy)? as (?!_$)", re.MULTILINE)
    files = (ROOT / "tercet" / "annotation").rglob("*.py")
    assert [file.name for file in files if hiding.search(file.read_text("utf-8"))] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_translation_is_missing_or_doubtful(language: str) -> None:
    untranslated = [entry for entry in entries(po_of(language)) if "" in forms(entry)]
    assert untranslated == []

    text = po_of(language).read_text("utf-8")
    assert not re.search(r"^#(~|.*fuzzy)", text, re.MULTILINE)


@pytest.mark.parametrize("language", LANGUAGES)
def test_translations_keep_places_and_tags(language: str) -> None:
    for entry in entries(po_of(language)):
        one, last = entry["msgid"], entry.get("msgid_plural", entry["msgid"])
        *others, final = (set(FIXED.findall(text)) for text in forms(entry))

        assert final == set(FIXED.findall(last)), entry
        assert all(form in (set(FIXED.findall(one)), final) for form in others), entry


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_translation_holds_one_into_another_language(language: str) -> None:
    texts = [text for entry in entries(po_of(language)) for text in forms(entry)]
    assert [text for text in texts if "\t" in text] == []
    assert language == "zh-hans" or [text for text in texts if HAN.search(text)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_compiled_is_what_is_written(language: str) -> None:
    with po_of(language).with_suffix(".mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)

    for entry in entries(po_of(language)):
        assert compiled_forms(compiled, entry) == set(forms(entry)), (
            "run compilemessages"
        )


def compiled_forms(compiled: gettext.GNUTranslations, entry: Entry) -> set[str]:
    context, one, many = source(entry)
    if many:
        return {compiled.ngettext(one, many, number) for number in range(200)}

    return {compiled.pgettext(context, one) if context else compiled.gettext(one)}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("protocol", KINDS)
@pytest.mark.parametrize("step", sorted(QUIZZES))
def test_the_usual_questions_have_the_same_right_answers(
    language: str, protocol: str, step: Step
) -> None:
    here = usual_quizzes(settings.LANGUAGE_CODE, step, protocol)
    there = usual_quizzes(language, step, protocol)

    assert [shape(quiz) for quiz in here] == [shape(quiz) for quiz in there]
    assert not here or here != there


def usual_quizzes(language: str, step: Step, protocol: str) -> list[Quiz]:
    with override(language):
        return read_quizzes(default_text(step, protocol))


def shape(quiz: Quiz) -> tuple[int, int, bool]:
    return len(quiz.options), quiz.right, bool(quiz.why)
