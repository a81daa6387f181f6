"""The paraphrase table as arrays: a trie of phrases, and for each phrase its paraphrases.

The table is a gzip file of 15.8 million lines: a probability (not used), a phrase, its paraphrase,
and so on. Words have numbers in the order in which they are first met; so do the nodes of the
trie while it is read, and afterwards in the order of a breadth-first walk, each node's children
next to each other and sorted by word, so that a child is found by bisection.
"""

import gzip
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.metrics.core.arrays import IntArray, offsets_of
from tercet.metrics.core.jit import jit, jit_step

Bytes = NDArray[np.uint8]
Numbers = NDArray[np.int32]

LONGEST = 7
_BLOCK = 1 << 22
_WORDS, _WORD_BYTES = 1 << 17, 1 << 21
_NODES = 1 << 22
_ENTRIES = 6_000_000
_BLANK, _NEWLINE = 32, 10
_ROOT = 0

# The lines of an entry.
_PROBABILITY, _PHRASE, _PARAPHRASE = range(3)
_LINES = 3

# The counts of a reading.
_WORD_COUNT, _BYTE_COUNT, _NODE_COUNT, _ENTRY_COUNT, _LINE = range(5)


class Trie(NamedTuple):
    """Phrases as a trie, and the table's entries; node 0 is the root, a phrase is a node.

    first_child: (nodes + 1,); the children of a node are those from its first child up to the
        first child of the next node.
    word: (nodes,) the last word of each node's phrase.
    is_phrase: (nodes,) 1 where the phrase is in the table, on either side.
    first_entry: (nodes + 1,) into ``entries``. entries: the paraphrases of each node's phrase,
        in the order of the file.
    """

    first_child: Numbers
    word: Numbers
    is_phrase: Bytes
    first_entry: Numbers
    entries: Numbers


class _Reading(NamedTuple):
    """What has been read so far.

    used: (5,) how many words, bytes of words, nodes and entries there are; and which line of an
        entry is next.
    word_bytes, word_offsets: the words as UTF-8, one after the other.
    word_slots, node_slots: hash tables of numbers, or -1.
    parent, word: (nodes,) the node of all but the last word of a phrase, and its last word.
    left, right: (entries,) the nodes of each phrase and of its paraphrase.
    """

    used: IntArray
    word_bytes: Bytes
    word_offsets: Numbers
    word_slots: Numbers
    parent: Numbers
    word: Numbers
    node_slots: Numbers
    left: Numbers
    right: Numbers


def read(path: Path, progress: Callable[[int], object]) -> tuple[list[bytes], Trie]:
    """The words (UTF-8, by number) and the trie of a table; ``progress`` gets the bytes read.

    Raises ValueError where the table is not of this form or too large, and OSError or EOFError
    where the file is damaged.
    """
    reading = _nothing_read()

    with path.open("rb") as raw, gzip.open(raw) as file:
        rest, at = b"", 0
        while block := file.read(_BLOCK):
            end = block.rfind(b"\n") + 1
            if not _read_lines(np.frombuffer(rest + block[:end], np.uint8), reading):
                raise ValueError(
                    f"{path}: too many words or phrases for a paraphrase table"
                )

            rest = block[end:]
            progress(raw.tell() - at)
            at = raw.tell()

    if rest or reading.used[_LINE] != _PROBABILITY:
        raise ValueError(f"{path}: does not end with a whole entry")

    return _words(reading), _trie(reading)


def _nothing_read() -> _Reading:
    return _Reading(
        used=np.array([0, 0, 1, 0, 0]),
        word_bytes=np.empty(_WORD_BYTES, np.uint8),
        word_offsets=np.zeros(_WORDS + 1, np.int32),
        word_slots=np.full(2 * _WORDS, -1, np.int32),
        parent=np.zeros(_NODES, np.int32),
        word=np.zeros(_NODES, np.int32),
        node_slots=np.full(2 * _NODES, -1, np.int32),
        left=np.empty(_ENTRIES, np.int32),
        right=np.empty(_ENTRIES, np.int32),
    )


@jit
def _read_lines(text: Bytes, reading: _Reading) -> bool:
    """Take in whole lines of the table (docs/meteor.md, section 6).

    Words are separated by blanks and control characters.

    Returns
    -------
    bool
        Whether there was room for all of them.
    """
    node, start = _ROOT, 0

    for place in range(len(text)):
        if text[place] > _BLANK:
            continue

        if reading.used[_LINE] != _PROBABILITY and place > start:
            word = _word_number(text, start, place, reading)
            node = _child(node, word, reading)
            if word < 0 or node < 0:
                return False
        start = place + 1

        if text[place] == _NEWLINE:
            if not _end_line(node, reading):
                return False
            node = _ROOT

    return True


