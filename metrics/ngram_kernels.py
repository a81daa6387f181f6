"""The compiled inner loops of the n-gram metrics.

Captions come as ragged arrays of numbers, ``tokens`` and ``offsets``; "grams" are captions of
n-grams instead of words, sorted within each caption. The comparisons of a candidate are with the
references from ``starts[candidate]`` on, as many as ``sizes[candidate]`` says. Importing this
module imports numba, so it is imported where it is used.
"""

import numpy as np
from numpy.typing import NDArray

from metrics.arrays import FloatArray, IntArray
from metrics.jit import jit

Numbers = NDArray[np.int32]
Masks = NDArray[np.uint64]
SPREAD = -7046029254386353131  # 2**64 / golden ratio: spreads keys over a table (Knuth)
SHORT = 64
WORD = 64


@jit
def _slot(table: IntArray, key: int) -> int:
    """Where a key stands in a hash table (slots, 2) of key and number, or the free slot for it."""
    slot = key * SPREAD
    slot = (slot ^ (slot >> 29)) & (len(table) - 1)
    while table[slot, 0] not in (key, -1):
        slot = (slot + 1) & (len(table) - 1)
    return slot


@jit
def _grown(table: IntArray) -> IntArray:
    larger = np.full((2 * len(table), 2), -1, np.int64)
    for row in range(len(table)):
        if table[row, 0] >= 0:
            larger[_slot(larger, table[row, 0])] = table[row]
    return larger


@jit
def lengthen(
    grams: Numbers, tokens: Numbers, offsets: IntArray, n: int, table: IntArray, used: int
) -> tuple[IntArray, int]:
    """Make n-grams of the (n - 1)-grams that begin at each token, in place.

    table: of the n-grams met so far, which are ``used``. Gives both anew.
    """
    for caption in range(len(offsets) - 1):
        for place in range(offsets[caption], offsets[caption + 1] - n + 1):
            if 3 * used >= 2 * len(table):
                table = _grown(table)
            key = (np.int64(grams[place]) << 32) | tokens[place + n - 1]
            slot = _slot(table, key)
            if table[slot, 0] < 0:
                table[slot, 0] = key
                table[slot, 1] = used
                used += 1
            grams[place] = table[slot, 1]
    return table, used


@jit
def _sort(values: Numbers) -> None:
    """Sort in place: by insertion where that is fastest."""
    if len(values) > SHORT:
        values.sort()
        return
    for end in range(1, len(values)):
        value, place = values[end], end
        while place > 0 and values[place - 1] > value:
            values[place] = values[place - 1]
            place -= 1
        values[place] = value


@jit
def sort_grams(grams: Numbers, offsets: IntArray, n: int) -> tuple[Numbers, IntArray]:
    """The n-grams of each caption sorted, as a ragged array."""
    sizes = np.maximum(offsets[1:] - offsets[:-1] - n + 1, 0)
    ends = np.zeros(len(offsets), np.int64)
    ends[1:] = np.cumsum(sizes)
    ordered = np.empty(ends[-1], np.int32)
    for caption in range(len(sizes)):
        row = ordered[ends[caption] : ends[caption + 1]]
        row[:] = grams[offsets[caption] : offsets[caption] + sizes[caption]]
        _sort(row)
    return ordered, ends


@jit
def _run(grams: Numbers, start: int, end: int) -> int:
    """Where the run of equal n-grams that begins at ``start`` ends."""
    place = start + 1
    while place < end and grams[place] == grams[start]:
        place += 1
    return place


@jit
def _most_shared(
    left_offsets: IntArray, right_offsets: IntArray, starts: IntArray, sizes: IntArray
) -> int:
    most = 0
    for candidate in range(len(starts)):
        size = left_offsets[candidate + 1] - left_offsets[candidate]
        for reference in range(starts[candidate], starts[candidate] + sizes[candidate]):
            most += min(size, right_offsets[reference + 1] - right_offsets[reference])
    return most


