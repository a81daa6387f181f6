"""Checks of metrics from outside, in a shell."""

import shlex
from pathlib import Path

import pytest

from tercet.metrics.listing import main
from tests.metrics.outside.programs import logged, program
from tests.support.folders import DEMO

LINES = ("passed  bounds", "passed  repeatable", "passed  neighbours", "passed  itself")
RANDOM = "import random\ndef score(item): return random.random()"
NEIGHBOURS = (
    "ABOUT['batch'] = 256\n"
    "def answer(asked):\n"
    "    size = len(asked['items'])\n"
    "    return {'id': asked['id'], 'scores': [score(i) + size for i in asked['items']]}"
)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of its own for kept scores."""
    monkeypatch.setenv("TERCET_CACHE", str(tmp_path / "cache"))


def check(words: list[str], *options: str) -> int:
    return main(["check", "--metric-command", shlex.join(words), *options])


def test_a_good_metric_passes_every_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = program(tmp_path, "ABOUT.update(bounds=[0, 1], trained_on=[])")
    assert check(words) == 0

    said = capsys.readouterr().out
    assert said.startswith("overlap\n  version           1\n  combine           mean\n")
    assert "  trained_on        none" in said
    assert "from 0 to 1\n" in said
    assert all(line in said for line in LINES)
    assert "Spearman's rho of scores with the number of words is" in said


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        (
            NEIGHBOURS,
            "FAILED  neighbours  scores are the same in the same batches only",
        ),
        (RANDOM, "FAILED  repeatable  metric overlap: two runs over the same captions"),
        ("ABOUT['bounds'] = [0, 0.1]", "FAILED  bounds      metric overlap: candidate"),
        ("def score(item): return float('nan')", "FAILED  bounds"),
        (
            "ABOUT['higher_is_better'] = False",
            "FAILED  itself      10 of 10 references",
        ),
    ],
)
def test_a_failed_check_is_a_line_and_a_status(
    changes: str, line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(program(tmp_path, changes)) == 1
    assert line in capsys.readouterr().out


def test_scores_that_are_declared_random_do_not_fail(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changes = f"{RANDOM} + len(set(item['candidate']))\nABOUT['deterministic'] = False"
    check(program(tmp_path, changes))

    said = capsys.readouterr().out
    assert "passed  repeatable  80 comparisons made again" in said
    assert "two whole runs correlate by" in said


def test_scores_that_follow_length_are_noted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changes = (
        "ABOUT['combine'] = 'none'\n"
        "def score(item): return len(item['candidate'].split())"
    )
    assert check(program(tmp_path, changes)) == 0

    said = capsys.readouterr().out
    assert "noted   itself      there are no references to compare" in said
    assert "words is 1.00: they follow the length of a caption" in said


def test_a_metric_that_fails_has_another_status_than_its_checks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(program(tmp_path, "def answer(asked): return 'Loading'")) == 3
    assert "'Loading', which is no JSON object" in capsys.readouterr().err


def test_other_captions_are_taken_from_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = program(tmp_path, "ABOUT['batch'] = 256")
    files = ("--references", str(DEMO), "--candidates", str(DEMO))

    assert check(words, *files) == 0
    assert "scores of 120 candidates" in capsys.readouterr().out


def test_scores_of_earlier_runs_answer_no_check(tmp_path: Path) -> None:
    counted = "def answer(asked, own=answer): log('x'); return own(asked)"
    words = program(tmp_path, counted)
    assert check(words) == 0
    calls = len(logged(words))

    assert check(words) == 0
    assert len(logged(words)) == 2 * calls


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name a metric, or a program by --metric-command"),
        (["BLEU-1"], "BLEU-1 is a metric of Tercet"),
        (["nothing"], "unknown metric nothing"),
        (["BLEU-1", "--references", "x"], "give both --references and --candidates"),
        (["x", "--references", "no", "--candidates", "no"], "no: No such file"),
    ],
)
def test_wrong_input_is_refused(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_metric_of_images_is_sent_to_a_dataset(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = program(tmp_path, "ABOUT.update(needs=['image'], combine='none')")
    assert check(words) == 2
    assert "tercet analyse FOLDER --only outside" in capsys.readouterr().err
