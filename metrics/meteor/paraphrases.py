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

from metrics.arrays import IntArray
from metrics.jit import jit

Bytes = NDArray[np.uint8]
Numbers = NDArray[np.int32]

LONGEST = 7
_BLOCK = 1 << 22
_WORDS, _WORD_BYTES = 1 << 17, 1 << 21
_NODES = 1 << 22
_ENTRIES = 6_000_000
_BLANK, _NEWLINE = 32, 10


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
    """What is known so far. used: words, bytes of words, nodes, entries; and the line's number
    in its triple."""

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
            if not read_lines(np.frombuffer(rest + block[:end], np.uint8), *reading):
                raise ValueError(f"{path}: too many words or phrases for a paraphrase table")
            rest = block[end:]
            progress(raw.tell() - at)
            at = raw.tell()
    if rest or reading.used[4]:
        raise ValueError(f"{path}: does not end with a whole entry")
    words, size = int(reading.used[0]), int(reading.used[1])
    content, offsets = reading.word_bytes[:size].tobytes(), reading.word_offsets[: words + 1]
    return [content[i:j] for i, j in pairwise(offsets.tolist())], _trie(reading)


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
def read_lines(
    text: Bytes,
    used: IntArray,
    word_bytes: Bytes,
    word_offsets: Numbers,
    word_slots: Numbers,
    parent: Numbers,
    word: Numbers,
    node_slots: Numbers,
    left: Numbers,
    right: Numbers,
) -> bool:
    """Take in whole lines of the table (specification, section 6); False if there is no room.

    Words are parted by blanks and control characters; the arrays are those of a reading.
    """
    words, filled, nodes, entries, line = used
    node, start = 0, 0
    for place in range(len(text)):
        byte = text[place]
        if byte > _BLANK:
            continue
        if line > 0 and place > start:
            size = place - start
            code = np.int64(0)
            for at in range(start, place):
                code = code * 31 + text[at]
            slot = (code ^ (code >> 17)) & (len(word_slots) - 1)
            while True:
                found = word_slots[slot]
                if found < 0:
                    break
                known = word_offsets[found]
                if word_offsets[found + 1] - known == size:
                    same = 0
                    while same < size and word_bytes[known + same] == text[start + same]:
                        same += 1
                    if same == size:
                        break
                slot = (slot + 1) & (len(word_slots) - 1)
            if found < 0:
                if words + 1 >= len(word_offsets) or filled + size > len(word_bytes):
                    return False
                found = words
                word_slots[slot] = found
                for at in range(size):
                    word_bytes[filled + at] = text[start + at]
                filled += size
                words += 1
                word_offsets[words] = filled
            code = node * np.int64(2654435761) + found * np.int64(40503)
            slot = (code ^ (code >> 15)) & (len(node_slots) - 1)
            child = node_slots[slot]
            while child >= 0 and not (parent[child] == node and word[child] == found):
                slot = (slot + 1) & (len(node_slots) - 1)
                child = node_slots[slot]
            if child < 0:
                if nodes >= len(parent):
                    return False
                child = nodes
                parent[child], word[child] = node, found
                node_slots[slot] = child
                nodes += 1
            node = child
        start = place + 1
        if byte == _NEWLINE:
            if line == 1:
                if entries >= len(left):
                    return False
                left[entries] = node
            elif line == 2:
                right[entries] = node
                entries += 1
            line = (line + 1) % 3
            node = 0
    used[0], used[1], used[2], used[3], used[4] = words, filled, nodes, entries, line
    return True


def _trie(reading: _Reading) -> Trie:
    nodes, entries = int(reading.used[2]), int(reading.used[3])
    parent, word = reading.parent[:nodes], reading.word[:nodes]
    order, number = _breadth_first(parent, word)
    left, right = number[reading.left[:entries]], number[reading.right[:entries]]
    is_phrase = np.zeros(nodes, np.uint8)
    is_phrase[left] = is_phrase[right] = 1
    below = number[parent[order[1:]]]
    return Trie(
        first_child=(np.searchsorted(below, np.arange(nodes + 1)) + 1).astype(np.int32),
        word=word[order],
        is_phrase=is_phrase,
        first_entry=np.append(0, np.cumsum(np.bincount(left, minlength=nodes))).astype(np.int32),
        entries=right[np.argsort(left, kind="stable")],
    )


def _breadth_first(parent: Numbers, word: Numbers) -> tuple[IntArray, Numbers]:
    """The nodes in breadth-first order, siblings sorted by word, and each node's place in it."""
    depth = np.zeros(len(parent), np.int8)
    for _ in range(LONGEST + 1):
        depth[1:] = depth[parent[1:]] + 1
    if depth.max() > LONGEST:
        raise ValueError(f"a paraphrase table with phrases of more than {LONGEST} words")
    order = np.zeros(len(parent), np.int64)
    number = np.zeros(len(parent), np.int32)
    done = 1
    for level in range(1, LONGEST + 1):
        here = np.flatnonzero(depth == level)
        here = here[np.lexsort((word[here], number[parent[here]]))]
        order[done : done + len(here)] = here
        number[here] = np.arange(done, done + len(here))
        done += len(here)
    return order, number
