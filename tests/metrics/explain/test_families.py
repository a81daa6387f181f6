"""What explanations say of captions of our own, checked by hand."""

from math import log
from pathlib import Path

import pytest

from tercet.lab.tuples.explanation import explain_tuples
from tercet.metrics import (
    BAGS,
    DocumentFrequencies,
    Explanation,
    Part,
    count_documents,
    explain,
)
from tercet.metrics.explain.rouge import common, common_skips
from tests.lab.tuples.conftest import parsing
from tests.lab.tuples.test_comparison import synsets_of

__all__ = ["parsing"]

REFERENCES = ["a dog runs", "the dog runs home", "two cats"]


@pytest.fixture(scope="module")
def documents() -> DocumentFrequencies:
    return count_documents(
        [REFERENCES, ["a bird sings"], ["the cat sleeps"], ["a red car"]]
    )


def part(parts: tuple[Part, ...], text: str) -> Part:
    (found,) = (each for each in parts if each.text == text)
    return found


def texts(parts: tuple[Part, ...]) -> list[str]:
    return [each.text for each in parts]


# CIDEr


def test_an_n_gram_of_cider_has_its_weight_and_its_references(
    documents: DocumentFrequencies,
) -> None:
    why = explain(
        references=REFERENCES,
        candidate="a dog barks",
        metric="CIDEr-1",
        documents=documents,
    )
    dog = part(why.matched, "dog")

    assert (dog.kind, dog.references) == ("1-gram", (0, 1))
    assert dog.details["images"] == 1
    assert dog.details["tf-idf"] == pytest.approx(log(4))

    assert texts(why.matched) == ["dog", "a"]
    assert texts(why.unmatched) == ["barks"]

    runs = part(why.missing, "runs")
    assert runs.references == (0, 1)


def test_one_n_gram_in_common_is_the_whole_cosine(
    documents: DocumentFrequencies,
) -> None:
    why = explain(
        references=["two dogs"],
        candidate="two cats",
        metric="CIDEr-1",
        documents=documents,
    )

    # "dogs" is in no image and "two" and "cats" in one: all weigh log 4.
    assert [each.contribution for each in why.matched] == [pytest.approx(10 / 2)]


def test_the_missing_n_grams_of_a_reference_and_its_matched_ones_weigh_ten(
    documents: DocumentFrequencies,
) -> None:
    why = explain(
        references=["the dog runs home"],
        candidate="zebra",
        metric="CIDEr",
        documents=documents,
    )

    total = sum(float(each.details["weight"]) for each in why.missing)
    assert total == pytest.approx(10)
    assert why.matched == ()


def test_only_the_best_reference_counts_in_cider_max(
    documents: DocumentFrequencies,
) -> None:
    candidate = "the dog runs home"
    best = explain(
        references=REFERENCES,
        candidate=candidate,
        metric="CIDEr-max",
        documents=documents,
    )
    alone = explain(
        references=[REFERENCES[1]],
        candidate=candidate,
        metric="CIDEr",
        documents=documents,
    )

    assert best.score == pytest.approx(alone.score)
    assert {each.text: each.contribution for each in best.matched} == pytest.approx(
        {each.text: each.contribution for each in alone.matched}
    )


def test_cider_stem_shows_stems() -> None:
    documents = count_documents([["dogs running"], ["a cat"]])
    why = explain(
        references=["dogs running"],
        candidate="a dog",
        metric="CIDEr-stem",
        documents=documents,
    )

    assert texts(why.matched) == ["dog"]


# ROUGE


def test_a_clipped_match_adds_one_over_the_n_grams_of_references() -> None:
    why = explain(references=["a b a", "a c"], candidate="a a a", metric="ROUGE-1")

    (only,) = why.matched
    assert only.contribution == pytest.approx(3 / 5)
    assert only.details == {"count": 3, "matches": 3}
    assert [(each.text, each.references) for each in why.missing] == [
        ("b", (0,)),
        ("c", (1,)),
    ]


def test_a_subsequence_keeps_the_order_of_words() -> None:
    assert common(["a", "dog", "runs", "home"], ["the", "dog", "quickly", "runs"]) == [
        "dog",
        "runs",
    ]
    assert common([], []) == [""]
    assert common(["a"], []) == []


def test_skip_bigrams_are_in_order_and_at_most_four_words_apart() -> None:
    far = ["a", "b", "c", "d", "e", "f"]
    assert sorted(common_skips(["a", "f", "b"], far)) == ["a … b", "a … f"]
    assert common_skips(["a", "g"], [*far, "g"]) == []


