"""Scores of captions for every order and reference count, with vectors made by hand."""

from collections.abc import Iterator, Sequence
from math import log
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tercet.lab.vectors import comparison, glove
from tercet.lab.vectors.stop_words import STOP_WORDS
from tercet.lab.vectors.versions import VERSIONS
from tercet.metrics import (
    Corpus,
    FloatArray,
    compare,
    corpus,
    count_documents,
    file_order,
    random_order,
    score,
    score_tables,
)
from tercet.metrics.corpora.orders import Order, own_last
from tercet.metrics.text.inputs import Batches, Inputs
from tests.lab.vectors import naive
from tests.metrics.strategies import Set, sets
from tests.support.examples import examples

VECTORS = {"a": (0.0, 0.0), "b": (1.0, 0.5), "c": (-0.25, 2.0)}


def look_up(words: Sequence[str]) -> tuple[FloatArray, NDArray[np.bool_]]:
    rows = [VECTORS.get(word, (0.0, 0.0)) for word in words]
    return np.array(rows).reshape(-1, 2), np.array(
        [word in VECTORS for word in words], bool
    )


@pytest.fixture(scope="module", autouse=True)
def _vectors_made_by_hand() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(comparison, "look_up", look_up)
        patch.setattr(glove, "is_installed", lambda name: True)
        patch.delenv(glove.VARIABLE)

        yield


def curves(made: Corpus, order: Order) -> dict[str, FloatArray]:
    return compare(made, VERSIONS).accumulate(order)


def gathered(given: Set, documents: str = "pool") -> Corpus:
    return corpus(
        references=given.references,
        candidates=given.candidates,
        images=given.images,
        documents=documents,  # type: ignore[arg-type]
    )


def idf(references: Sequence[Sequence[Sequence[str]]]) -> dict[str, float]:
    """Weights by the references of images, as CIDEr has them."""
    held = [
        {word for caption in captions for word in caption} for captions in references
    ]
    return {
        word: log(len(held) / max(1, sum(word in words for words in held)))
        for word in VECTORS
    }


def expected(
    candidate: list[str], references: list[list[str]], weights: dict[str, float]
) -> dict[str, float]:
    """The scores with some references, `weights` by the frequencies of documents."""
    no_stop_words = {"a": 0.0}
    similarities = {
        name: [
            np.exp(-naive.distance(candidate, each, VECTORS, weigh))
            for each in references
        ]
        for name, weigh in (("", {}), ("-nostop", no_stop_words), ("-idf", weights))
    }
    relaxed = [np.exp(-naive.relaxed(candidate, each, VECTORS)) for each in references]

    return {
        "RWMD": float(np.mean(relaxed)),
        **{f"WMD{name}": float(np.mean(each)) for name, each in similarities.items()},
        **{
            f"WMD-max{name}": float(np.max(each)) for name, each in similarities.items()
        },
    }


@examples(40)
@given(sets(), st.integers(0, 99), st.sampled_from(["pool", "k"]))
def test_scores_are_means_and_maxima_in_any_order(
    given: Set, seed: int, documents: str
) -> None:
    made = gathered(given, documents)
    generator = np.random.default_rng(seed)
    order = random_order(made, generator)
    scores = curves(made, order)

    starts = made.reference_offsets.tolist()
    ordered = [
        [
            captions[place]
            for place in np.argsort(order.rank[start : start + len(captions)])
        ]
        for captions, start in zip(given.references, starts, strict=False)
    ]

    for row, (candidate, image) in enumerate(
        zip(given.candidates, given.images, strict=True)
    ):
        references = ordered[image]
        for k in range(1, len(references) + 1):
            counted = [each[:k] if documents == "k" else each for each in ordered]
            found = {name: curve[row, k - 1] for name, curve in scores.items()}
            wanted = expected(candidate, references[:k], idf(counted))

            assert found == pytest.approx(wanted, rel=0, abs=1e-9)

        assert np.isnan(scores["WMD"][row, len(references) :]).all()


