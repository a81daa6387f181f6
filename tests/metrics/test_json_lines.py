"""Pipelines of JSON Lines."""

import json
import shlex
import signal
import subprocess
import sys
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

import pytest

from tercet.metrics import Scores, json_lines, score
from tercet.metrics.__main__ import main
from tests.metrics.outside.programs import program
from tests.support.folders import ROOT

LINES = (
    '{"id": 7, "candidate": "a dog runs", "references": ["a dog", "dogs run"]}',
    "",
    '{"id": "b", "caption": "cats", "captions": ["Two cats!"], "image": "c.jpg"}',
)
COMMAND = [sys.executable, "-m", "tercet", "score", "--jsonl"]


def run(lines: Sequence[str], *options: str, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr("sys.stdin", StringIO("\n".join(lines)))
    return main(["--jsonl", *options])


def test_each_line_is_scored_in_order(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(LINES, "--metrics", "ROUGE-L,METEOR", monkeypatch=monkeypatch) == 0

    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    alone = score(
        references=[["a dog", "dogs run"]], candidates=["a dog runs"], metrics="METEOR"
    )
    assert (first["id"], second["id"]) == (7, "b")
    assert first["scores"]["METEOR"] == alone.corpus["METEOR"]
    assert list(second["scores"]) == ["ROUGE-L", "METEOR"]


def test_document_frequencies_are_counted_in_all_lines(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(LINES, "--metrics", "CIDEr-D", monkeypatch=monkeypatch) == 0

    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    together = score(
        references=[["a dog", "dogs run"], ["Two cats!"]],
        candidates=["a dog runs", "cats"],
        metrics="CIDEr-D",
    )
    scores = [line["scores"]["CIDEr-D"] for line in found]
    assert scores == together.captions["CIDEr-D"].tolist()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": 7,', "line 4: is not valid JSON ("),
        ("[1]", "line 4: is not an object ('[1]'). Write {"),
        ('{"candidate": "x"}', "line 4, column id: is missing"),
        ('{"id": true}', "column id: is neither a text nor a whole number ('true')"),
        (LINES[0], "line 4, column id: repeats line 1 ('7'). Give each item an id"),
        ('{"id": 1}', "column candidate: is missing. Add candidate or caption or"),
        ('{"id": 1, "caption": 3}', "column caption: is not a text ('3')"),
        ('{"id": 1, "caption": "a"}', "column references: is missing"),
        (
            '{"id": 1, "caption": "a", "references": []}',
            "column references: is not a list of one or more texts ('[]')",
        ),
    ],
)
def test_a_broken_line_is_named_after_those_before_it(
    line: str,
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines = [*LINES, line]

    assert run(lines, "--metrics", "ROUGE-L", monkeypatch=monkeypatch) == 2

    output, error = capsys.readouterr()
    assert len(output.splitlines()) == 2
    assert "standard input, " in error
    assert message in error


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--jsonl", "--counts", "1"], "--jsonl takes no --counts: leave it out"),
        (["--candidates", "-"], "captions need --references"),
        (["--predictions", "p"], "--predictions need --references"),
        (
            ["--predictions", "-", "--references", "-", "--out", "-"],
            "only one can be standard input",
        ),
    ],
)
def test_options_that_do_not_belong_together_are_refused(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2

    assert message in capsys.readouterr().err


def test_an_item_is_answered_before_the_next_comes_and_ctrl_c_ends_it() -> None:
    with subprocess.Popen(
        # A shell makes what it starts in the background ignore Ctrl+C, and so perhaps these tests.
        ["env", "--default-signal=INT", *COMMAND, "--metrics", "ROUGE-L"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(f"{LINES[0]}\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == 7

        process.send_signal(signal.SIGINT)
        _output, error = process.communicate()

    assert process.returncode == 130
    assert error == "Stopped.\n"


def test_lines_that_are_there_are_scored_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    scored = json_lines._scored

    def counted(read: Sequence[json_lines.Item], score: json_lines.Score) -> Scores:
        sizes.append(len(read))
        return scored(read, score)

    monkeypatch.setattr(json_lines, "_scored", counted)
    lines = [
        json.dumps({"id": n, "candidate": "a dog", "references": ["a dog"]})
        for n in range(600)
    ]
    file = tmp_path / "items.jsonl"
    file.write_text("\n".join(lines) + "\n")
    out = tmp_path / "scores.jsonl"
    given = ["--jsonl", str(file), "--metrics", "BLEU-1", "--out", str(out)]

    assert main(given) == 0
    assert sizes == [256, 256, 88]
    assert len(out.read_text().splitlines()) == 600


def test_lines_before_one_that_cannot_be_read_are_scored(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    given = [*LINES, "no JSON"]
    assert run(given, "--metrics", "ROUGE-L", monkeypatch=monkeypatch) == 2
    output, error = capsys.readouterr()
    assert len(output.splitlines()) == 2
    assert "line 4" in error


def test_a_closed_pipe_ends_it_without_a_word() -> None:
    with subprocess.Popen(
        [*COMMAND, "--metrics", "ROUGE-L"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        process.stdout.close()
        _output, error = process.communicate("\n".join(LINES))

    assert process.returncode == 141
    assert error == ""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of its own for kept scores."""
    monkeypatch.setenv("TERCET_CACHE", str(tmp_path / "cache"))


FAILING = (
    "def answer(asked, own=answer):\n"
    "    return 'Loading' if asked['items'][0]['candidate'] == 'cats' else own(asked)"
)


@pytest.mark.usefixtures("cache")
def test_a_program_that_fails_ends_it_with_a_status_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = shlex.join(program(tmp_path, FAILING))
    given = ("--metrics", "ROUGE-L", "--metric-command", words)

    assert run(LINES, *given, monkeypatch=monkeypatch) == 3
    output, error = capsys.readouterr()
    [line] = map(json.loads, output.splitlines())
    assert list(line["scores"]) == ["ROUGE-L", "overlap"]
    assert "metric overlap: candidate 'cats', reference 'Two cats!'" in error

    program(tmp_path)
    assert run(LINES, *given, monkeypatch=monkeypatch) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize(("changes", "status"), [("", 0), (FAILING, 3)])
def test_a_program_scores_what_capevalkit_reads(
    changes: str, status: int, tmp_path: Path
) -> None:
    items = [json.loads(line) for line in LINES if line]
    rows: dict[str, list[str]] = {"predictions": [], "references": []}
    for item in items:
        caption = item.get("candidate") or item["caption"]
        captions = item.get("references") or item["captions"]
        rows["predictions"].append(json.dumps({"id": item["id"], "caption": caption}))
        rows["references"].append(json.dumps({"id": item["id"], "captions": captions}))
    given = []
    for name, lines in rows.items():
        file = tmp_path / f"{name}.jsonl"
        file.write_text("\n".join(lines))
        given += [f"--{name}", str(file)]

    words = shlex.join(program(tmp_path, changes))
    output = tmp_path / "scores.json"
    named = ("--metrics", "ROUGE-L", "--metric-command", words)
    assert main([*given, "--output", str(output), *named]) == status
    assert output.exists() == (status == 0)
    if status == 0:
        made = json.loads(output.read_text())
        assert made["overlap"]["per_item"] == {"7": pytest.approx(1 / 3), "b": 0.0}
