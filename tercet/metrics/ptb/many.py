"""Plain captions, compiled: the words of many captions in one pass over their bytes.

Which captions are plain, and their words, is as in :mod:`tercet.metrics.ptb.plain`. Importing this
module declares kernels, which are compiled when they are called.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.metrics.core.arrays import IntArray, offsets_of
from tercet.metrics.core.jit import jit, jit_step
from tercet.metrics.core.string_array import StringArray
from tercet.metrics.ptb.plain import keeps_period
from tercet.metrics.ptb.rules import TWO_TOKENS

Bytes = NDArray[np.uint8]
Numbers = NDArray[np.int32]

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_DIGITS = "0123456789"
_BLANK = " \n"
_END = {_BLANK: "blank", ",": "comma", ".?!": "mark"}
_WORD = {_LETTERS: "letters", _DIGITS: "digit"}
_AFTER = {
    "no": {},
    "begin": {_BLANK: "begin", **_WORD},
    "letters": {_LETTERS: "letters", "-": "hyphen", "'": "apostrophe", **_END},
    "hyphen": {_LETTERS: "letters"},
    "apostrophe": {"s": "end"},
    "digit": {_DIGITS: "end", **_END},
    "end": _END,
    "blank": {_BLANK: "blanks", ",": "comma", ".?!": "mark", **_WORD},
    "blanks": {_BLANK: "blanks", ".?!": "mark", **_WORD},
    "comma": {_BLANK: "next"},
    "next": {_BLANK: "next", **_WORD},
    "mark": {_BLANK: "mark"},
}
"""The state after each character of a plain caption, by the state before it; else "no"."""
_PLAIN_ENDS = ("letters", "digit", "end", "blank", "blanks", "mark")
_STATES = list(_AFTER)
_BEGIN = _STATES.index("begin")
_IS_PLAIN_END = np.isin(_STATES, _PLAIN_ENDS)

_NOTHING, _WORD_START, _WORD_PART = range(3)

# Turns capitals into small letters, and leaves the other characters of words as they are.
_SMALL = 0x20
_RADIX, _KEYS = 31, (1 << 56) - 1


def _bytes_of(characters: str) -> list[int]:
    return list((characters + characters.upper()).encode())


def _next_states() -> NDArray[np.uint8]:
    """The number of the state (states, 256) after each byte."""
    table = np.zeros((len(_STATES), 256), np.uint8)
    for state, after in enumerate(_AFTER.values()):
        for characters, name in after.items():
            table[state, _bytes_of(characters)] = _STATES.index(name)

    return table


def _parts() -> NDArray[np.uint8]:
    """What each byte (256,) of a plain caption does: an apostrophe only begins a word."""
    table = np.full(256, _NOTHING, np.uint8)
    table[_bytes_of("'")] = _WORD_START
    table[_bytes_of(f"{_LETTERS}{_DIGITS}-")] = _WORD_PART

    return table


_NEXT = _next_states()
_PARTS = _parts()


class _PlainWords(NamedTuple):
    """The words of plain captions as numbers, from 0 in the order in which they are first met.

    numbers: (total,) one caption after the other. sizes: (captions,) how many words each has, 0
    where it is not plain. words: (words,) the spelling of each number.
    """

    numbers: Numbers
    sizes: IntArray
    words: list[str]


class _Met(NamedTuple):
    """Words that have been met, by number.

    table: (slots,) a hash table of their numbers, or -1. starts, ends: (room,) where each is first
    met in the letters.
    """

    table: Numbers
    starts: IntArray
    ends: IntArray


def plain_words(captions: StringArray) -> _PlainWords:
    """Number the words of captions; none of a caption that is not plain, which has to go by rules.

    The words are those of :func:`tercet.metrics.ptb.plain.plain_tokens`.
    """
    numbers, sizes, starts, ends = _number_words(
        captions.letters, captions.starts, captions.ends
    )
    words = StringArray(captions.letters, starts, ends)
    spelled = [word.lower() for word in words]

    by_rules = _go_by_rules(numbers, sizes, spelled)
    kept = np.repeat(~by_rules, sizes)

    return _PlainWords(numbers[kept], np.where(by_rules, 0, sizes), spelled)


def _go_by_rules(
    numbers: Numbers, sizes: IntArray, words: list[str]
) -> NDArray[np.bool_]:
    """Whether a rule splits a word of each caption (captions,), or keeps the period at its end."""
    offsets = offsets_of(sizes)
    by_rules = np.zeros(len(sizes), np.bool_)

    are_split = np.isin(
        numbers, [words.index(each) for each in TWO_TOKENS if each in words]
    )
    positions = np.flatnonzero(are_split)
    by_rules[np.searchsorted(offsets, positions, "right") - 1] = True

    plain = np.flatnonzero(sizes)
    last = numbers[offsets[plain + 1] - 1]
    keep = np.zeros(len(words), np.bool_)
    for number in np.unique(last).tolist():
        keep[number] = keeps_period(words[number])
    by_rules[plain] |= keep[last]

    return by_rules


@jit
def _number_words(
    letters: Bytes, starts: IntArray, ends: IntArray
) -> tuple[Numbers, IntArray, IntArray, IntArray]:
    """Number the words of plain captions; starts, ends: (captions,) of each in the letters.

    Gives the numbers, how many words (captions,) each has, and where each word is first met.
    """
    # a word has two bytes with the blank behind it; the last one needs none
    most = ((ends - starts + 1) // 2).sum()
    numbers = np.empty(most, np.int32)
    sizes = np.zeros(len(starts), np.int64)
    met = _no_words(1 << 14)
    total = words = 0

    for caption in range(len(starts)):
        start = starts[caption]
        end = ends[caption]
        if not _is_plain(letters, start, end):
            continue

        while start < end:
            after = _word_end(letters, start, end)
            if after > start:
                if 2 * words >= len(met.table):
                    met = _with_room(letters, met)

                number = _number(letters, start, after, met, words)
                words = max(words, number + 1)
                numbers[total] = number
                total += 1
                sizes[caption] += 1
            start = max(after, start + 1)

    return numbers[:total].copy(), sizes, met.starts[:words], met.ends[:words]


@jit_step
def _is_plain(letters: Bytes, start: int, end: int) -> bool:
    """Whether a caption can be split at blanks, whatever the rules."""
    state = _BEGIN
    for place in range(start, end):
        state = _NEXT[state, letters[place]]

    return bool(_IS_PLAIN_END[state])


@jit_step
def _word_end(letters: Bytes, start: int, end: int) -> int:
    """Where the word ends that begins at a byte: there, if none does."""
    place = start
    if _PARTS[letters[place]] == _NOTHING:
        return place

    place += 1
    while place < end and _PARTS[letters[place]] == _WORD_PART:
        place += 1

    return place


@jit
def _no_words(slots: int) -> _Met:
    """Make a table of `slots` slots; it is enlarged when half of them hold words."""
    return _Met(
        np.full(slots, -1, np.int32),
        np.empty(slots, np.int64),
        np.empty(slots, np.int64),
    )


@jit
def _with_room(letters: Bytes, met: _Met) -> _Met:
    """A table of twice as many slots with the same words."""
    words = len(met.table) // 2
    larger = _no_words(2 * len(met.table))

    for number in range(words):
        _number(letters, met.starts[number], met.ends[number], larger, number)

    return larger


@jit_step
def _number(letters: Bytes, start: int, end: int, met: _Met, words: int) -> int:
    """The number of a word: the next one, ``words``, if it has not been met."""
    slot = _key(letters, start, end) & (len(met.table) - 1)

    while met.table[slot] >= 0:
        number = met.table[slot]
        if _are_equal(letters, start, end, met.starts[number], met.ends[number]):
            return int(number)
        slot = (slot + 1) & (len(met.table) - 1)

    met.table[slot] = words
    met.starts[words] = start
    met.ends[words] = end

    return words


@jit_step
def _key(letters: Bytes, start: int, end: int) -> int:
    """A number that spreads words over a table."""
    key = np.int64(0)
    for place in range(start, end):
        key = (key * _RADIX + (letters[place] | _SMALL)) & _KEYS

    return int(key ^ (key >> 15))


@jit_step
def _are_equal(
    letters: Bytes, start: int, end: int, other: int, other_end: int
) -> bool:
    """Whether two words are the same in small letters."""
    if end - start != other_end - other:
        return False

    for step in range(end - start):
        if letters[start + step] | _SMALL != letters[other + step] | _SMALL:
            return False

    return True
