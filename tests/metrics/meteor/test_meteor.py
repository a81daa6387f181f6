"""METEOR against the Java program: our own captions always, ABSTRACT-50S where it is."""

import gzip
import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.metrics import Corpus, corpus, file_order
from tercet.metrics.corpora.orders import Order, random_order
from tercet.metrics.meteor import METEOR
from tercet.metrics.meteor.captions import as_sent
from tercet.metrics.meteor.comparison import Aligner, MeteorComparison
from tercet.metrics.meteor.normalise import MAX_CHARACTERS, MAX_WORDS, normalise
from tercet.metrics.meteor.resources import shared_resources
from tercet.metrics.meteor.score import corpus_summands, meteor_of_sums, scores_of
from tercet.metrics.text.stems import stems
from tests.metrics.conftest import SHARED, Abstract
from tests.support.examples import examples

needs_data = pytest.mark.skipif(
    find_spec("pycocoevalcap") is None,
    reason="METEOR's data: pip install pycocoevalcap==1.2",
)
pytestmark = needs_data

texts = st.text(st.characters(codec=None), max_size=40) | st.text(
    st.sampled_from("ab1 .,'-\u2019\u00a0\x01|DOTMULTI"), max_size=30
)


@pytest.fixture(scope="module")
def goldens() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(
        Path(__file__).with_name("meteor_goldens.json").read_text(encoding="utf-8")
    )
    return content


def corpus_of(references: list[list[str]], candidates: list[str]) -> Corpus:
    """Captions as they are: the blanks between words part tokens, other characters do not."""
    return corpus(
        references=references, candidates=candidates, tokenize=split_at_blanks
    )


def split_at_blanks(caption: str) -> list[str]:
    return caption.split(" ")


def compared(made: Corpus) -> MeteorComparison:
    comparison = METEOR.compare(made, METEOR.names)
    assert isinstance(comparison, MeteorComparison)
    return comparison


def meteor(candidate: str, *references: str) -> float:
    return float(compared(corpus_of([list(references)], [candidate])).scores.max())


def test_statistics_and_scores_are_those_of_the_java_program(
    goldens: dict[str, Any],
) -> None:
    cases = goldens["cases"]
    made = corpus_of(
        [case["references"] for case in cases], [case["candidate"] for case in cases]
    )
    statistics = Aligner(made).align(*made.comparisons).statistics

    expected = [each for case in cases for each in case["statistics"]]
    assert [" ".join(map(str, row)) for row in statistics.tolist()] == expected

    scores = [score for case in cases for score in case["scores"]]
    assert compared(made).scores.tolist() == scores


def test_the_corpus_score_is_that_of_the_java_program(goldens: dict[str, Any]) -> None:
    cases = goldens["cases"]
    made = corpus_of(
        [case["references"] for case in cases], [case["candidate"] for case in cases]
    )
    best = compared(made).best_statistics(file_order(made), made.reference_counts)
    sums = corpus_summands(best).sum(axis=0)

    assert meteor_of_sums(sums)["METEOR"] == goldens["corpus"]


def test_curves_are_the_best_of_the_first_references() -> None:
    made = corpus(
        references=[["a cat", "a dog", "the dog runs"], ["birds"]],
        candidates=["a dog", "a bird"],
    )
    curves = METEOR.compare(made, METEOR.names).accumulate(file_order(made))["METEOR"]

    assert np.isnan(curves[1, 1:]).all()
    assert curves[0, 0] < 1
    assert curves[0, 1:].tolist() == [1, 1]

    turned_order = Order.of(made, np.array([2, 1, 0, 0]))
    turned = METEOR.compare(made, METEOR.names).accumulate(turned_order)["METEOR"]

    assert turned[0].tolist() == [meteor("a dog", "the dog runs"), 1, 1]


def test_of_equally_good_references_the_first_counts() -> None:
    made = corpus_of([["a dog", "a dog"], ["x", "y y"]], ["a dog", "z"])
    best = compared(made).best_statistics(file_order(made), made.reference_counts)
    assert best[:, 1].tolist() == [2, 1]


def test_alignments_say_which_words_match() -> None:
    made = corpus_of([["two brown dogs, sleeping"]], ["a brown dogs sleep"])
    aligned = Aligner(made).align(*made.comparisons)

    assert aligned.candidates == [["a", "brown", "dogs", "sleep"]]
    assert aligned.references == [["two", "brown", "dogs", ",", "sleeping"]]
    assert aligned.matches[0].tolist()[:2] == [[1, 1, 1, 1, 0], [2, 1, 2, 1, 0]]


def test_the_sign_that_parts_captions_is_taken_out() -> None:
    assert meteor("a ||| dog", "a dog") == 1
    assert meteor("a dog", "a d|||og") == 1


def test_tokens_may_be_anything() -> None:
    tokens = {"b": ["", "a b", "c\n", "\ud800"], "c": ["a", "b", "", "c", "\ud800"]}
    made = corpus(references=[["b"]], candidates=["c"], tokenize=tokens.__getitem__)
    scores = compared(made).scores
    assert scores.tolist() == [1]


def test_captions_up_to_the_limit_are_aligned() -> None:
    words = [f"w{number}" for number in range(MAX_WORDS)]
    assert compared(
        corpus(references=[[words]], candidates=[words])
    ).scores.tolist() == [1]


