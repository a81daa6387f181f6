"""The face of the installed package."""

import re
import subprocess
import sys

import pytest

import tercet
from tercet import analysis, metrics
from tercet.checkout import stated_version
from tercet.metrics import listing
from tests.support.folders import ROOT


@pytest.mark.parametrize("name", tercet.__all__)
def test_every_name_of_the_face_is_there(name: str) -> None:
    assert name in dir(tercet)

    assert getattr(tercet, name) is not None


def test_the_names_of_the_analysis_are_its_own() -> None:
    assert tercet.evaluate is analysis.evaluate


def test_another_name_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'unheard_of'"):
        tercet.unheard_of  # noqa: B018


def test_the_command_lists_metrics(capsys: pytest.CaptureFixture[str]) -> None:
    assert listing.main(["list"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(metrics.names_with_extras())
    assert lines[0].split(maxsplit=1)[1] == "Bleu_1, explained"


def test_in_a_checkout_nothing_loads_a_second_time() -> None:
    code = (
        "import os, sys, django\n"
        "os.environ['DJANGO_SETTINGS_MODULE'] = 'tests.settings'\n"
        "django.setup()\n"
        "import tercet.analysis.__main__, tercet.config.urls, tercet.metrics.__main__\n"
        "print({'metrics', 'analysis', 'annotation', 'config'} & set(sys.modules))"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)

    assert done.stdout == "set()\n"


def test_the_version_of_a_checkout_names_its_commit() -> None:
    git = ["git", "rev-parse", "--short=12", "HEAD"]
    commit = subprocess.run(git, cwd=ROOT, capture_output=True, text=True, check=True)
    stated = f"tercet {tercet.__version__} (commit {commit.stdout.strip()})\n"

    for command in ((), ("score",), ("analyse",)):
        assert shown("-m", "tercet", *command, "--version") == stated
    assert stated_version(ROOT / "tercet") == tercet.__version__


@pytest.mark.parametrize("former", ["metrics", "analysis"])
def test_the_former_modules_run_for_one_more_version(former: str) -> None:
    assert shown("-m", former, "--version").startswith("tercet ")


def shown(*arguments: str) -> str:
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout


def test_documents_and_messages_name_the_commands() -> None:
    """Only the page of commands says what the former ones were."""
    former = re.compile(r"python -m (tercet\.)?(metrics|analysis)\b")
    files = [
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/*.md"),
        *(ROOT / "templates").rglob("*"),
    ]
    files += [*(ROOT / "tercet").rglob("*.py"), ROOT / "pyproject.toml"]
    naming = [
        file.name
        for file in files
        if file.is_file() and former.search(file.read_text(encoding="utf-8"))
    ]

    assert sorted(naming) == ["CHANGELOG.md", "commands.md"]
