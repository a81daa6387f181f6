"""Strings end to end in one piece of memory: a list of them takes twice as much."""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self, overload

import numpy as np
from numpy.typing import NDArray

from tercet.metrics.core.arrays import IntArray, offsets_of, ranges

_ERRORS = "surrogatepass"


@dataclass(frozen=True, eq=False)
class StringArray(Sequence[str]):
    """Strings that are parts of one piece of memory.

    letters: (bytes,) uint8, in UTF-8. starts, ends: (strings,) of each string in the letters.
    """

    letters: NDArray[np.uint8]
    starts: IntArray
    ends: IntArray

    @classmethod
    def of(cls, strings: Iterable[str]) -> Self:
        """Copy strings end to end."""
        encoded = [string.encode("utf-8", _ERRORS) for string in strings]
        letters = np.frombuffer(b"".join(encoded), np.uint8)
        offsets = offsets_of(np.fromiter(map(len, encoded), np.int64, len(encoded)))

        return cls(letters, offsets[:-1], offsets[1:])

    def take(self, numbers: IntArray | slice) -> "StringArray":
        """The strings with these numbers, in this order, in the same memory."""
        return StringArray(self.letters, self.starts[numbers], self.ends[numbers])

    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> "StringArray": ...
    def __getitem__(self, place: int | slice) -> "str | StringArray":
        if isinstance(place, slice):
            return self.take(place)

        part = self.letters[self.starts[place] : self.ends[place]]

        return part.tobytes().decode("utf-8", _ERRORS)


class StringBuffer:
    """Strings to which others are appended."""

    def __init__(self) -> None:
        self._letters = bytearray()
        self._offsets = array("q", [0])

    def append(self, text: str) -> None:
        """Add one at the end."""
        self._letters += text.encode("utf-8", _ERRORS)
        self._offsets.append(len(self._letters))

    def strings(self) -> StringArray:
        """All strings, in the memory of the buffer: nothing can be appended any more."""
        letters = np.frombuffer(self._letters, np.uint8)
        offsets = np.frombuffer(self._offsets, np.int64)

        return StringArray(letters, offsets[:-1], offsets[1:])


class Groups(Sequence[StringArray]):
    """The strings of each group, for some groups.

    strings: one group after the other. offsets: (groups + 1,) the strings of group i are from
    ``offsets[i]`` up to ``offsets[i + 1]``.
    """

    def __init__(self, strings: StringArray, offsets: IntArray) -> None:
        self._strings = strings
        self._offsets = offsets

    @classmethod
    def of(cls, strings: StringArray, group: IntArray, chosen: IntArray) -> Self:
        """Group strings by ``group`` (strings,); gives the ``chosen`` groups, in order."""
        order = np.argsort(group, kind="stable")
        ends = offsets_of(np.bincount(group))
        sizes = np.diff(ends)[chosen]
        numbers = order[ranges(ends[chosen], sizes)]

        return cls(strings.take(numbers), offsets_of(sizes))

    @property
    def flat(self) -> StringArray:
        """The strings of all groups."""
        return self._strings[self._offsets[0] : self._offsets[-1]]

    @property
    def sizes(self) -> IntArray:
        """How many strings (groups,) each has."""
        return np.diff(self._offsets)

    def __len__(self) -> int:
        return len(self._offsets) - 1

    @overload
    def __getitem__(self, place: int) -> StringArray: ...
    @overload
    def __getitem__(self, place: slice) -> "Groups": ...
    def __getitem__(self, place: int | slice) -> "StringArray | Groups":
        if isinstance(place, slice):
            start, end, _step = place.indices(len(self))
            return Groups(self._strings, self._offsets[start : max(start, end) + 1])

        number = range(len(self))[place]
        start, end = self._offsets[number : number + 2]

        return self._strings[start:end]