@jit
def shared(
    left: Numbers,
    left_offsets: IntArray,
    right: Numbers,
    right_offsets: IntArray,
    starts: IntArray,
    sizes: IntArray,
) -> tuple[IntArray, Numbers, Numbers, Numbers]:
    """The n-grams that candidates (left) share with references (right).

    Gives a ragged array of the comparisons: its offsets, and of each shared n-gram the first place
    in ``left``, the count in the candidate and the count in the reference.
    """
    offsets = np.zeros(sizes.sum() + 1, np.int64)
    most = _most_shared(left_offsets, right_offsets, starts, sizes)
    places, ours, theirs = (
        np.empty(most, np.int32),
        np.empty(most, np.int32),
        np.empty(most, np.int32),
    )
    found = comparison = 0
    for candidate in range(len(starts)):
        end = left_offsets[candidate + 1]
        for reference in range(starts[candidate], starts[candidate] + sizes[candidate]):
            a, b, stop = (
                left_offsets[candidate],
                right_offsets[reference],
                right_offsets[reference + 1],
            )
            while a < end and b < stop:
                if left[a] < right[b]:
                    a += 1
                elif left[a] > right[b]:
                    b += 1
                else:
                    after, beyond = _run(left, a, end), _run(right, b, stop)
                    places[found], ours[found], theirs[found] = a, after - a, beyond - b
                    a, b, found = after, beyond, found + 1
            comparison += 1
            offsets[comparison] = found
    return offsets, places[:found], ours[:found], theirs[:found]


@jit
def sums(offsets: IntArray, values: Numbers) -> IntArray:
    """The sum of each row of a ragged array."""
    totals = np.zeros(len(offsets) - 1, np.int64)
    for row in range(len(totals)):
        for place in range(offsets[row], offsets[row + 1]):
            totals[row] += values[place]
    return totals


@jit
def best_matches(
    offsets: IntArray,
    slots: Numbers,
    held: Numbers,
    starts: IntArray,
    sizes: IntArray,
    rank: IntArray,
    most: int,
) -> IntArray:
    """Matches (candidates, most), each n-gram clipped by its highest count in the first k.

    slots, held: of each shared n-gram its place in the candidate, and the smaller count.
    """
    table = np.zeros((len(starts), most), np.int64)
    order = np.empty(most, np.int64)
    best = np.zeros(slots.max() + 1 if len(slots) else 0, np.int32)
    comparison = 0
    for candidate in range(len(starts)):
        for number in range(sizes[candidate]):
            order[rank[starts[candidate] + number]] = comparison + number
        total = 0
        for k in range(sizes[candidate]):
            for item in range(offsets[order[k]], offsets[order[k] + 1]):
                gain = held[item] - best[slots[item]]
                if gain > 0:
                    best[slots[item]] += gain
                    total += gain
            table[candidate, k] = total
        for item in range(offsets[comparison], offsets[comparison + sizes[candidate]]):
            best[slots[item]] = 0
        comparison += sizes[candidate]
    return table


@jit
def frequencies(
    grams: Numbers,
    offsets: IntArray,
    reference_offsets: IntArray,
    weights: FloatArray,
    rank: IntArray,
    k: int,
    distinct: int,
) -> FloatArray:
    """Weighted number of images (distinct,) that hold each n-gram in their first k references."""
    frequency = np.zeros(distinct)
    last = np.full(distinct, -1, np.int32)
    for image in range(len(weights)):
        for reference in range(reference_offsets[image], reference_offsets[image + 1]):
            if rank[reference] < k:
                for place in range(offsets[reference], offsets[reference + 1]):
                    if last[grams[place]] != image:
                        last[grams[place]] = image
                        frequency[grams[place]] += weights[image]
    return frequency


@jit
def norms(grams: Numbers, offsets: IntArray, squares: FloatArray) -> FloatArray:
    """The length (captions,) of each caption's vector, for squared weights (distinct,)."""
    totals = np.zeros(len(offsets) - 1)
    for caption in range(len(totals)):
        place, end = offsets[caption], offsets[caption + 1]
        while place < end:
            after = _run(grams, place, end)
            totals[caption] += (after - place) ** 2 * squares[grams[place]]
            place = after
    return np.sqrt(totals)


@jit
def products(
    offsets: IntArray, grams: Numbers, ours: Numbers, theirs: Numbers, squares: FloatArray
) -> FloatArray:
    """The inner product (comparisons,) of each comparison, for squared weights (distinct,)."""
    totals = np.zeros(len(offsets) - 1)
    for comparison in range(len(totals)):
        for item in range(offsets[comparison], offsets[comparison + 1]):
            count = np.int64(ours[item]) * theirs[item]
            totals[comparison] += count * squares[grams[item]]
    return totals


