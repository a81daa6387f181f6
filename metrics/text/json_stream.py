"""Read a JSON document value by value, so that it may be larger than memory.

Numbers are read as texts, as they are written, where no other decoder is given.
"""

import re
from collections.abc import Iterator
from json import JSONDecodeError, JSONDecoder
from typing import Any, TextIO

from tercet.metrics.text import limits
from tercet.metrics.text.csv_rows import BYTE_ORDER_MARK

AS_WRITTEN = JSONDecoder(parse_int=str, parse_float=str, parse_constant=str)
"""Reads numbers as texts, as they are written."""
CHUNK = 1 << 16
"""Characters that are read at a time."""
_BLANKS = (" ", "\t", "\r", "\n")
_NOT_BLANK = re.compile(r"[^ \t\r\n]")
_AFTER_VALUE = (*_BLANKS, ",", ":", "]", "}")
"""What may follow a value: before another character, a number goes on."""


class FaultyJson(ValueError):
    """Text that is not JSON, is nested too deep, or has a value longer than MAX_LINE."""


class JsonStream:
    """A JSON document that is read once, from its start to its end."""

    def __init__(self, file: TextIO, decoder: JSONDecoder = AS_WRITTEN) -> None:
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
                if not self._extend():
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

        while not is_empty:
            yield str(self.value())
            if self.peek() != ",":
                break
            self._take(",")

        self._take("}")

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
        if not isinstance(error, JSONDecodeError):
            return FaultyJson(str(error))

        line = self._line + error.lineno - 1
        column = error.colno + (self._column if error.lineno == 1 else 0)
        return FaultyJson(f"line {line}, column {column}: {error.msg}")

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
