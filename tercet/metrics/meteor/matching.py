"""Find all matches between two captions, compiled (docs/meteor.md, section 7).

A set of words of a caption is a row of bits, in blocks of 32, so that a caption may have any
length. The candidate's words are entered into such rows by hash code, stem, synset and phrase; the
matches of a word of the reference are then read from one row.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.metrics.core.jit import jit, jit_step
from tercet.metrics.meteor.captions import Batch
from tercet.metrics.meteor.lexicon import Numbers

Bits = NDArray[np.uint32]

EXACT, STEM, SYNONYM, PARAPHRASE = range(4)

# The columns of a match, as in Match.
REFERENCE_START, REFERENCE_LENGTH, CANDIDATE_START, CANDIDATE_LENGTH, MODULE = range(5)
COLUMNS = 5

_BLOCK_BITS = 32
BLOCK_SHIFT = 5

# The number of the lowest set bit, by the upper five bits of its product with a de Bruijn sequence
# (Leiserson, Prokop and Randall: Using de Bruijn sequences to index a 1 in a computer word, 1998).
_DE_BRUIJN = 0x077CB531
_BIT_OF = np.zeros(_BLOCK_BITS, np.int64)
for _bit in range(_BLOCK_BITS):
    _BIT_OF[((_DE_BRUIJN << _bit) & 0xFFFFFFFF) >> 27] = _bit


class Match(NamedTuple):
    """Words of the reference and of the candidate that match by a module."""

    reference_start: int
    reference_length: int
    candidate_start: int
    candidate_length: int
    module: int


class CaptionPair(NamedTuple):
    """A candidate and a reference: their numbers in the batch, words, and blocks of bits."""

    candidate: int
    reference: int
    candidate_words: int
    reference_words: int
    candidate_blocks: int
    reference_blocks: int


class _Positions(NamedTuple):
    """Where words and phrases stand in a candidate, and phrases in a reference; rows of bits.

    exact, stem, synset: (hash codes | stems | synsets, blocks) the positions in the candidate.
    phrase: (phrases, blocks) where each phrase begins in the candidate.
    reference_phrase: (phrases, blocks) where each phrase begins in the reference.
    """

    exact: Bits
    stem: Bits
    synset: Bits
    phrase: Bits
    reference_phrase: Bits


@jit_step
def make_pair(candidate: int, reference: int, batch: Batch) -> CaptionPair:
    """Look up the sizes of two captions of a batch."""
    offsets = batch.captions.offsets
    candidate_words = offsets[candidate + 1] - offsets[candidate]
    reference_words = offsets[reference + 1] - offsets[reference]

    return CaptionPair(
        candidate,
        reference,
        candidate_words,
        reference_words,
        (candidate_words >> BLOCK_SHIFT) + 1,
        (reference_words >> BLOCK_SHIFT) + 1,
    )


@jit
def no_positions(batch: Batch, blocks: int) -> _Positions:
    """Make rows of `blocks` blocks without any bit set."""
    codes, stems, synsets = batch.sizes
    phrases = len(batch.paraphrases.length)

    return _Positions(
        np.zeros((codes, blocks), np.uint32),
        np.zeros((stems, blocks), np.uint32),
        np.zeros((synsets, blocks), np.uint32),
        np.zeros((phrases, blocks), np.uint32),
        np.zeros((phrases, blocks), np.uint32),
    )


@jit_step
def enter_candidate(candidate: int, batch: Batch, positions: _Positions) -> None:
    """Set the bits of a candidate's words and phrases."""
    captions = batch.captions
    words = batch.words
    begin, end = captions.offsets[candidate], captions.offsets[candidate + 1]

    for position in range(end - begin):
        word = captions.words[begin + position]
        block = position >> BLOCK_SHIFT
        bit = bit_of(position)

        positions.exact[words.exact[word], block] |= bit
        positions.stem[words.stem[word], block] |= bit
        for at in range(words.synset_offsets[word], words.synset_offsets[word + 1]):
            positions.synset[words.synsets[at], block] |= bit

    _enter_phrases(candidate, batch, positions.phrase)


@jit_step
def remove_candidate(candidate: int, batch: Batch, positions: _Positions) -> None:
    """Clear the bits that :func:`enter_candidate` set."""
    captions = batch.captions
    words = batch.words

    for at in range(captions.offsets[candidate], captions.offsets[candidate + 1]):
        word = captions.words[at]
        for block in range(positions.exact.shape[1]):
            positions.exact[words.exact[word], block] = 0
            positions.stem[words.stem[word], block] = 0
            for synset in range(
                words.synset_offsets[word], words.synset_offsets[word + 1]
            ):
                positions.synset[words.synsets[synset], block] = 0

    _remove_phrases(candidate, batch, positions.phrase)


@jit
def find_matches(
    pair: CaptionPair, batch: Batch, positions: _Positions, matches: Numbers
) -> tuple[int, Numbers]:
    """Find all matches of a pair whose candidate is entered in the positions.

    Gives how many there are, and them (room, 5) in the order of section 7, in the array given or a
    larger one.
    """
    equal = _are_equal(pair, batch)
    modules = 1 if equal else PARAPHRASE
    found, matches = _match_words(pair, batch, positions, modules, matches)

    if not equal:
        found, matches = _match_phrases(
            pair, batch, positions.phrase, True, matches, found
        )

        phrases = positions.reference_phrase
        _enter_phrases(pair.reference, batch, phrases)
        found, matches = _match_phrases(pair, batch, phrases, False, matches, found)
        _remove_phrases(pair.reference, batch, phrases)

    return found, matches


