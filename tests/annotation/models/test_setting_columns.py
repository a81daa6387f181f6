"""The settings of a study in the database, and what it takes to add one."""

import json
import os
import subprocess
import sys
from enum import StrEnum
from pathlib import Path
from shutil import copy, copytree

import pytest

from tercet.analysis.tables.settings import Choice
from tercet.analysis.tables.study_settings import BY_NAME, STEPS, STUDY_SETTINGS
from tercet.annotation.judging.kinds import KINDS
from tercet.annotation.models import Study
from tercet.annotation.models.study import (
    SWITCHES,
    Accounts,
    CrowdProof,
    LinkUsers,
    Order,
    Outcome,
    State,
)
from tests.support.databases import copy_database
from tests.support.folders import ROOT

PARTS = ("tercet", "templates", "static", "docs")
DECLARATIONS = "tercet/analysis/tables/study_settings.py"
DECLARATION = """    pause_after = Whole(
        "Minutes after which a person is asked to pause.",
        label="minutes before a pause",
        card="pace",
        default=20,
        least=5,
        most=60,
        since="9.9",
    )
    debrief = _new_text("""
USE = """
import django
django.setup()

from django.core.management import call_command
call_command("migrate", verbosity=0)

import json
from copy import copy
from django.contrib.auth.models import User
from django.test import Client
from tercet.analysis.dataset.dictionary import DICTIONARY
from tercet.analysis.tables.study_settings import check_settings
from tercet.annotation.datasets.exporting import study_settings
from tercet.annotation.studies.forms import SettingsForm
from tercet.annotation.models import Dataset, Study

user = User.objects.create_superuser("ada")
study = Study.objects.create(dataset=Dataset.objects.create(name="d", title="d"), name="s")
browser = Client(SERVER_NAME="localhost")
browser.force_login(user)
page = browser.get("/studies/s/settings/pace/")
sent = {"pause_after": "61"}
form = SettingsForm(copy(study), sent, ["pause_after"], may_change=True)
[entry] = [entry for entry in DICTIONARY["study.json"] if entry.column == "pause_after"]

print(json.dumps({
    "page": "Minutes before a pause" in page.text and 'name="pause_after" value="20"' in page.text,
    "form": form.errors["pause_after"],
    "export": study_settings(study)["pause_after"],
    "import": [str(problem) for problem in check_settings({}, {"pause_after": 4})],
    "dictionary": [entry.type, entry.allowed, entry.meaning],
}))
"""


@pytest.mark.parametrize(
    ("name", "choices"),
    [
        ("protocol", KINDS),
        ("state", State),
        ("accounts", Accounts),
        ("link_users", LinkUsers),
        ("question_order", Order),
        ("crowd_proof", CrowdProof),
    ],
)
def test_the_choices_in_code_are_those_declared(
    name: str, choices: type[StrEnum]
) -> None:
    declared = BY_NAME[name]
    assert isinstance(declared, Choice)
    assert list(declared.choices) == list(choices)


def test_the_steps_and_outcomes_in_code_are_those_declared() -> None:
    assert tuple(SWITCHES) == STEPS
    assert list(Outcome.values) == str(BY_NAME["exits"].limits).split(", ")


def test_a_new_study_has_the_declared_defaults() -> None:
    study = Study()
    for setting in STUDY_SETTINGS:
        if setting.name not in {"exits", "title"}:
            assert getattr(study, setting.name) == setting.default


@pytest.mark.django_db
def test_a_new_setting_takes_one_declaration_and_a_migration(tmp_path: Path) -> None:
    for name in PARTS:
        copytree(ROOT / name, tmp_path / name)
    copy(ROOT / "manage.py", tmp_path)

    copy_database(tmp_path / "var")
    before = sources(tmp_path)

    declarations = tmp_path / DECLARATIONS
    text = declarations.read_text(encoding="utf-8")
    declarations.write_text(
        text.replace("    debrief = _new_text(", DECLARATION), encoding="utf-8"
    )
    run(
        tmp_path,
        ["-m", "django", "makemigrations", "annotation", "-n", "pause", "-v", "0"],
    )

    after = sources(tmp_path)
    changed = {path for path in after if after[path] != before.get(path)}

    assert len(changed) == 2

    [migration] = changed - {DECLARATIONS}
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
            "Minutes after which a person is asked to pause. Since version 9.9.",
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
        "DATA_DIR": str(folder / "var"),
        "SECRET_KEY": "s" * 50,
        "DEBUG": "1",
    }
    command = [sys.executable, *arguments]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True
    )

    assert done.returncode == 0, done.stderr

    return done.stdout
