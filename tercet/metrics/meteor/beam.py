"""Choose matches by a beam search, compiled (docs/meteor.md, section 8).

Paths live in slots. The key of a path is one integer that orders paths: its distance, plus
``_CHUNK`` for each chunk, minus ``_WORD`` for each matched word. The smallest key is the best path:
one comparison of integers instead of three of numbers, as the program ranks paths by more matched
words, then fewer chunks, then the smaller distance. What all paths gain or lose alike is left out,
as keys are only compared with each other.
"""

from typing import NamedTuple

import numpy as np

from tercet.metrics.core.arrays import IntArray
from tercet.metrics.core.jit import jit, jit_step
from tercet.metrics.meteor.lexicon import Numbers
from tercet.metrics.meteor.matching import (
    BLOCK_SHIFT,
    COLUMNS,
    EXACT,
    PARAPHRASE,
    REFERENCE_START,
    Bits,
    CaptionPair,
    Match,
    bit_of,
    match_at,
    with_room,
)

_BEAM = 40

# All paths of this word and of the next, the one in the making, and the one to begin with.
_SLOTS = 2 * _BEAM + 2
_FIRST_SLOT = 0

# In captions of up to 2,000 words, distances stay below a chunk, and chunks below a word.
_CHUNK, _WORD = 1 << 34, 1 << 48

# The columns of a trail: a match that a path took, and the step before it or -1.
_MATCH, _BEFORE = range(2)

# The coverage of a word in a fixed match.
_FIXED = -1

# The counts of a beam.
_NEXT, _FREE, _STEPS = range(3)


class Lattice(NamedTuple):
    """The matches of a pair by their start in the reference.

    matches: (matches, 5) grouped by start, within a start in the order in which they were found.
    first: (words + 2,) the matches that start at word i are those from ``first[i]`` up to
        ``first[i + 1]``.
    reference_coverage, candidate_coverage: (words,) how many matches contain each word; ``_FIXED``
        for the words of the reference in a fixed match.
    chosen: (words,) the match of the alignment that starts at each word of the reference, or -1.
    """

    matches: Numbers
    first: Numbers
    reference_coverage: Numbers
    candidate_coverage: Numbers
    chosen: Numbers


class Beam(NamedTuple):
    """The paths of a search, and two queues of the best of them, in ascending order of keys.

    last: (slots,) where each path's last match ends in the candidate, or -1.
    step: (slots,) each path's last step in the trail, or -1.
    reference_used, candidate_used: (slots, blocks) bits of the words that each path uses.
    keys, queues: (2, BEAM) the keys and the slots of the paths at this word, and at the next.
    free: (slots,) a stack of slots that are not in use.
    counts: (3,) how many paths are in the queue of the next word, slots are free, and steps are in
        the trail.
    """

    last: Numbers
    step: Numbers
    reference_used: Bits
    candidate_used: Bits
    keys: IntArray
    queues: IntArray
    free: Numbers
    counts: IntArray


@jit
def make_lattice(words: int) -> Lattice:
    """Make room for the matches of captions of up to `words` words."""
    return Lattice(
        np.empty((1024, COLUMNS), np.int32),
        np.empty(words + 2, np.int32),
        np.empty(words, np.int32),
        np.empty(words, np.int32),
        np.empty(words, np.int32),
    )


@jit
def make_beam(blocks: int) -> Beam:
    """Make room for paths over captions of `blocks` blocks of words."""
    return Beam(
        np.empty(_SLOTS, np.int32),
        np.empty(_SLOTS, np.int32),
        np.empty((_SLOTS, blocks), np.uint32),
        np.empty((_SLOTS, blocks), np.uint32),
        np.empty((2, _BEAM), np.int64),
        np.empty((2, _BEAM), np.int64),
        np.empty(_SLOTS, np.int32),
        np.empty(3, np.int64),
    )


@jit
def group_by_start(
    pair: CaptionPair, matches: Numbers, found: int, lattice: Lattice
) -> Lattice:
    """Enter the first ``found`` matches of a pair into the lattice; it may grow."""
    first, grouped = lattice.first, with_room(lattice.matches, found)
    words = pair.reference_words

    # A stable counting sort: first[i + 1] is where the next match that starts at word i belongs.
    first[: words + 2] = 0
    for match in range(found):
        first[matches[match, REFERENCE_START] + 2] += 1

    for word in range(2, words + 2):
        first[word] += first[word - 1]

    for match in range(found):
        start = matches[match, REFERENCE_START] + 1
        for column in range(COLUMNS):
            grouped[first[start], column] = matches[match, column]
        first[start] += 1

    return Lattice(grouped, *lattice[1:])


