import gzip
import json
from collections.abc import Iterator
from importlib.util import find_spec

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.metrics.meteor.normalise import Prefixes, normalise, stands_alone
from tercet.metrics.meteor.resources import shared_resources
from tests.metrics.conftest import SHARED

PREFIXES = Prefixes(frozenset(["vs", "i.e"]), frozenset(["pp"]))


@pytest.mark.parametrize(
    ("caption", "words"),
    [
        ("ca n't", "ca n 't"),
        ("mike 's", "mike ' s"),
        ("it's", "it 's"),
        ("t-shirt", "t shirt"),
        ("a-b-c", "a b-c"),
        ("u.s.", "us"),
        ("5 p.m. today", "5 pm today"),
        ("mr. smith", "mr. smith"),
        ("by dr.", "by dr ."),
        ("a vs. 3", "a vs. 3"),
        ("pp. 3", "pp. 3"),
        ("pp. x3", "pp. x3"),
        ("PP. X", "pp . x"),
        ("1/2", "1 / 2"),
        ("1\u00a01/2", "1 1 / 2"),
        ("!!!", "! ! !"),
        ("wait...", "wait ..."),
        ("-lrb-", "-lrb-"),
        ("", ""),
        ("\x01", ""),
    ],
)
def test_words_are_those_of_the_java_program(caption: str, words: str) -> None:
    assert normalise(caption, PREFIXES) == words.split()


def test_a_period_at_the_end_depends_on_what_follows() -> None:
    assert normalise("mr.", PREFIXES) == ["mr", "."]
    assert normalise("mr.", PREFIXES, following="s") == ["mr."]


@given(st.text(), st.text(max_size=3))
def test_no_text_fails(text: str, following: str) -> None:
    assert "" not in normalise(text, PREFIXES, following)


@given(st.from_regex("[A-Za-z0-9][A-Za-z0-9-]*", fullmatch=True))
def test_a_token_that_stands_alone_has_its_words_in_any_caption(token: str) -> None:
    if stands_alone(token):
        inside = normalise(f"'s {token} 's", PREFIXES)
        assert inside == ["'", "s", *normalise(token, PREFIXES), "'", "s"]


@pytest.mark.skipif(
    find_spec("pycocoevalcap") is None, reason="pip install pycocoevalcap==1.2"
)
def test_random_lines_are_those_of_the_java_program() -> None:
    for line in _lines():
        words = normalise(line["text"], shared_resources().prefixes)
        assert words == [word for word in line["normalized"].split(" ") if word]


def _lines() -> Iterator[dict[str, str]]:
    path = SHARED / "golden" / "meteor_normalizer_fuzz.jsonl.gz"
    if not path.exists():
        pytest.skip("the golden outputs of the Java program are not on this machine")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)
