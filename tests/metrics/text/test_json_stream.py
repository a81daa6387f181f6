"""JSON documents value by value."""

import json
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.metrics.text import json_stream, limits
from tercet.metrics.text.json_stream import CHUNK, FaultyJson, JsonStream

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
    ],
)
def test_a_fault_is_placed_in_the_whole_document(text: str, reason: str) -> None:
    with pytest.raises(FaultyJson) as raised:
        list(JsonStream(StringIO(text)).items())
    assert str(raised.value) == reason
