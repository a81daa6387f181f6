import numpy as np
import pytest
from hypothesis import given

from tercet.metrics import compare, corpus, count_documents, file_order
from tercet.metrics.ngram.cider import length_penalty
from tests.metrics.conftest import Golden
from tests.metrics.scores import caption_curves, caption_scores
from tests.metrics.slow import EVEN, cider
from tests.metrics.strategies import Set, sets


def test_cider_d_is_that_of_the_reference_implementation(goldens: list[Golden]) -> None:
    scores = caption_scores(
        [g.references for g in goldens], [g.candidate for g in goldens]
    )["CIDEr-D"]
    expected = [golden.scores["CIDEr-D"] for golden in goldens]

    np.testing.assert_allclose(scores, expected, rtol=1e-12, atol=0)


def test_cider_of_the_goldens_is_that_of_the_paper(goldens: list[Golden]) -> None:
    images = [golden.references for golden in goldens]
    scores = caption_scores(images, [golden.candidate for golden in goldens])["CIDEr"]
    expected = [
        cider(golden.candidate, golden.references, images) for golden in goldens
    ]

    np.testing.assert_allclose(scores, expected, rtol=1e-12, atol=0)


@pytest.mark.parametrize(("name", "clipped"), [("CIDEr", False), ("CIDEr-D", True)])
@given(captions=sets())
def test_any_captions_score_as_in_the_paper(
    name: str, clipped: bool, captions: Set
) -> None:
    references, candidates, images = captions
    expected = [
        cider(candidate, references[image], references, clipped)
        for candidate, image in zip(candidates, images, strict=True)
    ]

    np.testing.assert_allclose(
        caption_scores(*captions)[name], expected, rtol=1e-9, atol=1e-12
    )


@pytest.mark.parametrize(
    ("name", "shares", "best"),
    [
        ("CIDEr-1", (1, 0, 0, 0), False),
        ("CIDEr-2", (0, 1, 0, 0), False),
        ("CIDEr-3", (0, 0, 1, 0), False),
        ("CIDEr-4", (0, 0, 0, 1), False),
        ("CIDEr-max", EVEN, True),
        ("CIDEr-exp", np.exp([1, 2, 3, 4]) / np.exp([1, 2, 3, 4]).sum(), False),
    ],
)
@given(captions=sets())
def test_each_version_changes_one_thing(
    name: str, shares: list[float], best: bool, captions: Set
) -> None:
    references, candidates, images = captions
    expected = [
        cider(candidate, references[image], references, shares=shares, best=best)
        for candidate, image in zip(candidates, images, strict=True)
    ]
    scores = caption_scores(*captions, metrics=[name])[name]

    np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-12)


@given(sets())
def test_without_idf_every_ngram_weighs_the_same(captions: Set) -> None:
    references, candidates, images = captions
    expected = [
        cider(candidate, references[image], None)
        for candidate, image in zip(candidates, images, strict=True)
    ]
    scores = caption_scores(*captions, metrics=["CIDEr-noidf"])["CIDEr-noidf"]

    np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-12)


def test_stems_are_those_of_porter2() -> None:
    references = [["two dogs are running", "generously skiing dogs"], ["a cat", "skis"]]
    candidates = ["a dog runs generously", "the cats ski"]
    stems = {"dogs": "dog", "running": "run", "runs": "run", "generously": "generous"}
    stems |= {"skiing": "ski", "skis": "ski", "cats": "cat"}

    def stem(caption: str) -> list[str]:
        return [stems.get(word, word) for word in caption.split()]

    by_hand = caption_scores(
        [list(map(stem, refs)) for refs in references], list(map(stem, candidates))
    )
    stemmed = caption_scores(references, candidates, metrics=["CIDEr-stem"])[
        "CIDEr-stem"
    ]

    np.testing.assert_allclose(stemmed, by_hand["CIDEr"], rtol=1e-12)


def test_words_that_no_stemmer_can_read_stay() -> None:
    references: list[list[str | list[str]]] = [[["\ud800", "dogs"]], ["x"]]
    scores = caption_scores(
        references, [["\ud800", "dog"], "x"], metrics=["CIDEr-stem"]
    )

    assert scores["CIDEr-stem"] == pytest.approx([5, 2.5])


