"""The public face, and what holds for every metric."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.metrics import (
    FloatArray,
    compare,
    corpus,
    file_order,
    names,
    random_order,
    score,
)
from tests.metrics.scores import caption_curves, caption_scores
from tests.metrics.strategies import Set, captions, sets

BASELINES = {"length", "random"}
JUDGES = [name for name in names() if name not in BASELINES]
HIGHEST = {name: 10.0 if name.startswith("CIDEr") else 1.0 for name in names()}
HIGHEST["length"] = np.inf


def assert_close(left: dict[str, FloatArray], right: dict[str, FloatArray]) -> None:
    assert list(left) == list(right)
    for name in left:
        np.testing.assert_allclose(
            left[name], right[name], rtol=1e-9, atol=1e-12, err_msg=name
        )


def test_images_without_candidates_are_left_out_as_a_subset() -> None:
    texts = [["a dog", "the dog"], ["two cats"], ["a cow"]]
    whole: dict[str, Any] = {"metrics": ["CIDEr-D", "ROUGE-L"]}
    expected = score(
        references=[texts[0], texts[2]], candidates=["a dog", "a cow"], **whole
    )

    keyed = dict(zip("abc", texts, strict=True))
    by_key = {"c": "a cow", "a": "a dog"}
    for found in (
        score(references=keyed, candidates=by_key, subset=True, **whole),
        score(
            references=texts,
            candidates=["a dog", "a cow"],
            images=[0, 2],
            subset=True,
            **whole,
        ),
    ):
        assert found.corpus == expected.corpus
    with pytest.raises(ValueError, match="subset=True to leave out"):
        score(references=keyed, candidates=by_key, **whole)


def test_two_lines_from_captions_to_scores() -> None:
    references = [["a dog runs fast"], ["two cats sleep"]]
    scores = caption_scores(
        references, ["A dog runs fast.", "A dog runs fast."], metrics=JUDGES
    )

    assert all(values[0] > values[1] for values in scores.values())


@given(sets())
def test_scores_are_bounded(drawn: Set) -> None:
    for name, scores in caption_scores(*drawn).items():
        assert scores.shape == (len(drawn.candidates),)
        assert (scores >= 0).all()

        limits = HIGHEST[name] + 1e-9
        assert (scores <= limits).all()


@given(sets(), st.integers(0, 2**32))
def test_the_order_of_references_does_not_matter_with_all_of_them(
    drawn: Set, seed: int
) -> None:
    made = corpus(**drawn._asdict())
    generator = np.random.default_rng(seed)
    order = random_order(made, generator)
    shuffled = compare(made, "all").accumulate(order)

    assert_close(
        {n: made.at_all_references(c) for n, c in shuffled.items()},
        caption_scores(*drawn),
    )


@given(sets(), captions, st.data())
def test_another_candidate_changes_no_score(
    drawn: Set, another: list[str], data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(drawn.candidates)))
    image = data.draw(st.integers(0, len(drawn.references) - 1))
    candidates = [*drawn.candidates[:place], another, *drawn.candidates[place:]]
    images = [*drawn.images[:place], image, *drawn.images[place:]]

    more = caption_scores(drawn.references, candidates, images)
    assert_close(
        {name: np.delete(s, place) for name, s in more.items()}, caption_scores(*drawn)
    )


@given(sets())
def test_a_curve_at_k_is_the_score_with_the_first_k_references(drawn: Set) -> None:
    table = caption_curves(*drawn, documents="k")
    for k in range(1, table["BLEU-1"].shape[1] + 1):
        scores = caption_scores(
            [refs[:k] for refs in drawn.references], drawn.candidates, drawn.images
        )
        enough = [len(drawn.references[image]) >= k for image in drawn.images]

        assert_close(
            {name: curve[enough, k - 1] for name, curve in table.items()},
            {name: values[enough] for name, values in scores.items()},
        )


@pytest.mark.parametrize("documents", ["pool", "k"])
@given(drawn=sets())
def test_a_curve_ends_where_the_references_do(
    documents: Literal["pool", "k"], drawn: Set
) -> None:
    counts = np.array([len(drawn.references[image]) for image in drawn.images])
    for curve in caption_curves(*drawn, documents=documents).values():
        k = np.arange(1, curve.shape[1] + 1)
        np.testing.assert_array_equal(np.isnan(curve), k > counts[:, None])


@given(sets(), st.integers(0, 2**32))
def test_any_order_is_the_file_order_of_references_put_in_that_order(
    drawn: Set, seed: int
) -> None:
    made = corpus(**drawn._asdict(), documents="k")
    generator = np.random.default_rng(seed)
    order = random_order(made, generator)
    starts = made.reference_offsets
    moved = [
        [refs[place] for place in np.argsort(order.rank[start : start + len(refs)])]
        for refs, start in zip(drawn.references, starts, strict=False)
    ]

    reordered = caption_curves(moved, drawn.candidates, drawn.images, documents="k")
    assert_close(compare(made, "all").accumulate(order), reordered)


@given(captions.filter(len), st.integers(1, 3), captions, captions)
def test_a_candidate_like_all_its_references_is_best(
    perfect: list[str], times: int, other: list[str], elsewhere: list[str]
) -> None:
    scores = caption_scores(
        [[perfect] * times, [elsewhere]], [perfect, other], [0, 0], JUDGES
    )

    assert all(values[0] >= values[1] - 1e-9 for values in scores.values())


@given(sets())
def test_captions_as_strings_and_as_tokens_score_alike(drawn: Set) -> None:
    joined = [[" ".join(reference) for reference in refs] for refs in drawn.references]
    strings = caption_scores(
        joined, list(map(" ".join, drawn.candidates)), drawn.images
    )

    assert_close(strings, caption_scores(*drawn))


@pytest.mark.parametrize("documents", ["pool", "k"])
def test_no_candidates_have_no_scores(documents: Literal["pool", "k"]) -> None:
    for curve in caption_curves(
        [["a", "b"], ["c"]], [], [], documents=documents
    ).values():
        assert curve.shape == (0, 2)


@pytest.mark.parametrize("documents", ["pool", "k"])
@pytest.mark.parametrize("references", [[[""], [""]], [["", ""], ["."]]])
def test_references_without_words_are_scored_in_peace(
    references: list[list[str]], documents: Literal["pool", "k"]
) -> None:
    tables = caption_curves(references, ["", "a b c d e"], [0, 0], documents=documents)
    for name in set(JUDGES) - {"ROUGE-L"}:
        assert tables[name][0] == pytest.approx(0)


def test_only_the_wanted_metrics_are_scored() -> None:
    wanted: Sequence[str] = ["CIDEr-D", "ROUGE-1"]
    assert list(caption_scores([["a"], ["b"]], ["a", "b"], metrics=wanted)) == wanted


@pytest.mark.parametrize("face", [caption_scores, caption_curves])
def test_cider_of_one_image_needs_a_table(
    face: Callable[..., dict[str, FloatArray]],
) -> None:
    with pytest.raises(
        ValueError, match="CIDEr-D of one image needs a table of document freq"
    ):
        face([["a dog"]], ["a dog"], metrics=["BLEU-1", "CIDEr-D"])
    scores = face([["a dog"]], ["a dog"], metrics=["BLEU-1"])["BLEU-1"]
    assert scores == pytest.approx(1)


def test_captions_are_cut_as_the_caption_evaluation_cuts_them() -> None:
    scores = caption_scores(
        [["It's a dog."]], [["it", "'s", "a", "dog"]], metrics=["ROUGE-L"]
    )

    assert scores["ROUGE-L"] == 1


def test_scores_with_all_references_are_the_ends_of_the_curves() -> None:
    references = [
        ["a dog", "the dog runs"],
        ["a cat"],
        ["a bird", "birds", "a red bird"],
    ]
    candidates = ["a dog runs", "cats", "a bird"]
    ends = {
        name: c[[0, 1, 2], [1, 0, 2]]
        for name, c in caption_curves(references, candidates).items()
    }

    assert_close(ends, caption_scores(references, candidates))


def test_comparing_once_serves_every_order() -> None:
    made = corpus(
        references=[["a dog", "the dog runs", "dogs"], ["a cat"]],
        candidates=["a dog runs", "a cat"],
    )
    compared = compare(made, "all")
    first = compared.accumulate(file_order(made))

    compared.accumulate(random_order(made, np.random.default_rng(1)))
    assert_close(compared.accumulate(file_order(made)), first)
