"""Captions and golden scores for the tests of metrics."""

import csv
import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(__file__).resolve().parents[2].parent / "shared"


@dataclass(frozen=True)
class Golden:
    """A case of goldens.json: captions of one image, and their scores by pycocoevalcap."""

    name: str
    candidate: list[str]
    references: list[list[str]]
    scores: dict[str, float]


@dataclass(frozen=True)
class Abstract:
    """ABSTRACT-50S, tokenized: the candidates b and c of each pair in turn."""

    references: list[list[list[str]]]
    candidates: list[list[str]]
    images: list[int]
    keys: list[tuple[str, str]]
    scores: dict[tuple[str, str, str, str, str], float]


@pytest.fixture(scope="session")
def goldens() -> list[Golden]:
    path = Path(__file__).with_name("goldens.json")
    text = path.read_text(encoding="utf-8")
    return [
        Golden(
            case["name"],
            case["candidate"].split(),
            [reference.split() for reference in case["references"]],
            case["scores"],
        )
        for case in json.loads(text)
    ]


@pytest.fixture(scope="session")
def abstract() -> Abstract:
    if not (SHARED / "golden" / "scores_abstract50s.csv.gz").exists():
        pytest.skip(
            "the ABSTRACT-50S captions and their golden scores are not on this machine"
        )

    tokens = {
        _spaced(line["caption"]): line["tokens"].split()
        for line in _json_lines(SHARED / "golden" / "ptb_abstract50s.jsonl.gz")
    }
    references: dict[str, list[list[str]]] = {}
    for row in _rows(SHARED / "data" / "abstract50s" / "references.csv"):
        references.setdefault(row["image"], []).append(tokens[_spaced(row["caption"])])

    places = {image: place for place, image in enumerate(references)}
    shown = [(row, side) for row in _pairs() for side in "bc"]
    return Abstract(
        references=list(references.values()),
        candidates=[tokens[_spaced(row[f"candidate_{side}"])] for row, side in shown],
        images=[places[row["image"]] for row, _ in shown],
        keys=[(row["pair"], side) for row, side in shown],
        scores=_scores(),
    )


def _pairs() -> list[dict[str, str]]:
    return list(_rows(SHARED / "data" / "abstract50s" / "pairs.csv"))


def _scores() -> dict[tuple[str, str, str, str, str], float]:
    columns = ("pair", "candidate", "metric", "document_frequencies", "reference_count")
    with gzip.open(
        SHARED / "golden" / "scores_abstract50s.csv.gz", "rt", encoding="utf-8"
    ) as file:
        rows = csv.DictReader(file)
        return {
            (pair, candidate, metric, documents, count): float(row["score"])
            for row in rows
            for pair, candidate, metric, documents, count in [
                [row[name] for name in columns]
            ]
        }


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def _json_lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def _spaced(caption: str) -> str:
    return " ".join(caption.split())
