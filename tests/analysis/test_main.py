import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from tercet.analysis import load
from tercet.analysis.__main__ import add_options, image_formats, main, options_from
from tercet.analysis.report import folder as report_folder
from tercet.analysis.scoring.options import Options
from tercet.analysis.scoring.presets import PRESETS
from tests.support.drawing import draw_nothing
from tests.support.folders import (
    REFERENCES,
    ROOT,
    VOTE_COLUMNS,
    contents,
    dataset_folder,
    three_votes,
    write_csv,
)
from tests.support.quick import draw_as_usual

FAST = (
    *("--draws", "2", "--resamples", "20", "--flips", "19", "--metrics", "BLEU-1"),
    *("--only", "accuracy,table"),
)


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
    draw_nothing(monkeypatch)
    return Desk(tmp_path)


Captured = pytest.CaptureFixture[str]


def test_the_report_is_written_and_summed_up(desk: Desk, capsys: Captured) -> None:
    assert desk.run() == 0

    told = capsys.readouterr()
    assert told.out.startswith("Winners of 4 pairs: B 4.")
    assert told.out.endswith(f"The report is in {desk.out}: open index.html.\n")

    assert told.err == ""
    assert (desk.out / "accuracy.csv").is_file()


def test_a_zip_is_reported_as_its_folder_is(desk: Desk) -> None:
    assert desk.run() == 0

    from_folder = (desk.out / "accuracy.csv").read_bytes()

    desk.folder = Path(shutil.make_archive(str(desk.folder), "zip", desk.folder))
    assert desk.run() == 0
    assert (desk.out / "accuracy.csv").read_bytes() == from_folder


def test_a_single_file_that_has_nothing_to_judge_is_named(
    desk: Desk, capsys: Captured
) -> None:
    desk.folder = desk.folder / "references.csv"
    assert desk.run() == 2

    told = capsys.readouterr().err
    assert str(desk.folder) in told
    assert "references.csv: has nothing to judge" in told


