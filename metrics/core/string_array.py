"""Strings end to end in one piece of memory: a list of them takes twice as much."""

from array import array
from collections.abc import Sequence
from typing import overload

import numpy as np

from tercet.metrics.core.arrays import IntArray, offsets_of


class StringArray(Sequence[str]):
    """Strings, to which others can be appended."""

    def __init__(self) -> None:
        self._letters = bytearray()
        self._offsets = array("q", [0])

    def append(self, text: str) -> None:
        """Add one at the end."""
        self._letters += text.encode("utf-8", "surrogatepass")
        self._offsets.append(len(self._letters))

    def __len__(self) -> int:
        return len(self._offsets) - 1

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            places = range(*place.indices(len(self)))
            return [self[each] for each in places]

        number = range(len(self))[place]
        start, end = self._offsets[number : number + 2]
        letters = self._letters[start:end]

        return letters.decode("utf-8", "surrogatepass")


class Groups(Sequence[list[str]]):
    """Those texts that are in a group, for some of the groups.

    group: (texts,) the group of each text. chosen: (groups,) those to give, in this order.
    """

    def __init__(self, texts: StringArray, group: IntArray, chosen: IntArray) -> None:
        self._texts = texts
        self._order = np.argsort(group, kind="stable")

        offsets = offsets_of(np.bincount(group))
        self._starts = offsets[chosen]
        self._ends = offsets[chosen + 1]

    @property
    def sizes(self) -> IntArray:
        """How many texts (groups,) each has."""
        return self._ends - self._starts

    def __len__(self) -> int:
        return len(self._starts)

    @overload
    def __getitem__(self, place: int) -> list[str]: ...
    @overload
    def __getitem__(self, place: slice) -> list[list[str]]: ...
    def __getitem__(self, place: int | slice) -> list[str] | list[list[str]]:
        if isinstance(place, slice):
            places = range(*place.indices(len(self)))
            return [self[each] for each in places]

        start = self._starts[place]
        end = self._ends[place]
        numbers = self._order[start:end].tolist()

        return [self._texts[number] for number in numbers]
