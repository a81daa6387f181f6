"""The settings of a study in study.json, and what it takes to add one."""

import json
import os
import subprocess
import sys
from pathlib import Path
from shutil import copy, copytree

import pytest

from tercet.analysis.tables.settings import OUTCOMES, STEPS
from tercet.annotation.judging.kinds import KINDS
from tercet.annotation.models import Study
from tercet.annotation.models.study import SWITCHES, Outcome
from tercet.annotation.studies.study_file import (
    ENTRIES,
    SETTINGS,
    conflicts,
    read_study_file,
)
from tests.support.databases import copy_database
from tests.support.folders import ROOT

PARTS = ("tercet", "templates", "static", "docs")
CARDS = "tercet/annotation/studies/changed_settings.py"
FIELDS = "tercet/annotation/models/study.py"
FIELD = """    pause_after = models.PositiveIntegerField(
        "minutes before a pause",
        validators=_between(5, 60),
        default=20,
        db_default=20,
        help_text="People are asked to pause then.",
    )
    debrief = models."""
MAKE_MIGRATION = ["-m", "django", "makemigrations", "annotation", "-n", "pause"]
USE = """
import django
django.setup()

from django.core.management import call_command
call_command("migrate", verbosity=0)

import json
from copy import copy
from django.contrib.auth.models import User
from django.test import Client
from tercet.annotation.studies.forms import SettingsForm
from tercet.annotation.studies.study_file import (
    ENTRIES, read_study_file, study_settings
)
from tercet.annotation.models import Dataset, Study

user = User.objects.create_superuser("ada")
study = Study.objects.create(dataset=Dataset.objects.create(name="d", title="d"), name="s")
browser = Client(SERVER_NAME="localhost")
browser.force_login(user)
page = browser.get("/studies/s/settings/pace/")
sent = {"pause_after": "61"}
form = SettingsForm(copy(study), sent, ["pause_after"], may_change=True)
entry = ENTRIES["pause_after"]
read = read_study_file({"pause_after": 4})

print(json.dumps({
    "page": "Minutes before a pause" in page.text and 'name="pause_after" value="20"' in page.text,
    "form": form.errors["pause_after"],
    "export": study_settings(study)["pause_after"],
    "import": [str(problem) for problem in read.problems],
    "dictionary": [entry.type, entry.allowed, entry.meaning],
}))
"""


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
}
EXITS = {"done": {"code": "A", "url": "https://example.org/{code}"}, "failed": {}}


@pytest.mark.parametrize("name", GOOD)
def test_a_good_setting_is_no_problem(name: str) -> None:
    read = read_study_file({name: GOOD[name]})
    assert (read.problems, read.warnings) == ([], [])
    assert read.values == {name: GOOD[name]}


def test_good_exits_are_no_problem() -> None:
    read = read_study_file({"exits": EXITS})
    assert (read.problems, read.values) == ([], {})
    done, failed = read.exits
    assert (done.outcome, done.code) == ("done", "A")
    assert (failed.outcome, failed.code, failed.url) == ("failed", "", "")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("title", "x" * 2001),
        ("title", "a\0b"),
        ("title", []),
        ("title", 5),
        ("state", "gone"),
        ("references", 2**31),
        ("seed", -1),
        ("seed", float("inf")),
        ("seed", "5"),
        ("max_judgments", 0),
        ("max_judgments", 2.5),
        ("steps", "consent"),
        ("steps", ["judging"]),
        ("steps", [["consent"]]),
        ("consent", None),
        ("practice", "\ud800"),
        ("label_a", "a\u200bb"),
        ("break_every", -1),
        ("gold_rate", 0.51),
        ("gold_rate", None),
        ("repeat_rate", True),
        ("min_seconds", float("nan")),
        ("min_seconds", 601),
        ("ties", "yes"),
        ("accounts", "none"),
        ("link_is_open", None),
        ("person_parameter", ""),
        ("session_parameter", "x" * 61),
        ("exits", ["done"]),
        ("exits", {"left": {}}),
        ("exits", {"done": "CODE"}),
        ("exits", {"done": {"code": 5}}),
        ("exits", {"done": {"code": None}}),
        ("exits", {"done": {"id": "5"}}),
        ("exits", {"done": {"code": "\ud800"}}),
        ("exits", {"done": {"code": "x" * 61}}),
        ("exits", {"done": {"url": "javascript:alert(1)"}}),
        ("exits", {"done": {"address": "https://example.org"}}),
    ],
)
def test_a_wrong_setting_is_named(name: str, value: object) -> None:
    [problem] = read_study_file({name: value}).problems
    assert (problem.file, problem.column) == ("study.json", name)
    assert str(problem.what) == "is not a valid setting"