@jit_step
def _word_number(text: Bytes, start: int, end: int, reading: _Reading) -> int:
    """The number of a word, a new one for a new word; -1 if there is no room."""
    code = np.int64(0)
    for at in range(start, end):
        code = code * 31 + text[at]

    slot = (code ^ (code >> 17)) & (len(reading.word_slots) - 1)
    while reading.word_slots[slot] >= 0:
        if _is_spelled(reading.word_slots[slot], text, start, end, reading):
            return int(reading.word_slots[slot])
        slot = (slot + 1) & (len(reading.word_slots) - 1)

    word = _add_word(text, start, end, reading)
    reading.word_slots[slot] = word

    return word


@jit_step
def _is_spelled(
    word: int, text: Bytes, start: int, end: int, reading: _Reading
) -> bool:
    """Whether a known word has these letters."""
    known = reading.word_offsets[word]
    if reading.word_offsets[word + 1] - known != end - start:
        return False

    same = 0
    while same < end - start and reading.word_bytes[known + same] == text[start + same]:
        same += 1

    return same == end - start


@jit_step
def _add_word(text: Bytes, start: int, end: int, reading: _Reading) -> int:
    """Add a word; its number, -1 if there is no room."""
    word, filled = reading.used[_WORD_COUNT], reading.used[_BYTE_COUNT]
    if word + 1 >= len(reading.word_offsets):
        return -1
    if filled + end - start > len(reading.word_bytes):
        return -1

    for at in range(start, end):
        reading.word_bytes[filled + at - start] = text[at]

    reading.word_offsets[word + 1] = filled + end - start
    reading.used[_WORD_COUNT] += 1
    reading.used[_BYTE_COUNT] += end - start

    return int(word)


@jit_step
def _child(node: int, word: int, reading: _Reading) -> int:
    """The node of a phrase and one more word, a new one if need be; -1 if there is no room."""
    code = node * np.int64(2654435761) + word * np.int64(40503)
    slot = (code ^ (code >> 15)) & (len(reading.node_slots) - 1)

    child = reading.node_slots[slot]
    while child >= 0:
        if reading.parent[child] == node and reading.word[child] == word:
            return int(child)
        slot = (slot + 1) & (len(reading.node_slots) - 1)
        child = reading.node_slots[slot]

    child = reading.used[_NODE_COUNT]
    if child >= len(reading.parent):
        return -1

    reading.parent[child], reading.word[child] = node, word
    reading.node_slots[slot] = child
    reading.used[_NODE_COUNT] += 1

    return int(child)


@jit_step
def _end_line(node: int, reading: _Reading) -> bool:
    """Keep the phrase of a line, and go on to the next line; False if there is no room."""
    entry = reading.used[_ENTRY_COUNT]

    if reading.used[_LINE] == _PHRASE:
        if entry >= len(reading.left):
            return False
        reading.left[entry] = node
    elif reading.used[_LINE] == _PARAPHRASE:
        reading.right[entry] = node
        reading.used[_ENTRY_COUNT] += 1

    reading.used[_LINE] = (reading.used[_LINE] + 1) % _LINES

    return True


def _words(reading: _Reading) -> list[bytes]:
    offsets = reading.word_offsets[: reading.used[_WORD_COUNT] + 1]
    content = reading.word_bytes[: offsets[-1]].tobytes()

    return [content[start:end] for start, end in pairwise(offsets.tolist())]


def _trie(reading: _Reading) -> Trie:
    nodes, entries = reading.used[_NODE_COUNT], reading.used[_ENTRY_COUNT]
    parent, word = reading.parent[:nodes], reading.word[:nodes]
    order, number = _breadth_first(parent, word)

    left = number[reading.left[:entries]]
    right = number[reading.right[:entries]]
    is_phrase = np.zeros(nodes, np.uint8)
    is_phrase[left] = is_phrase[right] = 1

    parents = number[parent[order[1:]]]
    first_child = 1 + np.searchsorted(parents, np.arange(nodes + 1))
    first_entry = offsets_of(np.bincount(left, minlength=nodes))

    return Trie(
        first_child=first_child.astype(np.int32),
        word=word[order],
        is_phrase=is_phrase,
        first_entry=first_entry.astype(np.int32),
        entries=right[np.argsort(left, kind="stable")],
    )


def _breadth_first(parent: Numbers, word: Numbers) -> tuple[IntArray, Numbers]:
    """The nodes in breadth-first order, siblings sorted by word, and each node's place in it."""
    depth = np.zeros(len(parent), np.int8)
    for _ in range(LONGEST + 1):
        depth[1:] = depth[parent[1:]] + 1
    if depth.max() > LONGEST:
        raise ValueError(
            f"a paraphrase table with phrases of more than {LONGEST} words"
        )

    order = np.zeros(len(parent), np.int64)
    number = np.zeros(len(parent), np.int32)
    done = 1

    for level in range(1, LONGEST + 1):
        here = np.flatnonzero(depth == level)
        by_parent = np.lexsort((word[here], number[parent[here]]))
        here = here[by_parent]

        end = done + len(here)
        order[done:end] = here
        number[here] = np.arange(done, end)
        done = end

    return order, number
