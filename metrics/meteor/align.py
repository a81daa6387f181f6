"""Alignment of a candidate with a reference, compiled.

Sets of words of a caption are masks: blocks of 32 bits, so that a caption may have any length.
"""

import numpy as np
from numpy.typing import NDArray

from metrics.arrays import IntArray
from metrics.jit import jit
from metrics.meteor.captions import Paraphrases, Texts, Words
from metrics.meteor.lexicon import Numbers

Masks = NDArray[np.uint32]

EXACT, STEM, SYNONYM, PARAPHRASE = range(4)
STATISTICS = 23
BEAM = 40

_BITS = 32
_SHIFT = 5
_SLOTS = 2 * BEAM + 2
# the columns of a match: where it starts and how many words it has, in the reference and in the
# candidate, and its module
_START, _LENGTH, _OTHER_START, _OTHER_LENGTH, _MODULE = range(5)
# the columns of a path: see `search`
_LAST, _TRAIL = range(2)
# The key of a path, by which paths are ordered: distance, plus so much for a chunk, less so much
# for a matched word. Distances stay below a chunk in captions of up to 2,500 words.
_CHUNK, _WORD = 1 << 34, 1 << 48
_BIT_OF = np.zeros(_BITS, np.int64)
for _bit in range(_BITS):
    _BIT_OF[((0x077CB531 << _bit) & 0xFFFFFFFF) >> 27] = _bit


@jit
def lowest(mask: np.int64) -> int:
    """The number of the lowest bit that is set in a block."""
    bit: int = _BIT_OF[(((mask & -mask) * 0x077CB531) & 0xFFFFFFFF) >> 27]
    return bit


@jit
def is_used(used: Masks, slot: int, start: int, length: int) -> bool:
    """Whether a path uses one of the words."""
    word = start
    while word < start + length:
        if (used[slot, word >> _SHIFT] >> (word & (_BITS - 1))) & 1:
            return True
        word += 1
    return False


@jit
def use(used: Masks, slot: int, start: int, length: int) -> None:
    """Mark words as used by a path."""
    for word in range(start, start + length):
        used[slot, word >> _SHIFT] |= np.int64(1) << (word & (_BITS - 1))


@jit
def grown(rows: Numbers) -> Numbers:
    """A copy of twice as many rows."""
    larger = np.empty((2 * len(rows), rows.shape[1]), np.int32)
    larger[: len(rows)] = rows
    return larger


@jit
def mark_words(caption: int, texts: Texts, words: Words, masks: tuple[Masks, ...]) -> None:
    """Set the bits of a candidate's words in the masks by hash code, stem, synset and phrase."""
    begin = texts.offsets[caption]
    exact, stem, synset, phrase = masks
    for place in range(texts.offsets[caption + 1] - begin):
        word = texts.words[begin + place]
        block, bit = place >> _SHIFT, np.int64(1) << (place & (_BITS - 1))
        exact[words.exact[word], block] |= bit
        stem[words.stem[word], block] |= bit
        for at in range(words.synset_offsets[word], words.synset_offsets[word + 1]):
            synset[words.synsets[at], block] |= bit
    mark_phrases(caption, texts, phrase)


@jit
def clear_words(caption: int, texts: Texts, words: Words, masks: tuple[Masks, ...]) -> None:
    """Undo :func:`mark_words`."""
    exact, stem, synset, phrase = masks
    for place in range(texts.offsets[caption], texts.offsets[caption + 1]):
        word = texts.words[place]
        for block in range(exact.shape[1]):
            exact[words.exact[word], block] = 0
            stem[words.stem[word], block] = 0
            for at in range(words.synset_offsets[word], words.synset_offsets[word + 1]):
                synset[words.synsets[at], block] = 0
    clear_phrases(caption, texts, phrase)


@jit
def mark_phrases(caption: int, texts: Texts, phrase: Masks) -> None:
    """Set the bit of each phrase's first word in a caption."""
    for at in range(texts.phrase_offsets[caption], texts.phrase_offsets[caption + 1]):
        start = texts.start[at]
        phrase[texts.phrase[at], start >> _SHIFT] |= np.int64(1) << (start & (_BITS - 1))


