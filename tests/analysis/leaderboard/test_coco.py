"""Published figures of COCO, from the files that are submitted to the board.

The captions are in the pycocoevalcap wheel and in files beside the project; skipped without them.
"""

import json
from importlib.util import find_spec
from pathlib import Path

import pandas as pd
import pytest

from scripts.coco_documents import annotations, installed_file
from tercet.analysis.leaderboard.board import Board, leaderboard
from tercet.analysis.leaderboard.result_files import read_results
from tercet.analysis.leaderboard.rules import Rules
from tercet.analysis.leaderboard.scoring import score_held_out, score_system
from tercet.metrics import resolve
from tests.support.folders import SHARED

GOLDEN = SHARED / "golden"
FAKECAP = SHARED / "data" / "coco_fakecap" / "captions_val2014_fakecap_results.json"
KARPATHY = SHARED / "data" / "coco_karpathy"

pytestmark = [
    pytest.mark.skipif(
        find_spec("pycocoevalcap") is None, reason="needs pycocoevalcap==1.2"
    ),
    pytest.mark.skipif(
        not SHARED.exists(), reason="the captions of COCO are not on this machine"
    ),
]


@pytest.fixture(scope="module")
def captions() -> dict[int, list[str]]:
    by_image: dict[int, list[str]] = {}
    for _, image, caption in annotations(installed_file()):
        by_image.setdefault(image, []).append(caption)

    return by_image


def test_the_human_row_of_5000_images(captions: dict[int, list[str]]) -> None:
    """The last caption of each image by its others."""
    text = (GOLDEN / "corpus_coco_val2014_last.json").read_text()
    golden = json.loads(text)
    references = [captions[image] for image in sorted(captions)[:5000]]
    human = score_held_out(references, Rules((*resolve(), "CIDEr")))

    assert human.figures[None] == pytest.approx(golden, rel=0, abs=1e-12)


def test_the_result_file_of_the_demo(captions: dict[int, list[str]]) -> None:
    text = (GOLDEN / "corpus_coco_fakecap.json").read_text()
    golden = json.loads(text)
    images = [
        entry["image_id"] for entry in json.loads(FAKECAP.read_text(encoding="utf-8"))
    ]
    read = read_results(FAKECAP, {"hidden": list(map(str, images))})

    assert not read.problems

    references = [captions[image] for image in images]
    rules = Rules((*resolve(), "CIDEr"))
    figures = score_system(references, read.captions["hidden"], rules).figures[None]

    assert figures == pytest.approx(golden, rel=0, abs=1e-12)

    published = [0.579, 0.404, 0.279, 0.191, 0.195, 0.396, 0.600]
    assert [round(figures[name], 3) for name in resolve()] == published


def test_more_references_raise_bleu_and_rouge_most() -> None:
    """The pattern of c5 and c40 in the COCO captions paper, table 1, on ABSTRACT-50S."""
    table = pd.read_csv(SHARED / "data" / "abstract50s" / "references.csv")
    by_image = table.groupby("image", sort=False)["caption"]
    references = [captions.tolist() for _, captions in by_image]

    human = score_held_out(references, Rules(counts=(5, 40)))
    assert {each.used for each in human.by_count.values()} == {5, 40}

    ratio = {
        name: human.figures[40][name] / human.figures[5][name] for name in resolve()
    }

    assert min(ratio["BLEU-4"], ratio["ROUGE-L"]) > ratio["CIDEr-D"] > 1
    assert ratio["BLEU-4"] > 2


def karpathy(name: str) -> dict[str, str]:
    content: dict[str, str] = json.loads(
        (KARPATHY / f"{name}.json").read_text(encoding="utf-8")
    )
    return content


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Board:
    """Two published systems and the human row on the test images of Karpathy."""
    references = json.loads(
        (KARPATHY / "reference_captions.json").read_text(encoding="utf-8")
    )
    rules = Rules(("BLEU-4", "ROUGE-L", "CIDEr-D"), (5,))
    systems = {}

    for name in ("m2_transformer", "blip2_results_xe"):
        results = [
            {"image_id": int(image), "caption": caption}
            for image, caption in karpathy(name).items()
        ]
        path: Path = tmp_path_factory.mktemp("results") / f"{name}.json"
        path.write_text(json.dumps(results), encoding="utf-8")

        read = read_results(path, {"hidden": list(references)})
        assert not read.problems

        images = list(references.values())
        systems[name] = score_system(images, read.captions["hidden"], rules)

    return leaderboard(rules, systems, score_held_out(list(references.values()), rules))


def test_published_figures_of_systems(board: Board) -> None:
    figures = {row.name: row.cells[5]["CIDEr-D"].figure for row in board.rows}
    assert round(figures["m2_transformer"], 4) == 1.3120
    assert round(figures["blip2_results_xe"], 4) == 1.4601


def test_machines_pass_the_human_row_by_every_metric(board: Board) -> None:
    for metric in board.rules.names:
        *machines, human = board.sorted_rows(metric, 5)
        assert human.kind == "human"
        assert human.used[5] == 4
        assert all(
            row.cells[5][metric].low > human.cells[5][metric].high for row in machines
        )


def test_the_two_systems_differ(board: Board) -> None:
    letters = {row.name: row.cells[5]["CIDEr-D"].letters for row in board.rows}
    assert letters == {"m2_transformer": "b", "blip2_results_xe": "a", "human": ""}
