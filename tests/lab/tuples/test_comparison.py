"""Scores of tuples made by hand: as the definition says, for every order and reference count."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.lab.tuples.comparison import TupleComparison
from tercet.lab.tuples.extraction import Tuple
from tercet.metrics import Corpus, FloatArray, corpus, file_order, random_order
from tercet.metrics.core.arrays import offsets_of
from tercet.metrics.corpora.orders import own_last
from tercet.metrics.meteor.lexicon import Ragged
from tests.lab.tuples import naive
from tests.support.examples import examples

SYNSETS = {"dog": (7, 3), "hound": (3,), "pet": (7, 9), "cat": (9, 4), "run": (5,)}
WORDS = ["dog", "hound", "pet", "cat", "run", "on"]

tuples = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(tuple)
captions = st.frozensets(tuples, max_size=6)


class Case(NamedTuple):
    """The tuples of the references of each image and of candidates, and these one's images."""

    references: Sequence[Sequence[frozenset[Tuple]]]
    candidates: Sequence[frozenset[Tuple]]
    images: Sequence[int]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    references = draw(
        st.lists(st.lists(captions, min_size=1, max_size=4), min_size=1, max_size=3)
    )
    candidates = draw(st.lists(captions, min_size=1, max_size=4))
    images = [draw(st.integers(0, len(references) - 1)) for _ in candidates]

    return Case(references, candidates, images)


def synsets_of(words: Sequence[str]) -> Ragged:
    rows = [SYNSETS.get(word, ()) for word in words]
    flat = [synset for row in rows for synset in row]
    return Ragged(
        np.array(flat, np.int32), offsets_of(np.array([len(row) for row in rows]))
    )


def compared(case: Case) -> TupleComparison:
    return TupleComparison.of(
        corpus_of(case),
        [each for references in case.references for each in references],
        case.candidates,
        synsets_of,
    )


def corpus_of(case: Case) -> Corpus:
    return corpus(
        references=[[["a"]] * len(references) for references in case.references],
        candidates=[["a"]] * len(case.candidates),
        images=case.images,
    )


def curves(case: Case) -> dict[str, FloatArray]:
    comparison = compared(case)
    return comparison.accumulate(file_order(comparison.corpus))


@examples(60)
@given(cases(), st.integers(0, 99))
def test_scores_are_those_of_the_union_in_any_order(case: Case, seed: int) -> None:
    comparison = compared(case)
    generator = np.random.default_rng(seed)
    order = random_order(comparison.corpus, generator)
    scores = comparison.accumulate(order)

    starts = comparison.corpus.reference_offsets
    for number, (candidate, image) in enumerate(
        zip(case.candidates, case.images, strict=True)
    ):
        rank = order.rank[starts[image] : starts[image + 1]]
        ordered = [case.references[image][place] for place in np.argsort(rank)]

        for name, curve in scores.items():
            expected = [
                naive.scores(candidate, ordered[:k], SYNSETS)[name]
                for k in range(1, len(ordered) + 1)
            ]
            found = curve[number, : len(ordered)]

            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
            assert np.isnan(curve[number, len(ordered) :]).all()


@examples(30)
@given(cases())
def test_each_reference_is_scored_by_the_others(case: Case) -> None:
    references = [*case.references[0], *case.references[0]]
    each = Case([references], list(references), [0] * len(references))
    comparison = compared(each)
    scores = comparison.accumulate(
        own_last(comparison.corpus, np.arange(len(references)))
    )

    for number, reference in enumerate(references):
        others = [*references[:number], *references[number + 1 :]]
        expected = naive.scores(reference, others, SYNSETS)

        for name, curve in scores.items():
            assert curve[number, len(others) - 1] == pytest.approx(
                expected[name], abs=1e-12
            )


@given(captions.filter(len))
def test_a_candidate_that_says_what_the_reference_says_is_perfect(
    caption: frozenset[Tuple],
) -> None:
    scores = curves(Case([[caption]], [caption], [0]))
    assert {name: curve.tolist() for name, curve in scores.items()} == {
        "tuple-F": [[1.0]],
        "tuple-C": [[1.0]],
    }


def test_recall_is_of_the_union_or_weighs_by_references() -> None:
    dog: frozenset[Tuple] = frozenset({("dog",)})
    both: frozenset[Tuple] = frozenset({("dog",), ("run",)})
    scores = curves(Case([[dog, dog, both]], [dog], [0]))

    assert scores["tuple-F"][0].tolist() == pytest.approx([1, 1, 2 / 3])
    assert scores["tuple-C"][0].tolist() == pytest.approx([1, 1, 2 * 0.75 / 1.75])


def test_synonyms_match_in_every_element() -> None:
    reference = frozenset({("dog", "on", "cat")})
    candidates: list[frozenset[Tuple]] = [
        frozenset({("hound", "on", "pet")}),
        frozenset({("hound", "on", "run")}),
    ]
    scores = curves(Case([[reference]], candidates, [0, 0]))

    assert scores["tuple-F"].tolist() == [[1.0], [0.0]]


def test_the_beginning_of_a_tuple_is_another_tuple() -> None:
    scores = curves(Case([[frozenset({("dog", "run")})]], [frozenset({("dog",)})], [0]))
    assert scores["tuple-F"].tolist() == [[0.0]]


def test_a_caption_that_says_nothing_scores_nothing() -> None:
    nothing: frozenset[Tuple] = frozenset()
    scores = curves(Case([[nothing, frozenset({("dog",)})]], [nothing], [0]))
    assert scores["tuple-F"].tolist() == scores["tuple-C"].tolist() == [[0.0, 0.0]]
