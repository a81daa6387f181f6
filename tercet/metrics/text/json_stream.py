"""Read a JSON document value by value, so that it may be larger than memory.

Numbers are read as texts, as they are written, where no other decoder is given. An object that has
a key twice is refused: others would read one of its values or the other.
"""

import re
from collections.abc import Iterator
from json import JSONDecodeError, JSONDecoder, loads
from typing import Any, TextIO

from tercet.metrics.text import limits
from tercet.metrics.text.csv_rows import BYTE_ORDER_MARK


class FaultyJson(ValueError):
    """Text that is not JSON, is nested too deep, or has a value longer than MAX_LINE.

    `line` is the number of the line, where it is known; the message has it, too.
    """

    line: int | None = None


class _RepeatedKey(ValueError):
    """An object has a key twice."""


def _unique(members: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(members)
    if len(found) < len(members):
        raise _RepeatedKey
    return found


_AS_WRITTEN = JSONDecoder(
    parse_int=str, parse_float=str, parse_constant=str, object_pairs_hook=_unique
)
"""Reads numbers as texts, as they are written."""
WITH_NUMBERS = JSONDecoder(object_pairs_hook=_unique)
"""Reads numbers as numbers."""
CHUNK = 1 << 16
"""Characters that are read at a time."""
_BLANKS = (" ", "\t", "\r", "\n")
_NOT_BLANK = re.compile(r"[^ \t\r\n]")
_AFTER_VALUE = (*_BLANKS, ",", ":", "]", "}")
"""What may follow a value: before another character, a number goes on."""
_KEY_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"(?=(\s*:)?)|[{}\[\]]', re.DOTALL)
"""A string, with a group if it is a key, or a bracket."""
_CUT = 16
"""More characters than a word such as -Infinity or an escape has, which a chunk may cut off."""


def decoded(text: str, line: int, decoder: JSONDecoder = _AS_WRITTEN) -> Any:
    """Read the one value of a text that begins on this line of a file; raises FaultyJson."""
    try:
        return decoder.decode(text)
    except (ValueError, RecursionError) as error:
        raise _faulty(error, text, 0, line, 0) from None


def _faulty(
    error: ValueError | RecursionError, text: str, at: int, line: int, column: int
) -> FaultyJson:
    """Say what is wrong with a value in a text, which begins at this line and column."""
    if isinstance(error, _RepeatedKey):
        error = _repetition(text, at)
    if not isinstance(error, JSONDecodeError):
        return FaultyJson(str(error))

    line += error.lineno - 1
    column = error.colno + (column if error.lineno == 1 else 0)
    fault = FaultyJson(f"line {line}, column {column}: {error.msg}")
    fault.line = line
    return fault


def _repetition(text: str, at: int) -> JSONDecodeError:
    """Find the first key that an object of a value has twice."""
    objects: list[set[str]] = []
    for token in _KEY_OR_BRACKET.finditer(text, at):
        if token[0] in "{[":
            objects.append(set())
        elif token[0] in "}]":
            objects.pop()
        elif token[1]:
            key = loads(token[0])
            if key in objects[-1]:
                return _twice(key, text, token.start())
            objects[-1].add(key)

    raise AssertionError("no key occurs twice")


def _twice(key: str, text: str, at: int) -> JSONDecodeError:
    return JSONDecodeError(f"the key {key!r} occurs twice", text, at)


class JsonStream:
    """A JSON document that is read once, from its start to its end."""

    def __init__(self, file: TextIO, decoder: JSONDecoder = _AS_WRITTEN) -> None:
        self._file = file
        self._decoder = decoder
        self._text = file.read(CHUNK).removeprefix(BYTE_ORDER_MARK)
        self._at = 0
        self._line = 1
        self._column = 0

    def peek(self) -> str:
        """Return the next character that is not blank, "" at the end."""
        while self._at < len(self._text) or self._extend():
            character = self._text[self._at]
            if character not in _BLANKS:
                return character

            after = _NOT_BLANK.search(self._text, self._at)
            self._at = after.start() if after else len(self._text)

        return ""

    def value(self) -> Any:
        """Read one value."""
        self.peek()

        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except (ValueError, RecursionError) as error:
                fault = self._fault(error)
                if not self._may_be_cut(error) or not self._extend():
                    raise fault from None
                continue

            if self._text[end : end + 1] in _AFTER_VALUE or not self._extend():
                self._at = end
                return value

    def items(self) -> Iterator[Any]:
        """Read the values of an array."""
        self._take("[")
        is_empty = self.peek() == "]"

        while not is_empty:
            yield self.value()
            if self.peek() != ",":
                break
            self._take(",")

        self._take("]")

    def members(self) -> Iterator[str]:
        """Read the names of an object; the value of each is to be read before the next."""
        self._take("{")
        is_empty = self.peek() == "}"
        names: set[str] = set()

        while not is_empty:
            yield self._name(names)
            if self.peek() != ",":
                break
            self._take(",")

        self._take("}")

    def _name(self, names: set[str]) -> str:
        """Read a name that is none of those before, and add it to them."""
        self.peek()
        text, at = self._text, self._at
        name = str(self.value())
        if name in names:
            start = at if self._text is text else 0  # further text begins with the name
            raise self._fault(_twice(name, self._text, start))

        names.add(name)
        return name

    def start_member(self) -> None:
        """Go on from a name to its value."""
        self._take(":")

    def skip(self) -> None:
        """Read a value, item by item if it is an array, and forget it."""
        if self.peek() != "[":
            self.value()
            return

        for _ in self.items():
            pass

    def _take(self, character: str) -> None:
        if self.peek() != character:
            expected = f"expected {character}"
            raise self._fault(JSONDecodeError(expected, self._text, self._at))
        self._at += 1

    def _fault(self, error: ValueError | RecursionError) -> FaultyJson:
        """Say what is wrong, and where in the whole document."""
        return _faulty(error, self._text, self._at, self._line, self._column)

    def _may_be_cut(self, error: ValueError | RecursionError) -> bool:
        """Return whether the text may only go on after what has been read."""
        if not isinstance(error, JSONDecodeError):
            return False

        is_open = error.msg.startswith("Unterminated string")
        return is_open or len(self._text) - error.pos < _CUT

    def _extend(self) -> bool:
        """Read on, as much as is not yet used at least; False at the end."""
        used, rest = self._text[: self._at], self._text[self._at :]
        if len(rest) > limits.MAX_LINE:
            raise FaultyJson(f"a value is longer than {limits.MAX_LINE:,}")

        *lines, last = used.split("\n")
        self._line += len(lines)
        self._column = len(last) + (0 if lines else self._column)

        more = self._file.read(max(CHUNK, len(rest)))
        self._text = rest + more
        self._at = 0
        return bool(more)
