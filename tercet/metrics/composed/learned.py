"""Learned metrics: models that compute a score from the scores of other metrics.

``tercet train`` writes them as JSON. A model scales each feature to
-1..1 by limits
that it learned, and passes the features through its layers: one for a weighted sum, several with
rectified linear units in between for a network. Of two outputs, the score is the softmax
probability of the first.

Arrays: M features.
"""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import ge
from pathlib import Path
from typing import Any, Self

import numpy as np

from tercet.metrics.composed.composites import CONSTANT
from tercet.metrics.core.arrays import FloatArray
from tercet.metrics.text.tokens import plain

FORMAT = 1
_DIGITS = 8
"""Hexadecimal digits of the digest of a reference."""
DIGITS = 12
"""Hexadecimal digits of a file's digest that a description gives."""
_ROUNDING = 1e-13
"""Constants that are not larger come from rounding."""
_NAMED = 3
"""How many shared images an error names."""


@dataclass(frozen=True, eq=False)
class Layer:
    """Weights (inputs, outputs) and biases (outputs,)."""

    weights: FloatArray
    biases: FloatArray

    def pass_on(self, values: FloatArray) -> FloatArray:
        """Return the outputs (..., outputs) of inputs (..., inputs)."""
        passed: FloatArray = values @ self.weights + self.biases
        return passed


