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

from tercet.metrics.core.arrays import IntArray, offsets_of, ranges
from tercet.metrics.core.jit import jit, jit_step

Bytes = NDArray[np.uint8]
Numbers = NDArray[np.int32]

# The endings of inflected words and what they replace, in the order of trial (section 5).
_ENDINGS = (
    *(
        ("s", ""),
        ("ses", "s"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
    ),
    *(("men", "man"), ("ies", "y"), ("s", ""), ("ies", "y"), ("es", "e"), ("es", "")),
    *(("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", ""), ("er", ""), ("est", "")),
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
    known = chain(synsets, bases, sorted(functions))
    single = (word for word in known if "_" not in word)
    words = list(dict.fromkeys(chain(paraphrase_words, single)))

    spelling, offsets = spelled(words)
    own = _ragged(synsets.get(word, ()) for word in words)
    compared = _ragged(_compared(word, synsets, bases) for word in words)

    return Lexicon(
        spelling=spelling,
        spelling_offsets=offsets.astype(np.int32),
        slots=_hash_slots(spelling, offsets, 1 << (2 * len(words)).bit_length()),
        own=own.flat,
        own_offsets=own.offsets.astype(np.int32),
        synsets=compared.flat,
        synset_offsets=compared.offsets.astype(np.int32),
        is_function=np.array([word in functions for word in words], np.uint8),
        paraphrase_words=np.array([len(paraphrase_words)], np.int32),
    )


def rows_of(lexicon: Lexicon, words: Sequence[str]) -> Numbers:
    """The row of each word (words,), -1 for a word that is not in the lexicon."""
    return _find_rows(
        *spelled(words), lexicon.spelling, lexicon.spelling_offsets, lexicon.slots
    )


def synsets_of(lexicon: Lexicon, words: Sequence[str], rows: Numbers) -> Ragged:
    """The synsets of each word that METEOR compares, from its row or by its endings."""
    owners, base_rows = _base_rows(lexicon, words, rows)
    starts, ends = _bounds(lexicon.synset_offsets, rows)
    own_starts, own_ends = _bounds(lexicon.own_offsets, base_rows)

    # The synsets of a word by its endings are those of its base form as spelled.
    both = np.concatenate((lexicon.synsets, lexicon.own))
    starts[owners] = own_starts + len(lexicon.synsets)
    ends[owners] = own_ends + len(lexicon.synsets)

    sizes = ends - starts

    return Ragged(flat=both[ranges(starts, sizes)], offsets=offsets_of(sizes))


def _base_rows(
    lexicon: Lexicon, words: Sequence[str], rows: Numbers
) -> tuple[IntArray, Numbers]:
    """The words without a row that have a base form with synsets, and the row of the first one."""
    unknown = np.flatnonzero(rows < 0)
    forms = [list(base_forms(words[number])) for number in unknown.tolist()]
    owner = np.repeat(unknown, [len(each) for each in forms])

    found = rows_of(lexicon, list(chain.from_iterable(forms)))
    has_own = np.diff(lexicon.own_offsets)[found] > 0
    places = np.flatnonzero((found >= 0) & has_own)

    owners, first = np.unique(owner[places], return_index=True)

    return owners, found[places[first]]


def base_forms(word: str) -> Iterator[str]:
    """What the word may be an inflection of, in the order of trial (docs/meteor.md, section 5)."""
    if word.endswith("ss") or len(word) <= 2:
        yield word
        return

    for ending, replacement in _ENDINGS:
        if word.endswith(ending):
            stem = word.removesuffix(ending)
            yield stem + replacement


def spelled(words: Sequence[str]) -> tuple[Bytes, IntArray]:
    """Words as UTF-8 in one array, and their offsets (words + 1,)."""
    encoded = [word.encode("utf-8", "surrogatepass") for word in words]
    sizes = np.fromiter(map(len, encoded), np.int64, len(encoded))

    spelling = np.frombuffer(b"".join(encoded), np.uint8)

    return spelling, offsets_of(sizes)


def _bounds(offsets: Numbers, rows: Numbers) -> tuple[IntArray, IntArray]:
    """Where each row starts and ends (words,); twice 0 for a word without a row."""
    known = rows >= 0
    starts = np.where(known, offsets[:-1][rows], 0)
    ends = np.where(known, offsets[1:][rows], 0)

    return starts.astype(np.int64), ends.astype(np.int64)


def _compared(
    word: str, synsets: Mapping[str, Sequence[int]], bases: Mapping[str, Sequence[str]]
) -> list[int]:
    """The synsets of a word and of its base forms (section 5)."""
    forms = bases.get(word)
    if forms is None:
        known = (form for form in base_forms(word) if form in synsets)
        forms = [next(known, "")]

    compared = set(synsets.get(word, ()))
    for form in forms:
        compared.update(synsets.get(form, ()))

    return sorted(compared)


def _ragged(rows: Iterable[Sequence[int]]) -> Ragged:
    rows = list(rows)
    sizes = np.fromiter(map(len, rows), np.int64, len(rows))

    return Ragged(
        flat=np.fromiter(chain.from_iterable(rows), np.int32), offsets=offsets_of(sizes)
    )


@jit
def _hash_slots(spelling: Bytes, offsets: IntArray, size: int) -> Numbers:
    """Make a hash table of different words with open addressing; ``size`` is a power of two."""
    slots = np.full(size, -1, np.int32)

    for row in range(len(offsets) - 1):
        code = _spelling_code(spelling, offsets[row], offsets[row + 1])
        slot = code & (size - 1)
        while slots[slot] >= 0:
            slot = (slot + 1) & (size - 1)
        slots[slot] = row

    return slots


@jit
def _find_rows(
    words: Bytes,
    word_offsets: IntArray,
    spelling: Bytes,
    offsets: Numbers,
    slots: Numbers,
) -> Numbers:
    """Find the row of each word in a hash table; -1 where it has none.

    Parameters
    ----------
    words, word_offsets : arrays
        The words to find, spelled.
    spelling, offsets : arrays
        The words of the table, spelled.
    slots : (size,) array
        The table, made by :func:`_hash_slots`.

    Returns
    -------
    (words,) array
        The rows.
    """
    rows = np.full(len(word_offsets) - 1, -1, np.int32)

    for number in range(len(rows)):
        start, end = word_offsets[number], word_offsets[number + 1]
        code = _spelling_code(words, start, end)
        slot = code & (len(slots) - 1)

        while slots[slot] >= 0:
            known = offsets[slots[slot]]
            known_end = offsets[slots[slot] + 1]
            if known_end - known == end - start and _same(
                words, start, spelling, known, end - start
            ):
                rows[number] = slots[slot]
                break
            slot = (slot + 1) & (len(slots) - 1)

    return rows


@jit_step
def _spelling_code(spelling: Bytes, start: int, end: int) -> np.int64:
    """A hash of the bytes of a word."""
    code = np.int64(end - start)
    for place in range(start, end):
        code = code * 31 + spelling[place]

    return code ^ (code >> 17)


@jit_step
def _same(
    left: Bytes, left_start: int, right: Bytes, right_start: int, size: int
) -> bool:
    """Whether two words of one size are spelled alike."""
    same = 0
    while same < size and left[left_start + same] == right[right_start + same]:
        same += 1

    return same == size
