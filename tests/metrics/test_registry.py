"""All names, and how another metric is added: a toy shows that one entry is all it takes."""

import csv
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from tercet.metrics import (
    DocumentsMode,
    FloatArray,
    IntArray,
    Metric,
    compare,
    corpus,
    file_order,
    metric,
    names,
    registry,
    resolve,
)
from tercet.metrics.__main__ import main
from tercet.metrics.corpora.corpus import Corpus
from tercet.metrics.corpora.orders import Order
from tercet.metrics.registry import families, needs_of
from tests.metrics.scores import caption_curves, caption_scores


@dataclass(frozen=True)
class FirstLetters:
    """A toy: the share of references that begin with the candidate's first letter."""

    corpus: Corpus
    shared: IntArray

    @classmethod
    def of(cls, corpus: Corpus, wanted: Sequence[str]) -> "FirstLetters":
        first = [
            [corpus.words[captions.tokens[start]][0] for start in captions.offsets[:-1]]
            for captions in (corpus.candidates, corpus.references)
        ]
        pairs = zip(*corpus.comparisons, strict=True)

        return cls(corpus, np.array([first[0][c] == first[1][r] for c, r in pairs]))

    def accumulate(self, order: Order) -> dict[str, FloatArray]:
        table = self.corpus.by_place(self.shared.astype(float), order.places)
        k = np.arange(1, table.shape[1] + 1)
        return {"toy": self.corpus.where_enough(np.cumsum(table, axis=1) / k)}


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    added = (*registry.METRICS, Metric(("toy",), FirstLetters.of))
    monkeypatch.setattr(registry, "METRICS", added)


def in_table_order(known: Sequence[str]) -> list[str]:
    return [
        *(f"BLEU-{n}" for n in range(1, 5)),
        *(f"ROUGE-{n}" for n in range(1, 5)),
        "ROUGE-L",
        "ROUGE-S",
        "CIDEr",
        *(f"CIDEr-{n}" for n in range(1, 5)),
        *("CIDEr-max", "CIDEr-exp", "CIDEr-noidf", "CIDEr-D", "CIDEr-stem"),
        *(["METEOR"] if "METEOR" in known else []),
        "length",
        "random",
    ]


def test_names_are_in_table_order() -> None:
    assert list(names()) == in_table_order(names())


def test_only_the_families_needed_are_compared() -> None:
    compared = compare(
        corpus(references=[["a"]], candidates=["a"]), ["CIDEr-D", "BLEU-2", "CIDEr"]
    )

    assert len(compared.comparisons) == 2


def test_the_seven_metrics_of_coco_are_the_default() -> None:
    assert resolve() == (
        *(f"BLEU-{n}" for n in range(1, 5)),
        "METEOR",
        "ROUGE-L",
        "CIDEr-D",
    )


def test_a_name_is_found_in_any_case() -> None:
    for name in names():
        assert resolve([name.lower(), name.upper(), name]) == (name,)


def test_each_metric_says_what_it_needs() -> None:
    assert needs_of("CIDEr") == ["references"]
    assert needs_of("length") == []
    assert needs_of("METEOR") == ["references", "English captions", "extra meteor"]
    seen = metric(
        lambda candidate, image: 0.0,
        name="seen",
        needs=("image",),
        language="de",
        combine="none",
    )
    assert needs_of(seen) == ["image", "captions in de"]


def test_every_optional_package_is_named_by_its_extra() -> None:
    assert all(each.extra.name for each in families() if each.extra)


def test_a_string_is_one_name() -> None:
    assert resolve("cider-d") == ("CIDEr-D",)


@pytest.mark.parametrize("wanted", ["all", ["all"], ["BLEU-1", "all"]])
def test_all_are_found_by_one_word(wanted: str | list[str]) -> None:
    assert resolve(wanted) == names()


