"""Words found by their spelling: a hash table of arrays, and what METEOR's data says of each word.

The rows are, in this order: the words of the paraphrase table (so that a row below their number
is the word's number there), the words of the synset file, inflected forms, function words. Phrases
of the synset file ("folk_tale") have none: no word of a caption is one.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.arrays import IntArray, offsets_of, ranges
from metrics.jit import jit

Bytes = NDArray[np.uint8]
Numbers = NDArray[np.int32]

_ENDINGS = (
    *(
        ("s", ""),
        ("ses", "s"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
    ),
    *(
        ("men", "man"),
        ("ies", "y"),
        ("s", ""),
        ("ies", "y"),
        ("es", "e"),
        ("es", ""),
    ),
    *(
        ("ed", "e"),
        ("ed", ""),
        ("ing", "e"),
        ("ing", ""),
        ("er", ""),
        ("est", ""),
    ),
    *(("er", "e"), ("est", "e")),
)


class Lexicon(NamedTuple):
    """Rows of words.

    spelling, spelling_offsets: the words as UTF-8, one after the other. slots: the hash table,
        rows or -1, twice as many as words at least.
    own, own_offsets: the synsets of each word as spelled.
    synsets, synset_offsets: those that METEOR compares: with those of its base forms, sorted.
    is_function: 1 for function words. paraphrase_words: how many rows the paraphrase table has.
    """

    spelling: Bytes
    spelling_offsets: Numbers
    slots: Numbers
    own: Numbers
    own_offsets: Numbers
    synsets: Numbers
    synset_offsets: Numbers
    is_function: Bytes
    paraphrase_words: Numbers


class Ragged(NamedTuple):
    """Rows of numbers; row i is ``flat[offsets[i]:offsets[i + 1]]``."""

    flat: Numbers
    offsets: IntArray


def make(
    paraphrase_words: Sequence[str],
    synsets: Mapping[str, Sequence[int]],
    bases: Mapping[str, Sequence[str]],
    function_words: Iterable[str],
) -> Lexicon:
    """The lexicon of METEOR's data; ``bases`` are the base forms of inflected ones."""
    functions = frozenset(function_words)
    known = (
        word
        for word in chain(synsets, bases, sorted(functions))
        if "_" not in word
    )
    words = list(dict.fromkeys(chain(paraphrase_words, known)))
    spelling, offsets = spelled(words)
    own = _ragged(synsets.get(word, ()) for word in words)
    compared = _ragged(
        sorted(_compared(word, synsets, bases)) for word in words
    )

    return Lexicon(
        spelling=spelling,
        spelling_offsets=offsets.astype(np.int32),
        slots=hash_slots(
            spelling, offsets, 1 << (2 * len(words)).bit_length()
        ),
        own=own.flat,
        own_offsets=own.offsets.astype(np.int32),
        synsets=compared.flat,
        synset_offsets=compared.offsets.astype(np.int32),
        is_function=np.array([word in functions for word in words], np.uint8),
        paraphrase_words=np.array([len(paraphrase_words)], np.int32),
    )


def rows_of(lexicon: Lexicon, words: Sequence[str]) -> Numbers:
    """The row of each word (words,), -1 for a word that is not in the lexicon."""
    return find_rows(
        *spelled(words),
        lexicon.spelling,
        lexicon.spelling_offsets,
        lexicon.slots,
    )


def synsets_of(
    lexicon: Lexicon, words: Sequence[str], rows: Numbers
) -> Ragged:
    """The synsets of each word that METEOR compares, from its row or by its endings."""
    unknown = np.flatnonzero(rows < 0)
    forms = [list(base_forms(words[number])) for number in unknown.tolist()]
    found = rows_of(lexicon, list(chain.from_iterable(forms)))
    has_own = np.diff(lexicon.own_offsets)[found] > 0
    places = np.flatnonzero((found >= 0) & has_own)
    owners, first = np.unique(
        np.repeat(unknown, [len(each) for each in forms])[places],
        return_index=True,
    )
    starts, ends = _bounds(lexicon.synset_offsets, rows)
    own_starts, own_ends = _bounds(lexicon.own_offsets, found[places[first]])
    # the two kinds of rows lie in different arrays: those by endings after the others
    starts[owners], ends[owners] = own_starts, own_ends
    starts[owners] += len(lexicon.synsets)
    ends[owners] += len(lexicon.synsets)
    sizes = ends - starts
    both = np.concatenate((lexicon.synsets, lexicon.own))

    return Ragged(both[ranges(starts, sizes)], offsets_of(sizes))


