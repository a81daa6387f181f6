"""Scores and figures of COCO captions against the reference implementations.

The captions are in the pycocoevalcap wheel, their tokens and the goldens beside the project;
skipped without them.
"""

import csv
import gzip
import json
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from scripts.coco_documents import annotations, installed_file
from tercet.metrics import compare, corpus, corpus_scores, file_order, ptb
from tests.metrics.conftest import SHARED

GOLDEN = SHARED / "golden"
METRICS = ["BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4", "ROUGE-L", "CIDEr", "CIDEr-D"]

pytestmark = [
    pytest.mark.skipif(
        find_spec("pycocoevalcap") is None, reason="needs pycocoevalcap==1.2"
    ),
    pytest.mark.skipif(
        not GOLDEN.exists(), reason="the goldens are not on this machine"
    ),
]


@pytest.fixture(scope="module")
def captions() -> dict[int, list[str]]:
    """The tokens, parted by blanks, of each image's captions."""
    with gzip.open(
        GOLDEN / "ptb_coco_val2014.jsonl.gz", "rt", encoding="utf-8"
    ) as file:
        tokens = [json.loads(line)["tokens"] for line in file]

    by_image: dict[int, list[str]] = {}
    for entry, caption in zip(annotations(installed_file()), tokens, strict=True):
        by_image.setdefault(entry.image, []).append(caption)

    return by_image


def assert_golden(
    name: str, references: list[list[str]], candidates: list[str], images: list[int]
) -> None:
    with gzip.open(
        GOLDEN / f"scores_{name}.csv.gz", "rt", encoding="utf-8", newline=""
    ) as file:
        rows = {int(row["image"]): row for row in csv.DictReader(file)}

    figures: dict[str, Any] = json.loads((GOLDEN / f"corpus_{name}.json").read_text())
    split = [[caption.split(" ") for caption in captions] for captions in references]
    made = corpus(
        references=split, candidates=[caption.split(" ") for caption in candidates]
    )
    compared, order = compare(made, METRICS), file_order(made)
    found = corpus_scores(compared, order)

    for each, curve in compared.accumulate(order).items():
        expected = [float(rows[image][each]) for image in images]
        scores = made.at_all_references(curve)

        np.testing.assert_allclose(scores, expected, rtol=0, atol=1e-10, err_msg=each)
        assert found[each] == pytest.approx(figures[each], rel=0, abs=1e-12)


def test_the_last_captions_of_5000_images(captions: dict[int, list[str]]) -> None:
    images = sorted(captions)[:5000]
    shown = [captions[image] for image in images]
    references, candidates = [each[:-1] for each in shown], [each[-1] for each in shown]

    assert_golden("coco_val2014_last", references, candidates, images)


def test_the_captions_of_the_demo(captions: dict[int, list[str]]) -> None:
    path = SHARED / "data" / "coco_fakecap" / "captions_val2014_fakecap_results.json"
    text = path.read_text(encoding="utf-8")
    made_up = json.loads(text)
    images = [entry["image_id"] for entry in made_up]

    candidates = [" ".join(ptb(entry["caption"])) for entry in made_up]
    assert_golden(
        "coco_fakecap", [captions[image] for image in images], candidates, images
    )
