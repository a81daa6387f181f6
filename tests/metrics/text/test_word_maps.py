"""Words are split at no-break spaces where the reference implementations split them."""

import pytest

from tercet.metrics import compare, corpus, count_documents, explain, file_order, score
from tercet.metrics.text.tokens import Vocabulary
from tercet.metrics.text.word_maps import split_words

REFERENCES = [["the sign says 1 1/2 miles", "a sign"], ["hot dogs", "2 1/4 hot dogs"]]
CANDIDATES = ["a sign says 1 1/4 miles", "two hot dogs"]
SPLIT = [
    [["the", "sign", "says", "1", "1/2", "miles"], ["a", "sign"]],
    [["hot", "dogs"], ["2", "1/4", "hot", "dogs"]],
]
SPLIT_CANDIDATES = [["a", "sign", "says", "1", "1/4", "miles"], ["two", "hot", "dogs"]]


def test_words_become_their_parts() -> None:
    vocabulary = Vocabulary()
    captions = vocabulary.intern([["a", "1\xa01/2", "a"], [], ["\xa0", "b\xa0"]])
    split = split_words(vocabulary.words)

    assert split.of(captions).spelled(split.words) == [
        ["a", "1", "1/2", "a"],
        [],
        ["b"],
    ]


@pytest.mark.parametrize("name", ["BLEU-1", "BLEU-4", "CIDEr", "CIDEr-D", "CIDEr-stem"])
def test_bleu_and_cider_score_the_parts(name: str) -> None:
    kept = score(references=REFERENCES, candidates=CANDIDATES, metrics=name)
    split = score(references=SPLIT, candidates=SPLIT_CANDIDATES, metrics=name)

    assert kept.corpus == split.corpus
    assert kept.captions[name].tolist() == split.captions[name].tolist()


def test_rouge_keeps_the_words() -> None:
    kept = score(references=REFERENCES, candidates=CANDIDATES, metrics="ROUGE-L")
    split = score(references=SPLIT, candidates=SPLIT_CANDIDATES, metrics="ROUGE-L")
    rouge_l = kept.corpus["ROUGE-L"]
    assert rouge_l != split.corpus["ROUGE-L"]


def test_document_frequencies_are_of_the_parts() -> None:
    documents = count_documents(REFERENCES)
    assert set(documents.words) >= {"1", "1/2", "1/4"}

    whole = score(references=REFERENCES, candidates=CANDIDATES, metrics="CIDEr-D")
    table = score(
        references=REFERENCES,
        candidates=CANDIDATES,
        metrics="CIDEr-D",
        documents=documents,
    )

    assert table.corpus == whole.corpus


@pytest.mark.parametrize("name", ["BLEU-2", "CIDEr-D", "CIDEr-stem"])
def test_explanations_show_the_parts(name: str) -> None:
    documents = count_documents(REFERENCES)
    explained = explain(
        references=REFERENCES[0],
        candidate=CANDIDATES[0],
        metric=name,
        documents=documents,
    )
    texts = {part.text for part in (*explained.matched, *explained.unmatched)}

    assert {"1", "1/4"} <= texts


def test_a_corpus_without_such_words_is_itself() -> None:
    made = corpus(references=[["a dog"], ["a cat"]], candidates=["a dog", "a cat"])
    assert made.with_split_words is made

    curve = compare(made, "BLEU-1").accumulate(file_order(made))["BLEU-1"]
    assert curve.shape == (2, 1)
