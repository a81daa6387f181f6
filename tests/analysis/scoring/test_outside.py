"""A metric from outside takes part as one that is built in, or whose scores are supplied."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tercet import metrics
from tercet.analysis import Options, Results, evaluate
from tercet.analysis.leaderboard.rules import Rules
from tercet.analysis.leaderboard.scoring import score_system
from tercet.analysis.scoring.learned import WINNER_MODEL
from tercet.analysis.tables.schema import SCORES, Dataset, shown_captions
from tercet.metrics import (
    Corpus,
    FloatArray,
    Metric,
    MetricFailed,
    Order,
    TextMetric,
    metric,
    registry,
)
from tercet.metrics.composed.learned import Layer, Model
from tests.analysis.frames import even_dataset, random_dataset
from tests.metrics.outside.own_metrics import best_overlap, covered, overlap, similarity

FEW = Options(draws=3, resamples=50, flips=19, order="file")
RAGGED = (1, 4, 2, 4, 3, 4)


def curve(own: TextMetric, candidate: str, references: list[str]) -> FloatArray:
    """Score with the first 1, 2, ... references."""
    values = np.array([own.compare(candidate, text) for text in references])
    if own.combine == "max":
        best: FloatArray = np.maximum.accumulate(values)
        return best

    means: FloatArray = np.cumsum(values) / np.arange(1, len(values) + 1)
    return means


def with_supplied(made: Dataset, own: TextMetric) -> Dataset:
    """Add the metric's scores of every caption at every count to scores.csv."""
    references = made.references.groupby("image", sort=False)["caption"].agg(list)
    rows = []
    for image, caption in shown_captions(made.pairs).drop_duplicates().to_numpy():
        known = references[image]
        scores = curve(own, caption, known)
        for count, score in enumerate(scores.tolist(), start=1):
            row = own.name, image, caption, str(count), repr(score)
            rows.append(row)

    columns = ["metric", "image", "caption", "reference_count", "score"]
    frame = pd.DataFrame(rows, columns=columns)
    columns = list(SCORES.columns)
    table = frame.reindex(columns=columns, fill_value="")
    return replace(made, scores=table)


@pytest.mark.parametrize("own", [overlap, best_overlap])
def test_functions_and_supplied_scores_have_equal_accuracies(own: TextMetric) -> None:
    made = random_dataset(5, RAGGED * 3)
    given = replace(FEW, metrics=(own,))
    named = replace(FEW, metrics=(own.name,))

    computed = evaluate(made, given)
    made = with_supplied(made, own)
    supplied = evaluate(made, named)

    pd.testing.assert_frame_equal(computed.accuracy, supplied.accuracy, atol=1e-12)


@dataclass(frozen=True)
class Built:
    """A comparison as metrics of this package make it, of the formula of `overlap`."""

    corpus: Corpus

    def accumulate(self, order: Order) -> dict[str, FloatArray]:
        captions = self.corpus.given
        values = [
            overlap.compare(captions.candidates[candidate], reference)
            for candidate, image in enumerate(captions.candidate_image)
            for reference in captions.references[image]
        ]
        table = self.corpus.by_place(np.array(values), order.places)
        means = np.cumsum(table, axis=1) / np.arange(1, table.shape[1] + 1)
        return {"built": self.corpus.where_enough(means)}


