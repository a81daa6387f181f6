# ruff: noqa: RUF001
"""The PTB tokenizer against the outputs of the reference (goldens), and its properties."""

import gc
import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.coco_documents import annotations, installed_file
from tercet.metrics.ptb import PUNCTUATION, by_rules, ptb, ptb_many, ptb_raw, scanner
from tercet.metrics.ptb.characters import shadow
from tercet.metrics.ptb.plain import plain_tokens
from tercet.metrics.ptb.rules import RULES

GOLDEN = Path(__file__).resolve().parents[3].parent / "shared" / "golden"
CASES: dict[str, str] = json.loads(
    Path(__file__).with_name("ptb_cases.json").read_text(encoding="utf-8")
)

PIECES = """
    a The dog cannot gonna cats' it's don’t n't 's U.S. p.m. etc. St. B. C++ AT&T o'clock '90s
    well-known and/or 5 12 555 1,000 1/2 555-1234 $5 50% " ' ` , . ... ! ?! - -- ( [ :) ^_^ # @x
    <b> <!b &amp; &lt; http://a.bc www. .ab .com www.ab.com @ a@b.c .txt x.txt -b é e\u0301 日本 ٣
    ½ ² \u200b \xad 😀
"""
PLAIN_WORDS = "a the Dog man cannot Gonna no st etc co t-shirt well-known 5 12 dog's"
PIECE = st.sampled_from([*PIECES.split(), "\xa0", "\x85"])
CHARACTERS = st.text("abnstxABT159é'’`.,-_/:&<>@#()^ \xad\xa0\u3000\n")
CAPTIONS = st.one_of(
    st.text(), CHARACTERS, st.lists(PIECE).map(" ".join), st.lists(PIECE).map("".join)
)
RUNS = "a a- a. a.1. a, a' 'a &a & &lt;a ~ ½ + ’ \u200d \x85 😀 << <!a (( a@ www. www.& a.&. 1/"
LONG_RUNS = [
    *RUNS.split(),
    " ",
    ". ",
    "1 ",
    "<a ",
    "a. <!b ",
    "etc. <!b ",
    "U.S. <",
    "http://",
]
PLAIN = st.lists(st.sampled_from(PLAIN_WORDS.split()), min_size=1)
COMMAS = st.sampled_from([" ", "  ", ", ", " , "])
ENDS = st.sampled_from(["", ".", " .", "!", "? "])


def golden_lines(name: str) -> Iterator[dict[str, Any]]:
    path = GOLDEN / f"{name}.jsonl.gz"
    if not path.exists():
        pytest.skip(f"the golden outputs {path.name} are not on this machine")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def coco_captions() -> dict[int, str]:
    pytest.importorskip("pycocoevalcap", reason="COCO's captions are in pycocoevalcap")
    return {each.number: each.caption for each in annotations(installed_file())}


@pytest.mark.parametrize("caption", CASES)
def test_cases(caption: str) -> None:
    assert ptb_raw(caption) == CASES[caption]

    expected = [
        token for token in CASES[caption].split(" ") if token not in PUNCTUATION
    ]

    assert ptb(caption) == by_rules(caption) == expected


@pytest.mark.parametrize(
    ("caption", "tokens"),
    [
        ("A man can't see.", ["a", "man", "ca", "n't", "see"]),
        ("(tall)", ["-lrb-", "tall", "-rrb-"]),
        ("Stop! No!!", ["stop", "no", "!!"]),
        ("50% ----hot-dog", ["50", "%", "hot-dog"]),
        ("1 1/2", ["1\xa01/2"]),
        ("1\n2\r\n3\x0b4\x0c5\u20286\u2029.", list("123456")),
        ("", []),
        (" . ", []),
        ("😀", []),
    ],
)
def test_tokens(caption: str, tokens: list[str]) -> None:
    assert ptb(caption) == tokens


@pytest.mark.parametrize(
    "name", ["ptb_abstract50s", "ptb_coco", "ptb_cases", "ptb_fuzz"]
)
def test_goldens(name: str) -> None:
    lines = list(golden_lines(name))
    tokens = ptb_many([line["caption"] for line in lines])
    wrong = [
        line
        for line, found in zip(lines, tokens, strict=True)
        if ptb_raw(line["caption"]) != line["ptb"]
        or " ".join(found) != line.get("tokens", " ".join(found))
    ]

    assert wrong == []


