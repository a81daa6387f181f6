"""Systems are scored as `metrics.score` scores them."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from tercet import metrics
from tercet.analysis.leaderboard.rules import Rules, check_rules
from tercet.analysis.leaderboard.scores import SystemScores
from tercet.analysis.leaderboard.scoring import score_held_out, score_system
from tercet.metrics.score_tables import score_tables

REFERENCES = [
    ["a dog runs over the grass", "a brown dog is running", "the dog chases a ball"],
    ["a cat sleeps on the roof", "a grey cat is asleep", "on the roof a cat dozes"],
    ["two men play chess in a park", "men at a chess board"],
    [
        "a red bus in the rain",
        "the bus stops",
        "a bus on a wet street",
        "rain and a bus",
    ],
]
CAPTIONS = [
    "a dog is running",
    "a cat on a roof",
    "two men and a board",
    "a red bus stops",
]
RULES = Rules(counts=(2, 3, None), seed=7)


@pytest.fixture(scope="module")
def scores() -> SystemScores:
    return score_system(REFERENCES, CAPTIONS, RULES)


@pytest.mark.parametrize(("count", "images"), [(2, [0, 1, 2, 3]), (3, [0, 1, 3])])
def test_a_count_scores_the_images_that_have_so_many(
    scores: SystemScores, count: int, images: list[int]
) -> None:
    expected = metrics.score(
        references=[REFERENCES[image][:count] for image in images],
        candidates=[CAPTIONS[image] for image in images],
    )

    assert scores.figures[count] == expected.corpus

    at_count = scores.by_count[count]
    assert at_count.images == len(images)
    for name, each in scores.by_count[count].captions.items():
        np.testing.assert_array_equal(each[images], expected.captions[name])
        others = np.delete(each, images)
        assert np.isnan(others).all()


def test_all_references_score_all_images(scores: SystemScores) -> None:
    expected = metrics.score(references=REFERENCES, candidates=CAPTIONS)
    assert scores.figures[None] == expected.corpus


def test_batches_change_no_figure(
    scores: SystemScores, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = partial(score_tables, comparisons=4)
    monkeypatch.setattr("tercet.analysis.leaderboard.scoring.score_tables", small)
    batches = score_system(REFERENCES, CAPTIONS, RULES)

    for count, figures in scores.figures.items():
        assert batches.figures[count] == pytest.approx(figures, rel=1e-12)


def test_sums_are_kept_of_resampled_images(scores: SystemScores) -> None:
    column = scores.by_count[2]
    for name, total in column.sums.items():
        assert column.resampled[name].shape == (1000, *total.shape)
        np.testing.assert_allclose(
            column.resampled[name].mean(axis=0), total, rtol=0.1, atol=0.2
        )
        assert (np.abs(column.flipped[name]) <= total + 1e-9).all()


def test_scores_come_back_from_their_file(scores: SystemScores, tmp_path: Path) -> None:
    path = tmp_path / "folder" / "system.npz"
    scores.save(path)
    read = SystemScores.load(path, captions=True)

    assert read.rules == scores.rules
    assert read.figures == scores.figures

    for count, each in scores.by_count.items():
        for kind in ("resampled", "flipped", "captions"):
            np.testing.assert_equal(
                getattr(read.by_count[count], kind), getattr(each, kind)
            )
    by_count = SystemScores.load(path).by_count
    assert not by_count[2].captions
    assert [file.name for file in path.parent.iterdir()] == ["system.npz"]


def test_a_damaged_file_is_refused(scores: SystemScores, tmp_path: Path) -> None:
    path = tmp_path / "system.npz"
    scores.save(path)
    content = path.read_bytes()
    path.write_bytes(content[:1000])

    with pytest.raises(ValueError, match="score the system anew"):
        SystemScores.load(path)


def test_progress_is_told() -> None:
    told: list[tuple[float, str]] = []
    rules = Rules(("ROUGE-L",), (1, None))
    score_system(
        REFERENCES, CAPTIONS, rules, lambda share, doing: told.append((share, doing))
    )

    assert told == sorted(told, key=lambda each: each[0])
    assert told[0] == (0, "Scoring with one reference")
    assert "Scoring with all references" in dict(told).values()


def test_the_human_row_is_scored_by_the_other_references() -> None:
    human = score_held_out(REFERENCES, RULES)
    expected = metrics.score(
        references=[captions[:-1] for captions in REFERENCES],
        candidates=[captions[-1] for captions in REFERENCES],
    )

    assert human.figures[None] == expected.corpus
    assert human.by_count[2].used == 1  # one image has no more than two
    assert human.by_count[3].used == 2
    assert human.by_count[3].images == 3


def test_the_human_row_keeps_the_count_where_references_are_to_spare() -> None:
    human = score_held_out(REFERENCES[:2], Rules(("ROUGE-L",), (2,)))
    assert human.by_count[2].used == 2


def test_one_reference_leaves_no_human_row() -> None:
    assert not score_held_out(
        [["a dog"], ["a cat"]], Rules(("ROUGE-L",), (1, None))
    ).by_count


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (Rules(counts=(4,)), "at least 4 references: 1. Two .* possible count is 3"),
        (Rules(metrics=("BLUE",)), "unknown metric BLUE"),
        (Rules(metrics=()), "at least one metric"),
    ],
)
def test_rules_that_cannot_be_scored_are_refused(rules: Rules, message: str) -> None:
    check_rules(REFERENCES, RULES)
    with pytest.raises(ValueError, match=message):
        check_rules(REFERENCES, rules)
    with pytest.raises(ValueError, match=message):
        score_system(REFERENCES, CAPTIONS, rules)