def test_a_problem_says_which_values_are_valid() -> None:
    wrong = {"min_seconds": 601, "joins_per_hour": 0, "accounts": "some"}
    assert [str(problem) for problem in read_study_file(wrong).problems] == [
        "study.json, column min_seconds: is not a valid setting ('601'). "
        "Give a value of the type decimal number (from 0 to 600), or remove the setting",
        "study.json, column joins_per_hour: is not a valid setting ('0'). "
        "Give a value of the type whole number (from 1 to 100,000; null: empty), "
        "or remove the setting",
        "study.json, column accounts: is not a valid setting ('some'). "
        "Give a value of the type choice (all: every account; invited: invited accounts only), "
        "or remove the setting",
    ]


def test_gold_and_repeats_together_have_a_limit() -> None:
    [problem] = read_study_file({"gold_rate": 0.3, "repeat_rate": 0.3}).problems
    assert problem.column == "repeat_rate"
    assert str(problem.remedy) == "Gold and repeats together may not exceed 0.5."
    assert conflicts({"gold_rate": 0.25, "repeat_rate": 0.25}) == {}


def test_parameters_of_one_name_conflict() -> None:
    names = {"person_parameter": "id", "session_parameter": "id"}
    [problem] = read_study_file(names).problems
    assert problem.column == "session_parameter"


def test_unknown_keys_are_left_out_with_a_warning() -> None:
    read = read_study_file({"votes": 5, "colour": "red"})
    assert read.values == {"votes": 5}
    assert read.warnings == ["study.json: ignored unknown keys: colour"]


def test_settings_of_earlier_versions_are_read_by_their_former_names() -> None:
    assert read_study_file({"most": 7}).values == {"max_judgments": 7}
    both = {"most": 7, "max_judgments": 8}
    assert read_study_file(both).values == {"max_judgments": 8}

    [problem] = read_study_file({"fastest": -1}).problems
    assert problem.column == "fastest"


def test_the_steps_and_outcomes_of_files_are_those_of_the_site() -> None:
    assert tuple(SWITCHES) == STEPS
    assert tuple(Outcome.values) == OUTCOMES


def test_every_protocol_is_a_kind_of_question() -> None:
    assert [name for name, _ in SETTINGS["protocol"].flatchoices] == list(KINDS)


def test_a_new_study_has_valid_settings() -> None:
    usual = {name: getattr(Study(), name) for name in SETTINGS}
    assert read_study_file(usual).problems == []


def test_every_setting_is_explained_in_a_sentence() -> None:
    assert [*ENTRIES] == [*SETTINGS, "exits"]
    for entry in ENTRIES.values():
        assert entry.meaning[0].isupper(), entry
        assert entry.meaning[-1] in ".?", entry


@pytest.mark.django_db
def test_a_new_setting_takes_a_field_a_card_and_a_migration(tmp_path: Path) -> None:
    for name in PARTS:
        copytree(ROOT / name, tmp_path / name)
    copy(ROOT / "manage.py", tmp_path)

    copy_database(tmp_path / "var")
    before = sources(tmp_path)

    added = {
        FIELDS: ("    debrief = models.", FIELD),
        CARDS: ("max_judgments", "max_judgments pause_after"),
    }
    for name, change in added.items():
        text = (tmp_path / name).read_text(encoding="utf-8")
        (tmp_path / name).write_text(text.replace(*change), encoding="utf-8")

    run(tmp_path, MAKE_MIGRATION)

    after = sources(tmp_path)
    changed = {path for path in after if after[path] != before.get(path)}

    [migration] = changed - {*added}
    assert migration.startswith("tercet/annotation/migrations/")
    assert json.loads(run(tmp_path, ["-c", USE])) == {
        "page": True,
        "form": ["Ensure this value is less than or equal to 60."],
        "export": 20,
        "import": [
            "study.json, column pause_after: is not a valid setting ('4'). "
            "Give a value of the type whole number (from 5 to 60), or remove the setting"
        ],
        "dictionary": [
            "whole number",
            "from 5 to 60",
            "Minutes before a pause. People are asked to pause then.",
        ],
    }


def sources(folder: Path) -> dict[str, str]:
    """The text of every Python file and template below a folder, by its path."""
    paths = [path for suffix in ("*.py", "*.html") for path in folder.rglob(suffix)]
    return {
        str(path.relative_to(folder)): path.read_text(encoding="utf-8")
        for path in paths
    }


def run(folder: Path, arguments: list[str]) -> str:
    """Run Python in a copy of the project, with a database of its own."""
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(folder),
        "PYTHONDONTWRITEBYTECODE": "1",
        "DJANGO_SETTINGS_MODULE": "tercet.config.settings",
        "DATA_DIR": str(folder / "data"),
        "SECRET_KEY": "s" * 50,
        "DEBUG": "1",
    }
    command = [sys.executable, *arguments]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True
    )

    assert done.returncode == 0, done.stderr

    return done.stdout