def test_stems_are_counted_in_a_table_too() -> None:
    references = [["dogs run", "a dog"], ["two cats running"], ["a bird"]]
    candidates = ["running dogs", "cat", "birds"]
    pool = caption_scores(references, candidates, metrics=["CIDEr-stem"])

    table = caption_scores(
        references,
        candidates,
        metrics=["CIDEr-stem"],
        documents=count_documents(references),
    )

    np.testing.assert_array_equal(table["CIDEr-stem"], pool["CIDEr-stem"])


@given(sets())
def test_with_documents_k_only_the_first_k_references_are_counted(
    captions: Set,
) -> None:
    references, candidates, images = captions
    table = caption_curves(*captions, metrics=["CIDEr"], documents="k")["CIDEr"]

    for k in range(1, table.shape[1] + 1):
        first = [refs[:k] for refs in references]
        rows = [row for row, image in enumerate(images) if len(references[image]) >= k]
        expected = [cider(candidates[row], first[images[row]], first) for row in rows]

        np.testing.assert_allclose(table[rows, k - 1], expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("words", "expected"), [(1, 2.5), (2, 5), (3, 7.5), (4, 10), (5, 10)]
)
def test_a_perfect_caption_of_few_words_cannot_reach_ten(
    words: int, expected: float
) -> None:
    caption = [f"w{number}" for number in range(words)]
    scores = caption_scores([[caption], ["something else"]], [caption, "nothing"])

    assert scores["CIDEr"][0] == pytest.approx(expected)
    assert scores["CIDEr-D"][0] == pytest.approx(expected)


def test_one_image_alone_scores_nothing() -> None:
    made = corpus(references=[["a dog runs", "a dog"]], candidates=["a dog runs"])
    scores = compare(made, ["CIDEr", "CIDEr-D"]).accumulate(file_order(made))
    assert scores["CIDEr"].tolist() == scores["CIDEr-D"].tolist() == [[0, 0]]


def test_images_without_candidates_are_documents() -> None:
    alone = caption_scores([["a dog runs"], ["a cat"]], ["a dog"], [0])["CIDEr"]
    among_more = caption_scores([["a dog runs"], ["a cat"], ["a dog"]], ["a dog"], [0])[
        "CIDEr"
    ]

    assert alone[0] > among_more[0] > 0


def test_an_image_of_weight_two_counts_as_two_documents() -> None:
    weighted = corpus(
        references=[["a dog"], ["a cat", "the dog"]],
        candidates=["the dog"],
        images=[1],
        document_weights=[2, 1],
    )
    doubled = corpus(
        references=[["a dog"], ["a cat", "the dog"], ["a dog"]],
        candidates=["the dog"],
        images=[1],
    )
    left, right = (
        compare(made, "all").accumulate(file_order(made))
        for made in (weighted, doubled)
    )

    for name in left:
        np.testing.assert_array_equal(left[name], right[name])


@given(sets())
def test_documents_by_row_count_an_image_once_for_each_of_its_candidates(
    captions: Set,
) -> None:
    references, candidates, images = captions
    repeated = corpus(
        references=[references[image] for image in images], candidates=candidates
    )
    by_row = corpus(**captions._asdict(), documents="rows")

    expected, found = (
        compare(made, ["CIDEr-D", "CIDEr-stem"]).accumulate(file_order(made))
        for made in (repeated, by_row)
    )

    for name in expected:
        np.testing.assert_allclose(
            by_row.at_all_references(found[name]),
            repeated.at_all_references(expected[name]),
            rtol=1e-12,
        )


@given(sets())
def test_cider_d_is_the_mean_of_its_four_variants(captions: Set) -> None:
    variants = [f"CIDEr-D-{n}" for n in (1, 2, 3, 4)]
    scores = caption_scores(*captions, metrics=["CIDEr-D", *variants])
    mean = np.mean([scores[name] for name in variants], axis=0)

    np.testing.assert_allclose(scores["CIDEr-D"], mean, rtol=1e-12)


def test_candidates_of_one_image_are_too_few_documents_by_row() -> None:
    with pytest.raises(ValueError, match="CIDEr of one image needs a table"):
        caption_scores(
            [["a dog"], ["a cat"]],
            ["a dog", "dogs"],
            [0, 0],
            ["CIDEr"],
            documents="rows",
        )


def test_captions_of_no_and_of_one_word_are_equally_long() -> None:
    made = corpus(references=[["", "a", "a b"]], candidates=["a"])
    np.testing.assert_allclose(length_penalty(made), [1, 1, np.exp(-1 / 72)])
