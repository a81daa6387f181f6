"""Captions as METEOR sees them: normalised words with what is known of each, and phrases.

Everything here depends on one word or one caption, never on a pair, and is done once for each.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.arrays import AnyArray, IntArray, offsets_of, ranges
from metrics.jit import jit
from metrics.meteor.lexicon import Bytes, Numbers, Ragged, rows_of, synsets_of
from metrics.meteor.normalise import is_unruly, normalise, stands_alone
from metrics.meteor.paraphrases import LONGEST, Trie
from metrics.meteor.resources import Resources
from metrics.stems import stems
from metrics.tokens import Captions

# how many steps in the trie are kept at hand; a power of two
_REMEMBERED = 1 << 15


class Words(NamedTuple):
    """What METEOR compares of each word, all in small numbers: (words,) each.

    exact: equal for words of equal hash code, METEOR's equality. stem: likewise of their stems.
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


class WordedCaptions(NamedTuple):
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

    captions: WordedCaptions
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
        self._described = _no_words()
        self._runs: dict[tuple[bytes, str], int] = {}
        alone = np.fromiter(map(stands_alone, tokens), bool, len(tokens))
        self._dependent = ~alone
        self._unruly = np.zeros(len(tokens), bool)
        self._dotted = np.zeros(len(tokens), bool)
        for number in np.flatnonzero(self._dependent).tolist():
            self._unruly[number] = is_unruly(tokens[number])
            self._dotted[number] = "." in tokens[number]

        pieces = [
            self._intern(self._words_alone(token)) if one else ()
            for token, one in zip(tokens, alone.tolist(), strict=True)
        ]
        self._pieces: list[Sequence[int]] = list(pieces)

    def spelled(self) -> list[str]:
        """The words by number."""
        return list(self._numbers)

    def words_of(self, captions: Captions) -> Ragged:
        """The words of captions, by number."""
        pieces, piece_offsets = self._pieces_of(captions)
        sizes = np.fromiter(
            map(len, self._pieces), np.int64, len(self._pieces)
        )
        flat = np.fromiter(chain.from_iterable(self._pieces), np.int32)
        starts = offsets_of(sizes)[pieces]
        ends = offsets_of(sizes[pieces])

        return Ragged(flat[ranges(starts, sizes[pieces])], ends[piece_offsets])

    def describe(self) -> Words:
        """What is known of all words met so far."""
        known = len(self._described.exact)
        if known < len(self._numbers):
            added = self._describe(list(self._numbers)[known:])
            self._described = _joined(self._described, added)

        return self._described

    def _intern(self, words: Sequence[str]) -> list[int]:
        return [self._numbers[word] for word in words]

    def _words_alone(self, token: str) -> list[str]:
        return (
            normalise(token, self._data.prefixes)
            if "-" in token
            else [token.lower()]
        )

    def _pieces_of(self, captions: Captions) -> tuple[AnyArray, IntArray]:
        tokens, offsets = captions.tokens, captions.offsets
        inside = self._dependent[tokens]
        if not inside.any():
            return tokens, offsets

        caption = np.repeat(np.arange(len(captions)), captions.lengths)
        unruly = caption[self._unruly[tokens]]
        if len(unruly):
            inside = inside | np.isin(caption, unruly)

        joined = np.append(
            False, inside[1:] & inside[:-1] & (caption[1:] == caption[:-1])
        )
        starts = np.flatnonzero(inside & ~joined)
        ends = np.flatnonzero(inside & ~np.append(joined[1:], False)) + 1
        followed = np.append(caption, -1)[ends] == caption[starts]
        pieces = tokens.copy()
        for start, end, more in zip(
            starts.tolist(), ends.tolist(), followed.tolist(), strict=True
        ):
            pieces[start] = self._run(
                tokens[start:end], tokens[end] if more else -1
            )

        kept = np.append(0, np.cumsum(~joined))

        return pieces[~joined], kept[offsets]

    def _run(self, tokens: Numbers, after: int) -> int:
        """The piece of a run of tokens and the token after it, -1 for none."""
        following = (
            self._tokens[after][0]
            if after >= 0 and self._dotted[tokens].any()
            else ""
        )
        key = tokens.tobytes(), following
        if key not in self._runs:
            text = " ".join(self._tokens[token] for token in tokens.tolist())
            words = normalise(
                as_sent(f" {text} "), self._data.prefixes, following
            )
            self._runs[key] = len(self._pieces)
            self._pieces.append(self._intern(words))

        return self._runs[key]

    def _describe(self, words: list[str]) -> Words:
        data = self._data
        rows = rows_of(data.lexicon, words)
        synsets = synsets_of(data.lexicon, words, rows)
        paraphrase_word = np.where(
            rows < data.lexicon.paraphrase_words, rows, -1
        )

        return Words(
            exact=_numbers(self._exact, hash_codes(words).tolist()),
            stem=_numbers(self._stems, hash_codes(stems(words)).tolist()),
            synsets=_numbers(self._synsets, synsets.flat.tolist()),
            synset_offsets=synsets.offsets,
            is_function=np.where(
                rows >= 0, data.lexicon.is_function[rows], 0
            ).astype(np.uint8),
            paraphrase_word=paraphrase_word,
            node=_children_of_root(data.trie, paraphrase_word),
        )


