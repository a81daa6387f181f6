"""The scores of pairs that an evaluation keeps, and their explanation."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tercet.analysis import Options, evaluate, write_report
from tercet.analysis.dataset.folder import load
from tercet.analysis.evaluation.pair_scores import SCORES, PairScores, write_pair_scores
from tercet.analysis.evaluation.results import Results
from tercet.metrics import score
from tests.support.folders import PAIRS, REFERENCES, dataset_folder, three_votes

METRICS = ("CIDEr-D", "ROUGE-1", "BLEU-2", "length", "random")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = dataset_folder(tmp_path_factory.mktemp("voted"), votes=three_votes())
    return evaluate(
        load(folder), Options(metrics=METRICS, draws=2, resamples=50, flips=19)
    )


@pytest.fixture
def kept(results: Results, tmp_path: Path) -> PairScores:
    write_pair_scores(results, tmp_path)
    scores = PairScores.read(tmp_path)
    assert scores is not None

    return scores


def captions_of(image: str) -> list[str]:
    return [caption for name, caption in REFERENCES if name == image]


def expected(metric: str) -> Iterator[tuple[str, float, float]]:
    """Each pair with its scores as the library gives them for the whole dataset."""
    images = ["dog", "cat"]
    scores = score(
        references=[captions_of(image) for image in images],
        candidates=[caption for pair in PAIRS for caption in pair[2:4]],
        images=[images.index(pair[1]) for pair in PAIRS for _ in range(2)],
        metrics=metric,
    ).captions[metric]

    for number, pair in enumerate(PAIRS):
        yield pair[0], float(scores[2 * number]), float(scores[2 * number + 1])


@pytest.mark.parametrize("metric", ["CIDEr-D", "ROUGE-1", "BLEU-2", "length"])
def test_scores_are_those_with_all_references(kept: PairScores, metric: str) -> None:
    for pair, b, c in expected(metric):
        (found,) = (each for each in kept.of(pair) if each.metric == metric)
        assert (found.b, found.c) == pytest.approx((b, c), abs=1e-12)
        assert found.preferred == ("B" if b > c else "C" if c > b else "tie")


@pytest.mark.parametrize("metric", ["CIDEr-D", "ROUGE-1", "length"])
def test_the_explanation_adds_up_to_the_kept_difference(
    kept: PairScores, metric: str
) -> None:
    for name, image, b, c, _ in PAIRS:
        why = kept.explain(captions_of(image), b, c, metric)
        (found,) = (each for each in kept.of(name) if each.metric == metric)
        assert why.total == pytest.approx(found.b - found.c, abs=1e-12)


def test_chance_is_neither_scored_nor_explained(kept: PairScores) -> None:
    assert kept.explainable == ["CIDEr-D", "ROUGE-1", "BLEU-2", "length"]


def test_metrics_from_outside_are_neither_looked_for_nor_run(
    kept: PairScores, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["embed", "no longer installed", "CIDEr-D"]
    monkeypatch.setattr("tercet.metrics.registry.by_name", None)
    monkeypatch.setattr("tercet.lab.embedding.metrics.find", None)
    assert replace(kept, metrics=names).explainable == ["CIDEr-D"]


def test_a_pair_that_was_not_scored_has_no_scores(kept: PairScores) -> None:
    assert kept.of("p99") == []


def test_a_folder_without_scores_or_with_damaged_ones_has_none(
    kept: PairScores, tmp_path: Path
) -> None:
    assert PairScores.read(tmp_path / "elsewhere") is None

    (tmp_path / SCORES).write_bytes(b"no scores")
    assert PairScores.read(tmp_path) is None


def test_a_report_with_scores_beside_it_can_be_replaced(
    results: Results, tmp_path: Path
) -> None:
    folder = tmp_path / "report"
    for _ in range(2):
        write_report(results, folder, names=["table"])
        write_pair_scores(results, folder)

    assert PairScores.read(folder) is not None
