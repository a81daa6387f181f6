"""Sign flips exchange what the captions of an image add to the figures of two systems."""

import numpy as np
import pytest

from tercet import metrics
from tercet.analysis.leaderboard.groups import differences, group_letters
from tercet.analysis.leaderboard.rules import Rules
from tercet.analysis.leaderboard.scores import SystemScores
from tercet.analysis.leaderboard.scoring import SIGNS, score_system
from tercet.analysis.stats.significance import flip_signs
from tests.analysis.leaderboard.conftest import METRICS, System


def test_flips_exchange_the_captions_of_images(
    systems: dict[str, SystemScores],
) -> None:
    one, other = systems["good"].by_count[5], systems["bad"].by_count[5]
    found = differences(one, other)

    for name in METRICS:
        observed = systems["good"].figures[5][name] - systems["bad"].figures[5][name]
        assert found[name][0] == pytest.approx(observed, rel=1e-12)
        assert len(found[name]) == 1001

    # The scores of a metric whose figure is a mean are known for each caption.
    scores = one.captions["ROUGE-L"] - other.captions["ROUGE-L"]
    assert np.abs(found["ROUGE-L"][1:]).max() <= np.abs(scores).mean() + 1e-12
    assert found["ROUGE-L"][1:].std() == pytest.approx(
        np.sqrt((scores**2).sum()) / len(scores), rel=0.1
    )


def test_bleu_and_meteor_under_flips_are_those_of_exchanged_captions(
    references: list[list[str]],
) -> None:
    """The captions of some images are exchanged between two systems, and scored anew."""
    rules = Rules(("BLEU-4", "METEOR"), (None,), seed=1)
    one = [captions[0] for captions in references]
    other = [captions[-1].replace("today", "now") for captions in references]
    columns = [
        score_system(references, each, rules).by_count[None] for each in (one, other)
    ]
    found = differences(*columns)

    signs = flip_signs(1000, len(references), rules.generator(SIGNS))
    for flip in (0, 7):
        swap = signs[flip] < 0
        first = np.where(swap, other, one).tolist()
        second = np.where(swap, one, other).tolist()
        figures = [
            metrics.score(
                references=references, candidates=each, metrics=rules.names
            ).corpus
            for each in (first, second)
        ]

        for name in rules.names:
            expected = figures[0][name] - figures[1][name]
            assert found[name][1 + flip] == pytest.approx(expected, abs=1e-12)


def test_a_test_of_two_like_systems_seldom_finds_a_difference(system: System) -> None:
    like = {str(seed): system(0.5, seed).by_count[3] for seed in range(8)}
    letters = group_letters(like, METRICS)
    assert sum(set(of_metric.values()) == {"a"} for of_metric in letters.values()) >= 4


def test_only_the_best_systems_are_compared(
    systems: dict[str, SystemScores], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tercet.analysis.leaderboard.groups.MOST_COMPARED", 2)
    columns = {name: each.by_count[5] for name, each in systems.items()}
    assert set(group_letters(columns, ["CIDEr-D"])["CIDEr-D"]) == {"good", "similar"}


def test_a_single_system_has_the_first_letter(systems: dict[str, SystemScores]) -> None:
    assert group_letters({"bad": systems["bad"].by_count[5]}, ["BLEU-1"]) == {
        "BLEU-1": {"bad": "a"}
    }