@jit_step
def choose_fixed(pair: CaptionPair, lattice: Lattice, beam: Beam) -> int:
    """Choose the fixed matches (section 7), and begin the beam with a path that has them.

    Gives how many matches are fixed.
    """
    _count_coverage(pair, lattice)
    beam.reference_used[_FIRST_SLOT, : pair.reference_blocks] = 0
    beam.candidate_used[_FIRST_SLOT, : pair.candidate_blocks] = 0
    fixed = 0

    for start in range(pair.reference_words):
        lattice.chosen[start] = -1
        number = lattice.first[start]
        if lattice.first[start + 1] - number != 1:
            continue

        match = match_at(number, lattice.matches)
        if _is_alone(match, lattice):
            lattice.chosen[start] = number
            _use_words(match, _FIRST_SLOT, beam)
            for word in range(match.reference_length):
                lattice.reference_coverage[start + word] = _FIXED
            fixed += 1

    return fixed


@jit
def search(pair: CaptionPair, lattice: Lattice, beam: Beam, trail: Numbers) -> Numbers:
    """Choose the matches of the best path, which begins with the fixed ones.

    At words of the reference that a fixed match or no match covers, all paths go the same way, and
    after the first such word they can only change alike: nothing is done until the next word of
    several ways. The trail is the one given, or a larger one.
    """
    _begin(beam)
    paths, current = 1, 0
    alike, end = True, -1

    for word in range(pair.reference_words + 1):
        if word < pair.reference_words and lattice.reference_coverage[word] > 0:
            if alike:
                for place in range(paths):
                    beam.last[beam.queues[current, place]] = end
                alike = False

            matches = lattice.first[word + 1] - lattice.first[word]
            trail = with_room(trail, beam.counts[_STEPS] + paths * matches)
            _extend_paths(word, paths, current, lattice, beam, trail)
            paths, current = beam.counts[_NEXT], 1 - current

        elif not _continues_fixed(word, pair, lattice):
            start, after = _fixed_span(word, pair, lattice)
            if not alike:
                _add_chunks(start, paths, current, beam)
            alike, end = True, after

    _choose_path(beam.queues[current, 0], lattice, beam, trail)

    return trail


@jit_step
def _count_coverage(pair: CaptionPair, lattice: Lattice) -> None:
    """Count the matches that contain each word."""
    lattice.reference_coverage[: pair.reference_words] = 0
    lattice.candidate_coverage[: pair.candidate_words] = 0

    for number in range(lattice.first[pair.reference_words]):
        match = match_at(number, lattice.matches)
        for word in range(match.reference_length):
            lattice.reference_coverage[match.reference_start + word] += 1
        for word in range(match.candidate_length):
            lattice.candidate_coverage[match.candidate_start + word] += 1


@jit_step
def _is_alone(match: Match, lattice: Lattice) -> bool:
    """Whether no other match contains a word of this one."""
    for word in range(match.reference_length):
        if lattice.reference_coverage[match.reference_start + word] != 1:
            return False

    for word in range(match.candidate_length):
        if lattice.candidate_coverage[match.candidate_start + word] != 1:
            return False

    return True


@jit_step
def _begin(beam: Beam) -> None:
    """Queue the path to begin with; all other slots are free."""
    beam.keys[0, 0], beam.queues[0, 0] = 0, _FIRST_SLOT
    beam.step[_FIRST_SLOT] = -1

    for slot in range(1, _SLOTS):
        beam.free[slot - 1] = slot

    beam.counts[_FREE], beam.counts[_STEPS] = _SLOTS - 1, 0


@jit_step
def _continues_fixed(word: int, pair: CaptionPair, lattice: Lattice) -> bool:
    """Whether a word is in a fixed match that started before it."""
    if word == pair.reference_words or lattice.reference_coverage[word] != _FIXED:
        return False

    return bool(lattice.chosen[word] < 0)


@jit_step
def _fixed_span(word: int, pair: CaptionPair, lattice: Lattice) -> tuple[int, int]:
    """The words of the candidate in the fixed match that starts at a word; (-1, -1) for none."""
    if word == pair.reference_words or lattice.chosen[word] < 0:
        return -1, -1

    match = match_at(lattice.chosen[word], lattice.matches)

    return (match.candidate_start, match.candidate_start + match.candidate_length)


@jit_step
def _add_chunks(start: int, paths: int, current: int, beam: Beam) -> None:
    """Add a chunk to paths with a last match that does not end where the next one starts."""
    keys, queue = beam.keys[current], beam.queues[current]

    for place in range(paths):
        key, slot = keys[place], queue[place]
        last = beam.last[slot]
        if last not in (-1, start):
            key += _CHUNK
        _insert(key, slot, keys, queue, place)


@jit_step
def _extend_paths(
    word: int, paths: int, current: int, lattice: Lattice, beam: Beam, trail: Numbers
) -> None:
    """Let each path take each match that starts at a word, and skip the word."""
    beam.counts[_NEXT] = 0

    for place in range(paths):
        key, slot = beam.keys[current, place], beam.queues[current, place]

        if not _is_used(beam.reference_used, slot, word, 1):
            key = _take_matches(word, key, slot, 1 - current, lattice, beam, trail)
            if beam.last[slot] != -1:
                beam.last[slot] = -1
                key += _CHUNK

        _enqueue(key, slot, 1 - current, beam)


