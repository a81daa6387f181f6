"""Align candidates with references, and count what is matched, compiled (docs/meteor.md)."""

import numpy as np

from tercet.metrics.core.arrays import IntArray
from tercet.metrics.core.jit import jit, jit_step
from tercet.metrics.meteor.beam import (
    Lattice,
    choose_fixed,
    group_by_start,
    make_beam,
    make_lattice,
    search,
)
from tercet.metrics.meteor.captions import Batch
from tercet.metrics.meteor.lexicon import Numbers
from tercet.metrics.meteor.matching import (
    BLOCK_SHIFT,
    COLUMNS,
    CaptionPair,
    Match,
    enter_candidate,
    find_matches,
    make_pair,
    match_at,
    no_positions,
    remove_candidate,
)

# The columns of statistics (section 9): words and function words of each side, then four columns
# for each module, then chunks and matched words of each side.
STATISTICS = 23
_WORDS, _FUNCTION_WORDS, _MODULES, _CHUNKS, _MATCHED = 0, 2, 4, 20, 21

_ROOM = 1024


@jit
def align(
    candidates: IntArray,
    references: IntArray,
    batch: Batch,
    traced: Numbers,
    traced_offsets: IntArray,
) -> Numbers:
    """Align pairs of captions; the statistics (pairs, 23) of each (section 9).

    candidates, references: (pairs,) the captions of each pair, by their number in the batch.
    traced: (total, 5) receives the matches of each pair, a row for each word of its reference; or
        without rows.
    traced_offsets: (pairs,) the first row of each pair in ``traced``.
    """
    blocks = (batch.longest >> BLOCK_SHIFT) + 1
    positions = no_positions(batch, blocks)
    lattice = make_lattice(batch.longest)
    beam = make_beam(blocks)
    matches = np.empty((_ROOM, COLUMNS), np.int32)
    trail = np.empty((_ROOM, 2), np.int32)
    statistics = np.zeros((len(candidates), STATISTICS), np.int32)
    entered = -1

    for number in range(len(candidates)):
        pair = make_pair(candidates[number], references[number], batch)
        if pair.candidate != entered:
            if entered >= 0:
                remove_candidate(entered, batch, positions)
            enter_candidate(pair.candidate, batch, positions)
            entered = pair.candidate

        found, matches = find_matches(pair, batch, positions, matches)
        lattice = group_by_start(pair, matches, found, lattice)
        if choose_fixed(pair, lattice, beam) < found:
            trail = search(pair, lattice, beam, trail)

        _count(pair, batch, lattice, statistics[number])
        if len(traced):
            _trace(pair, lattice, traced[traced_offsets[number] :])

    return statistics


@jit_step
def _count(
    pair: CaptionPair, batch: Batch, lattice: Lattice, statistics: Numbers
) -> None:
    """Count the statistics of the chosen matches of a pair."""
    ours = pair.candidate_words
    theirs = pair.reference_words
    statistics[_WORDS] = ours
    statistics[_WORDS + 1] = theirs
    statistics[_FUNCTION_WORDS] = _functions(pair.candidate, 0, ours, batch)
    statistics[_FUNCTION_WORDS + 1] = _functions(pair.reference, 0, theirs, batch)
    end = candidate_end = -1

    for start in range(pair.reference_words):
        if lattice.chosen[start] < 0:
            continue

        match = match_at(lattice.chosen[start], lattice.matches)
        _count_words(match, pair, batch, statistics)

        if start != end or match.candidate_start != candidate_end:
            statistics[_CHUNKS] += 1
        end = start + match.reference_length
        candidate_end = match.candidate_start + match.candidate_length


@jit_step
def _count_words(
    match: Match, pair: CaptionPair, batch: Batch, statistics: Numbers
) -> None:
    """Count the words of a match."""
    words = match.candidate_length
    functions = _functions(pair.candidate, match.candidate_start, words, batch)
    column = _MODULES + 4 * match.module
    statistics[column] += words - functions
    statistics[column + 2] += functions
    statistics[_MATCHED] += words

    words = match.reference_length
    functions = _functions(pair.reference, match.reference_start, words, batch)
    statistics[column + 1] += words - functions
    statistics[column + 3] += functions
    statistics[_MATCHED + 1] += words


@jit_step
def _functions(caption: int, start: int, length: int, batch: Batch) -> int:
    """How many of some words of a caption are function words."""
    captions = batch.captions
    count = 0
    first = captions.offsets[caption] + start

    for at in range(first, first + length):
        word = captions.words[at]
        count += batch.words.is_function[word]

    return count


@jit_step
def _trace(pair: CaptionPair, lattice: Lattice, rows: Numbers) -> None:
    """Write down the chosen matches by their start in the reference."""
    for start in range(pair.reference_words):
        number = lattice.chosen[start]
        if number >= 0:
            for column in range(COLUMNS):
                rows[start, column] = lattice.matches[number, column]
