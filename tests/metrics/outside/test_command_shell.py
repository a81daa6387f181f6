"""Metrics that are programs, named in a shell."""

import json
import shlex
from pathlib import Path

import pytest

from tercet.analysis.__main__ import main as analyse
from tercet.metrics.__main__ import main as score
from tests.metrics.outside.programs import logged, program
from tests.support.folders import ROOT

DEMO = ROOT / "examples" / "demo"
FILES = (
    *("--references", str(DEMO / "references.csv")),
    *("--candidates", str(DEMO / "candidates.csv")),
    "--several",
)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of its own for kept scores."""
    monkeypatch.setenv("TERCET_CACHE", str(tmp_path / "cache"))


def test_a_program_scores_captions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = program(tmp_path, "ABOUT['batch'] = 256")
    status = score(
        [*FILES, "--metrics", "ROUGE-L", "--metric-command", shlex.join(words)]
    )

    assert status == 0
    assert "overlap" in capsys.readouterr().out


def test_a_program_that_fails_has_a_status_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = shlex.join(program(tmp_path, "def answer(asked): return 'Loading'"))

    assert score([*FILES, "--metric-command", words]) == 3
    assert "'Loading', which is no JSON object" in capsys.readouterr().err

    folder = str(tmp_path / "report")
    made = analyse([str(DEMO), "--out", folder, "--metric-command", words])
    assert made == 3


def test_a_report_is_made_again_past_the_kept_scores(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changes = "ABOUT['batch'] = 256\ndef answer(asked, own=answer): log('x'); return own(asked)"
    words = program(tmp_path, changes)
    first, second = tmp_path / "first", tmp_path / "second"
    chosen = ["--metrics", "ROUGE-L", "--only", "table", "--resamples", "100"]
    given = [str(DEMO), "--out", str(first), *chosen]
    named = ["--metric-command", shlex.join(words)]
    assert analyse([*given, *named]) == 0

    calls = len(logged(words))
    again = ["--again", str(first / "report.json"), "--out", str(second)]
    assert analyse(again) == 2
    assert "name it again by --metric-command" in capsys.readouterr().err
    assert len(logged(words)) == calls

    assert analyse([*again, *named]) == 0
    assert len(logged(words)) == 2 * calls
    reports = [
        json.loads((each / "report.json").read_text()) for each in (first, second)
    ]
    assert reports[0]["options"] == reports[1]["options"]
    assert reports[0]["options"]["metrics"] == ["ROUGE-L", "overlap"]


def test_limits_of_programs_are_set_in_a_shell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hung = shlex.join(program(tmp_path, "time.sleep(60)"))
    given = ("--metric-command", hung, "--metric-limits", "start=1")

    assert score([*FILES, *given]) == 3
    assert "gave no answer in 1 s before its first" in capsys.readouterr().err
    assert analyse([str(DEMO), "--out", str(tmp_path / "report"), *given]) == 3


@pytest.mark.parametrize(
    ("line", "fault"), [("", "it is empty"), ("a 'b", "quotation")]
)
def test_a_line_without_words_is_refused(
    line: str, fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert score([*FILES, "--metric-command", line]) == 2
    assert fault in capsys.readouterr().err


NEIGHBOURS = (
    "ABOUT['batch'] = 256\n"
    "def answer(asked, own=answer):\n"
    "    made = own(asked)\n"
    "    made['scores'] = [each + len(made['scores']) for each in made['scores']]\n"
    "    return made"
)


@pytest.mark.parametrize("strict", [False, True])
def test_a_failed_check_is_an_error_if_strict(
    strict: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = shlex.join(program(tmp_path, NEIGHBOURS))
    given = ["--metrics", "length", "--metric-command", words, *["--strict"] * strict]
    told = "metric overlap, neighbours: scores are the same in the same batches only"

    assert score([*FILES, *given]) == strict
    assert told in capsys.readouterr().err

    folder = str(tmp_path / "report")
    chosen = ["--only", "table", "--resamples", "100", "--flips", "99", "--counts", "1"]
    assert analyse([str(DEMO), "--out", folder, *chosen, *given]) == strict
    assert told in capsys.readouterr().err


def test_checks_that_are_passed_are_no_error_if_strict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = shlex.join(program(tmp_path, "ABOUT['batch'] = 256"))

    assert score([*FILES, "--metric-command", words, "--strict"]) == 0
    assert capsys.readouterr().err == ""