def test_a_choice_of_no_metric_is_refused() -> None:
    with pytest.raises(
        ValueError, match="no metric is named: name one, or leave metrics out"
    ):
        resolve([])


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("BLUE-4", "BLEU-4"),
        ("bleu4", "BLEU-4"),
        ("Bleu_4", "BLEU-4"),
        ("CIDErD", "CIDEr-D"),
        ("ROUGE", "ROUGE-L"),
        ("metoer", "METEOR"),
    ],
)
def test_a_name_nearly_right_is_answered_with_the_right_one(
    name: str, meant: str
) -> None:
    with pytest.raises(
        ValueError, match=rf"unknown metric {name}: did you mean {meant}\?"
    ):
        resolve(name)


@pytest.mark.parametrize("name", ["SPICE", "BERTScore", "CLIPScore", ""])
def test_a_metric_computed_elsewhere_is_referred_to_its_file(name: str) -> None:
    with pytest.raises(
        ValueError, match=r"metrics are BLEU-1, .*CIDEr-D.* in scores\.csv"
    ):
        resolve([name])


def test_every_unknown_name_is_told() -> None:
    with pytest.raises(
        ValueError, match=r"unknown metric SPICE\. unknown metric BLUE-1: did"
    ):
        resolve(["SPICE", "BLEU-1", "BLUE-1"])


def test_scores_come_in_the_order_asked_for_and_each_once() -> None:
    made = corpus(references=[["a"]], candidates=["a"])
    curves = compare(made, ["CIDEr", "BLEU-1", "CIDEr"]).accumulate(file_order(made))
    assert list(curves) == ["CIDEr", "BLEU-1"]


@pytest.mark.parametrize("documents", ["pool", "k"])
def test_a_name_alone_scores_as_it_does_among_all(documents: DocumentsMode) -> None:
    references = [["a b c d e", "a b"], ["b c d e a"]]
    candidates = ["a b c d", "b a"]
    made = corpus(references=references, candidates=candidates, documents=documents)
    order = file_order(made)
    wanted = [name for name in names() if name != "METEOR"]
    together = compare(made, wanted).accumulate(order)

    for name in wanted:
        comparison = compare(made, [name])
        alone = comparison.accumulate(order)
        assert list(alone) == [name]
        np.testing.assert_array_equal(alone[name], together[name])


@pytest.mark.usefixtures("toy")
def test_a_metric_of_one_entry_is_in_every_table(tmp_path: Path) -> None:
    references, candidates = [["a dog", "the dog"], ["a cat"]], ["a bird", "birds"]
    assert "toy" in names()
    assert caption_scores(references, candidates, metrics="TOY")["toy"].tolist() == [
        0.5,
        0,
    ]

    curve = caption_curves(references, candidates, metrics=["BLEU-1", "toy"])["toy"]
    np.testing.assert_array_equal(curve, [[1, 0.5], [0, np.nan]])


@pytest.mark.usefixtures("toy")
def test_a_metric_of_one_entry_is_in_the_shell(tmp_path: Path) -> None:
    files = {
        name: tmp_path / f"{name}.csv" for name in ("references", "candidates", "out")
    }
    files["references"].write_text(
        "image,caption\n1,a dog\n1,the dog\n", encoding="utf-8"
    )
    files["candidates"].write_text("image,caption\n1,a bird\n", encoding="utf-8")

    options = [
        part for name, path in files.items() for part in (f"--{name}", str(path))
    ]

    assert main([*options, "--metrics", "toy"]) == 0

    with files["out"].open(encoding="utf-8", newline="") as file:
        rows = [(row["metric"], row["score"]) for row in csv.DictReader(file)]
        assert rows == [("toy", "0.5")]


def test_what_compiles_is_imported_when_it_is_needed() -> None:
    code = "import sys, metrics; sys.exit('numba' in sys.modules)"
    command = [sys.executable, "-c", code]
    assert subprocess.run(command, check=False).returncode == 0