def base_forms(word: str) -> Iterator[str]:
    """What the word may be an inflection of, in the order of trial (docs/meteor.md, section 5)."""
    if word.endswith("ss") or len(word) <= 2:
        yield word
        return

    for ending, replacement in _ENDINGS:
        if word.endswith(ending):
            yield word.removesuffix(ending) + replacement


def spelled(words: Sequence[str]) -> tuple[Bytes, IntArray]:
    """Words as UTF-8 in one array, and their offsets (words + 1,)."""
    encoded = [word.encode("utf-8", "surrogatepass") for word in words]
    sizes = np.fromiter(map(len, encoded), np.int64, len(encoded))

    return np.frombuffer(b"".join(encoded), np.uint8), offsets_of(sizes)


def _bounds(offsets: Numbers, rows: Numbers) -> tuple[IntArray, IntArray]:
    known = rows >= 0
    starts = np.where(known, offsets[:-1][rows], 0).astype(np.int64)

    return starts, np.where(known, offsets[1:][rows], 0).astype(np.int64)


def _compared(
    word: str,
    synsets: Mapping[str, Sequence[int]],
    bases: Mapping[str, Sequence[str]],
) -> set[int]:
    if word in bases:
        forms = bases[word]
    else:
        forms = [
            next((form for form in base_forms(word) if form in synsets), "")
        ]

    return set(synsets.get(word, ())).union(
        *(synsets.get(form, ()) for form in forms)
    )


def _ragged(rows: Iterable[Sequence[int]]) -> Ragged:
    rows = list(rows)
    sizes = np.fromiter(map(len, rows), np.int64, len(rows))

    return Ragged(
        np.fromiter(chain.from_iterable(rows), np.int32), offsets_of(sizes)
    )


@jit
def spelling_code(spelling: Bytes, start: int, end: int) -> np.int64:
    """A hash of the bytes of a word."""
    code = np.int64(end - start)
    for place in range(start, end):
        code = code * 31 + spelling[place]

    return code ^ (code >> 17)


@jit
def hash_slots(spelling: Bytes, offsets: IntArray, size: int) -> Numbers:
    """A hash table of different words with open addressing; ``size`` is a power of two."""
    slots = np.full(size, -1, np.int32)
    for row in range(len(offsets) - 1):
        slot = spelling_code(spelling, offsets[row], offsets[row + 1]) & (
            size - 1
        )
        while slots[slot] >= 0:
            slot = (slot + 1) & (size - 1)
        slots[slot] = row

    return slots


@jit
def find_rows(
    words: Bytes,
    word_offsets: IntArray,
    spelling: Bytes,
    offsets: Numbers,
    slots: Numbers,
) -> Numbers:
    """The row of each word in a hash table, -1 where it has none."""
    rows = np.full(len(word_offsets) - 1, -1, np.int32)
    for number in range(len(rows)):
        start, end = word_offsets[number], word_offsets[number + 1]
        slot = spelling_code(words, start, end) & (len(slots) - 1)
        while slots[slot] >= 0:
            row = slots[slot]
            known = offsets[row]
            if offsets[row + 1] - known == end - start:
                same = 0
                while (
                    same < end - start
                    and words[start + same] == spelling[known + same]
                ):
                    same += 1
                if same == end - start:
                    rows[number] = row
                    break
            slot = (slot + 1) & (len(slots) - 1)

    return rows
