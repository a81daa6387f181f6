"""Write the string that a metric scores highest, seeing the references.

The string grows word by word; each time, the word is appended after which the score is highest. For
CIDEr and CIDEr-D compiled code does so, which assumes of n-grams that no reference has that no
other image has them either.

Source: Vedantam, Zitnick, Parikh: CIDEr, CVPR 2015, section 8 (gaming).
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from tercet.metrics import FloatArray, IntArray
from tercet.metrics.core.jit import jit, jit_step
from tercet.metrics.ngram.cider import SIGMA

N = 4
"""The longest n-grams."""
ROOT, ABSENT = 0, -1


def grow_strings(
    vocabularies: Sequence[Sequence[str]],
    score: Callable[[Sequence[list[str]], IntArray], FloatArray],
    longest: int,
) -> tuple[list[list[str]], FloatArray]:
    """Write a string for each image, each time adding the word that any metric scores highest.

    Parameters
    ----------
    vocabularies
        The words that may be written, one or more for each of G images.
    score
        Scores strings of images, given by their indices.
    longest
        The number of words of the strings.

    Returns
    -------
    tuple of list and ndarray
        G strings, and the scores of their first 1, 2, ... `longest` words: shape (G, longest).
    """
    sizes = np.array([len(words) for words in vocabularies])
    ends = np.cumsum(sizes).tolist()
    image = np.repeat(np.arange(len(vocabularies)), sizes)
    words = [word for own in vocabularies for word in own]
    strings: list[list[str]] = [[] for _ in vocabularies]
    scores = np.empty((len(vocabularies), longest))

    for step in range(longest):
        pairs = zip(image.tolist(), words, strict=True)
        grown = [[*strings[number], word] for number, word in pairs]
        values = score(grown, image)
        best = [
            start + int(values[start:end].argmax())
            for start, end in zip([0, *ends], ends, strict=False)
        ]
        strings = [grown[number] for number in best]
        scores[:, step] = values[best]

    return strings, scores


class NGrams(NamedTuple):
    """The n-grams of the references of an image, as a trie; node 0 is the root.

    child: (nodes, words) the node of an n-gram and one more word, `ABSENT` where no reference has
    it. counts: (nodes, R) how often each reference has the n-gram. depth: (nodes,) its n.
    last, parent: (nodes,) its last word, and the node of the words before it.
    """

    child: IntArray
    counts: FloatArray
    depth: IntArray
    last: IntArray
    parent: IntArray

    def of_length(self, n: int) -> tuple[IntArray, IntArray]:
        """Return the nodes (G,) of one n, and the words (G, n) of their n-grams."""
        nodes = np.flatnonzero(self.depth == n)
        grams = np.empty((len(nodes), n), np.int64)
        at = nodes

        for position in reversed(range(n)):
            grams[:, position] = self.last[at]
            at = self.parent[at]
        return nodes, grams


class Strings(NamedTuple):
    """What was written, and the score that the writer expects of each beginning of it.

    tokens: (longest,) the words. scores: (longest,) the score of the first 1, 2, ... of them.
    """

    tokens: IntArray
    scores: FloatArray


def n_grams_of(references: Sequence[Sequence[int]], words: int) -> NGrams:
    """Collect the n-grams of references, whose words are numbers below `words`."""
    numbers: dict[tuple[int, ...], int] = {(): ROOT}
    counts: list[dict[int, int]] = []

    for reference in references:
        own: dict[int, int] = {}
        for start in range(len(reference)):
            longest = min(start + N, len(reference))
            for end in range(start + 1, longest + 1):
                gram = tuple(reference[start:end])
                node = numbers.setdefault(gram, len(numbers))
                own[node] = own.get(node, 0) + 1
        counts.append(own)

    return _trie(numbers, counts, words)


def _trie(
    numbers: dict[tuple[int, ...], int], counts: Sequence[dict[int, int]], words: int
) -> NGrams:
    child = np.full((len(numbers), words), ABSENT, np.int64)
    depth, last, parent = np.zeros((3, len(numbers)), np.int64)

    for gram, node in numbers.items():
        if gram:
            word = gram[-1]
            depth[node] = len(gram)
            last[node] = word

            before = numbers[gram[:-1]]
            parent[node] = before
            child[before, word] = node

    table = np.zeros((len(numbers), len(counts)))
    for reference, own in enumerate(counts):
        table[list(own), reference] = list(own.values())

    return NGrams(child, table, depth, last, parent)


def norms_of(grams: NGrams, squares: FloatArray) -> FloatArray:
    """Compute the length (N, R) of the vector of each reference, for each n.

    `squares` (nodes,) are the squared weights of the n-grams.
    """
    parts = grams.counts**2 * squares[:, None]
    return np.sqrt([parts[grams.depth == n].sum(axis=0) for n in range(1, N + 1)])


def write_string(
    grams: NGrams, squares: FloatArray, unknown: float, clipped: bool, longest: int
) -> Strings:
    """Write a string word by word, so that its score is highest after each word.

    Parameters
    ----------
    grams
        The n-grams of the references.
    squares
        The squared weight of each n-gram: shape (nodes,).
    unknown
        The squared weight of an n-gram that no reference has.
    clipped
        Whether to write for CIDEr-D, or else for CIDEr.
    longest
        How many words to write.
    """
    is_first = grams.depth == 1
    target = _Target(
        child=grams.child,
        counts=grams.counts,
        squares=squares,
        norms=norms_of(grams, squares),
        lengths=grams.counts[is_first].sum(axis=0),
        unknown=unknown,
        clipped=clipped,
    )
    return Strings(*_write(target, longest))


class _Target(NamedTuple):
    """What is written for: the references of an image and the metric.

    child, counts: as in `NGrams`. squares, unknown, clipped: as in `write_string`.
    norms: as `norms_of` returns. lengths: (R,) the words of each reference.
    """

    child: IntArray
    counts: FloatArray
    squares: FloatArray
    norms: FloatArray
    lengths: FloatArray
    unknown: float
    clipped: bool


class _Text(NamedTuple):
    """What has been written.

    tokens: (longest,) the words. products: (N, R) the inner products with each reference.
    own: (N,) the squared lengths of the vectors.
    """

    tokens: IntArray
    products: FloatArray
    own: FloatArray


@jit
def _write(target: _Target, longest: int) -> tuple[IntArray, FloatArray]:
    """Append the best word again and again; returns the words, and the score after each."""
    references = target.counts.shape[1]
    tokens, scores = np.zeros(longest, np.int64), np.zeros(longest)
    text = _Text(tokens, np.zeros((N, references)), np.zeros(N))
    tried = _Text(tokens, np.zeros((N, references)), np.zeros(N))

    for position in range(longest):
        best = 0
        scores[position] = -1.0

        for word in range(target.child.shape[1]):
            tokens[position] = word
            tried.products[:] = text.products
            tried.own[:] = text.own
            _append(position, target, tried)

            score = _score(position + 1, target, tried)
            if score > scores[position]:
                best = word
                scores[position] = score

        tokens[position] = best
        _append(position, target, text)

    return tokens, scores


@jit_step
def _append(position: int, target: _Target, text: _Text) -> None:
    """Add the n-grams that end with the word at a position to products and lengths."""
    for n in range(1, min(N, position + 1) + 1):
        start = position + 1 - n
        node = _node(start, position + 1, target.child, text.tokens)
        earlier = _times(start, n, text.tokens)

        square = target.unknown
        if node != ABSENT:
            square = target.squares[node]
        text.own[n - 1] += (2 * earlier + 1) * square
        if node == ABSENT:
            continue

        for reference in range(target.counts.shape[1]):
            theirs = target.counts[node, reference]
            if not target.clipped or earlier < theirs:
                text.products[n - 1, reference] += theirs * square


@jit_step
def _node(start: int, end: int, child: IntArray, tokens: IntArray) -> int:
    """Return the node of some of the words, `ABSENT` if no reference has them."""
    node = ROOT
    for position in range(start, end):
        node = child[node, tokens[position]]
        if node == ABSENT:
            return ABSENT

    return node


@jit_step
def _times(start: int, n: int, tokens: IntArray) -> int:
    """Count how often the n words from a position on stand earlier in the text."""
    times = 0

    for first in range(start):
        same = 0
        while same < n and tokens[first + same] == tokens[start + same]:
            same += 1
        times += same == n

    return times


@jit_step
def _score(length: int, target: _Target, text: _Text) -> float:
    """Score a text of a number of words: CIDEr or CIDEr-D without the factor 10."""
    references = target.counts.shape[1]
    total = 0.0

    for reference in range(references):
        similarity = 0.0
        for n in range(N):
            norm = np.sqrt(text.own[n]) * target.norms[n, reference]
            if norm > 0:
                similarity += text.products[n, reference] / norm

        if target.clipped:
            difference = length - target.lengths[reference]
            similarity *= np.exp(-(difference**2) / (2 * SIGMA**2))
        total += similarity

    mean: float = total / (N * references)

    return mean
