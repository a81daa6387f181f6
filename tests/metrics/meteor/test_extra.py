"""Without the extra `meteor`: the others score, and what METEOR needs is said."""

from collections.abc import Iterator
from typing import Any

import pytest

from tercet.metrics import left_out, names, registry, resolve, score
from tercet.metrics import meteor as module

CAPTIONS: dict[str, Any] = {
    "references": [["a dog runs"], ["two cats"]],
    "candidates": ["a dog", "cats"],
}


@pytest.fixture
def without_meteor(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An installation without the package that has METEOR's data."""
    monkeypatch.setattr(module, "PACKAGE", "no_such_package")
    registry._coco_metrics.cache_clear()
    yield
    registry._coco_metrics.cache_clear()


@pytest.mark.usefixtures("without_meteor")
def test_the_metrics_of_coco_are_the_six_others_and_it_is_said_once() -> None:
    with pytest.warns(
        UserWarning, match=r"METEOR is left out.*tercet\[meteor\]"
    ) as given:
        scores = [score(**CAPTIONS) for _ in range(2)]

    assert len(given) == 1
    assert resolve() == tuple(scores[0].corpus) == tuple(scores[1].corpus)
    assert "METEOR" not in scores[0].corpus
    assert len(scores[0].corpus) == 6


@pytest.mark.usefixtures("without_meteor")
def test_who_asks_for_it_reads_what_to_install_and_under_which_licences() -> None:
    with pytest.raises(
        ValueError, match=r"METEOR: .*tercet\[meteor\].*LGPL.*GPL and AGPL"
    ):
        score(**CAPTIONS, metrics="METEOR")

    assert "METEOR" not in names()
    assert any(line.startswith("Without METEOR") for line in left_out())
