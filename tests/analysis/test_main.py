import argparse
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from analysis import report
from analysis.__main__ import add_options, counts, main, options_from, words
from analysis.options import Options
from tests.folders import ROOT, dataset_folder, three_votes, write_csv

FAST = ("--draws", "2", "--resamples", "20", "--metrics", "BLEU-1")


class Desk:
    """A dataset folder, and the command that evaluates it."""

    def __init__(self, place: Path) -> None:
        self.folder = dataset_folder(place / "pets", votes=three_votes())
        self.out = place / "report"

    def run(self, *more: str) -> int:
        return main([str(self.folder), "--out", str(self.out), *FAST, *more])


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """Plots take long, and are tested elsewhere."""
    monkeypatch.setattr(report, "accuracy_figure", lambda table, signature: signature)
    monkeypatch.setattr(report, "render", lambda figure, kind: f"{kind} of {figure}".encode())
    return Desk(tmp_path)


Captured = pytest.CaptureFixture[str]


def test_the_report_is_written_and_summed_up(desk: Desk, capsys: Captured) -> None:
    assert desk.run() == 0
    told = capsys.readouterr()
    assert told.out.startswith("Winners of 4 pairs: B 4.")
    assert told.out.endswith(f"The report is in {desk.out}.\n")
    assert told.err == ""
    assert (desk.out / "accuracy.csv").is_file()


def test_the_same_command_gives_the_same_bytes_in_every_process(desk: Desk) -> None:
    command = [sys.executable, "-W", "error", "-m", "analysis", str(desk.folder), *FAST]
    folders = [desk.out / seed for seed in ("1", "2")]
    for folder in folders:
        done = subprocess.run(
            [*command, "--out", str(folder)],
            cwd=ROOT,
            env=os.environ | {"PYTHONHASHSEED": folder.name},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert f"The report is in {folder}." in done.stdout
    one, other = ({p.name: p.read_bytes() for p in folder.iterdir()} for folder in folders)
    assert len(one) == 7
    assert one == other


def test_a_faulty_folder_is_told_line_by_line(desk: Desk, capsys: Captured) -> None:
    write_csv(
        desk.folder / "votes.csv",
        ("pair", "reference", "annotator", "choice"),
        [("p1", 9, "", "D")],
    )
    assert desk.run() == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.splitlines()[0] == f"The dataset in {desk.folder} cannot be used:"
    assert told.err.splitlines()[1].startswith("votes.csv, line 2, column reference: ")
    assert told.err.splitlines()[2].startswith("votes.csv, line 2, column choice: ")
    assert not desk.out.exists()


def test_bytes_that_are_no_text_can_be_told_of(desk: Desk, capsys: Captured) -> None:
    votes = "pair,reference,annotator,choice\np1,1,René,B\np1,1,René,B\n".encode("latin-1")
    (desk.folder / "votes.csv").write_bytes(votes)
    assert desk.run() == 2
    assert r"Ren\\udce9" in capsys.readouterr().err


def test_a_folder_that_is_not_there_is_told(desk: Desk, capsys: Captured) -> None:
    assert main([str(desk.folder / "none"), "--out", str(desk.out)]) == 2
    assert "is not a folder. Name a dataset folder" in capsys.readouterr().err


def test_columns_left_out_are_told(desk: Desk, capsys: Captured) -> None:
    write_csv(
        desk.folder / "votes.csv",
        ("pair", "reference", "annotator", "choice", "mood"),
        [("p1", 1, "", "B", "x")],
    )
    assert desk.run() == 0
    assert capsys.readouterr().err == (
        "Note: votes.csv: column 'mood' is not known and was left out.\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--metrics", "SPICE"], "unknown metric SPICE: there are BLEU-1"),
        (["--counts", "4-9"], "Not every category has pairs with 4 references: begin at 3"),
        (["--draws", "0"], "draws must be at least 1."),
        (["--resamples", "0"], "resamples must be at least 1."),
        (["--seed", "-1"], "seed must be at least 0."),
    ],
)
def test_a_wish_that_cannot_be_met_is_told_in_a_sentence(
    desk: Desk, capsys: Captured, arguments: list[str], message: str
) -> None:
    assert desk.run(*arguments) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith(message)
    assert told.err.count("\n") == 1
    assert not desk.out.exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["--counts", "0"],
        ["--counts", "3-1"],
        ["--counts", "1-"],
        ["--counts", "many"],
        ["--counts", "1-1000000000"],
        ["--draws", "few"],
        ["--human-ties", "wrong"],
        ["--order", "first"],
    ],
)
def test_an_option_that_makes_no_sense_is_named(
    desk: Desk, capsys: Captured, arguments: list[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        desk.run(*arguments)
    assert end.value.code == 2
    assert f"argument {arguments[0]}: " in capsys.readouterr().err


def test_without_votes_there_is_nothing_to_evaluate(desk: Desk, capsys: Captured) -> None:
    (desk.folder / "votes.csv").unlink()
    assert desk.run() == 2
    assert capsys.readouterr().err.startswith("No pair has a winner yet")
    assert not desk.out.exists()


def test_a_folder_with_anything_else_is_not_written_over(desk: Desk, capsys: Captured) -> None:
    assert main([str(desk.folder), "--out", str(desk.folder), *FAST]) == 2
    assert "holds something else than a report" in capsys.readouterr().err
    assert (desk.folder / "votes.csv").is_file()


def test_a_disk_that_refuses_is_told(desk: Desk, capsys: Captured) -> None:
    (desk.out.parent / "file").touch()
    assert main([str(desk.folder), "--out", str(desk.out.parent / "file" / "report"), *FAST]) == 2
    assert "file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1-4", (1, 2, 3, 4)),
        ("1, 5,10-12", (1, 5, 10, 11, 12)),
        ("5,1,5,1-2", (1, 2, 5)),
        ("7", (7,)),
        ("", ()),
    ],
)
def test_counts_are_numbers_and_ranges(text: str, expected: tuple[int, ...]) -> None:
    assert counts(text) == expected


def test_names_are_separated_by_commas() -> None:
    assert words("CIDEr, BLEU-4,") == ("CIDEr", "BLEU-4")


def parsed(*arguments: str) -> Options:
    parser = argparse.ArgumentParser()
    add_options(parser)
    return options_from(vars(parser.parse_args(["--out", "report", *arguments])))


def test_without_wishes_the_options_are_the_defaults() -> None:
    assert parsed() == Options()


def test_every_option_can_be_wished_for() -> None:
    wished = Options(
        metrics=("CIDEr", "BLEU-4"),
        counts=(1, 2, 3, 9),
        draws=7,
        order="file",
        seed=3,
        human_ties="drop",
        metric_ties="coin",
        documents="k",
        tokenizer="plain",
        exclude_identical=True,
        resamples=55,
    )
    given = parsed(
        *("--metrics", "CIDEr,BLEU-4", "--counts", "1-3,9", "--draws", "7", "--order", "file"),
        *("--seed", "3", "--human-ties", "drop", "--metric-ties", "coin", "--documents", "k"),
        *("--tokenizer", "plain"),
        *("--exclude-identical", "--resamples", "55"),
    )
    assert given == wished
    assert all(asdict(wished)[name] != value for name, value in asdict(Options()).items())
