"""Words and what METEOR's data says of each.

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

Bytes = NDArray[np.uint8]
Numbers = NDArray[np.int32]

# The endings of inflected words and what they replace, in the order of trial (section 5).
_REPLACEMENTS = """
    s- ses-s xes-x zes-z ches-ch shes-sh men-man ies-y
    s- ies-y es-e es- ed-e ed- ing-e ing- er- est- er-e est-e
"""
_ENDINGS = [tuple(pair.split("-")) for pair in _REPLACEMENTS.split()]


class Lexicon(NamedTuple):
    """Rows of words.

    rows: the row of each word.
    own, own_offsets: the synsets of each word as spelled.
    synsets, synset_offsets: those that METEOR compares: with those of its base forms, sorted.
    is_function: 1 for function words. paraphrase_words: how many rows the paraphrase table has.
    """

    rows: Mapping[str, int]
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

    own = _ragged(synsets.get(word, ()) for word in words)
    compared = _ragged(_compared(word, synsets, bases) for word in words)

    return Lexicon(
        rows={word: row for row, word in enumerate(words)},
        own=own.flat,
        own_offsets=own.offsets.astype(np.int32),
        synsets=compared.flat,
        synset_offsets=compared.offsets.astype(np.int32),
        is_function=np.array([word in functions for word in words], np.uint8),
        paraphrase_words=np.array([len(paraphrase_words)], np.int32),
    )


def rows_of(lexicon: Lexicon, words: Sequence[str]) -> Numbers:
    """The row of each word (words,), -1 for a word that is not in the lexicon."""
    rows = (lexicon.rows.get(word, -1) for word in words)
    return np.fromiter(rows, np.int32, len(words))


def synsets_of(lexicon: Lexicon, words: Sequence[str], rows: Numbers) -> Ragged:
    """The synsets of each word that METEOR compares, from its row or by its endings."""
    owners, base_rows = _base_rows(lexicon, words, rows)
    starts, ends = _bounds(lexicon.synset_offsets, rows)
    own_starts, own_ends = _bounds(lexicon.own_offsets, base_rows)

    # A word without a row takes the synsets of its base form as spelled.
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
            yield word.removesuffix(ending) + replacement


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