def test_in_random_orders_a_function_is_the_built_in_metric_of_the_same_formula(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    family = Metric(("built",), lambda corpus, names: Built(corpus))
    monkeypatch.setattr(registry, "METRICS", (*registry.METRICS, family))
    made = random_dataset(5, RAGGED)
    options = replace(FEW, order="random", metrics=(overlap, "built"))

    tables = dict(list(evaluate(made, options).accuracy.groupby("metric")))
    found, expected = (
        tables[name].drop(columns="metric") for name in ("overlap", "built")
    )
    pd.testing.assert_frame_equal(
        found.reset_index(drop=True), expected.reset_index(drop=True), check_exact=True
    )


@pytest.fixture(scope="module")
def learned() -> Results:
    options = replace(
        FEW,
        metrics=(overlap, similarity, "BLEU-1"),
        combine=("both = 1 overlap + 2 BLEU-1",),
        learn=True,
    )
    return evaluate(even_dataset(3, images=24, references=3), options)


def test_a_combination_and_a_learned_metric_take_it_in(learned: Results) -> None:
    tallies = learned.samples.tallies
    both = tallies["overlap"].score_b + 2 * tallies["BLEU-1"].score_b

    np.testing.assert_allclose(tallies["both"].score_b, both)
    assert set(learned.samples.sources.weights) >= {"overlap", "similarity"}
    assert np.isfinite(tallies[WINNER_MODEL].score_b).all()


def test_a_model_takes_it_in(tmp_path: Path) -> None:
    layer = Layer(np.array([[1.0], [2.0]]), np.zeros(1))
    low, high = np.zeros(2), np.ones(2)
    known = {"data": [{"title": "pets", "sha256": "0123456789abcdef"}]}
    names = ("overlap", "BLEU-1")
    model = Model("sum", "winner", names, low, high, (layer,), training=known)
    path = tmp_path / "sum.json"
    path.write_text(model.to_json())

    options = replace(FEW, metrics=(overlap, "BLEU-1"), models=(str(path),))
    tallies = evaluate(random_dataset(5, RAGGED), options).samples.tallies
    features = [tallies[name].score_b for name in model.features]
    expected = model.score(np.stack(features, axis=-1))
    np.testing.assert_allclose(tallies["sum"].score_b, expected)


def test_lower_scores_are_preferred_where_the_metric_says_so() -> None:
    distance = metric(
        lambda candidate, reference: 1 - overlap.compare(candidate, reference),
        name="distance",
        higher_is_better=False,
        resolution=1e-9,
    )
    near = metric(overlap.compare, name="near", resolution=1e-9)
    made = random_dataset(5, RAGGED)
    options = replace(FEW, metrics=(distance, near))
    results = evaluate(made, options)

    sides = {name: each.preferred for name, each in results.samples.tallies.items()}
    np.testing.assert_array_equal(sides["distance"], sides["near"])
    assert np.ptp(sides["near"]) > 0


def test_scores_that_differ_by_less_than_the_resolution_tie() -> None:
    coarse = metric(overlap.compare, name="coarse", resolution=1.0)
    made = random_dataset(5, RAGGED)
    options = replace(FEW, metrics=(coarse,))
    results = evaluate(made, options)

    assert not results.samples.tallies["coarse"].preferred.any()


def test_a_metric_of_sets_is_asked_for_few_counts_and_orders(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tercet.analysis.scoring.sources._CALLS", 1_000)
    made = even_dataset(3, images=6, references=12, pairs=2)
    options = replace(FEW, order="random", draws=20, metrics=(covered, "BLEU-1"))
    results = evaluate(made, options)

    assert 5 <= results.options.draws < 20
    table = results.all_counts
    own = table[table["metric"] == "covered"]
    has_pairs = own["pairs"] > 0
    scored = set(own.loc[has_pairs, "reference_count"])
    assert scored >= {1, 2, 3, 4, 6, 9, 12}
    assert 5 not in scored


def test_too_many_calls_for_sets_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.analysis.scoring.sources._CALLS", 100)
    made = even_dataset(3, images=6, references=12, pairs=2)
    options = replace(FEW, order="random", draws=20, metrics=(covered,))

    with pytest.raises(ValueError, match="metric covered would be called"):
        evaluate(made, options)


@pytest.mark.parametrize("name", ["mean", "People", "CIDEr", "overlap"])
def test_a_name_that_means_something_else_is_refused(name: str) -> None:
    other = metric(covered.compare, name=name, combine="set")
    options = replace(FEW, metrics=(overlap, other))

    with pytest.raises(ValueError, match=f"name {name}"):
        evaluate(random_dataset(5, RAGGED), options)


def test_a_board_scores_by_it() -> None:
    references = [["a dog runs", "a dog"], ["two cats", "cats sleep"]]
    captions = ["a dog", "cats"]
    scores = score_system(references, captions, Rules(metrics=(overlap, "ROUGE-L")))
    expected = metrics.score(
        references=references, candidates=captions, metrics=[overlap, "ROUGE-L"]
    )

    assert scores.figures[None] == pytest.approx(expected.corpus)


def test_a_board_refuses_a_metric_whose_lower_scores_are_better() -> None:
    distance = metric(overlap.compare, name="distance", higher_is_better=False)
    with pytest.raises(ValueError, match="Lower scores are better by distance"):
        score_system([["a"], ["b"]], ["a", "b"], Rules(metrics=(distance,)))


def test_a_failure_names_the_line_of_the_caption() -> None:
    made = random_dataset(5, RAGGED)
    lines = np.arange(2, 2 + len(made.pairs))
    pairs = made.pairs.assign(line=lines)
    made = replace(made, pairs=pairs)
    first = made.pairs["candidate_b"].iloc[0]
    odd = metric(
        lambda candidate, reference: float("nan") if candidate == first else 1.0,
        name="odd",
    )

    options = replace(FEW, metrics=(odd,))
    with pytest.raises(
        MetricFailed, match=r"pairs\.csv, line 2: metric odd: candidate"
    ):
        evaluate(made, options)


def test_a_reference_explains_what_it_adds() -> None:
    references = ["a dog runs", "a cat"]
    why = metrics.explain(references=references, candidate="a dog", metric=overlap)
    best = metrics.explain(
        references=references, candidate="a dog", metric=best_overlap
    )

    assert why.total == pytest.approx(why.score)
    assert [part.references for part in why.matched] == [(0,), (1,)]
    assert [part.references for part in best.matched] == [(0,)]
    with pytest.raises(ValueError, match="covered has no explanation"):
        metrics.explain(references=references, candidate="a dog", metric=covered)
