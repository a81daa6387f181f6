"""The paraphrase table as arrays: a trie of phrases, and for each phrase its paraphrases.

The table is a gzip file of 15.8 million lines: a probability (not used), a phrase, its paraphrase,
and so on. Words have numbers in the order in which they are first met. The nodes of the trie are
in breadth-first order, each node's children next to each other and sorted by word, so that a child
is found by bisection.
"""

import gzip
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.metrics.core.arrays import IntArray, offsets_of, ranges
from tercet.metrics.core.text_numbers import WINDOW, Bytes, hash_texts, number_distinct

Numbers = NDArray[np.int32]

LONGEST = 7
_BLOCK = 1 << 19
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


class _Entries(NamedTuple):
    """Whole entries of the file.

    content: (bytes,) with what `hash_texts` asks for at the end.
    starts, sizes: (entries, 2) where the two phrases of each entry lie in it.
    """

    content: Bytes
    starts: Numbers
    sizes: Numbers


def read(path: Path, progress: Callable[[int], object]) -> tuple[list[str], Trie]:
    """The words (by number) and the trie of a table; ``progress`` gets the bytes read.

    Raises ValueError where the table is not of this form, and OSError or EOFError where the file
    is damaged.
    """
    blocks = list(_blocks(path, progress))
    first, left, right = _number_phrases(blocks)
    spelled, words, sizes = _number_words(blocks, first)
    if sizes.max() > LONGEST:
        raise ValueError(
            f"a paraphrase table with phrases of more than {LONGEST} words"
        )

    levels, node = _nodes(words, sizes, len(spelled))
    return spelled, _trie(levels, node[left], node[right])


def _blocks(path: Path, progress: Callable[[int], object]) -> Iterator[_Entries]:
    """Read whole entries, some at a time."""
    rest, at = b"", 0
    with path.open("rb") as raw, gzip.open(raw) as file:
        while more := file.read(_BLOCK):
            content = np.frombuffer(rest + more + bytes(WINDOW), np.uint8)
            ends = np.flatnonzero(content == ord("\n"))
            ends = ends[: len(ends) // _LINES_OF_ENTRY * _LINES_OF_ENTRY]
            starts = np.append(0, ends + 1)
            rest = content[starts[-1] : -WINDOW].tobytes()

            lines = starts[:-1].astype(np.int32).reshape(-1, _LINES_OF_ENTRY)
            sizes = (ends - starts[:-1]).astype(np.int32).reshape(lines.shape)
            yield _Entries(content, lines[:, 1:], sizes[:, 1:])

            progress(raw.tell() - at)
            at = raw.tell()

    if rest or not at:
        raise ValueError(f"{path}: does not end with a whole entry")


def _number_phrases(blocks: Sequence[_Entries]) -> tuple[IntArray, IntArray, IntArray]:
    """Number distinct phrases as they are met.

    Returns where each is first met (phrases,), among the two of each entry, and the numbers of
    both sides of the entries (entries,).
    """
    keys = np.concatenate(
        [
            hash_texts(each.content, each.starts.ravel(), each.sizes.ravel())
            for each in blocks
        ]
    )
    entries = keys.reshape(-1, 2)
    is_other = np.ones(entries.shape, bool)  # not the left phrase of the entry before
    is_other[1:, 0] = entries[1:, 0] != entries[:-1, 0]

    distinct = number_distinct(entries[is_other])
    first = np.flatnonzero(is_other)[distinct.first]
    runs = np.cumsum(is_other[:, 0]) - 1
    is_left = np.flatnonzero(is_other) % 2 == 0
    return first, distinct.number[is_left][runs], distinct.number[~is_left]


def _number_words(
    blocks: Sequence[_Entries], phrases: IntArray
) -> tuple[list[str], IntArray, IntArray]:
    """Number the words of phrases as they are met.

    Returns the spelling of each word, the words of all phrases one after the other, and how many
    each phrase has.
    """
    numbers: dict[int, int] = {}
    spelled, words, counts = [], [], []
    offsets = offsets_of(np.array([each.starts.size for each in blocks]))
    cuts = np.searchsorted(phrases, offsets)

    for number, block in enumerate(blocks):
        own = phrases[cuts[number] : cuts[number + 1]] - offsets[number]
        starts, sizes, count = _words_of(block, own)
        keys = hash_texts(block.content, starts, sizes)
        distinct = number_distinct(keys)

        for place in distinct.first.tolist():
            key = int(keys[place])
            if key not in numbers:
                numbers[key] = len(numbers)
                start = starts[place]
                word = block.content[start : start + sizes[place]]
                spelled.append(word.tobytes().decode())

        of_distinct = [numbers[key] for key in keys[distinct.first].tolist()]
        words.append(np.array(of_distinct, np.int64)[distinct.number])
        counts.append(count)

    return spelled, np.concatenate(words), np.concatenate(counts)


def _words_of(
    block: _Entries, phrases: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Where the words of phrases start, their sizes, and how many each phrase has."""
    starts = block.starts.ravel()[phrases].astype(np.int64)
    ends = starts + block.sizes.ravel()[phrases]
    spaces = np.flatnonzero(block.content == ord(" "))

    first = np.searchsorted(spaces, starts)
    within = np.searchsorted(spaces, ends) - first
    own = spaces[ranges(first, within)]

    word_starts = np.sort(np.append(starts, own + 1))
    word_ends = np.sort(np.append(ends, own))
    return word_starts, word_ends - word_starts, within + 1


def _nodes(
    words: IntArray, sizes: IntArray, distinct_words: int
) -> tuple[list[tuple[IntArray, IntArray]], Numbers]:
    """The parents and words of each level's nodes, and the node of each phrase."""
    starts = np.cumsum(sizes) - sizes
    nodes = 1
    node = np.zeros(len(sizes), np.int64)
    levels = []

    for depth in range(sizes.max()):
        longer = np.flatnonzero(sizes > depth)
        keys = node[longer] * distinct_words + words[starts[longer] + depth]
        distinct, places = np.unique(keys, return_inverse=True)

        node[longer] = nodes + places
        nodes += len(distinct)
        levels.append(np.divmod(distinct, distinct_words))

    return levels, node.astype(np.int32)


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
