"""Votes that also say how much better a candidate is."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tercet.analysis.dataset.folder import read
from tercet.analysis.dataset.winners import pair_winners
from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.number_texts import written
from tercet.analysis.report.view import ReportView
from tercet.analysis.scoring.options import Options
from tercet.analysis.tables.schema import Dataset
from tests.analysis.frames import dataset
from tests.support.folders import dataset_folder

POINTS = {"B2": ("B", "2"), "B1": ("B", "1"), "E": ("tie", "0")}
POINTS |= {"C1": ("C", "1"), "C2": ("C", "2"), "B": ("B", ""), "C": ("C", "")}


def judged(**points: Sequence[str]) -> Dataset:
    """A dataset whose pairs have votes on the points of the scale, all on reference 1."""
    votes = [(pair, POINTS[point]) for pair, many in points.items() for point in many]
    made = dataset(votes=[[pair, "1", "", choice] for pair, (choice, _s) in votes])
    strengths = [strength for _pair, (_choice, strength) in votes]
    return replace(made, votes=made.votes.assign(strength=strengths))


def first(made: Dataset, margin: float | None = None) -> tuple[str, float]:
    """The winner of p1, and the mean strength of its votes."""
    row = pair_winners(made, margin=margin).set_index("pair").loc["p1"]
    return str(row["winner"]), float(str(row["strength"]))


@pytest.mark.parametrize(
    ("points", "majority", "mean", "at_half"),
    [
        (["B2", "B2", "B1"], "B", 5 / 3, "B"),
        (["B1", "C2", "B1"], "B", 0, "tie"),
        (["B1", "C2", "B1", "C2", "B1"], "B", -0.2, "tie"),
        (["E", "E", "B1"], "B", 1 / 3, "tie"),
        (["E", "B1"], "B", 1 / 2, "tie"),
        (["C2", "C1", "E"], "C", -1, "C"),
        (["C2", "B1"], "tie", -0.5, "tie"),
        (["C2", "B", "B"], "B", -2, "C"),
    ],
)
def test_choices_are_counted_and_strengths_are_averaged(
    points: list[str], majority: str, mean: float, at_half: str
) -> None:
    made = judged(p1=points)
    winner, strength = first(made)
    assert winner == majority
    assert strength == pytest.approx(mean)
    assert first(made, 0.5)[0] == at_half


def test_a_pair_without_strengths_keeps_the_winner_of_its_votes() -> None:
    made = judged(p1=["B", "B", "C"], p2=["E", "E", "E"])
    winner, strength = first(made, 0.5)
    assert winner == "B"
    assert np.isnan(strength)


def test_a_margin_takes_strengths() -> None:
    with pytest.raises(ValueError, match="takes votes with a strength"):
        pair_winners(judged(p1=["B", "C"]), margin=0.5)
    assert "strength" not in pair_winners(judged(p1=["B", "C"]))


@pytest.mark.parametrize("margin", [-0.1, 2, float("nan")])
def test_a_margin_is_within_the_scale(margin: float) -> None:
    with pytest.raises(ValueError, match="margin must be a number from 0 to below 2"):
        Options(margin=margin)


def test_the_report_has_the_mean_strength_of_each_category(tmp_path: Path) -> None:
    points = {"p1": ["B2"], "p2": ["E"], "p3": ["B1"], "p4": ["C1"]}
    made = judged(**points)
    results = evaluate(made, Options(metrics=("BLEU-1",), resamples=50, flips=19))
    view = ReportView.of(results, [], tmp_path)
    means = pair_winners(made).groupby("category")["strength"].mean()

    assert {each.category: each.strength.split(" [")[0] for each in view.winners} == {
        category: written(mean, ".2f") for category, mean in means.items()
    }


def test_strengths_belong_to_the_digest_where_there_are_any() -> None:
    with_strengths = judged(p1=["B2", "C1"])
    stronger = judged(p1=["B2", "C2"])
    without = judged(p1=["B", "C"])
    digests = {each.sha256 for each in (with_strengths, stronger, without)}
    assert len(digests) == 3
    assert without.sha256 == dataset(votes=without.votes.iloc[:, :4].to_numpy()).sha256


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("p1,1,Ann,B,3", "is not a known strength"),
        ("p1,1,Ann,B,-1", "is not a known strength"),
        ("p1,1,Ann,B,1.5", "is not a known strength"),
        ("p1,1,Ann,B,0", "does not go with the choice"),
        ("p1,1,Ann,tie,1", "does not go with the choice"),
    ],
)
def test_a_strength_that_says_something_else_is_refused(
    tmp_path: Path, line: str, what: str
) -> None:
    folder = dataset_folder(tmp_path)
    header = "pair,reference,annotator,choice,strength"
    (folder / "votes.csv").write_text(f"{header}\n{line}\n")
    problems = read(folder).problems
    assert problems[0].what == what
    assert (problems[0].line, problems[0].column) == (2, "strength")
    assert problems[0].remedy