@jit_step
def _take_matches(
    word: int,
    key: int,
    slot: int,
    coming: int,
    lattice: Lattice,
    beam: Beam,
    trail: Numbers,
) -> int:
    """Make a path for each match that starts at a word and can be taken; the old path's new key."""
    for number in range(lattice.first[word], lattice.first[word + 1]):
        match = match_at(number, lattice.matches)
        if not _can_take(match, slot, beam):
            continue

        new_key = key + _gain(match, beam.last[slot])
        if beam.counts[_NEXT] < _BEAM or new_key < beam.keys[coming, _BEAM - 1]:
            new = _branch(slot, match, beam)
            _add_step(new, number, beam.step[slot], beam, trail)
            _enqueue(new_key, new, coming, beam)

        # The distance counts for the old path, after the new one was made.
        key += abs(word - match.candidate_start)

    return key


@jit_step
def _can_take(match: Match, slot: int, beam: Beam) -> bool:
    """Whether a path uses no word of a match whose first word of the reference it does not use."""
    used = beam.candidate_used
    if _is_used(used, slot, match.candidate_start, match.candidate_length):
        return False
    if match.reference_length == 1:
        return True

    used = beam.reference_used

    return not _is_used(used, slot, match.reference_start, match.reference_length)


@jit_step
def _gain(match: Match, last: int) -> int:
    """What a match adds to the key of a path."""
    words = 0
    if match.module == EXACT:
        words = 2
    elif match.module == PARAPHRASE:
        words = match.reference_length // 2 + match.candidate_length // 2

    key = -int(words) * _WORD
    if last != -1 and match.candidate_start != last:
        key += _CHUNK

    return key


@jit_step
def _branch(slot: int, match: Match, beam: Beam) -> int:
    """Extend a path by a match, as a new path; return its slot."""
    beam.counts[_FREE] -= 1
    new = beam.free[beam.counts[_FREE]]

    for block in range(beam.reference_used.shape[1]):
        beam.reference_used[new, block] = beam.reference_used[slot, block]

    for block in range(beam.candidate_used.shape[1]):
        beam.candidate_used[new, block] = beam.candidate_used[slot, block]

    _use_words(match, new, beam)
    beam.last[new] = match.candidate_start + match.candidate_length

    return int(new)


@jit_step
def _add_step(slot: int, match: int, before: int, beam: Beam, trail: Numbers) -> None:
    """Write down that a path takes a match after a step."""
    step = beam.counts[_STEPS]
    trail[step, _MATCH] = match
    trail[step, _BEFORE] = before

    beam.step[slot] = step
    beam.counts[_STEPS] += 1


@jit_step
def _enqueue(key: int, slot: int, queue: int, beam: Beam) -> None:
    """Queue a path for the next word; the path that falls out gives its slot back."""
    out = _insert(key, slot, beam.keys[queue], beam.queues[queue], beam.counts[_NEXT])

    if out < 0:
        beam.counts[_NEXT] += 1
    else:
        beam.free[beam.counts[_FREE]] = out
        beam.counts[_FREE] += 1


@jit_step
def _insert(key: int, slot: int, keys: IntArray, queue: IntArray, queued: int) -> int:
    """Put a path among the best, after its equals.

    keys, queue: (BEAM,) of the ``queued`` best paths so far.
    Gives the slot of the path that falls out, or -1.
    """
    out = -1
    place = queued
    if queued == _BEAM:
        if key >= keys[_BEAM - 1]:
            return slot
        place = _BEAM - 1
        out = queue[place]

    while place > 0 and key < keys[place - 1]:
        keys[place], queue[place] = keys[place - 1], queue[place - 1]
        place -= 1

    keys[place], queue[place] = key, slot

    return out


@jit_step
def _choose_path(slot: int, lattice: Lattice, beam: Beam, trail: Numbers) -> None:
    """Choose the matches that a path has taken."""
    step = beam.step[slot]

    while step >= 0:
        number = trail[step, _MATCH]
        match = match_at(number, lattice.matches)
        lattice.chosen[match.reference_start] = number
        step = trail[step, _BEFORE]


@jit_step
def _is_used(used: Bits, slot: int, start: int, length: int) -> bool:
    """Whether a path uses one of the words."""
    for word in range(start, start + length):
        if used[slot, word >> BLOCK_SHIFT] & bit_of(word):
            return True

    return False


@jit_step
def _use_words(match: Match, slot: int, beam: Beam) -> None:
    """Mark the words of a match as used by a path."""
    for offset in range(match.reference_length):
        word = match.reference_start + offset
        beam.reference_used[slot, word >> BLOCK_SHIFT] |= bit_of(word)

    for offset in range(match.candidate_length):
        word = match.candidate_start + offset
        beam.candidate_used[slot, word >> BLOCK_SHIFT] |= bit_of(word)