@jit
def clear_phrases(caption: int, texts: Texts, phrase: Masks) -> None:
    """Undo :func:`mark_phrases`."""
    for at in range(texts.phrase_offsets[caption], texts.phrase_offsets[caption + 1]):
        for block in range(phrase.shape[1]):
            phrase[texts.phrase[at], block] = 0


@jit
def are_equal(candidate: int, reference: int, texts: Texts, words: Words) -> bool:
    """Whether two captions have the same words, by hash code, in the same order."""
    left, right = texts.offsets[candidate], texts.offsets[reference]
    size = texts.offsets[candidate + 1] - left
    if texts.offsets[reference + 1] - right != size:
        return False
    for place in range(size):
        if words.exact[texts.words[left + place]] != words.exact[texts.words[right + place]]:
            return False
    return True


@jit
def match_words(
    reference: int,
    texts: Texts,
    words: Words,
    masks: tuple[Masks, ...],
    blocks: int,
    only_exact: bool,
    matches: Numbers,
) -> tuple[int, Numbers]:
    """Matches of single words (specification, section 7): exact, stem, synonym.

    masks: of the candidate. Gives how many matches there are, and the matches, grown if need be.
    """
    exact, stem, synset, _ = masks
    found = 0
    begin = texts.offsets[reference]
    for start in range(texts.offsets[reference + 1] - begin):
        word = texts.words[begin + start]
        first, last = words.synset_offsets[word], words.synset_offsets[word + 1]
        for module in range(1 if only_exact else PARAPHRASE):
            for block in range(blocks):
                same = np.int64(exact[words.exact[word], block])
                if module == EXACT:
                    mask = same
                elif module == STEM:
                    mask = stem[words.stem[word], block] & ~same
                else:
                    mask = np.int64(0)
                    for at in range(first, last):
                        mask |= synset[words.synsets[at], block]
                    mask &= ~same
                while mask:
                    if found == len(matches):
                        matches = grown(matches)
                    matches[found, _START] = start
                    matches[found, _LENGTH] = 1
                    matches[found, _OTHER_START] = (block << _SHIFT) + lowest(mask)
                    matches[found, _OTHER_LENGTH] = 1
                    matches[found, _MODULE] = module
                    found += 1
                    mask &= mask - 1
    return found, matches


@jit
def match_phrases(
    caption: int,
    texts: Texts,
    table: Paraphrases,
    masks: Masks,
    blocks: int,
    from_reference: bool,
    matches: Numbers,
    found: int,
) -> tuple[int, Numbers]:
    """Paraphrases of a caption's phrases in the other caption (specification, section 6).

    masks: of the other caption's phrases, in ``blocks`` blocks. from_reference: whether the caption
    is the reference (direction 1) or the candidate (direction 2). Adds to the ``found`` matches.
    """
    for at in range(texts.phrase_offsets[caption], texts.phrase_offsets[caption + 1]):
        start, phrase = texts.start[at], texts.phrase[at]
        for entry in range(table.offsets[phrase], table.offsets[phrase + 1]):
            other = table.entries[entry]
            for block in range(blocks):
                mask = np.int64(masks[other, block])
                while mask:
                    place = (block << _SHIFT) + lowest(mask)
                    mask &= mask - 1
                    if found == len(matches):
                        matches = grown(matches)
                    if from_reference:
                        matches[found, _START], matches[found, _OTHER_START] = start, place
                        matches[found, _LENGTH] = table.length[phrase]
                        matches[found, _OTHER_LENGTH] = table.length[other]
                    else:
                        matches[found, _START], matches[found, _OTHER_START] = place, start
                        matches[found, _LENGTH] = table.length[other]
                        matches[found, _OTHER_LENGTH] = table.length[phrase]
                    matches[found, _MODULE] = PARAPHRASE
                    found += 1
    return found, matches


@jit
def sort_by_start(
    matches: Numbers, found: int, size: int, first: Numbers, ordered: Numbers
) -> None:
    """Group matches by their start in a reference of ``size`` words, else in the order found.

    first: (at least size + 2,) becomes where the matches of each start begin in ``ordered``.
    """
    first[: size + 2] = 0
    for match in range(found):
        first[matches[match, _START] + 2] += 1
    for start in range(2, size + 2):
        first[start] += first[start - 1]
    for match in range(found):
        start = matches[match, _START] + 1
        place = first[start]
        first[start] += 1
        for column in range(5):
            ordered[place, column] = matches[match, column]


