"""The board compares systems, the human row and baselines."""

import numpy as np
import pandas as pd
import pytest

from tercet import metrics
from tercet.analysis.leaderboard.baselines import most_frequent_caption, random_captions
from tercet.analysis.leaderboard.board import Board, leaderboard
from tercet.analysis.leaderboard.people import WinFraction
from tercet.analysis.leaderboard.rules import Rules
from tercet.analysis.leaderboard.scores import SystemScores
from tercet.analysis.leaderboard.scoring import score_held_out, score_system

PEOPLE = {
    "good": WinFraction(40, 20, 0.8, 0.7, 0.9),
    "bad": WinFraction(40, 20, 0.2, 0.1, 0.3),
    "human": WinFraction(20, 20, 0.9, 0.8, 1.0),
}


@pytest.fixture(scope="session")
def board(
    rules: Rules, systems: dict[str, SystemScores], references: list[list[str]]
) -> Board:
    captions = random_captions(references, rules.generator(9))
    baselines = {"random caption": score_system(references, captions, rules)}
    human = score_held_out(references, rules)

    return leaderboard(rules, systems, human, baselines, PEOPLE)


def test_rows_are_sorted_by_any_column(board: Board) -> None:
    for metric in board.rules.names:
        rows = board.sorted_rows(metric, 5)
        figures = [row.cells[5][metric].figure for row in rows]

        assert figures == sorted(figures, reverse=True)
        assert len(rows) == 5


def test_rows_are_sorted_by_people(board: Board) -> None:
    assert [row.name for row in board.sorted_by_people(3)][:3] == [
        "human",
        "good",
        "bad",
    ]


def test_systems_have_ranks_and_letters(board: Board) -> None:
    cells = {row.name: row.cells[5]["CIDEr-D"] for row in board.rows}
    assert {cells["good"].rank, cells["similar"].rank} == {1, 2}
    assert cells["good"].letters == cells["similar"].letters == "a"

    assert (cells["bad"].rank, cells["bad"].letters) == (3, "b")
    assert (cells["human"].rank, cells["human"].letters) == (None, "")


def test_equal_systems_share_a_rank_and_a_letter(
    rules: Rules, systems: dict[str, SystemScores]
) -> None:
    good = systems["good"]
    board = leaderboard(rules, {"one": good, "two": good, "bad": systems["bad"]})
    cells = [row.cells[3]["BLEU-4"] for row in board.rows]

    assert [cell.rank for cell in cells] == [1, 1, 3]
    assert cells[0].letters == cells[1].letters != cells[2].letters


def test_intervals_hold_the_figures(board: Board) -> None:
    for row in board.rows:
        for cells in row.cells.values():
            assert all(cell.low <= cell.figure <= cell.high for cell in cells.values())


def test_an_interval_is_that_of_a_bootstrap_of_the_images(
    rules: Rules, references: list[list[str]]
) -> None:
    """BLEU of resampled images is scored anew, caption by caption."""
    captions = [each[0].replace("today", "now") for each in references]
    rules = Rules(("BLEU-4", "METEOR"), (None,), seed=1)
    scores = score_system(references, captions, rules).by_count[None]
    drawn = rules.generator(0).integers(0, len(references), len(references))

    resampled = metrics.score(
        references=[references[image] for image in drawn],
        candidates=[captions[image] for image in drawn],
        metrics=rules.names,
    )

    for name, figure in scores.figures(scores.resampled).items():
        if name in rules.names:
            assert figure[0] == pytest.approx(resampled.corpus[name], rel=1e-12)


def test_the_human_row_says_how_many_references_scored_it(board: Board) -> None:
    row = next(row for row in board.rows if row.name == "human")
    assert row.used == {3: 3, 5: 4}
    assert row.people == PEOPLE["human"]


def test_too_few_systems_have_no_correlation_but_a_reason(board: Board) -> None:
    pearson, spearman = board.column("CIDEr-D", 5).correlations
    assert (pearson.systems, pearson.value, spearman.value) == (2, None, None)
    assert str(pearson.reason) == "Systems with a value: 2; a correlation needs 4."


def test_without_people_there_are_no_correlations(
    rules: Rules, systems: dict[str, SystemScores]
) -> None:
    board = leaderboard(rules, systems)
    assert not board.column("BLEU-1", 3).correlations
    with pytest.raises(KeyError):
        board.column("BLEU-1", 4)


def test_a_board_without_systems_is_empty(rules: Rules) -> None:
    board = leaderboard(rules, {})
    assert not board.rows
    assert board.sorted_rows("BLEU-1", 3) == []


def test_random_captions_are_of_other_images(references: list[list[str]]) -> None:
    drawn = random_captions(references, np.random.default_rng(0))
    everything = {caption for captions in references for caption in captions}
    again = random_captions(references, np.random.default_rng(0))

    assert drawn == again
    assert set(drawn) <= everything

    two = random_captions([["a"] * 3, ["b"] * 3], np.random.default_rng(0))
    assert two == ["b", "a"]
    with pytest.raises(ValueError, match="at least two images"):
        random_captions([["a"]], np.random.default_rng(0))


def test_the_most_frequent_caption_is_the_first_of_several() -> None:
    references = [["A dog. ", "a cat"], ["a cat", "a dog."], ["a bird"]]
    assert most_frequent_caption(references) == ["A dog. "] * 3
    assert pd.Series(most_frequent_caption([["x", "y", "y"]])).tolist() == ["y"]
