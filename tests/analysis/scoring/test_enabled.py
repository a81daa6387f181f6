"""The file of the metrics that an administrator enables."""

import os
from pathlib import Path

import pytest

from tercet.analysis.scoring.enabled import read_enabled
from tercet.metrics import TextMetric, score
from tercet.metrics.outside import entry_points
from tests.metrics.outside.programs import program
from tests.metrics.outside.test_entry_points import install

WORDS = """
ABOUT["name"] = "words"

def score(item):
    return len(item["candidate"].split()) + len(os.environ.get("OF_TEST", ""))
"""
SHA256 = "0" * 64


@pytest.fixture
def table(tmp_path: Path) -> str:
    """The table of a program."""
    return f"[words]\ncommand = {program(tmp_path, WORDS)!r}\n"


def enabled_by(folder: Path, text: str) -> Path:
    file = folder / "metrics.toml"
    file.write_text(text)
    return file


def score_of(metric: TextMetric) -> float:
    made = score(references=[["a"]], candidates=["two words"], metrics=[metric])
    return float(made.corpus["words"])


def test_a_program_is_started_with_the_variables_that_are_listed(
    tmp_path: Path, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERCET_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("OF_TEST", "12345")

    shown = f'{table}environment = ["PATH", "OF_TEST"]'
    assert score_of(read_enabled(enabled_by(tmp_path, shown))["words"].load()) == 7

    os.remove(tmp_path / "cache" / "commands.sqlite")
    assert score_of(read_enabled(enabled_by(tmp_path, table))["words"].load()) == 2


def test_limits_and_hidden_references_are_read(tmp_path: Path, table: str) -> None:
    lines = "batch_seconds = 2.5\nhidden_references = true"
    read = read_enabled(enabled_by(tmp_path, f"{table}{lines}"))["words"]

    assert read.batch_seconds == 2.5
    assert read.start_seconds == 300
    assert read.hidden_references


def test_a_metric_that_declares_another_direction_is_refused(
    tmp_path: Path, table: str
) -> None:
    falling = read_enabled(enabled_by(tmp_path, f"{table}higher_is_better = false"))
    fault = r"\[words\]: the metric declares higher_is_better = true: write this here"

    with pytest.raises(ValueError, match=fault):
        falling["words"].load()


def test_a_program_of_another_name_is_refused(tmp_path: Path, table: str) -> None:
    other = table.replace("[words]", "[letters]")
    read = read_enabled(enabled_by(tmp_path, other))["letters"]

    with pytest.raises(ValueError, match=r"\[letters\]: the metric calls itself words"):
        read.load()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[overlap", "is no TOML"),
        ("overlap = 1", r"\[overlap\]: write a table of keys, not 1"),
        ("[CIDEr-D]", r"\[CIDEr-D\]: every site has this metric: remove the table"),
        ("[overlap]", r"\[overlap\]: sha256 is missing: give a version and a sha256"),
        ('[a]\ncommand = "python a.py"', "command must be a list of texts"),
        ("[a]\ncommand = []", "command must be a list of texts"),
        (
            '[a]\ncommand = ["a"]\nshell = true',
            "shell is no key here: the keys are batch",
        ),
        (
            '[a]\ncommand = ["a"]\nstart_seconds = 0',
            "start_seconds must be a number of",
        ),
        ('[a]\ncommand = ["a"]\nhidden_references = 1', "must be true or false, not 1"),
        ('[a]\nversion = "1"\nsha256 = "12"', "sha256 must be 64 hexadecimal digits"),
        ('[embed]\nversion = "1"', "version is no key here: the keys are hidden"),
    ],
)
def test_what_cannot_be_followed_is_refused(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        read_enabled(enabled_by(tmp_path, text))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"none\.toml cannot be read: No such file"):
        read_enabled(tmp_path / "none.toml")


def test_a_package_is_taken_in_the_version_and_with_the_files_that_are_enabled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "own-overlap", "overlap")
    monkeypatch.syspath_prepend(str(tmp_path))
    entry_points.loaded.cache_clear()

    def enabled(version: str, sha256: str) -> Path:
        text = f'[overlap]\nversion = "{version}"\nsha256 = "{sha256}"'
        return enabled_by(tmp_path, text)

    package = entry_points.package_of("overlap")
    assert package
    exact = read_enabled(enabled("2.5", package.digest))["overlap"]
    assert exact.load().origin == str(package)

    for other in (enabled("2.4", package.digest), enabled("2.5", SHA256)):
        changed = read_enabled(other)["overlap"]
        with pytest.raises(ValueError, match=f"sha256 {package.digest}: write this"):
            changed.load()


def test_a_package_that_is_not_installed_is_named(tmp_path: Path) -> None:
    text = f'[nowhere]\nversion = "1"\nsha256 = "{SHA256}"'
    read = read_enabled(enabled_by(tmp_path, text))["nowhere"]

    assert read.fault().startswith("no installed package has it")
