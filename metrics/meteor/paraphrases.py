"""The paraphrase table as arrays: a trie of phrases, and for each phrase its paraphrases.

The table is a gzip file of 15.8 million lines: a probability (not used), a phrase, its paraphrase,
and so on. Words have numbers in the order in which they are first met. The nodes of the trie are
in breadth-first order, each node's children next to each other and sorted by word, so that a child
is found by bisection.
"""

import gzip
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import count, islice, repeat
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.metrics.core.arrays import IntArray, offsets_of

Bytes = NDArray[np.uint8]
Numbers = NDArray[np.int32]

LONGEST = 7
_BLOCK = 1 << 22
_PHRASES = 100_000
"""Phrases that are split at a time."""
_LINES_OF_ENTRY = 3


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


def read(path: Path, progress: Callable[[int], object]) -> tuple[list[str], Trie]:
    """The words (by number) and the trie of a table; ``progress`` gets the bytes read.

    Raises ValueError where the table is not of this form, and OSError or EOFError where the file
    is damaged.
    """
    numbers: defaultdict[bytes, int] = defaultdict(count().__next__)
    pairs, rest, at = array("i"), b"", 0

    with path.open("rb") as raw, gzip.open(raw) as file:
        while block := file.read(_BLOCK):
            lines = (rest + block).split(b"\n")
            whole = (len(lines) - 1) // _LINES_OF_ENTRY * _LINES_OF_ENTRY
            rest = b"\n".join(lines[whole:])

            del lines[whole:], lines[::_LINES_OF_ENTRY]
            pairs.extend(map(numbers.__getitem__, lines))

            progress(raw.tell() - at)
            at = raw.tell()

    if rest:
        raise ValueError(f"{path}: does not end with a whole entry")

    words, children, node = _nodes(numbers)
    left, right = node[np.array(pairs).reshape(-1, 2).T]

    return [word.decode() for word in words], _trie(children, left, right)


def _nodes(
    phrases: Iterable[bytes],
) -> tuple[Iterable[bytes], list[tuple[IntArray, IntArray]], Numbers]:
    """The words of phrases, the parents and words of each level's nodes, and each phrase's node."""
    numbers: defaultdict[bytes, int] = defaultdict(count().__next__)
    flat = array("i")
    spaces = array("i")
    some = iter(phrases)
    while part := list(islice(some, _PHRASES)):
        spaces.extend(map(bytes.count, part, repeat(b" ")))
        flat.extend(map(numbers.__getitem__, b" ".join(part).split(b" ")))

    words = np.array(flat)
    sizes = np.array(spaces) + 1
    starts = np.cumsum(sizes) - sizes
    if sizes.max() > LONGEST:
        raise ValueError(
            f"a paraphrase table with phrases of more than {LONGEST} words"
        )

    nodes = 1
    node = np.zeros(len(sizes), np.int64)
    levels = []

    for depth in range(sizes.max()):
        longer = np.flatnonzero(sizes > depth)
        keys = node[longer] * len(numbers) + words[starts[longer] + depth]
        distinct, places = np.unique(keys, return_inverse=True)

        node[longer] = nodes + places
        nodes += len(distinct)
        levels.append(np.divmod(distinct, len(numbers)))

    return numbers, levels, node.astype(np.int32)


def _trie(
    levels: list[tuple[IntArray, IntArray]], left: Numbers, right: Numbers
) -> Trie:
    """The trie of the nodes of each level, and of the two nodes of each entry."""
    parents, words = map(np.concatenate, zip(*levels, strict=True))
    nodes = 1 + len(parents)
    is_phrase = np.zeros(nodes, np.uint8)
    is_phrase[left] = is_phrase[right] = 1

    first_child = 1 + np.searchsorted(parents, np.arange(nodes + 1))
    first_entry = offsets_of(np.bincount(left, minlength=nodes))

    return Trie(
        first_child=first_child.astype(np.int32),
        word=np.append(0, words).astype(np.int32),
        is_phrase=is_phrase,
        first_entry=first_entry.astype(np.int32),
        entries=right[np.argsort(left, kind="stable")],
    )