@dataclass(frozen=True, eq=False)
class Model:
    """A learned metric, a :class:`~tercet.metrics.composed.composites.Composite`.

    Attributes
    ----------
    name : str
        The name in tables.
    target : str
        What it was trained to predict.
    features : tuple of str
        The metrics that it is computed from.
    low, high : (M,) float array
        The limits of each feature in the training data; scores outside are clipped.
    layers : tuple of Layer
        The first takes M inputs; the last has one or two outputs.
    training_images : tuple of str
        A digest of the references of each training image (see :func:`image_digest`).
    training : mapping
        What else is known of the training: data, options, seed, versions.
    sha256 : str
        The digest of the file that it was read from.
    """

    name: str
    target: str
    features: tuple[str, ...]
    low: FloatArray
    high: FloatArray
    layers: tuple[Layer, ...]
    training_images: tuple[str, ...] = ()
    training: Mapping[str, Any] = field(default_factory=dict)
    sha256: str = ""

    def __repr__(self) -> str:
        return (
            f"Model({self.name!r} predicts {self.target} from {len(self.features)} metrics, "
            f"trained on {len(self.training_images):,} images)"
        )

    @property
    def standardized(self) -> tuple[str, ...]:
        """The metrics whose scores it is fitted to: none, as its limits are part of it."""
        return ()

    def fitted(self, scores: Mapping[str, FloatArray]) -> Self:
        """Return the model as it is."""
        return self

    def renamed(self, find: Callable[[str], str]) -> Self:
        """Return the model with each feature as ``find`` writes it.

        Raises ValueError where ``find`` does.
        """
        try:
            return replace(self, features=tuple(map(find, self.features)))
        except ValueError as error:
            raise ValueError(f"model {self.name}: {error}") from None

    def score(self, scores: FloatArray) -> FloatArray:
        """Return the scores (...) of candidates from the scores of features (..., M)."""
        return predict(self.layers, scaled(scores, self.low, self.high))

    def contributions(self, scores: Mapping[str, float]) -> dict[str, float]:
        """Return what each feature adds to the score of a candidate; empty of a network."""
        (layer, *others) = self.layers
        if others or layer.biases.shape != (1,):
            return {}

        given = np.array([scores[name] for name in self.features])
        slopes = 2 * layer.weights[:, 0] / _width(self.low, self.high)
        added = slopes * np.clip(given, self.low, self.high)
        constant = float(self.score(given) - added.sum())

        by_name = dict(zip(self.features, added.tolist(), strict=True))
        if abs(constant) > _ROUNDING:
            by_name[CONSTANT] = constant

        return by_name

    def made_with(self) -> str:
        """Describe the model in one line."""
        data = ", ".join(each["sha256"][:DIGITS] for each in self.training["data"])
        return (
            f"{self.name}: model of {len(self.features)} metrics for the target {self.target}, "
            f"sha256 {self.sha256[:DIGITS]}, trained on {data}"
        )

    def to_json(self) -> str:
        """Return the text of the model's file."""
        limits = zip(self.features, self.low.tolist(), self.high.tolist(), strict=True)
        content = {
            "tercet_model": FORMAT,
            "name": self.name,
            "target": self.target,
            "features": [
                {"metric": name, "low": low, "high": high} for name, low, high in limits
            ],
            "layers": [
                {"weights": layer.weights.tolist(), "biases": layer.biases.tolist()}
                for layer in self.layers
            ],
            **self.training,
            "images": list(self.training_images),
        }
        return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def scaled(scores: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Scale scores (..., M) from the limits (M,) to -1..1; what is outside is clipped."""
    inside = np.clip(scores, low, high)
    return 2 * (inside - low) / _width(low, high) - 1


def _width(low: FloatArray, high: FloatArray) -> FloatArray:
    """The distance of the limits; 1 where they are equal."""
    return np.where(high > low, high - low, 1.0)


def predict(layers: Sequence[Layer], values: FloatArray) -> FloatArray:
    """Return the score (...) of scaled features (..., M)."""
    *hidden, last = layers
    for layer in hidden:
        values = np.maximum(layer.pass_on(values), 0)

    outputs = last.pass_on(values)
    if outputs.shape[-1] == 1:
        return outputs[..., 0]

    return (1 + np.tanh((outputs[..., 0] - outputs[..., 1]) / 2)) / 2


def read_model(path: Path | str) -> Model:
    """Read a model from the file that ``tercet train`` wrote.

    Raises OSError if there is no such file, ValueError if it is another one.
    """
    content = Path(path).read_bytes()

    try:
        return _model(json.loads(content), hashlib.sha256(content).hexdigest())
    except (KeyError, TypeError, ValueError, AttributeError):
        raise ValueError(
            f"{path} is not a model: name a file that tercet train wrote"
        ) from None


def _model(read: dict[str, Any], sha256: str) -> Model:
    """Return the model of a file's content; raises one of several errors if it is another."""
    known = {"tercet_model", "name", "target", "features", "layers", "images"}
    features = read["features"]
    layers = tuple(
        Layer(np.array(each["weights"], float), np.array(each["biases"], float))
        for each in read["layers"]
    )
    model = Model(
        name=read["name"],
        target=read["target"],
        features=tuple(each["metric"] for each in features),
        low=np.array([each["low"] for each in features], float),
        high=np.array([each["high"] for each in features], float),
        layers=layers,
        training_images=tuple(read["images"]),
        training={name: read[name] for name in read if name not in known},
        sha256=sha256,
    )

    model.made_with()
    score = model.score(np.zeros((1, len(features))))
    if read["tercet_model"] != FORMAT or score.shape != (1,):
        raise ValueError("another format")

    return model


def image_digest(references: Iterable[str]) -> str:
    """Return a digest of the references of an image: of the words of each, in sorted order."""
    return "".join(sorted(_digests(references)))


def _digests(references: Iterable[str]) -> set[str]:
    words = {" ".join(plain(text)) for text in references}
    return {hashlib.sha256(text.encode()).hexdigest()[:_DIGITS] for text in words}


def shared_images(
    images: Iterable[str], references: Mapping[str, Iterable[str]]
) -> list[str]:
    """Find images that are the same as others, by their references.

    Parameters
    ----------
    images : iterable of str
        Digests of images, by :func:`image_digest`.
    references : mapping of str to iterable of str
        The references of other images, by the name of the image.

    Returns
    -------
    list of str
        The names of those that have at least half of their references in common with one of the
        images; of the image with fewer references, half of these.
    """
    sizes: list[int] = []
    having = defaultdict(list)
    for image, text in enumerate(images):
        digests = {text[at : at + _DIGITS] for at in range(0, len(text), _DIGITS)}
        sizes.append(len(digests))
        for digest in digests:
            having[digest].append(image)

    shared = []
    for name, captions in references.items():
        own = _digests(captions)
        common = Counter(image for each in own for image in having.get(each, ()))
        halves = (min(len(own), sizes[image]) / 2 for image in common)
        if any(map(ge, common.values(), halves)):
            shared.append(name)

    return shared


def check_unseen(
    name: str, images: Iterable[str], references: Mapping[str, Iterable[str]]
) -> None:
    """Raise ValueError if a model of a name was trained on images that it is to be judged by.

    ``images`` and ``references`` are as for :func:`shared_images`.
    """
    shared = shared_images(images, references)
    if not shared:
        return

    more = f" and {len(shared) - _NAMED:,} more" if len(shared) > _NAMED else ""
    raise ValueError(
        f"model {name} was trained on {len(shared):,} of these {len(references):,} images "
        f"({', '.join(shared[:_NAMED])}{more}): judge it by other images, or train it without "
        "these (--without FOLDER)"
    )