@examples(20)
@given(sets())
def test_each_reference_is_scored_by_the_others(given: Set) -> None:
    references = [*given.references[0], *given.references[0]]
    made = gathered(Set([references, [["b"]]], references, [0] * len(references)))
    found = curves(made, own_last(made, np.arange(len(references))))

    for number, reference in enumerate(references):
        others = [*references[:number], *references[number + 1 :]]
        weights = idf([references, [["b"]]])
        wanted = expected(reference, others, weights)
        scores = {name: curve[number, len(others) - 1] for name, curve in found.items()}

        assert scores == pytest.approx(wanted, rel=0, abs=1e-9)


@given(sets())
def test_scores_are_from_0_to_1_and_the_best_is_no_less_than_the_mean(
    given: Set,
) -> None:
    scores = curves(gathered(given), file_order(gathered(given)))
    for name, curve in scores.items():
        known = curve[~np.isnan(curve)]
        assert ((known >= 0) & (known <= 1)).all()

        if name.startswith("WMD-max"):
            mean = scores[name.replace("-max", "")]
            finite = ~np.isnan(mean)
            assert (known >= mean[finite] - 1e-12).all()


def test_frequencies_come_from_a_table_where_there_is_one() -> None:
    documents = count_documents([["b"], ["b", "c"], ["c"], ["a"]])
    made = corpus(references=[["b c"]], candidates=["c"], documents=documents)
    found = curves(made, file_order(made))["WMD-idf"]

    weights = {"b": log(4 / 2), "c": log(4 / 2)}
    assert found.item() == pytest.approx(
        np.exp(-naive.distance(["c"], ["b", "c"], VECTORS, weights)), abs=1e-9
    )


def test_batches_score_as_all_images_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def single(given: Inputs, _comparisons: int) -> Batches:
        return Batches(given, 1)

    monkeypatch.setattr(score_tables, "Batches", single)
    captions: dict[str, Any] = {
        "references": [["a b", "c"], ["b b"], ["c a"]],
        "candidates": ["a c", "b", "c c b"],
    }
    together = compare(corpus(**captions), VERSIONS)
    made = together.accumulate(file_order(together.corpus))
    batches = score(**captions, metrics=VERSIONS)

    for name, curve in made.items():
        found = batches.captions[name]
        np.testing.assert_allclose(
            found, together.corpus.at_all_references(curve), atol=1e-12
        )


def test_one_image_has_no_document_frequencies() -> None:
    with pytest.raises(ValueError, match="WMD-idf of one image needs a table"):
        score(references=[["a b"]], candidates=["a"], metrics="WMD-idf")


def test_stop_words_are_words_in_lower_case() -> None:
    assert {"a", "with", "n't"} < STOP_WORDS
    assert all(word == word.lower() for word in STOP_WORDS)
    assert not STOP_WORDS & {"dog", "people", "man", "two", "red", "front", "top"}


def test_few_captions_start_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(workers: int) -> None:
        pytest.fail(f"{workers} threads are started")

    monkeypatch.setattr(comparison, "ThreadPoolExecutor", refuse)
    many = 100
    scored = score(
        references=[["a b", "b c", "c"]] * many,
        candidates=["a c"] * many,
        metrics="WMD",
    )
    assert len(scored.captions["WMD"]) == many


def test_threads_change_no_score(monkeypatch: pytest.MonkeyPatch) -> None:
    captions = [["a b", "b c"], ["c", "a c b"], ["b", "b b a"]]
    made = corpus(references=captions, candidates=["a c", "b", "a a b"])
    alone = curves(made, file_order(made))

    monkeypatch.setattr(comparison, "_LEAST_OF_THREAD", 1)
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    together = curves(made, file_order(made))
    for name, scores in alone.items():
        np.testing.assert_array_equal(together[name], scores)
