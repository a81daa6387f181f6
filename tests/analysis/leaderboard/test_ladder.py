"""A new best is shown only where it is better by more than noise."""

from tercet.analysis.leaderboard.ladder import is_better, shown_bests
from tercet.analysis.leaderboard.scores import SystemScores
from tests.analysis.leaderboard.conftest import System


def test_a_clearly_better_submission_is_shown(systems: dict[str, SystemScores]) -> None:
    names = ("bad", "good", "bad")
    columns = [systems[name].by_count[5] for name in names]
    assert shown_bests(columns, "CIDEr-D") == [0, 1, 1]


def test_the_same_again_is_not_better(systems: dict[str, SystemScores]) -> None:
    column = systems["good"].by_count[5]
    assert not is_better(column, column, "BLEU-4")
    assert shown_bests([column] * 3, "BLEU-4") == [0, 0, 0]


def test_many_like_submissions_move_the_best_seldom(system: System) -> None:
    columns = [system(0.5, seed).by_count[5] for seed in range(12)]
    figures = [float(each.figures(each.sums)["METEOR"]) for each in columns]
    without_ladder = sum(
        figure > max(figures[:at]) for at, figure in enumerate(figures) if at
    )

    shown = shown_bests(columns, "METEOR")
    assert len(set(shown)) - 1 <= without_ladder
    assert figures[shown[-1]] <= max(figures)


def test_nothing_submitted_shows_nothing() -> None:
    assert shown_bests([], "METEOR") == []
