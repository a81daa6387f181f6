"""WMD explained by references and the words that move, with vectors made by hand."""

from collections.abc import Iterator
from math import exp

import pytest
from hypothesis import given

from tercet.lab.vectors import comparison, flows, glove
from tercet.lab.vectors.versions import VERSIONS, WEIGHED
from tercet.metrics import count_documents, explain, score
from tests.lab.vectors.test_comparison import look_up
from tests.metrics.strategies import Set, sets
from tests.support.examples import examples


@pytest.fixture(scope="module", autouse=True)
def _vectors_made_by_hand() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for module in (comparison, flows):
            patch.setattr(module, "look_up", look_up)

        patch.setattr(glove, "is_installed", lambda name: True)
        patch.delenv(glove.VARIABLE, raising=False)
        yield


@pytest.mark.parametrize("metric", [name for name in VERSIONS if name not in WEIGHED])
@examples(10)
@given(case=sets())
def test_references_add_up_to_the_score_of_the_run(metric: str, case: Set) -> None:
    scored = score(**case._asdict(), metrics=metric).captions
    scores = scored[metric].tolist()

    for candidate, image, expected in zip(
        case.candidates, case.images, scores, strict=True
    ):
        why = explain(
            references=case.references[image], candidate=candidate, metric=metric
        )

        assert why.score == pytest.approx(expected, abs=1e-12)
        assert why.total == pytest.approx(expected, abs=1e-12)


@examples(10)
@given(case=sets())
def test_words_weigh_by_the_documents_of_the_run(case: Set) -> None:
    documents = count_documents(references=case.references)
    scores = score(**case._asdict(), metrics="WMD-idf", documents=documents)

    for candidate, image, expected in zip(
        case.candidates, case.images, scores.captions["WMD-idf"].tolist(), strict=True
    ):
        why = explain(
            references=case.references[image],
            candidate=candidate,
            metric="WMD-idf",
            documents=documents,
        )
        assert why.total == pytest.approx(expected, abs=1e-12)


def test_the_relaxed_distance_is_that_of_the_direction_that_costs_more() -> None:
    why = explain(references=[["a", "c"]], candidate=["a", "b"], metric="RWMD")
    full = explain(references=[["a", "c"]], candidate=["a", "b"], metric="WMD")
    relaxed, exact = (each.matched[0].details["distance"] for each in (why, full))

    assert float(relaxed) <= float(exact)
    assert why.score >= full.score


def test_the_words_that_move_are_named_with_their_share_of_the_distance() -> None:
    why = explain(
        references=[["a", "a"], ["a", "b"]], candidate=["a", "c"], metric="WMD"
    )
    near, far = (
        next(part for part in why.matched if part.references == (number,))
        for number in (1, 0)
    )

    assert near.text == "reference 2"
    assert near.details["moves"] == "c → b 0.98"
    assert far.details["moves"] == "c → a 1.01"
    assert near.contribution == pytest.approx(exp(-float(near.details["distance"])) / 2)


def test_only_the_nearest_reference_counts_in_wmd_max() -> None:
    why = explain(references=[["b"], ["a"]], candidate=["a"], metric="WMD-max")
    (only,) = why.matched
    assert (only.references, only.contribution) == ((1,), 1.0)


def test_a_reference_without_a_known_word_adds_nothing() -> None:
    why = explain(references=[["zebra"], ["a"]], candidate=["a"], metric="WMD")
    assert [part.contribution for part in why.matched] == [0.5, 0.0]
