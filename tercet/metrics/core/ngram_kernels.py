"""The compiled inner loops of the n-gram metrics.

Captions come as ragged arrays of numbers, ``tokens`` and ``offsets``. "Grams" are n-grams by
number; captions of n-grams instead of words hold them sorted. Importing this module imports numba,
so it is imported where it is used.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.metrics.core.arrays import FloatArray, IntArray
from tercet.metrics.core.jit import jit, jit_step

Numbers = NDArray[np.int32]
_Masks = NDArray[np.uint64]

# 2**64 divided by the golden ratio: spreads keys over a table (Knuth: The Art of Computer
# Programming, volume 3, section 6.4).
_SPREAD = -7046029254386353131

# Arrays of up to this length are sorted by insertion.
_SHORT = 64

# Bits of a block in common_subsequences.
_BLOCK = 64


class ReferenceRuns(NamedTuple):
    """Candidates, each to be compared with some consecutive references.

    candidates, candidate_offsets: ragged, the words or sorted n-grams of each candidate.
    references, reference_offsets: the same of each reference.
    starts, counts: (candidates,) the first reference of each candidate, and how many there are.
    """

    candidates: Numbers
    candidate_offsets: IntArray
    references: Numbers
    reference_offsets: IntArray
    starts: IntArray
    counts: IntArray


class Shared(NamedTuple):
    """The n-grams that each candidate shares with each reference; ragged, by comparison.

    offsets: (comparisons + 1,). place: (shared,) where the n-gram first stands in
    ``ReferenceRuns.candidates``. ours, theirs: (shared,) how often the candidate and the reference
    hold it.
    """

    offsets: IntArray
    place: Numbers
    ours: Numbers
    theirs: Numbers


class Holders(NamedTuple):
    """Which images hold captions.

    captions: (captions,) one image after the other. images: (captions,) the image of each caption.
    weights: (images,) how many documents each image counts as.
    """

    captions: IntArray
    images: IntArray
    weights: IntArray


@jit
def extend(
    grams: Numbers,
    tokens: Numbers,
    offsets: IntArray,
    n: int,
    table: IntArray,
    used: int,
) -> tuple[IntArray, int]:
    """Turn the (n - 1)-grams that begin at each token into n-grams, in place.

    grams: (tokens,) the number of the (n - 1)-gram that begins at each token.
    tokens, offsets: the captions.
    table: (slots, 2) a hash table of the ``used`` n-grams met so far: key and number, or -1.

    Gives the table with the new n-grams, or a larger one, and how many it has.
    """
    for caption in range(len(offsets) - 1):
        for place in range(offsets[caption], offsets[caption + 1] - n + 1):
            if 3 * used >= 2 * len(table):
                table = _larger(table)

            key = (np.int64(grams[place]) << 32) | tokens[place + n - 1]
            slot = _slot(table, key)
            if table[slot, 0] < 0:
                table[slot, 0] = key
                table[slot, 1] = used
                used += 1

            grams[place] = table[slot, 1]

    return table, used


@jit
def _larger(table: IntArray) -> IntArray:
    """A table of twice as many slots with the same keys."""
    larger = np.full((2 * len(table), 2), -1, np.int64)

    for row in range(len(table)):
        if table[row, 0] >= 0:
            larger[_slot(larger, table[row, 0])] = table[row]

    return larger


@jit
def _slot(table: IntArray, key: int) -> int:
    """Where a key is in a hash table of (key, number), or the free slot for it."""
    slot = key * _SPREAD
    slot = (slot ^ (slot >> 29)) & (len(table) - 1)

    while table[slot, 0] not in (key, -1):
        slot = (slot + 1) & (len(table) - 1)

    return slot


@jit
def sort_grams(grams: Numbers, offsets: IntArray, n: int) -> tuple[Numbers, IntArray]:
    """Sort the n-grams of each caption; ragged, by caption.

    grams: (tokens,) that begins at each token; the last n - 1 of a caption begin none.
    offsets: (captions + 1,) of the captions.
    """
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
def _sort(values: Numbers) -> None:
    """Sort in place; by insertion where that is fastest."""
    if len(values) > _SHORT:
        values.sort()
        return

    for end in range(1, len(values)):
        value = values[end]
        place = end
        while place > 0 and values[place - 1] > value:
            values[place] = values[place - 1]
            place -= 1
        values[place] = value


@jit
def shared(pairs: ReferenceRuns) -> Shared:
    """Find the n-grams that candidates share with references, from sorted n-grams."""
    most = _most_shared(pairs)
    room = Shared(
        np.zeros(pairs.counts.sum() + 1, np.int64),
        np.empty(most, np.int32),
        np.empty(most, np.int32),
        np.empty(most, np.int32),
    )
    found = comparison = 0

    for candidate in range(len(pairs.starts)):
        first = pairs.starts[candidate]
        for reference in range(first, first + pairs.counts[candidate]):
            found = _merge(candidate, reference, pairs, room, found)
            comparison += 1
            room.offsets[comparison] = found

    return Shared(
        room.offsets, room.place[:found], room.ours[:found], room.theirs[:found]
    )


@jit_step
def _most_shared(pairs: ReferenceRuns) -> int:
    """The most n-grams that could be shared."""
    offsets = pairs.candidate_offsets
    others = pairs.reference_offsets
    most = 0
    for candidate in range(len(pairs.starts)):
        size = offsets[candidate + 1] - offsets[candidate]
        first = pairs.starts[candidate]
        for reference in range(first, first + pairs.counts[candidate]):
            most += min(size, others[reference + 1] - others[reference])

    return most


@jit_step
def _merge(
    candidate: int, reference: int, pairs: ReferenceRuns, room: Shared, found: int
) -> int:
    """Write what a candidate shares with a reference after the ``found`` before; how many then."""
    left = pairs.candidate_offsets[candidate]
    left_end = pairs.candidate_offsets[candidate + 1]
    right = pairs.reference_offsets[reference]
    right_end = pairs.reference_offsets[reference + 1]

    while left < left_end and right < right_end:
        if pairs.candidates[left] < pairs.references[right]:
            left += 1
        elif pairs.candidates[left] > pairs.references[right]:
            right += 1
        else:
            next_left = _run_end(pairs.candidates, left, left_end)
            next_right = _run_end(pairs.references, right, right_end)

            room.place[found] = left
            room.ours[found] = next_left - left
            room.theirs[found] = next_right - right
            found += 1

            left, right = next_left, next_right

    return found


@jit_step
def _run_end(grams: Numbers, start: int, end: int) -> int:
    """Where the run of equal n-grams that begins at ``start`` ends."""
    place = start + 1
    while place < end and grams[place] == grams[start]:
        place += 1

    return place


@jit
def sums(offsets: IntArray, values: Numbers) -> IntArray:
    """Sum each row of a ragged array (rows,)."""
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
    counts: IntArray,
    places: IntArray,
    most: int,
) -> IntArray:
    """Count the matches of candidates, each n-gram clipped by its highest count in a reference.

    offsets: (comparisons + 1,) the shared n-grams of each comparison.
    slots, held: (shared,) the n-gram's place in the candidate, and the smaller of both counts.
    counts: (candidates,) how many references each has, ``most`` at most.
    places: (comparisons,) the place of each comparison's reference in the order.

    Gives the matches (candidates, K) with the first 1, 2, ... references of the order.
    """
    table = np.zeros((len(counts), most), np.int64)
    order = np.empty(most, np.int64)
    best = np.zeros(slots.max() + 1 if len(slots) else 0, np.int32)
    comparison = 0

    for candidate in range(len(counts)):
        for number in range(comparison, comparison + counts[candidate]):
            order[places[number]] = number

        total = 0
        for k in range(counts[candidate]):
            for item in range(offsets[order[k]], offsets[order[k] + 1]):
                gain = held[item] - best[slots[item]]
                if gain > 0:
                    best[slots[item]] += gain
                    total += gain
            table[candidate, k] = total

        for item in range(offsets[comparison], offsets[comparison + counts[candidate]]):
            best[slots[item]] = 0
        comparison += counts[candidate]

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
    """Sum the weights (distinct,) of the images that hold each n-gram in their first k references.

    grams, offsets: the n-grams of each reference, ``distinct`` different ones.
    reference_offsets: (images + 1,) the references of each image. weights: (images,).
    rank: (references,) the order of the references.
    """
    frequency = np.zeros(distinct)
    last = np.full(distinct, -1, np.int32)

    for image in range(len(weights)):
        for reference in range(reference_offsets[image], reference_offsets[image + 1]):
            if rank[reference] >= k:
                continue

            for place in range(offsets[reference], offsets[reference + 1]):
                gram = grams[place]
                if last[gram] != image:
                    last[gram] = image
                    frequency[gram] += weights[image]

    return frequency


@jit
def count_images(
    grams: Numbers, offsets: IntArray, n: int, holders: Holders, distinct: int
) -> Numbers:
    """Sum the weights (distinct,) of the images that hold each n-gram in a caption.

    grams, offsets: the n-gram that begins at each token of each caption; the last n - 1 begin none.
    """
    counts = np.zeros(distinct, np.int32)
    last = np.full(distinct, -1, np.int32)

    for caption in holders.captions:
        image = holders.images[caption]
        for place in range(offsets[caption], offsets[caption + 1] - n + 1):
            gram = grams[place]
            if last[gram] != image:
                last[gram] = image
                counts[gram] += holders.weights[image]

    return counts


@jit
def norms(grams: Numbers, offsets: IntArray, squares: FloatArray) -> FloatArray:
    """The length (captions,) of each caption's vector, for squared weights (distinct,).

    Numbers of n-grams, and so the order of the sum, depend on the other captions of a batch: what
    each addition rounds off is added at the end, so that the order hardly ever decides a last bit.
    """
    totals = np.zeros(len(offsets) - 1)

    for caption in range(len(totals)):
        place = offsets[caption]
        end = offsets[caption + 1]
        total = rounded_off = 0.0
        while place < end:
            after = _run_end(grams, place, end)
            term = (after - place) ** 2 * squares[grams[place]]
            raised = total + term
            added = raised - total
            rounded_off += (total - (raised - added)) + (term - added)
            total = raised
            place = after
        totals[caption] = total + rounded_off

    return np.sqrt(totals)


@jit
def products(
    offsets: IntArray,
    grams: Numbers,
    ours: Numbers,
    theirs: Numbers,
    squares: FloatArray,
) -> FloatArray:
    """The inner product (comparisons,) of each comparison, for squared weights (distinct,).

    It is summed as in `norms`.
    """
    totals = np.zeros(len(offsets) - 1)

    for comparison in range(len(totals)):
        total = rounded_off = 0.0
        for item in range(offsets[comparison], offsets[comparison + 1]):
            term = np.int64(ours[item]) * theirs[item] * squares[grams[item]]
            raised = total + term
            added = raised - total
            rounded_off += (total - (raised - added)) + (term - added)
            total = raised
        totals[comparison] = total + rounded_off

    return totals


@jit
def common_subsequences(pairs: ReferenceRuns, words: int) -> IntArray:
    """Find the length (comparisons,) of the longest common subsequence of both captions.

    words: how many different words there are.

    Hyyro: Bit-parallel LCS-length computation revisited, AWOCA 2004; 64 words of the candidate at a
    time, where the carries of one block go into the next.
    """
    lengths = np.zeros(pairs.counts.sum(), np.int64)
    masks = np.zeros(words, np.uint64)
    comparison = 0

    for candidate in range(len(pairs.starts)):
        first = pairs.starts[candidate]
        last = first + pairs.counts[candidate]
        base = pairs.reference_offsets[first]
        carries = np.zeros(pairs.reference_offsets[last] - base, np.uint64)

        candidate_end = pairs.candidate_offsets[candidate + 1]
        for start in range(pairs.candidate_offsets[candidate], candidate_end, _BLOCK):
            block = pairs.candidates[start : min(start + _BLOCK, candidate_end)]
            for place in range(len(block)):
                masks[block[place]] |= np.uint64(1) << np.uint64(place)

            for reference in range(first, last):
                begin = pairs.reference_offsets[reference]
                end = pairs.reference_offsets[reference + 1]
                row = pairs.references[begin:end]
                carry = carries[begin - base : end - base]
                lengths[comparison + reference - first] += _common(row, masks, carry)

            for place in range(len(block)):
                masks[block[place]] = 0
        comparison += pairs.counts[candidate]

    return lengths


@jit_step
def _common(row: Numbers, masks: _Masks, carries: _Masks) -> int:
    """How many of a block's words are in the longest common subsequence with a reference."""
    state = ~np.uint64(0)

    for place in range(len(row)):
        mask = masks[row[place]]
        met = state & mask
        total = state + met
        sum_ = total + carries[place]
        carries[place] = np.uint64(total < state) | np.uint64(sum_ < total)
        state = sum_ | (state & ~mask)

    left = ~state
    count = 0
    while left:
        left &= left - np.uint64(1)
        count += 1

    return count


