"""JSON documents value by value."""

import json
from collections.abc import Iterator
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.metrics.text import json_stream, limits
from tercet.metrics.text.json_stream import CHUNK, FaultyJson, JsonStream, decoded

VALUES = st.recursive(
    st.none() | st.booleans() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_stream, "CHUNK", 3)


@given(st.lists(VALUES, max_size=5), st.sampled_from([None, 1]))
def test_items_are_what_the_json_module_reads(
    items: list[object], indent: int | None
) -> None:
    text = json.dumps(items, indent=indent)
    assert list(JsonStream(StringIO(text)).items()) == items


@pytest.mark.parametrize("blanks", [1, CHUNK - 1, CHUNK, 2 * CHUNK + 1])
def test_blanks_between_values_are_skipped_however_many_there_are(blanks: int) -> None:
    text = "[1,2]".replace(",", " " * blanks + ",\n" + "\t" * blanks)
    assert list(JsonStream(StringIO(text)).items()) == ["1", "2"]


def test_numbers_stay_as_they_are_written() -> None:
    assert list(JsonStream(StringIO("[1, 1.50, 12345678901]")).items()) == [
        "1",
        "1.50",
        "12345678901",
    ]


def test_members_are_read_or_skipped() -> None:
    stream = JsonStream(StringIO(' {"a": [1, [2]], "b": {"c": 3}, "d": [true]} '))
    values = {}

    for name in stream.members():
        stream.start_member()
        if name == "d":
            values[name] = list(stream.items())
        else:
            stream.skip()

    assert values == {"d": [True]}


@pytest.mark.parametrize(
    "text", ["", "[", "[1", "[1 2]", "[1,]", "{", "[" * 9_999, "[nul]"]
)
def test_what_is_not_json_is_refused(text: str) -> None:
    with pytest.raises(FaultyJson):
        list(JsonStream(StringIO(text)).items())


def test_a_value_without_an_end_is_not_read_to_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "MAX_LINE", 100)
    file = StringIO('["' + "x" * 10_000)

    with pytest.raises(FaultyJson, match="longer than 100"):
        list(JsonStream(file).items())
    assert file.tell() < 1_000


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[1,\n 2,\n 3 4]", "line 3, column 4: expected ]"),
        ('[1,\n {"a" 2}]', "line 2, column 7: Expecting ':' delimiter"),
        ('["a long text", nul]', "line 1, column 17: Expecting value"),
        ('["ein früher Bär", nul]', "line 1, column 20: Expecting value"),
        ('[\r\n"ü",\r\n "😀", nul]', "line 3, column 7: Expecting value"),
        ('[{"a": 1,\n "b": 2, "a": 3}]', "line 2, column 10: the key 'a' occurs twice"),
        (
            '[{"a": {"b": "a"}, "c": {"b": 1,\n"b": 2}}]',
            "line 2, column 1: the key 'b'",
        ),
        ('[{"\\u0061": "\\"a\\":", "a": 3}]', "line 1, column 23: the key 'a'"),
    ],
)
def test_a_fault_is_placed_in_the_whole_document(text: str, reason: str) -> None:
    with pytest.raises(FaultyJson) as raised:
        list(JsonStream(StringIO(text)).items())
    assert str(raised.value).startswith(reason)


def test_a_name_of_an_object_that_occurs_twice_is_refused() -> None:
    stream = JsonStream(StringIO('{"a": 1,\n "b": 2,\n  "a": 3}'))

    def names() -> Iterator[str]:
        for name in stream.members():
            stream.start_member()
            stream.skip()
            yield name

    with pytest.raises(FaultyJson, match="line 3, column 3: the key 'a' occurs twice"):
        list(names())


def test_a_fault_far_from_the_end_is_named_without_reading_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "MAX_LINE", 100)
    file = StringIO('[{"a" 2}, ' + '"long enough",' * 1_000)
    with pytest.raises(FaultyJson, match="line 1, column 7: Expecting ':'"):
        list(JsonStream(file).items())


@given(VALUES, st.text(" \n", max_size=4))
def test_the_value_of_a_line_is_what_the_json_module_reads(
    value: object, blanks: str
) -> None:
    text = blanks + json.dumps(value) + blanks
    assert decoded(text, 7) == value


def test_the_fault_of_a_line_has_the_number_of_the_line_and_counts_characters() -> None:
    with pytest.raises(FaultyJson) as raised:
        decoded('  {"ä": 1, "ä": 2}', 7)
    assert str(raised.value) == "line 7, column 12: the key 'ä' occurs twice"
    assert raised.value.line == 7
