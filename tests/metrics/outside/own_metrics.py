"""Metrics that tests give as functions."""

from collections.abc import Sequence
from zlib import crc32

import numpy as np

from tercet.metrics import FloatArray, metric


@metric(name="overlap", version="1", trained_on=())
def overlap(candidate: str, reference: str) -> float:
    said, meant = set(candidate.split()), set(reference.split())
    return len(said & meant) / max(len(said | meant), 1)


best_overlap = metric(overlap.compare, name="best overlap", combine="max", version="1")


@metric(name="covered", combine="set", bounds=(0, 1))
def covered(candidate: str, references: Sequence[str]) -> float:
    said, known = set(candidate.split()), set(" ".join(references).split())
    return len(said & known) / max(len(said), 1)


@metric(name="words", combine="none")
def words(candidate: str) -> int:
    return len(candidate.split())


def letters(texts: list[str]) -> FloatArray:
    """Encode texts by how often they have each pair of letters."""
    rows = np.zeros((len(texts), 64))
    for row, text in zip(rows, texts, strict=True):
        for start in range(len(text) - 1):
            row[crc32(text[start : start + 2].encode()) % 64] += 1

    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    units: FloatArray = rows / np.maximum(lengths, 1e-9)
    return units


def cosine(candidates: FloatArray, references: FloatArray) -> FloatArray:
    products: FloatArray = (candidates * references).sum(axis=1)
    return products


similarity = metric(
    cosine, name="similarity", encode=letters, batched=True, resolution=1e-9, batch=7
)
