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