@pytest.mark.parametrize(
    ("caption", "size"),
    [
        (["dog"] * (MAX_WORDS + 1), "2,001 words"),
        (["1/2"] * (MAX_WORDS // 2), "3,000 words"),
        (["." * MAX_CHARACTERS], "20,001 characters"),
    ],
)
def test_longer_captions_are_refused_by_name(caption: list[str], size: str) -> None:
    with pytest.raises(
        ValueError, match=f"reference 1 of image 1 has {size}; METEOR takes at"
    ):
        compared(corpus(references=[["a"], ["b", caption]], candidates=["a", "b"]))
    with pytest.raises(
        ValueError, match=f"a candidate of image 0 has {size}; METEOR takes at"
    ):
        compared(corpus(references=[["a"]], candidates=[caption]))


def test_no_candidates_have_no_scores() -> None:
    made = corpus(references=[["a dog"]], candidates=[], images=[])
    curves = METEOR.compare(made, METEOR.names).accumulate(file_order(made))["METEOR"]
    assert curves.shape == (0, 1)


def test_batches_do_not_change_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    captions = [
        "a dog runs",
        "the dogs ran",
        "a man 's dog",
        "it rains",
        "raining",
        "a man runs",
    ]
    made = corpus(
        references=[captions, captions[:2], captions[3:]],
        candidates=captions,
        images=[0, 2, 1, 0, 2, 2],
    )
    whole = compared(made).scores

    monkeypatch.setattr("tercet.metrics.meteor.comparison.BATCH", 3)
    assert compared(made).scores.tolist() == whole.tolist()


@examples(200)
@given(texts, texts)
def test_any_text_has_a_score_from_0_to_1(candidate: str, reference: str) -> None:
    assert 0 <= meteor(candidate, reference) <= 1


@examples(100)
@given(texts)
def test_a_caption_that_has_words_is_like_itself(caption: str) -> None:
    made = corpus_of([[caption]], [caption])
    has_words = len(Aligner(made).align(*made.comparisons).candidates[0]) > 0
    assert compared(made).scores.tolist() == [1.0 if has_words else 0.0]


@examples(50)
@given(st.lists(texts, min_size=1, max_size=5), texts, st.integers(0, 99))
def test_with_all_references_their_order_does_not_count(
    references: list[str], candidate: str, seed: int
) -> None:
    made = corpus_of([references], [candidate])
    comparison = compared(made)
    generator = np.random.default_rng(seed)
    shuffled = random_order(made, generator)
    orders = file_order(made), shuffled

    first, second = (comparison.accumulate(rank)["METEOR"][0, -1] for rank in orders)
    assert first == second


@examples(50)
@given(st.lists(texts, max_size=6))
def test_captions_are_normalised_alike_in_pieces_and_whole(tokens: list[str]) -> None:
    caption = " ".join(tokens)
    made = corpus_of([[caption]], [""])
    whole = normalise(as_sent(caption), shared_resources().prefixes)

    assert Aligner(made).align(*made.comparisons).references == [whole]


def test_every_pair_of_abstract50s_is_that_of_the_java_program(
    abstract: Abstract,
) -> None:
    made = corpus(
        references=abstract.references,
        candidates=abstract.candidates,
        images=abstract.images,
    )
    aligned = Aligner(made).align(*made.comparisons)
    scores = scores_of(aligned.statistics)
    pairs = {
        (*abstract.keys[candidate], place + 1): number
        for number, (candidate, place) in enumerate(
            zip(
                made.comparisons.candidate.tolist(),
                file_order(made).places.tolist(),
                strict=True,
            )
        )
    }

    for line in _json_lines("meteor_abstract50s.jsonl.gz"):
        number = pairs[line["pair"], line["candidate"], line["reference"]]
        assert aligned.candidates[number] == line["candidate_words"]
        assert aligned.references[number] == line["reference_words"]

        assert aligned.matches[number].tolist() == line["matches"]
        assert aligned.statistics[number].tolist() == line["statistics"]
        for name in ("precision", "recall", "score"):
            assert getattr(scores, name)[number] == line[name]

        if line["fragmentation"] is not None:
            assert scores.fragmentation[number] == line["fragmentation"]
        else:
            assert np.isnan(scores.fragmentation[number])


def test_curves_of_abstract50s_are_those_of_pycocoevalcap(abstract: Abstract) -> None:
    made = corpus(
        references=abstract.references,
        candidates=abstract.candidates,
        images=abstract.images,
    )
    curve = METEOR.compare(made, METEOR.names).accumulate(file_order(made))["METEOR"]

    for k in (1, 5, 48):
        expected = [
            abstract.scores[*key, "METEOR", "", str(k)] for key in abstract.keys
        ]
        assert curve[:, k - 1].tolist() == expected


def test_stems_are_those_of_the_java_program() -> None:
    lines = _golden("meteor_stems_en.tsv.gz")
    words, expected = zip(
        *(line.rstrip("\n").split("\t") for line in lines), strict=True
    )

    assert stems(words) == list(expected)


def _golden(name: str) -> list[str]:
    path = SHARED / "golden" / name
    if not path.exists():
        pytest.skip("the golden outputs of the Java program are not on this machine")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return file.readlines()


def _json_lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in _golden(name)]