def test_the_same_command_gives_the_same_bytes_in_every_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In another process, whose hashes are others, and in this one."""
    draw_as_usual(monkeypatch)
    here = Desk(tmp_path)

    assert here.run() == 0

    out = tmp_path / "other"
    done = subprocess.run(
        [
            sys.executable,
            "-W",
            "error",
            "-m",
            "analysis",
            here.folder,
            *FAST,
            "--out",
            out,
        ],
        cwd=ROOT,
        env=os.environ | {"PYTHONHASHSEED": "1"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert f"The report is in {out}: open index.html." in done.stdout

    one, other = contents(here.out), contents(out)
    assert len(one) > 10
    assert one == other


def test_a_faulty_folder_is_told_line_by_line(desk: Desk, capsys: Captured) -> None:
    rows = [("p1", 9, "", "D")]
    write_csv(
        desk.folder / "votes.csv", ("pair", "reference", "annotator", "choice"), rows
    )

    assert desk.run() == 2

    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.splitlines()[0] == f"The dataset in {desk.folder} cannot be used:"

    assert told.err.splitlines()[1].startswith("votes.csv, line 2, column reference: ")
    assert told.err.splitlines()[2].startswith("votes.csv, line 2, column choice: ")
    assert not desk.out.exists()


def test_another_encoding_is_read_and_named(desk: Desk, capsys: Captured) -> None:
    votes = "pair,reference,annotator,choice\np1,1,René,B\np1,1,René,B\n".encode(
        "latin-1"
    )
    (desk.folder / "votes.csv").write_bytes(votes)

    assert desk.run() == 2
    told = capsys.readouterr().err
    assert "votes.csv is not UTF-8 and is read as Windows-1252" in told
    assert "repeats line 2 ('René')" in told


def test_references_are_known_by_their_columns_under_another_name(desk: Desk) -> None:
    (desk.folder / "references.csv").rename(desk.folder / "refs.csv")
    assert desk.run() == 0


def test_a_folder_that_is_not_there_is_told(desk: Desk, capsys: Captured) -> None:
    assert main([str(desk.folder / "none"), "--out", str(desk.out)]) == 2
    assert (
        "does not exist. Name a dataset folder or a zip of one"
        in capsys.readouterr().err
    )


def test_columns_left_out_are_told(desk: Desk, capsys: Captured) -> None:
    rows = [("p1", 1, "", "B", "x")]
    write_csv(
        desk.folder / "votes.csv",
        ("pair", "reference", "annotator", "choice", "mood"),
        rows,
    )

    assert desk.run() == 0
    assert capsys.readouterr().err == ("Note: votes.csv: column 'mood' is not used.\n")


def test_findings_that_are_asked_for_are_told(desk: Desk, capsys: Captured) -> None:
    assert desk.run("--only", "systems,protocols") == 0

    told = capsys.readouterr().out
    assert "\nTriplet against pairwise: " in told
    assert told.splitlines()[-1].startswith("The report is in ")


def test_what_has_to_be_known_is_told_before_the_answer(
    desk: Desk, capsys: Captured
) -> None:
    references = [*REFERENCES, ("dog", "dog outside")]
    write_csv(desk.folder / "references.csv", ("image", "caption"), references)

    assert desk.run("--only", "answer", "--metrics", "BLEU-1,BLEU-2") == 0

    told = capsys.readouterr().out
    first = "Which metric agrees with people more often?: In 1 of 4 pairs (25.0 %), a candidate is"

    assert re.search(rf"^{re.escape(first)} .* agree", told, re.MULTILINE)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--metrics", "SPICE"],
            "unknown metric SPICE. Tercet does not compute SPICE;",
        ),
        (
            ["--counts", "4-9"],
            "Not every category has pairs with 4 references: begin at 3",
        ),
        (["--draws", "0"], "draws must be a whole number from 1"),
        (["--resamples", "0"], "resamples must be a whole number from 1"),
        (["--seed", "-1"], "seed must be a whole number from 0"),
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


def test_without_votes_there_is_nothing_to_evaluate(
    desk: Desk, capsys: Captured
) -> None:
    (desk.folder / "votes.csv").unlink()
    assert desk.run() == 2
    assert capsys.readouterr().err.startswith("No pair has a winner yet")
    assert not desk.out.exists()


def test_a_folder_with_anything_else_is_not_written_over(
    desk: Desk, capsys: Captured
) -> None:
    assert main([str(desk.folder), "--out", str(desk.folder), *FAST]) == 2
    assert "holds something else than a report" in capsys.readouterr().err
    assert (desk.folder / "votes.csv").is_file()


def test_a_disk_that_refuses_is_told(desk: Desk, capsys: Captured) -> None:
    (desk.out.parent / "file").touch()
    assert (
        main(
            [str(desk.folder), "--out", str(desk.out.parent / "file" / "report"), *FAST]
        )
        == 2
    )
    assert "file" in capsys.readouterr().err


def parsed(*arguments: str) -> Options:
    parser = argparse.ArgumentParser()
    add_options(parser)
    return options_from(vars(parser.parse_args(["--out", "report", *arguments])))


def test_without_wishes_the_options_are_the_defaults() -> None:
    assert parsed() == Options()


CHOSEN = Options(
    metrics=("CIDEr", "BLEU-4"),
    counts=(1, 2, 3, 9),
    draws=7,
    order="file",
    seed=3,
    human_ties="drop",
    metric_ties="coin",
    documents="k",
    tokenizer="plain",
    winners="decisions",
    margin=0.5,
    exclude_identical=True,
    exclude_rated=True,
    exclude_equal_candidates=True,
    headline=("CIDEr",),
    rank_by=("CIDEr", "METEOR"),
    systems_from=("HM",),
    table_adds=("intervals", "pairs"),
    resamples=55,
    flips=77,
    combine=("half = 0.5 CIDEr", "both = 1 CIDEr + 1 METEOR"),
    models=("one.json", "other.json"),
    learn=True,
    folds="captions",
    coefficient="Pearson",
)
"""No option as it is by default."""
WRITTEN = """
    --metrics CIDEr,BLEU-4 --counts 1-3,9 --draws 7 --order file --seed 3
    --human-ties drop --metric-ties coin --documents k --tokenizer plain
    --winners decisions --margin 0.5 --exclude-identical --exclude-rated --exclude-equal-candidates
    --headline CIDEr --rank-by CIDEr,METEOR --systems-from HM
    --table-adds intervals,pairs
    --resamples 55 --flips 77 --learn --model one.json --model other.json
    --combine 'half = 0.5 CIDEr' --combine 'both = 1 CIDEr + 1 METEOR'
    --folds captions --coefficient Pearson