@jit
def fix(
    matches: Numbers,
    first: Numbers,
    size: int,
    covered: Numbers,
    other_covered: Numbers,
    chosen: Numbers,
    used: Masks,
    other_used: Masks,
) -> int:
    """Choose the matches that nothing competes with (section 7, fixed matches); how many.

    covered, other_covered: zeros; become how many matches cover each word of the reference, but
        -1 for the words of fixed matches, and each word of the candidate.
    chosen: becomes the fixed match that starts at each word of the reference, or -1.
    used, other_used: the words of the fixed matches are marked.
    """
    for match in range(first[size]):
        for word in range(matches[match, _START], matches[match, _START] + matches[match, _LENGTH]):
            covered[word] += 1
        other = matches[match, _OTHER_START]
        for word in range(other, other + matches[match, _OTHER_LENGTH]):
            other_covered[word] += 1
    fixed = 0
    for start in range(size):
        chosen[start] = -1
        if first[start + 1] - first[start] != 1:
            continue
        match = first[start]
        length, other = matches[match, _LENGTH], matches[match, _OTHER_START]
        other_length = matches[match, _OTHER_LENGTH]
        alone = True
        for word in range(start, start + length):
            alone = alone and covered[word] == 1
        for word in range(other, other + other_length):
            alone = alone and other_covered[word] == 1
        if alone:
            chosen[start] = match
            use(used, 0, start, length)
            use(other_used, 0, other, other_length)
            for word in range(start, start + length):
                covered[word] = -1
            fixed += 1
    return fixed


@jit
def queue(key: int, slot: int, keys: IntArray, slots: IntArray, queued: int) -> int:
    """Put a path among the best, after its equals; the slot of the path that falls out, or -1.

    keys, slots: (BEAM,) of the ``queued`` best paths so far, in order.
    """
    out = -1
    place = queued
    if queued == BEAM:
        if key >= keys[BEAM - 1]:
            return slot
        place = BEAM - 1
        out = slots[place]
    while place > 0 and key < keys[place - 1]:
        keys[place], slots[place] = keys[place - 1], slots[place - 1]
        place -= 1
    keys[place], slots[place] = key, slot
    return out


@jit
def settle(next_start: int, keys: IntArray, slots: IntArray, queued: int, paths: Numbers) -> None:
    """Sort the paths after a step that takes all of them to the same word of the candidate.

    That gives a chunk to those whose last match does not end there. What the step gives to all,
    matched words and distance, is left out: paths are only ever compared with each other.
    """
    for place in range(queued):
        key, slot = keys[place], slots[place]
        if paths[slot, _LAST] != -1 and paths[slot, _LAST] != next_start:
            key += _CHUNK
        queue(key, slot, keys, slots, place)


@jit
def gain(match: int, matches: Numbers, last: int) -> int:
    """What a match adds to the key of a path (section 8, update on taking a match)."""
    words = 0
    if matches[match, _MODULE] == EXACT:
        words = 2
    elif matches[match, _MODULE] == PARAPHRASE:
        words = matches[match, _LENGTH] // 2 + matches[match, _OTHER_LENGTH] // 2
    if last != -1 and matches[match, _OTHER_START] != last:
        return _CHUNK - words * _WORD
    return -words * _WORD


@jit
def branch(
    slot: int,
    new: int,
    match: int,
    matches: Numbers,
    paths: Numbers,
    used: Masks,
    other_used: Masks,
    blocks: int,
    other_blocks: int,
) -> None:
    """Make a new path of one that takes a match."""
    used[new, 0], other_used[new, 0] = used[slot, 0], other_used[slot, 0]
    for block in range(1, blocks):
        used[new, block] = used[slot, block]
    for block in range(1, other_blocks):
        other_used[new, block] = other_used[slot, block]
    other, other_length = matches[match, _OTHER_START], matches[match, _OTHER_LENGTH]
    use(used, new, matches[match, _START], matches[match, _LENGTH])
    use(other_used, new, other, other_length)
    paths[new, _LAST] = other + other_length