def as_sent(text: str) -> str:
    """A text without what pycocoevalcap takes out of candidates before it sends them to METEOR.

    "|||" parts captions there, so METEOR never sees one; out of references it is taken here too.
    """
    return text.replace("|||", "").replace("  ", " ")


def hash_codes(words: Sequence[str]) -> Numbers:
    """Java's ``String.hashCode`` of each word."""
    encoded = [word.encode("utf-16-le", "surrogatepass") for word in words]
    units = np.frombuffer(b"".join(encoded), "<u2")
    sizes = np.fromiter(map(len, encoded), np.int64, len(encoded)) // 2

    return _hash_codes(units, offsets_of(sizes))


def batch_of(words: Ragged, known: Words, trie: Trie) -> Batch:
    """Find the phrases of captions, given as words, and the paraphrases among them."""
    start, length, node, offsets = find_phrases(
        *words,
        known.paraphrase_word,
        known.node,
        trie.first_child,
        trie.word,
        trie.is_phrase,
    )
    phrase, lengths, entries, entry_offsets = paraphrases_among(
        node, length, trie.first_entry, trie.entries
    )
    useful = np.diff(entry_offsets) > 0
    useful[entries] = True
    kept = useful[phrase]
    phrase_offsets = np.append(0, np.cumsum(kept))[offsets]

    return Batch(
        WordedCaptions(
            words.flat,
            words.offsets,
            start[kept],
            phrase[kept],
            phrase_offsets,
        ),
        known,
        Paraphrases(lengths, entries, entry_offsets),
        sizes=(_size(known.exact), _size(known.stem), _size(known.synsets)),
        longest=int(np.diff(words.offsets).max(initial=0)),
    )


@jit
def find_phrases(
    words: Numbers,
    offsets: IntArray,
    paraphrase_word: Numbers,
    word_node: Numbers,
    first_child: Numbers,
    node_word: Numbers,
    is_phrase: Bytes,
) -> tuple[Numbers, Numbers, Numbers, IntArray]:
    """The phrases of the trie in each caption, by place, then length.

    Gives start, length and node (phrases,) each, and their offsets (captions + 1,).
    """
    starts = np.empty(len(words) * LONGEST, np.int32)
    lengths = np.empty(len(words) * LONGEST, np.int32)
    nodes = np.empty(len(words) * LONGEST, np.int32)
    phrase_offsets = np.zeros(len(offsets), np.int64)
    keys, children = (
        np.full(_REMEMBERED, -1, np.int64),
        np.empty(_REMEMBERED, np.int32),
    )
    found = 0
    for caption in range(len(offsets) - 1):
        begin, end = offsets[caption], offsets[caption + 1]
        for start in range(begin, end):
            node = word_node[words[start]]
            at = start
            while node >= 0:
                if is_phrase[node]:
                    starts[found] = start - begin
                    lengths[found] = at + 1 - start
                    nodes[found] = node
                    found += 1
                at += 1
                if at == end:
                    break
                word = paraphrase_word[words[at]]
                key = (np.int64(node) << 32) + word
                slot = (key ^ (key >> 27)) & (_REMEMBERED - 1)
                if keys[slot] != key:
                    keys[slot] = key
                    children[slot] = find_child(
                        node, word, first_child, node_word
                    )
                node = children[slot]
        phrase_offsets[caption + 1] = found

    return (
        starts[:found].copy(),
        lengths[:found].copy(),
        nodes[:found].copy(),
        phrase_offsets,
    )


