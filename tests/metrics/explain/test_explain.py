"""Every explanation agrees with the score of the metric's own code, whatever the captions are."""

from collections.abc import Sequence
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.metrics import (
    DocumentFrequencies,
    Explanation,
    count_documents,
    explain,
    explain_pair,
    explainable,
    names,
    score,
)
from tercet.metrics.ngram.cider import VARIANTS
from tests.metrics.conftest import Abstract
from tests.metrics.strategies import Set, captions, sets
from tests.support.examples import examples

OWN_TESTS = ("METEOR", "tuple-F", "tuple-C")
NAMES = [name for name in (*explainable(names()), *VARIANTS) if name not in OWN_TESTS]
BLEUS = [name for name in NAMES if name.startswith("BLEU")]
EXACT = 1e-12

dogs = st.lists(
    st.sampled_from(
        ["a", "dog", "hound", "dogs", "runs", "running", "next", "to", "beside"]
    ),
    max_size=7,
)


def explained(case: Set, metric: str) -> list[Explanation]:
    documents = count_documents(case.references)
    return [
        explain(
            references=case.references[image],
            candidate=candidate,
            metric=metric,
            documents=documents,
        )
        for candidate, image in zip(case.candidates, case.images, strict=True)
    ]


@pytest.mark.parametrize("metric", NAMES)
@examples(12)
@given(case=sets())
def test_contributions_add_up_to_the_score_of_the_run(metric: str, case: Set) -> None:
    scored = score(**case._asdict(), metrics=metric)
    scores = scored.captions[metric]

    for why, expected in zip(explained(case, metric), scores.tolist(), strict=True):
        assert why.score == pytest.approx(expected, abs=EXACT)
        if why.form != "matches":
            assert why.total == pytest.approx(expected, abs=EXACT)


@examples(25)
@given(candidate=dogs, references=st.lists(dogs, min_size=1, max_size=4))
def test_the_words_that_meteor_aligns_add_up_to_it(
    candidate: list[str], references: list[list[str]]
) -> None:
    why = explain(references=references, candidate=candidate, metric="METEOR")
    expected = score(references=[references], candidates=[candidate], metrics="METEOR")

    assert why.score == pytest.approx(expected.captions["METEOR"][0], abs=EXACT)
    assert why.total == pytest.approx(why.score, abs=EXACT)

    for side in ("precision", "recall"):
        shares = sum(float(part.details[side]) for part in why.matched)
        assert shares == pytest.approx(why.figures[side], abs=EXACT)


@examples(20)
@given(
    references=st.lists(captions, min_size=1, max_size=4),
    b=captions,
    c=captions,
    metric=st.sampled_from(["CIDEr-D", "CIDEr-max", "ROUGE-2", "ROUGE-L", "length"]),
)
def test_signed_contributions_add_up_to_the_difference(
    references: list[list[str]], b: list[str], c: list[str], metric: str
) -> None:
    documents = count_documents([references, [["d"]]])
    why = explain_pair(
        references=references, b=b, c=c, metric=metric, documents=documents
    )

    assert why.total == pytest.approx(why.score, abs=EXACT)
    assert why.score == pytest.approx(why.b.score - why.c.score, abs=EXACT)

    sizes = [abs(term.difference) for term in why.terms]
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize("metric", BLEUS)
@examples(8)
@given(case=sets())
def test_bleu_follows_from_the_matches_that_are_named(metric: str, case: Set) -> None:
    for why in explained(case, metric):
        precisions = [
            value for name, value in why.figures.items() if name.endswith("precision")
        ]
        rebuilt = prod(precisions) ** (1 / len(precisions)) * why.figures.get(
            "brevity penalty", 1
        )
        if rebuilt:  # the constants keep the score off zero
            assert why.score == pytest.approx(rebuilt, rel=1e-6)


@pytest.mark.parametrize("metric", NAMES)
def test_an_empty_candidate_shares_nothing(metric: str) -> None:
    documents = count_documents([[["a"]], [["b"]]])
    why = explain(
        references=[["a", "b"]], candidate=[], metric=metric, documents=documents
    )

    assert why.score == pytest.approx(0, abs=1e-3)
    assert why.matched == ()


def test_chance_has_no_explanation() -> None:
    assert "random" not in explainable(names())
    with pytest.raises(ValueError, match="random has no explanation; one of BLEU-1"):
        explain(references=["a dog"], candidate="a dog", metric="random")


def test_cider_needs_the_document_frequencies_of_a_run() -> None:
    with pytest.raises(ValueError, match="CIDEr-D of one image needs a table"):
        explain(references=["a dog"], candidate="a dog")


@pytest.mark.parametrize(
    ("references", "metric", "message"),
    [([], "BLEU-1", "no references"), (["a dog"], "BLUE-1", "did you mean BLEU-1")],
)
def test_what_cannot_be_scored_is_said(
    references: Sequence[str], metric: str, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        explain(references=references, candidate="a dog", metric=metric)


@pytest.fixture(scope="module")
def documents(abstract: Abstract) -> DocumentFrequencies:
    return count_documents(abstract.references)


@pytest.mark.parametrize("metric", ["CIDEr-D", "CIDEr", "ROUGE-L", "METEOR"])
def test_contributions_add_up_to_scores_of_abstract50s(
    abstract: Abstract, documents: DocumentFrequencies, metric: str
) -> None:
    scores = score(
        references=abstract.references,
        candidates=abstract.candidates,
        images=abstract.images,
        metrics=metric,
    ).captions[metric]

    for number in range(0, len(abstract.candidates), 80):
        why = explain(
            references=abstract.references[abstract.images[number]],
            candidate=abstract.candidates[number],
            metric=metric,
            documents=documents,
        )
        assert why.total == pytest.approx(scores[number], abs=EXACT)