"""


def test_every_option_can_be_given_on_the_command_line() -> None:
    assert parsed(*shlex.split(WRITTEN)) == CHOSEN

    defaults = asdict(Options())
    assert all(value != defaults[name] for name, value in asdict(CHOSEN).items())


def test_a_preset_counts_as_published_work_did_but_for_what_is_said() -> None:
    found = parsed("--as", "clipscore2021", "--draws", "3")
    assert (found.counts, found.human_ties, found.metric_ties) == ((5,), "coin", "coin")
    assert found.draws == 3
    assert parsed("--preset", "tercet") == Options()


def test_every_preset_is_of_sound_options() -> None:
    for name in PRESETS:
        assert parsed("--preset", name)


def test_a_finding_that_does_not_exist_is_named(desk: Desk, capsys: Captured) -> None:
    with pytest.raises(SystemExit):
        desk.run("--only", "systems,nothing")
    assert "There is no finding 'nothing'" in capsys.readouterr().err


def test_only_the_findings_asked_for_are_written(desk: Desk) -> None:
    assert desk.run("--only", "people") == 0

    names = {path.name for path in desk.out.glob("*.csv")}
    assert {"people.csv", "winners.csv"} <= names
    assert "accuracy.csv" not in names


def test_a_report_is_made_again_from_its_json(desk: Desk) -> None:
    assert desk.run("--seed", "5", "--counts", "1,2") == 0

    again = desk.out.parent / "again"
    assert main(["--again", str(desk.out / "report.json"), "--out", str(again)]) == 0
    for path in desk.out.glob("*.*"):
        assert path.read_bytes() == (again / path.name).read_bytes()


def test_pairs_from_ratings_are_judged_and_judged_again(
    desk: Desk, capsys: Captured
) -> None:
    (desk.folder / "votes.csv").unlink()
    ratings = [("dog", "a dog runs", "5"), ("dog", "a hound", "1"), ("cat", "cat", "2")]
    write_csv(desk.folder / "ratings.csv", ("image", "caption", "rating"), ratings)
    options = ("--pairs-from-ratings", "0", "--only", "accuracy")
    assert desk.run(*options) == 0
    assert "1 pairs" in capsys.readouterr().out

    again = desk.out.parent / "again"
    assert main(["--again", str(desk.out / "report.json"), "--out", str(again)]) == 0
    for name in ("accuracy.csv", "report.json"):
        assert (desk.out / name).read_bytes() == (again / name).read_bytes()


def test_a_dataset_that_changed_is_not_evaluated_again(
    desk: Desk, capsys: Captured
) -> None:
    assert desk.run() == 0

    votes = [vote for vote in three_votes() if vote[0] != "p2"]
    write_csv(desk.folder / "votes.csv", VOTE_COLUMNS, votes)
    again = desk.out.parent / "again"

    assert main(["--again", str(desk.out / "report.json"), "--out", str(again)]) == 2
    assert "has changed since the report was made" in capsys.readouterr().err
    assert not again.exists()


def test_other_names_of_systems_are_another_dataset(
    desk: Desk, capsys: Captured
) -> None:
    """Findings compare systems by these names."""
    assert desk.run() == 0

    pairs = desk.folder / "pairs.csv"
    header, *lines = pairs.read_text(encoding="utf-8").splitlines()
    named = [f"{header},source_b", *(f"{line},robot" for line in lines)]
    pairs.write_text("\n".join(named), encoding="utf-8")

    again = desk.out.parent / "again"
    assert main(["--again", str(desk.out / "report.json"), "--out", str(again)]) == 2
    assert "has changed since the report was made" in capsys.readouterr().err


def test_a_report_with_a_digest_of_the_first_version_is_made_again(desk: Desk) -> None:
    assert desk.run() == 0

    path = desk.out / "report.json"
    text = path.read_text(encoding="utf-8")
    described = json.loads(text)
    del described["digest"]
    described["sha256"] = load(desk.folder).digest(version=1)
    path.write_text(json.dumps(described), encoding="utf-8")

    again = desk.out.parent / "again"
    assert main(["--again", str(path), "--out", str(again)]) == 0
    assert "(digest 3)" in (again / "signature.txt").read_text(encoding="utf-8")


def test_without_a_folder_one_is_asked_for(tmp_path: Path, capsys: Captured) -> None:
    report = str(tmp_path / "report")
    assert main(["--out", report]) == 2
    assert capsys.readouterr().err == "Name the dataset folder.\n"


def test_scores_of_another_file_stand_beside_the_metrics(desk: Desk) -> None:
    scores = desk.out.parent / "mine.csv"
    rows = [("MINE", f"p{number}", "1", "0") for number in (1, 2, 3, 4)]
    write_csv(scores, ("metric", "pair", "score_b", "score_c"), rows)

    assert desk.run("--scores", str(scores), "--metrics", "BLEU-1,MINE") == 0

    accuracy = desk.out / "accuracy.csv"
    assert "MINE,HC,1,1,1.0," in accuracy.read_text(encoding="utf-8")


def test_a_fault_in_scores_is_told_with_its_line(desk: Desk, capsys: Captured) -> None:
    scores = desk.out.parent / "mine.csv"
    rows = [("MINE", "p1", "1", "much")]
    write_csv(scores, ("metric", "pair", "score_b", "score_c"), rows)

    assert desk.run("--scores", str(scores)) == 2
    assert "mine.csv, line 2, column score_c" in capsys.readouterr().err


def test_the_other_protocol_is_compared_with(desk: Desk) -> None:
    votes = [(pair, "", *vote) for pair, _, *vote in three_votes(references=(1,))]
    folder = desk.out.parent / "other"
    other = dataset_folder(folder, votes=votes)

    assert desk.run("--against", str(other), "--only", "protocols") == 0
    assert (desk.out / "protocols.csv").is_file()


def test_stopping_it_writes_nothing(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    def interrupt(*_: object) -> bytes:
        raise KeyboardInterrupt

    monkeypatch.setattr(report_folder, "render", interrupt)
    assert desk.run() == 130
    assert capsys.readouterr().err == "Stopped: nothing was written.\n"
    assert not desk.out.exists()


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "null",
        "no json",
        '{"folder": "pets"}',
        '{"sha256": 5, "options": {}, "findings": []}',
        '{"sha256": "5", "options": {"bogus": 1}, "findings": []}',
        '{"sha256": "5", "options": {"draws": "many"}, "findings": []}',
        '{"sha256": "5", "options": {"counts": 5}, "findings": []}',
        '{"sha256": "5", "options": {}, "findings": [{"name": "bogus"}]}',
    ],
)
def test_another_json_is_no_report_to_make_again(
    desk: Desk, capsys: Captured, text: str
) -> None:
    path = desk.out.parent / "other.json"
    path.write_text(text, encoding="utf-8")

    assert main(["--again", str(path), "--out", str(desk.out)]) == 2
    assert "is not the report.json of a report" in capsys.readouterr().err
    assert not desk.out.exists()


def test_a_finding_that_could_not_be_made_is_told_with_a_status_of_its_own(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    def fail(*_: object) -> bytes:
        raise ZeroDivisionError("nothing to draw")

    monkeypatch.setattr(report_folder, "render", fail)
    assert desk.run() == 1

    lines = capsys.readouterr().err.splitlines()
    assert lines[-1] == (
        "The finding accuracy could not be made: ZeroDivisionError: nothing to draw"
    )
    assert (desk.out / "table.csv").is_file()


def test_formats_of_plots_are_named_and_no_others() -> None:
    assert image_formats("pdf, png") == ("png", "pdf")
    assert image_formats("") == ()
    with pytest.raises(
        ValueError, match="'gif' is not a format of plots: png, svg, pdf"
    ):
        image_formats("gif")