@jit
def find_child(
    node: int, word: int, first_child: Numbers, node_word: Numbers
) -> int:
    """The child of a trie's node by a word, -1 if there is none."""
    low, end = first_child[node], first_child[node + 1]
    high = end
    while low < high:
        middle = (low + high) >> 1
        if node_word[middle] < word:
            low = middle + 1
        else:
            high = middle

    return low if low < end and node_word[low] == word else -1


@jit
def paraphrases_among(
    nodes: Numbers, lengths: Numbers, first_entry: Numbers, entries: Numbers
) -> tuple[Numbers, Numbers, Numbers, IntArray]:
    """The part of the paraphrase table whose phrases, both of an entry, are among some nodes.

    Gives the number (nodes,) of each node's phrase here; and of each phrase its length (phrases,)
    and its paraphrases, in the order of the table, as a ragged array.
    """
    number = np.full(len(first_entry) - 1, -1, np.int32)
    phrase = np.empty(len(nodes), np.int32)
    node_of = np.empty(len(nodes), np.int32)
    length_of = np.empty(len(nodes), np.int32)
    phrases = room = 0
    for place in range(len(nodes)):
        node = nodes[place]
        if number[node] < 0:
            number[node] = phrases
            node_of[phrases] = node
            length_of[phrases] = lengths[place]
            room += first_entry[node + 1] - first_entry[node]
            phrases += 1
        phrase[place] = number[node]

    kept = np.empty(room, np.int32)
    offsets = np.zeros(phrases + 1, np.int64)
    found = 0
    for here in range(phrases):
        node = node_of[here]
        for entry in range(first_entry[node], first_entry[node + 1]):
            other = number[entries[entry]]
            if other >= 0:
                kept[found] = other
                found += 1
        offsets[here + 1] = found

    return phrase, length_of[:phrases].copy(), kept[:found].copy(), offsets


@jit
def _hash_codes(units: NDArray[np.uint16], offsets: IntArray) -> Numbers:
    codes = np.empty(len(offsets) - 1, np.int32)
    for number in range(len(codes)):
        code = np.int64(0)
        for place in range(offsets[number], offsets[number + 1]):
            code = (code * 31 + units[place]) & 0xFFFFFFFF
        codes[number] = code

    return codes


def _size(numbers: Numbers) -> int:
    return int(numbers.max(initial=-1)) + 1


def _numbers(numbered: defaultdict[int, int], values: list[int]) -> Numbers:
    return np.fromiter(
        map(numbered.__getitem__, values), np.int32, len(values)
    )


def _children_of_root(trie: Trie, words: Numbers) -> Numbers:
    end = int(trie.first_child[1])
    places = 1 + np.searchsorted(trie.word[1:end], words)
    found = (words >= 0) & (np.append(trie.word[:end], -1)[places] == words)

    return np.where(found, places, -1).astype(np.int32)


def _no_words() -> Words:
    none = np.zeros(0, np.int32)
    return Words(
        none,
        none,
        none,
        np.zeros(1, np.int64),
        np.zeros(0, np.uint8),
        none,
        none,
    )


def _joined(known: Words, added: Words) -> Words:
    columns: Iterator[tuple[AnyArray, AnyArray]] = zip(
        known, added, strict=True
    )
    both = Words(*map(np.concatenate, columns))
    later = len(known.synsets) + added.synset_offsets[1:]

    return both._replace(
        synset_offsets=np.concatenate((known.synset_offsets, later))
    )
