"""Captions as METEOR sees them: normalised words with what is known of each, and phrases.

Everything here depends on one word or one caption, never on a pair, and is done once for each.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.metrics.core.arrays import AnyArray, IntArray, offsets_of, ranges
from tercet.metrics.core.jit import jit, jit_step
from tercet.metrics.meteor.lexicon import Bytes, Numbers, Ragged, rows_of, synsets_of
from tercet.metrics.meteor.normalise import is_unruly, normalise, stands_alone
from tercet.metrics.meteor.paraphrases import LONGEST, Trie
from tercet.metrics.meteor.resources import Resources
from tercet.metrics.text.stems import stems
from tercet.metrics.text.tokens import Captions

# how many steps in the trie are kept at hand; a power of two
_REMEMBERED = 1 << 15


class Words(NamedTuple):
    """What METEOR compares of each word, all in small numbers: (words,) each.

    exact: equal for words of equal hash code, METEOR's equality. stem: the same of their stems.
    synsets, synset_offsets: ragged. is_function: 1 for function words.
    paraphrase_word: the number in the paraphrase table, or -1.
    node: the trie's node of the word as a phrase, or -1.
    """

    exact: Numbers
    stem: Numbers
    synsets: Numbers
    synset_offsets: IntArray
    is_function: Bytes
    paraphrase_word: Numbers
    node: Numbers


class _WordedCaptions(NamedTuple):
    """Captions of one batch.

    words, offsets: ragged, numbers of words.
    start, phrase, phrase_offsets: ragged, the phrases in each caption that have a paraphrase in
        the batch, by their first word's place, then length.
    """

    words: Numbers
    offsets: IntArray
    start: Numbers
    phrase: Numbers
    phrase_offsets: IntArray


class Phrases(NamedTuple):
    """The phrases of the trie in captions; ragged, by caption.

    start, length: (found,) the first word of each phrase in its caption, and how many there are.
    node: (found,) its node in the trie. offsets: (captions + 1,).
    """

    start: Numbers
    length: Numbers
    node: Numbers
    offsets: IntArray


class Paraphrases(NamedTuple):
    """The paraphrases of one batch's phrases.

    length: (phrases,) in words. entries, offsets: ragged, each phrase's paraphrases.
    """

    length: Numbers
    entries: Numbers
    offsets: IntArray


class Batch(NamedTuple):
    """Captions that are aligned together, and all that is known of them.

    sizes: how many hash codes, stems and synsets there are. longest: the most words of a caption.
    """

    captions: _WordedCaptions
    words: Words
    paraphrases: Paraphrases
    sizes: tuple[int, int, int]
    longest: int


class Dictionary:
    """The words met so far, numbered from 0, and the pieces of captions that they came from.

    A piece is a token whose words do not depend on its neighbours, or a run of others between
    such tokens: captions are normalised piece by piece, and each piece once.
    """

    def __init__(self, data: Resources, tokens: Sequence[str]) -> None:
        self._data = data
        self._tokens = tokens
        self._numbers: defaultdict[str, int] = defaultdict(count().__next__)
        self._exact: defaultdict[int, int] = defaultdict(count().__next__)
        self._stems: defaultdict[int, int] = defaultdict(count().__next__)
        self._synsets: defaultdict[int, int] = defaultdict(count().__next__)
        self._described = self._describe([])
        self._runs: dict[tuple[bytes, str], int] = {}

        alone = np.fromiter(map(stands_alone, tokens), bool, len(tokens))
        self._dependent = ~alone
        self._unruly = np.zeros(len(tokens), bool)
        self._dotted = np.zeros(len(tokens), bool)
        for number in np.flatnonzero(self._dependent).tolist():
            self._unruly[number] = is_unruly(tokens[number])
            self._dotted[number] = "." in tokens[number]

        # The first pieces are the tokens; those that depend on others have no words of their own.
        self._pieces: list[Sequence[int]] = [() for _ in tokens]
        for number in np.flatnonzero(alone).tolist():
            token = tokens[number]
            words = normalise(token, data.prefixes) if "-" in token else [token.lower()]
            self._pieces[number] = self._intern(words)

    def spelled(self) -> list[str]:
        """The words by number."""
        return list(self._numbers)

    def words_of(self, captions: Captions) -> Ragged:
        """The words of captions, by number."""
        pieces, piece_offsets = self._pieces_of(captions)
        known = np.fromiter(chain.from_iterable(self._pieces), np.int32)
        sizes = np.fromiter(map(len, self._pieces), np.int64, len(self._pieces))

        starts = offsets_of(sizes)[pieces]
        used = sizes[pieces]
        ends = offsets_of(used)

        return Ragged(flat=known[ranges(starts, used)], offsets=ends[piece_offsets])

    def describe(self) -> Words:
        """What is known of all words met so far."""
        known = len(self._described.exact)
        new = self.spelled()[known:]

        if new:
            added = self._describe(new)
            self._described = _joined(self._described, added)

        return self._described

    def _intern(self, words: Sequence[str]) -> list[int]:
        return [self._numbers[word] for word in words]

    def _pieces_of(self, captions: Captions) -> tuple[AnyArray, IntArray]:
        """The pieces of captions as a ragged array: runs of dependent tokens, and other tokens."""
        tokens = captions.tokens
        offsets = captions.offsets
        inside = self._dependent[tokens]
        if not inside.any():
            return tokens, offsets

        caption = np.repeat(np.arange(len(captions)), captions.lengths)
        unruly = caption[self._unruly[tokens]]
        inside |= np.isin(caption, unruly)

        # Whether a token continues the run of the one before it.
        same = caption[1:] == caption[:-1]
        both = inside[1:] & inside[:-1]
        joined = np.append(False, both & same)
        goes_on = np.append(joined[1:], False)

        starts = np.flatnonzero(inside & ~joined)
        ends = np.flatnonzero(inside & ~goes_on) + 1
        pieces = tokens.copy()
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            is_last = end == offsets[caption[start] + 1]
            after = -1 if is_last else tokens[end]
            pieces[start] = self._run(tokens[start:end], after)

        kept = np.append(0, np.cumsum(~joined))

        return pieces[~joined], kept[offsets]

    def _run(self, tokens: Numbers, after: int) -> int:
        """The piece of a run of tokens and the token after it, -1 for none."""
        following = ""
        if after >= 0 and self._dotted[tokens].any():
            following = self._tokens[after][0]

        key = tokens.tobytes(), following
        if key not in self._runs:
            text = " ".join(self._tokens[token] for token in tokens.tolist())
            sent = as_sent(f" {text} ")
            words = normalise(sent, self._data.prefixes, following)

            self._runs[key] = len(self._pieces)
            self._pieces.append(self._intern(words))

        return self._runs[key]

    def _describe(self, words: list[str]) -> Words:
        lexicon = self._data.lexicon
        rows = rows_of(lexicon, words)
        synsets = synsets_of(lexicon, words, rows)

        codes = _codes_of(words)
        stem_codes = _codes_of(stems(words))
        is_function = np.where(rows >= 0, lexicon.is_function[rows], 0)
        paraphrase_word = np.where(rows < lexicon.paraphrase_words, rows, -1)

        return Words(
            exact=_numbers(self._exact, codes),
            stem=_numbers(self._stems, stem_codes),
            synsets=_numbers(self._synsets, synsets.flat),
            synset_offsets=synsets.offsets,
            is_function=is_function.astype(np.uint8),
            paraphrase_word=paraphrase_word,
            node=_children_of_root(self._data.trie, paraphrase_word),
        )


def as_sent(text: str) -> str:
    """A text without what pycocoevalcap takes out of candidates before it sends them to METEOR.

    "|||" parts captions there, so METEOR never sees one; out of references it is taken here too.
    """
    return text.replace("|||", "").replace("  ", " ")


def _codes_of(words: Sequence[str]) -> Numbers:
    """Java's ``String.hashCode`` of each word."""
    encoded = [word.encode("utf-16-le", "surrogatepass") for word in words]
    units = np.frombuffer(b"".join(encoded), "<u2")

    sizes = np.fromiter(map(len, encoded), np.int64, len(encoded))
    offsets = offsets_of(sizes // 2)

    return _hash_codes(units, offsets)


def batch_of(words: Ragged, known: Words, trie: Trie) -> Batch:
    """Find the phrases of captions, given as words, and the paraphrases among them."""
    found = _find_phrases(words, known, trie)
    phrase, table = _paraphrases_among(found, trie)

    # Phrases without a paraphrase in the batch, on either side, match nothing.
    useful = np.diff(table.offsets) > 0
    useful[table.entries] = True
    kept = useful[phrase]
    kept_before = np.append(0, np.cumsum(kept))

    captions = _WordedCaptions(
        words=words.flat,
        offsets=words.offsets,
        start=found.start[kept],
        phrase=phrase[kept],
        phrase_offsets=kept_before[found.offsets],
    )
    sizes = np.diff(words.offsets)

    return Batch(
        captions,
        known,
        table,
        sizes=(_size(known.exact), _size(known.stem), _size(known.synsets)),
        longest=int(sizes.max(initial=0)),
    )


@jit
def _find_phrases(words: Ragged, known: Words, trie: Trie) -> Phrases:
    """Find the phrases of the trie in each caption, by place, then length."""
    room = len(words.flat) * LONGEST
    found = Phrases(
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.zeros(len(words.offsets), np.int64),
    )
    steps = np.full((_REMEMBERED, 2), -1, np.int64)
    count = 0

    for caption in range(len(words.offsets) - 1):
        begin, end = words.offsets[caption], words.offsets[caption + 1]

        for start in range(begin, end):
            node = known.node[words.flat[start]]
            at = start
            while node >= 0:
                if trie.is_phrase[node]:
                    found.start[count] = start - begin
                    found.length[count] = at + 1 - start
                    found.node[count] = node
                    count += 1

                at += 1
                if at == end:
                    break
                word = known.paraphrase_word[words.flat[at]]
                node = _step(node, word, trie, steps)

        found.offsets[caption + 1] = count

    return Phrases(
        found.start[:count].copy(),
        found.length[:count].copy(),
        found.node[:count].copy(),
        found.offsets,
    )


@jit_step
def _step(node: int, word: int, trie: Trie, steps: IntArray) -> int:
    """The child of a trie's node by a word, or -1; looked up in the last steps first.

    steps: (slots, 2) a hash table of steps by key, and the node that each leads to.
    """
    key = (np.int64(node) << 32) + word
    slot = (key ^ (key >> 27)) & (_REMEMBERED - 1)

    if steps[slot, 0] != key:
        steps[slot, 0] = key
        steps[slot, 1] = find_child(node, word, trie.first_child, trie.word)

    child: int = steps[slot, 1]

    return child


@jit_step
def find_child(node: int, word: int, first_child: Numbers, node_word: Numbers) -> int:
    """The child of a trie's node by a word, -1 if there is none."""
    low = first_child[node]
    end = first_child[node + 1]
    high = end

    while low < high:
        middle = (low + high) >> 1
        if node_word[middle] < word:
            low = middle + 1
        else:
            high = middle

    return low if low < end and node_word[low] == word else -1


@jit
def _paraphrases_among(found: Phrases, trie: Trie) -> tuple[Numbers, Paraphrases]:
    """Find the entries of the paraphrase table with both phrases in a batch.

    Gives the number (found,) of each phrase in the part, and the part, in the table's order.
    """
    number = np.full(len(trie.first_entry) - 1, -1, np.int32)
    phrase = np.empty(len(found.node), np.int32)
    nodes = np.empty(len(found.node), np.int32)
    lengths = np.empty(len(found.node), np.int32)
    phrases = room = 0

    for place in range(len(found.node)):
        node = found.node[place]
        if number[node] < 0:
            number[node] = phrases
            nodes[phrases] = node
            lengths[phrases] = found.length[place]
            phrases += 1
            room += trie.first_entry[node + 1] - trie.first_entry[node]
        phrase[place] = number[node]

    entries, offsets = _entries_among(nodes[:phrases], number, room, trie)

    return phrase, Paraphrases(lengths[:phrases].copy(), entries, offsets)


@jit
def _entries_among(
    nodes: Numbers, number: Numbers, room: int, trie: Trie
) -> tuple[Numbers, IntArray]:
    """The entries of nodes with numbered paraphrases; ragged, by node."""
    entries = np.empty(room, np.int32)
    offsets = np.zeros(len(nodes) + 1, np.int64)
    count = 0

    for place in range(len(nodes)):
        node = nodes[place]
        for entry in range(trie.first_entry[node], trie.first_entry[node + 1]):
            paraphrase = number[trie.entries[entry]]
            if paraphrase >= 0:
                entries[count] = paraphrase
                count += 1
        offsets[place + 1] = count

    return entries[:count].copy(), offsets


@jit
def _hash_codes(units: NDArray[np.uint16], offsets: IntArray) -> Numbers:
    codes = np.empty(len(offsets) - 1, np.int32)

    for number in range(len(codes)):
        code = np.int64(0)
        for place in range(offsets[number], offsets[number + 1]):
            code = (code * 31 + units[place]) & 0xFFFFFFFF

        # as a signed number of 32 bits, whoever runs this
        codes[number] = (code ^ 0x80000000) - 0x80000000

    return codes


def _size(numbers: Numbers) -> int:
    return int(numbers.max(initial=-1)) + 1


def _numbers(numbered: defaultdict[int, int], values: Numbers) -> Numbers:
    numbers = map(numbered.__getitem__, values.tolist())
    return np.fromiter(numbers, np.int32, len(values))


def _children_of_root(trie: Trie, words: Numbers) -> Numbers:
    end = int(trie.first_child[1])
    places = 1 + np.searchsorted(trie.word[1:end], words)

    at_places = np.append(trie.word[:end], -1)[places]
    found = (words >= 0) & (at_places == words)
    nodes = np.where(found, places, -1)

    return nodes.astype(np.int32)


def _joined(known: Words, added: Words) -> Words:
    columns: Iterator[tuple[AnyArray, AnyArray]] = zip(known, added, strict=True)
    both = Words(*map(np.concatenate, columns))

    later = len(known.synsets) + added.synset_offsets[1:]
    offsets = np.concatenate((known.synset_offsets, later))

    return both._replace(synset_offsets=offsets)