@jit
def search(
    matches: Numbers,
    first: Numbers,
    size: int,
    covered: Numbers,
    chosen: Numbers,
    paths: Numbers,
    queues: IntArray,
    used: Masks,
    other_used: Masks,
    trail: Numbers,
    blocks: int,
    other_blocks: int,
) -> Numbers:
    """The beam search (section 8); adds the matches of the best path to ``chosen``.

    At words of the reference that a fixed match or no match covers, all paths go the same way, and
    after the first such word they can only change alike: nothing is done until the next word of
    several ways.

    paths: (slots, 2), a row for each path: the end of the last match in the candidate or -1, and
        its last step in ``trail``.
    used, other_used: (slots, ...) the words of reference and candidate that each path uses, in
        ``blocks`` and ``other_blocks``. The first slot of all three holds the path to begin with.
    queues: (5, slots) room.
    trail: (steps, 2) the match of each step and the step before it; gives it back, grown if need
        be.
    """
    keys, slots, coming_keys, coming, free = queues[0], queues[1], queues[2], queues[3], queues[4]
    for slot in range(1, _SLOTS):
        free[slot - 1] = slot
    left = _SLOTS - 1
    keys[0], slots[0], paths[0, _TRAIL] = 0, 0, -1
    queued, steps = 1, 0
    together, last = True, -1
    for word in range(size + 1):
        if word == size or covered[word] <= 0:
            start = end = -1
            if word < size and covered[word] < 0:
                match = chosen[word]
                if match < 0:  # inside a fixed match
                    continue
                start = matches[match, _OTHER_START]
                end = start + matches[match, _OTHER_LENGTH]
            if not together:
                settle(start, keys, slots, queued, paths)
            together, last = True, end
            continue
        if together:
            for place in range(queued):
                paths[slots[place], _LAST] = last
            together = False
        waiting = 0
        for place in range(queued):
            key, slot = keys[place], slots[place]
            if not is_used(used, slot, word, 1):
                last = paths[slot, _LAST]
                for match in range(first[word], first[word + 1]):
                    length, other = matches[match, _LENGTH], matches[match, _OTHER_START]
                    if is_used(other_used, slot, other, matches[match, _OTHER_LENGTH]) or (
                        length > 1 and is_used(used, slot, word, length)
                    ):
                        continue
                    new_key = key + gain(match, matches, last)
                    if waiting < BEAM or new_key < coming_keys[BEAM - 1]:
                        left -= 1
                        new = free[left]
                        branch(
                            slot, new, match, matches, paths, used, other_used, blocks, other_blocks
                        )
                        if steps == len(trail):
                            trail = grown(trail)
                        trail[steps, 0], trail[steps, 1] = match, paths[slot, _TRAIL]
                        paths[new, _TRAIL] = steps
                        steps += 1
                        out = queue(new_key, new, coming_keys, coming, waiting)
                        if out >= 0:
                            free[left] = out
                            left += 1
                        else:
                            waiting += 1
                    # the reference implementation adds the distance to the parent
                    key += abs(word - other)
                if last != -1:
                    key += _CHUNK
                    paths[slot, _LAST] = -1
            out = queue(key, slot, coming_keys, coming, waiting)
            if out >= 0:
                free[left] = out
                left += 1
            else:
                waiting += 1
        keys, slots, coming_keys, coming = coming_keys, coming, keys, slots
        queued = waiting
    step = paths[slots[0], _TRAIL]
    while step >= 0:
        chosen[matches[trail[step, 0], _START]] = trail[step, 0]
        step = trail[step, 1]
    return trail