def test_coco() -> None:
    """Only periods after a single last letter differ, where the reference reads on."""
    captions = coco_captions()
    lines = list(golden_lines("ptb_coco_val2014"))
    found = ptb_many([captions[line["id"]] for line in lines])

    wrong = [
        (" ".join(tokens), line["tokens"])
        for tokens, line in zip(found, lines, strict=True)
        if " ".join(tokens) != line["tokens"]
    ]

    assert len(wrong) == 6
    for tokens, expected in wrong:
        assert re.search(r"\b[a-z]\.$", tokens)
        assert tokens == f"{expected}."


def golden_characters(name: str) -> list[str]:
    path = GOLDEN / "ptb_character_classes.json"
    if not path.exists():
        pytest.skip("the golden character classes are not on this machine")

    ends = (
        line.partition("-")
        for line in json.loads(path.read_text(encoding="utf-8"))[name]
    )
    codes = (
        range(int(first, 16), int(last or first, 16) + 1) for first, _, last in ends
    )

    return [chr(code) for span in codes for code in span]


def test_word_characters() -> None:
    glued = [ptb_raw(f"ab{character}cd") for character in golden_characters("wordchar")]
    assert [tokens for tokens in glued if " " in tokens] == []


def test_symbols() -> None:
    for character in golden_characters("symbol"):
        assert ptb_raw(f"ab {character} cd") == f"ab {character.lower()} cd"


def test_skipped_characters() -> None:
    for character in golden_characters("skipped"):
        assert ptb_raw(f"ab {character} cd") == "ab cd"


def test_special_characters() -> None:
    for character in golden_characters("special"):
        assert len(ptb_raw(f"ab {character} cd").split(" ")) == 3


@given(CAPTIONS)
def test_any_caption(caption: str) -> None:
    tokens = ptb(caption)
    assert tokens == ptb(caption) == by_rules(caption)
    assert all(token.strip("\xa0") and " " not in token for token in tokens)
    assert PUNCTUATION.isdisjoint(tokens)


@given(CAPTIONS)
def test_run_of_words_is_what_the_rules_say(caption: str) -> None:
    tokens = scanner.scan(caption)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scanner, "_WORDS", re.compile("(?!)"))
        assert scanner.scan(caption) == tokens


@given(PLAIN, COMMAS, ENDS)
def test_plain_captions(words: list[str], between: str, end: str) -> None:
    caption = between.join(words) + end
    (tokens,) = plain_tokens([caption])
    assert tokens is None or tokens == by_rules(caption)


@given(st.lists(CAPTIONS))
def test_many(captions: list[str]) -> None:
    assert ptb_many(captions) == [ptb(caption) for caption in captions]


@given(st.characters())
def test_a_rule_starts_where_it_says(character: str) -> None:
    seen = shadow(character) + "bcd. 's 12/34"
    for rule in RULES:
        assert rule.start.match(seen) or not rule.pattern.match(seen)


@pytest.mark.parametrize("piece", LONG_RUNS)
def test_time_grows_with_the_length_of_a_caption_not_with_its_square(
    piece: str,
) -> None:
    short, long = (processor_seconds((piece * size)[:size]) for size in (1_000, 32_000))
    assert long < 180 * short  # 32 times if linear, 1,024 times if quadratic


def processor_seconds(caption: str) -> float:
    """The least of three times; they do not include what other processes do."""
    seconds = []
    for _ in range(3):
        start = process_time()
        ptb(caption)
        seconds.append(process_time() - start)

    return min(seconds)


@given(CAPTIONS)
def test_guards_skip_no_rule_that_matches(caption: str) -> None:
    tokens = scanner.scan(caption)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scanner._Seen, "has", lambda seen, guard, place: True)
        assert scanner.scan(caption) == tokens


def test_collection_goes_on_afterwards() -> None:
    with pytest.raises(AttributeError):
        ptb_many([None])  # type: ignore[list-item]
    assert gc.isenabled()