def test_rouge_l_names_the_references_of_precision_and_of_recall() -> None:
    why = explain(
        references=["a dog", "a dog runs to me"],
        candidate="a dog runs",
        metric="ROUGE-L",
    )

    assert why.figures == {"precision": 1.0, "recall": 1.0}

    dog = part(why.matched, "dog")
    assert dog.references == (0, 1)
    assert part(why.matched, "dog").details == {"for": "precision and recall"}
    assert part(why.matched, "runs").details == {"for": "precision"}


# BLEU


def test_bleu_credits_an_n_gram_as_often_as_the_reference_that_has_most_of_it() -> None:
    why = explain(references=["a a b", "a"], candidate="a a a c", metric="BLEU-2")

    article = part(why.matched, "a")
    assert article.details == {"count": 3, "credited": 2}
    assert part(why.matched, "a a").references == (0,)
    assert texts(why.unmatched) == ["c", "a c"]

    assert why.figures["1-gram precision"] == pytest.approx(2 / 4)
    assert why.figures["brevity penalty"] == 1


# METEOR


def test_meteor_names_how_words_match_and_in_which_chunk() -> None:
    why = explain(
        references=["two cats", "a dog runs close to the car"],
        candidate="a big hound running near the car",
        metric="METEOR",
    )

    assert [(each.text, each.kind) for each in why.matched] == [
        ("a", "exact"),
        ("hound → dog", "synonym"),
        ("running → runs", "stem"),
        ("near → close to", "paraphrase"),
        ("the", "exact"),
        ("car", "exact"),
    ]
    assert [each.details["chunk"] for each in why.matched] == [1, 2, 2, 2, 2, 2]
    assert texts(why.unmatched) == ["big"]

    assert why.missing == ()
    assert why.figures["best reference"] == 2
    assert why.figures["chunks"] == 2


def test_captions_without_a_word_in_common_have_no_alignment() -> None:
    why = explain(references=["two cats"], candidate="zebra", metric="METEOR")
    assert (why.score, why.matched) == (0, ())
    assert texts(why.missing) == ["two", "cats"]


# Tuples


def tuples(name: str) -> Explanation:
    """Of a hound that runs, and references with a dog (synonyms), a cat, and a dog that runs."""
    return explain_tuples(
        name,
        0.0,
        [{("dog",)}, {("cat",)}, {("dog",), ("dog", "run")}],
        {("hound",), ("hound", "run"), ("hound", "on")},
        synsets_of,
    )


def test_a_synonym_matches_in_the_references_that_have_it() -> None:
    hound = part(tuples("tuple-F").matched, "hound")
    assert (hound.kind, hound.references) == ("object", (0, 2))
    assert hound.details["matches"] == "dog"


def test_tuples_of_one_side_are_named() -> None:
    why = tuples("tuple-F")
    assert texts(why.unmatched) == ["hound, on"]
    assert [(each.text, each.references) for each in why.missing] == [("cat", (1,))]


@pytest.mark.parametrize(("name", "recall"), [("tuple-F", 2 / 3), ("tuple-C", 3 / 4)])
def test_the_shares_of_tuples_add_up_to_the_f_measure(name: str, recall: float) -> None:
    why, precision = tuples(name), 2 / 3
    assert why.figures == pytest.approx({"precision": precision, "recall": recall})
    assert why.total == pytest.approx(
        2 * precision * recall / (precision + recall), abs=1e-12
    )


def test_tuples_of_a_real_parse_add_up_to_the_score(parsing: Path) -> None:
    references = ["a brown dog runs on grass", "the puppy is in a park"]
    documents = count_documents([references, ["two cats"]])

    for metric in ("tuple-F", "tuple-C", "SPIDEr-T"):
        why = explain(
            references=references,
            candidate="a brown dog in the park",
            metric=metric,
            documents=documents,
        )

        assert why.total == pytest.approx(why.score, abs=1e-12)

        brown = [each for each in why.matched if each.text == "dog, brown"]
        assert [each.references for each in brown] == [(0,)]


@pytest.mark.usefixtures("parsing")
def test_the_elements_of_a_bag_add_up_to_its_f1() -> None:
    references = ["a boy rides a horse in a park", "a kid rides a pony on the beach"]
    candidate = "a child rides a horse on a street"
    by_bag = {
        bag: explain(references=references, candidate=candidate, metric=f"BAST-{bag}")
        for bag in BAGS
    }

    for why in by_bag.values():
        assert why.total == pytest.approx(why.score, abs=1e-12)

    who = by_bag["participant"]
    assert {each.kind for each in (*who.matched, *who.missing)} == {"participant"}
    assert [(each.text, each.references) for each in who.matched] == [
        ("child", (1,)),
        ("horse", (0,)),
    ]

    unmatched = by_bag["locative"].unmatched
    assert texts(unmatched) == ["street"]

    matched = by_bag["predicate-participant"].matched
    assert texts(matched) == ["ride, child", "ride, horse"]
