import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tercet.metrics import Model, read_model, score
from tercet.metrics.composed.learned import (
    Layer,
    check_unseen,
    image_digest,
    shared_images,
)
from tercet.metrics.selection import select

SUM = Model(
    name="sum",
    target="winner",
    features=("METEOR", "BLEU-1"),
    low=np.array([0.0, 0.2]),
    high=np.array([0.5, 0.2]),
    layers=(Layer(np.array([[2.0], [5.0]]), np.array([1.0])),),
    training_images=("aaaaaaaabbbbbbbb",),
    training={"data": [{"title": "pets", "sha256": "0123456789abcdef"}]},
)
REFERENCES = {
    "dog": ["A dog runs.", "a brown dog is running", "the dog chases a ball"],
    "cat": ["a cat sleeps on the roof", "a grey cat is asleep"],
}


def written(folder: Path, model: Model) -> Path:
    path = folder / "model.json"
    path.write_text(model.to_json(), encoding="utf-8")
    return path


def test_features_are_scaled_by_the_limits_of_the_training_and_clipped() -> None:
    scores = np.array([[0.25, 0.2], [0.5, 0.2], [0.9, 0.7], [-3.0, 0.0]])
    np.testing.assert_allclose(SUM.score(scores), [-4, -2, -2, -6])


def test_two_outputs_are_a_probability() -> None:
    rectified = Layer(np.array([[1.0], [0.0]]), np.zeros(1))
    model = replace(SUM, layers=(rectified, Layer(np.array([[3.0, 1.0]]), np.zeros(2))))
    chances = model.score(np.array([[0.5, 0.0], [0.0, 0.0]]))

    expected = [1 / (1 + np.exp(-2)), 0.5]
    np.testing.assert_allclose(chances, expected)


def test_a_model_is_read_as_it_was_written(tmp_path: Path) -> None:
    read = read_model(written(tmp_path, SUM))
    assert read.to_json() == SUM.to_json()
    assert read.made_with() == (
        f"sum: model of 2 metrics for the target winner, sha256 {read.sha256[:12]}, "
        "trained on 0123456789ab"
    )


@pytest.mark.parametrize(
    "change", [{"layers": []}, {"tercet_model": 2}, {"features": None}]
)
def test_another_file_is_no_model(tmp_path: Path, change: dict[str, object]) -> None:
    path = written(tmp_path, SUM)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))

    with pytest.raises(
        ValueError, match=r"model\.json is not a model: name a file that tercet"
    ):
        read_model(path)


def test_a_model_is_a_metric_of_its_own_name() -> None:
    selection = select(["CIDEr"], [SUM])
    assert selection.names == ("CIDEr", "sum")

    references = [["a dog runs"], ["two cats"]]
    captions = score(
        references=references, candidates=["a dog", "cats"], metrics=selection.to_score
    ).captions
    expected = SUM.score(np.column_stack([captions["METEOR"], captions["BLEU-1"]]))

    np.testing.assert_array_equal(selection.complete(captions)["sum"], expected)


def test_a_model_of_an_unknown_metric_is_refused() -> None:
    with pytest.raises(ValueError, match="model sum: unknown metric SPICE"):
        select([], [replace(SUM, features=("METEOR", "SPICE"))])


def test_images_are_known_by_half_of_their_references() -> None:
    digests = [image_digest(captions) for captions in REFERENCES.values()]
    others = {
        "same words": ["a dog runs", "The dog chases a ball!"],
        "a third": ["a dog runs", "another caption", "and another"],
        "one of two": ["a grey cat is asleep"],
        "half": ["a grey cat is asleep", "another caption"],
        "other": ["a grey cat"],
    }

    assert shared_images(digests, others) == ["same words", "one of two", "half"]


def test_images_of_the_training_are_named_and_refused() -> None:
    digests = [image_digest(captions) for captions in REFERENCES.values()]
    check_unseen("sum", digests, {"bird": ["a bird"]})

    with pytest.raises(
        ValueError,
        match=r"trained on 2 of these 3 images \(dog, cat\): judge it by other images",
    ):
        check_unseen("sum", digests, REFERENCES | {"bird": ["a bird"]})

    many = {f"image {number}": REFERENCES["dog"] for number in range(9)}
    with pytest.raises(ValueError, match=r"\(image 0, image 1, image 2 and 6 more\)"):
        check_unseen("sum", digests, many)