@jit
def count_statistics(
    candidate: int,
    reference: int,
    texts: Texts,
    words: Words,
    matches: Numbers,
    chosen: Numbers,
    statistics: Numbers,
) -> None:
    """The 23 statistics (section 9) of the chosen matches of a pair."""
    begin, other_begin = texts.offsets[reference], texts.offsets[candidate]
    size, other_size = (
        texts.offsets[reference + 1] - begin,
        texts.offsets[candidate + 1] - other_begin,
    )
    statistics[0], statistics[1] = other_size, size
    for word in range(other_size):
        statistics[2] += words.is_function[texts.words[other_begin + word]]
    for word in range(size):
        statistics[3] += words.is_function[texts.words[begin + word]]
    end = other_end = -1
    for start in range(size):
        if chosen[start] < 0:
            continue
        match = matches[chosen[start]]
        length, other, other_length = match[_LENGTH], match[_OTHER_START], match[_OTHER_LENGTH]
        column = 4 + 4 * match[_MODULE]
        for word in range(other, other + other_length):
            function = words.is_function[texts.words[other_begin + word]]
            statistics[column + 2 * function] += 1
        for word in range(start, start + length):
            function = words.is_function[texts.words[begin + word]]
            statistics[column + 2 * function + 1] += 1
        if start != end or other != other_end:
            statistics[20] += 1
        end, other_end = start + length, other + other_length
        statistics[21] += other_length
        statistics[22] += length


@jit
def align(
    candidates: IntArray,
    references: IntArray,
    texts: Texts,
    words: Words,
    table: Paraphrases,
    sizes: tuple[int, int, int],
    longest: int,
    traced: Numbers,
    traced_offsets: IntArray,
) -> Numbers:
    """Align pairs of captions; their statistics (pairs, 23).

    sizes: how many hash codes, stems and synsets there are. longest: the most words of a caption.
    traced, traced_offsets: where the matches of pair p go, if there is any room: a row of five for
    each word of the reference from ``traced_offsets[p]`` on, or -1.
    """
    most = (longest >> _SHIFT) + 1
    masks = (
        np.zeros((sizes[0], most), np.uint32),
        np.zeros((sizes[1], most), np.uint32),
        np.zeros((sizes[2], most), np.uint32),
        np.zeros((len(table.length), most), np.uint32),
    )
    reference_phrases = np.zeros((len(table.length), most), np.uint32)
    used = np.empty((_SLOTS, most), np.uint32)
    other_used = np.empty((_SLOTS, most), np.uint32)
    paths = np.empty((_SLOTS, 2), np.int32)
    queues = np.empty((5, _SLOTS), np.int64)
    trail = np.empty((1024, 2), np.int32)
    matches = np.empty((1024, 5), np.int32)
    ordered = np.empty((1024, 5), np.int32)
    first = np.empty(longest + 2, np.int32)
    covered, other_covered = np.empty(longest, np.int32), np.empty(longest, np.int32)
    chosen = np.empty(longest, np.int32)
    statistics = np.zeros((len(candidates), STATISTICS), np.int32)
    marked = -1
    for pair in range(len(candidates)):
        candidate, reference = candidates[pair], references[pair]
        if candidate != marked:
            if marked >= 0:
                clear_words(marked, texts, words, masks)
            mark_words(candidate, texts, words, masks)
            marked = candidate
        size = texts.offsets[reference + 1] - texts.offsets[reference]
        other_size = texts.offsets[candidate + 1] - texts.offsets[candidate]
        blocks, other_blocks = (size >> _SHIFT) + 1, (other_size >> _SHIFT) + 1
        equal = are_equal(candidate, reference, texts, words)
        found, matches = match_words(reference, texts, words, masks, other_blocks, equal, matches)
        if not equal:
            found, matches = match_phrases(
                reference, texts, table, masks[3], other_blocks, True, matches, found
            )
            mark_phrases(reference, texts, reference_phrases)
            found, matches = match_phrases(
                candidate, texts, table, reference_phrases, blocks, False, matches, found
            )
            clear_phrases(reference, texts, reference_phrases)
        while len(ordered) < found:
            ordered = grown(ordered)
        sort_by_start(matches, found, size, first, ordered)
        covered[:size] = 0
        other_covered[:other_size] = 0
        used[0, :blocks], other_used[0, :other_blocks] = 0, 0
        fixed = fix(ordered, first, size, covered, other_covered, chosen, used, other_used)
        if fixed < found:
            trail = search(
                ordered,
                first,
                size,
                covered,
                chosen,
                paths,
                queues,
                used,
                other_used,
                trail,
                blocks,
                other_blocks,
            )
        count_statistics(candidate, reference, texts, words, ordered, chosen, statistics[pair])
        if len(traced):
            for start in range(size):
                if chosen[start] >= 0:
                    traced[traced_offsets[pair] + start] = ordered[chosen[start]]
    return statistics
