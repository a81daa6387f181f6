from typing import Any

import pytest

from tercet.analysis.scoring.options import COINS, ORDERS, RESAMPLES, Options


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"human_ties": "wrong"}, "human_ties must be one of half, drop, coin."),
        (
            {"metric_ties": "none"},
            "metric_ties must be one of half, wrong, drop, coin, first.",
        ),
        ({"order": "first"}, "order must be one of random, file."),
        ({"documents": "all"}, "documents must be one of pool, k."),
        ({"draws": 0}, "draws must be a whole number from 1"),
        ({"resamples": -1}, "resamples must be a whole number from 1"),
        ({"seed": -1}, "seed must be a whole number from 0"),
        ({"counts": (1, 0)}, "A reference count must be at least 1."),
    ],
)
def test_a_wrong_option_is_named_with_what_is_allowed(
    wrong: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        Options(**wrong)


def test_every_purpose_of_chance_has_a_stream_of_its_own() -> None:
    def first(seed: int, purpose: int) -> float:
        return float(Options(seed=seed).generator(purpose).random())

    purposes = (ORDERS, RESAMPLES, COINS)
    assert len({first(seed, purpose) for seed in (0, 1) for purpose in purposes}) == 6
    assert first(3, COINS) == first(3, COINS)