@jit_step
def match_at(number: int, matches: Numbers) -> Match:
    """Read a row of the matches."""
    return Match(
        matches[number, REFERENCE_START],
        matches[number, REFERENCE_LENGTH],
        matches[number, CANDIDATE_START],
        matches[number, CANDIDATE_LENGTH],
        matches[number, MODULE],
    )


@jit_step
def _add(match: Match, matches: Numbers, found: int) -> int:
    """Write a match after those found before; how many there are then."""
    matches[found, REFERENCE_START] = match.reference_start
    matches[found, REFERENCE_LENGTH] = match.reference_length
    matches[found, CANDIDATE_START] = match.candidate_start
    matches[found, CANDIDATE_LENGTH] = match.candidate_length
    matches[found, MODULE] = match.module

    return found + 1


@jit
def with_room(rows: Numbers, wanted: int) -> Numbers:
    """The array, or a copy of at least twice the rows if it has fewer rows than wanted."""
    if wanted <= len(rows):
        return rows

    larger = np.empty((max(wanted, 2 * len(rows)), rows.shape[1]), np.int32)
    larger[: len(rows)] = rows

    return larger


@jit_step
def bit_of(position: int) -> np.int64:
    """The bit of a word in its block."""
    return np.int64(1) << (position & (_BLOCK_BITS - 1))


@jit_step
def _lowest(bits: np.int64) -> int:
    """The number of the lowest bit that is set in a block."""
    bit: int = _BIT_OF[(((bits & -bits) * _DE_BRUIJN) & 0xFFFFFFFF) >> 27]
    return bit


@jit_step
def _enter_phrases(caption: int, batch: Batch, rows: Bits) -> None:
    captions = batch.captions
    offsets = batch.captions.phrase_offsets
    for at in range(offsets[caption], offsets[caption + 1]):
        start = captions.start[at]
        phrase = captions.phrase[at]
        rows[phrase, start >> BLOCK_SHIFT] |= bit_of(start)


@jit_step
def _remove_phrases(caption: int, batch: Batch, rows: Bits) -> None:
    captions = batch.captions
    offsets = batch.captions.phrase_offsets
    for at in range(offsets[caption], offsets[caption + 1]):
        phrase = captions.phrase[at]
        for block in range(rows.shape[1]):
            rows[phrase, block] = 0


@jit_step
def _are_equal(pair: CaptionPair, batch: Batch) -> bool:
    """Whether both captions have the same words, by hash code, in the same order."""
    if pair.candidate_words != pair.reference_words:
        return False

    captions = batch.captions
    exact = batch.words.exact
    left = captions.offsets[pair.candidate]
    right = captions.offsets[pair.reference]

    for position in range(pair.candidate_words):
        left_word = captions.words[left + position]
        right_word = captions.words[right + position]
        if exact[left_word] != exact[right_word]:
            return False

    return True


@jit
def _match_words(
    pair: CaptionPair,
    batch: Batch,
    positions: _Positions,
    modules: int,
    matches: Numbers,
) -> tuple[int, Numbers]:
    """Find the matches of single words by the first `modules` modules."""
    begin = batch.captions.offsets[pair.reference]
    found = 0

    for start in range(pair.reference_words):
        word = batch.captions.words[begin + start]
        matches = with_room(matches, found + modules * pair.candidate_words)

        for module in range(modules):
            for block in range(pair.candidate_blocks):
                bits = _positions_of(word, module, block, batch, positions)
                while bits:
                    position = (block << BLOCK_SHIFT) + _lowest(bits)
                    found = _add(Match(start, 1, position, 1, module), matches, found)
                    bits &= bits - 1

    return found, matches


@jit_step
def _positions_of(
    word: int, module: int, block: int, batch: Batch, positions: _Positions
) -> np.int64:
    """The bits of the words in a block of the candidate that match a word by one module."""
    words = batch.words
    same = np.int64(positions.exact[words.exact[word], block])
    if module == EXACT:
        return same

    if module == STEM:
        return np.int64(positions.stem[words.stem[word], block]) & ~same

    bits = np.int64(0)
    for at in range(words.synset_offsets[word], words.synset_offsets[word + 1]):
        bits |= np.int64(positions.synset[words.synsets[at], block])

    return bits & ~same


@jit
def _match_phrases(
    pair: CaptionPair,
    batch: Batch,
    rows: Bits,
    in_reference: bool,
    matches: Numbers,
    found: int,
) -> tuple[int, Numbers]:
    """Add the paraphrases in one caption of the phrases in the other (section 6).

    in_reference: whether the phrases are those of the reference (direction 1), and their
    paraphrases those of the candidate, or the reverse (direction 2).
    rows: where each phrase begins in the caption of the paraphrases.
    """
    captions = batch.captions
    table = batch.paraphrases
    caption = pair.reference if in_reference else pair.candidate
    words = pair.candidate_words if in_reference else pair.reference_words
    blocks = (words >> BLOCK_SHIFT) + 1

    offsets = captions.phrase_offsets
    for at in range(offsets[caption], offsets[caption + 1]):
        phrase = captions.phrase[at]
        start = captions.start[at]
        length = table.length[phrase]

        for entry in range(table.offsets[phrase], table.offsets[phrase + 1]):
            paraphrase = table.entries[entry]
            other_length = table.length[paraphrase]
            matches = with_room(matches, found + words)

            for block in range(blocks):
                bits = np.int64(rows[paraphrase, block])
                while bits:
                    position = (block << BLOCK_SHIFT) + _lowest(bits)
                    if in_reference:
                        match = Match(start, length, position, other_length, PARAPHRASE)
                        found = _add(match, matches, found)
                    else:
                        other = Match(position, other_length, start, length, PARAPHRASE)
                        found = _add(other, matches, found)
                    bits &= bits - 1

    return found, matches
