"""Look up the paraphrases of a phrase in METEOR's table."""

from collections.abc import Sequence

import numpy as np

from tercet.metrics.meteor.captions import find_child
from tercet.metrics.meteor.lexicon import rows_of
from tercet.metrics.meteor.resources import Resources, shared_resources

_ROOT = 0


class ParaphraseTable:
    """The phrases of the table as words."""

    def __init__(self, resources: Resources | None = None) -> None:
        """Take METEOR's data; the installed one if none is given."""
        self._lexicon, self._trie, _ = resources or shared_resources()
        self._spelling = list(self._lexicon.rows)

    def of(self, phrase: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the paraphrases of a phrase that have it as a paraphrase themselves.

        ``phrase`` are words in lower case. The paraphrases are in the order of the table.
        """
        node = self._node(phrase)
        if node < 0:
            return []

        found = self._entries(node)
        mutual = [other for other in found if node in self._entries(other)]
        return [self._words(other) for other in mutual]

    def is_function(self, words: Sequence[str]) -> list[bool]:
        """Whether each word is a function word, such as "the"."""
        rows = rows_of(self._lexicon, words)
        marks = self._lexicon.is_function[rows]
        return [bool(mark) for mark in (rows >= 0) & (marks > 0)]

    def _node(self, phrase: Sequence[str]) -> int:
        """Return the node of a phrase, -1 if the table does not have it."""
        node = _ROOT

        for row in rows_of(self._lexicon, phrase).tolist():
            if not 0 <= row < self._lexicon.paraphrase_words[0]:
                return -1
            node = find_child(node, row, self._trie.first_child, self._trie.word)
            if node < 0:
                return -1
        return node

    def _entries(self, node: int) -> list[int]:
        first, end = self._trie.first_entry[node : node + 2]
        entries: list[int] = self._trie.entries[first:end].tolist()
        return entries

    def _words(self, node: int) -> tuple[str, ...]:
        """Return the words of a node, from the root down."""
        words: list[str] = []

        while node != _ROOT:
            words.append(self._spelling[self._trie.word[node]])
            # A number of another type would have the whole array converted.
            sought = np.int32(node)
            after = np.searchsorted(self._trie.first_child, sought, "right")
            node = int(after) - 1
        return tuple(reversed(words))