@jit
def common_subsequences(
    left: Numbers,
    left_offsets: IntArray,
    right: Numbers,
    right_offsets: IntArray,
    starts: IntArray,
    sizes: IntArray,
    words: int,
) -> IntArray:
    """Length (comparisons,) of the longest common subsequence of each candidate and reference.

    Hyyro: Bit-parallel LCS-length computation revisited, AWOCA 2004: 64 words of the candidate at
    a time, with the carries of one block handed on to the next.
    """
    lengths = np.zeros(sizes.sum(), np.int64)
    masks = np.zeros(words, np.uint64)
    comparison = 0
    for candidate in range(len(starts)):
        first, last = starts[candidate], starts[candidate] + sizes[candidate]
        carries = np.zeros(right_offsets[last] - right_offsets[first], np.uint64)
        for start in range(left_offsets[candidate], left_offsets[candidate + 1], WORD):
            end = min(start + WORD, left_offsets[candidate + 1])
            for place in range(start, end):
                masks[left[place]] |= np.uint64(1) << np.uint64(place - start)
            for reference in range(first, last):
                row = right[right_offsets[reference] : right_offsets[reference + 1]]
                carry = carries[right_offsets[reference] - right_offsets[first] :]
                lengths[comparison + reference - first] += _common(row, masks, carry)
            for place in range(start, end):
                masks[left[place]] = 0
        comparison += sizes[candidate]
    return lengths


@jit
def _common(row: Numbers, masks: Masks, carries: Masks) -> int:
    """How many of a block's words are in the longest common subsequence with a reference."""
    state = ~np.uint64(0)
    for place in range(len(row)):
        mask = masks[row[place]]
        met = state & mask
        total = state + met
        sum_ = total + carries[place]
        carries[place] = np.uint64(total < state) | np.uint64(sum_ < total)
        state = sum_ | (state & ~mask)
    left, count = ~state, 0
    while left:
        left &= left - np.uint64(1)
        count += 1
    return count


@jit
def _skips(tokens: Numbers, start: int, end: int, gap: int, found: IntArray) -> int:
    """Write a caption's skip bigrams, sorted, and give their number."""
    count = 0
    for first in range(start, end):
        for second in range(first + 1, min(first + gap + 2, end)):
            found[count] = (np.int64(tokens[first]) << 32) | tokens[second]
            count += 1
    found[:count].sort()
    return count


@jit
def _common_values(left: IntArray, right: IntArray) -> int:
    """How many values two sorted arrays have in common, each as often as both hold it."""
    a = b = count = 0
    while a < len(left) and b < len(right):
        if left[a] < right[b]:
            a += 1
        elif left[a] > right[b]:
            b += 1
        else:
            a, b, count = a + 1, b + 1, count + 1
    return count


@jit
def skip_matches(
    left: Numbers,
    left_offsets: IntArray,
    right: Numbers,
    right_offsets: IntArray,
    starts: IntArray,
    sizes: IntArray,
    gap: int,
) -> IntArray:
    """Clipped matches (comparisons,) of pairs of words with at most ``gap`` words between."""
    totals = np.zeros(sizes.sum(), np.int64)
    longest = max(_longest(left_offsets), _longest(right_offsets))
    ours = np.empty(longest * (gap + 1), np.int64)
    theirs = np.empty(longest * (gap + 1), np.int64)
    comparison = 0
    for candidate in range(len(starts)):
        size = _skips(left, left_offsets[candidate], left_offsets[candidate + 1], gap, ours)
        for reference in range(starts[candidate], starts[candidate] + sizes[candidate]):
            start, end = right_offsets[reference], right_offsets[reference + 1]
            other = _skips(right, start, end, gap, theirs)
            totals[comparison] = _common_values(ours[:size], theirs[:other])
            comparison += 1
    return totals


@jit
def _longest(offsets: IntArray) -> int:
    longest = 0
    for caption in range(len(offsets) - 1):
        longest = max(longest, offsets[caption + 1] - offsets[caption])
    return longest