@jit
def skip_matches(pairs: ReferenceRuns, gap: int) -> IntArray:
    """Count the pairs of words (comparisons,), in order, that candidates share with references.

    At most ``gap`` words are between the two; each pair is clipped by the smaller of both counts.
    """
    totals = np.zeros(pairs.counts.sum(), np.int64)
    longest = max(_longest(pairs.candidate_offsets), _longest(pairs.reference_offsets))
    ours = np.empty(longest * (gap + 1), np.int64)
    theirs = np.empty(longest * (gap + 1), np.int64)
    comparison = 0

    for candidate in range(len(pairs.starts)):
        size = _skips(pairs.candidates, pairs.candidate_offsets, candidate, gap, ours)

        first = pairs.starts[candidate]
        for reference in range(first, first + pairs.counts[candidate]):
            other = _skips(
                pairs.references, pairs.reference_offsets, reference, gap, theirs
            )
            totals[comparison] = _common_values(ours[:size], theirs[:other])
            comparison += 1

    return totals


@jit
def _skips(
    tokens: Numbers, offsets: IntArray, caption: int, gap: int, found: IntArray
) -> int:
    """Write a caption's skip bigrams, sorted; their number."""
    end = offsets[caption + 1]
    count = 0

    for first in range(offsets[caption], end):
        for second in range(first + 1, min(first + gap + 2, end)):
            found[count] = (np.int64(tokens[first]) << 32) | tokens[second]
            count += 1

    found[:count].sort()

    return count


@jit_step
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


@jit_step
def _longest(offsets: IntArray) -> int:
    """The most words of a caption."""
    longest = 0
    for caption in range(len(offsets) - 1):
        longest = max(longest, offsets[caption + 1] - offsets[caption])

    return longest
