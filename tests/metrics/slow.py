"""CIDEr straight from the paper, one n-gram at a time: slow, short, and of no use but to check."""

from collections import Counter
from collections.abc import Sequence
from math import exp, log, sqrt

Words = Sequence[str]


def grams(words: Words, n: int) -> Counter[tuple[str, ...]]:
    """h_k: how often each n-gram occurs."""
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def vector(words: Words, n: int, images: Sequence[Sequence[Words]]) -> dict[tuple[str, ...], float]:
    """g^n, equation 1, with raw counts as the authors' code has them."""
    return {
        gram: count
        * log(len(images) / max(1, sum(any(grams(r, n)[gram] for r in refs) for refs in images)))
        for gram, count in grams(words, n).items()
    }


def cosine(candidate: Words, reference: Words, n: int, images: Sequence[Sequence[Words]]) -> float:
    """Equation 2 for one reference."""
    left, right = vector(candidate, n, images), vector(reference, n, images)
    dot = sum(left[gram] * right.get(gram, 0) for gram in left)
    return dot / norms(left, right) if dot else 0.0


def clipped_cosine(
    candidate: Words, reference: Words, n: int, images: Sequence[Sequence[Words]]
) -> float:
    """Equation 4 for one reference, without the factor 10."""
    left, right = vector(candidate, n, images), vector(reference, n, images)
    dot = sum(min(left[gram], right.get(gram, 0)) * right.get(gram, 0) for gram in left)
    gap = max(len(candidate) - 1, 0) - max(len(reference) - 1, 0)
    return exp(-(gap**2) / 72) * dot / norms(left, right) if dot else 0.0


def norms(left: dict[tuple[str, ...], float], right: dict[tuple[str, ...], float]) -> float:
    """The product of the lengths of two vectors."""
    return sqrt(sum(x * x for x in left.values())) * sqrt(sum(x * x for x in right.values()))


def cider(
    candidate: Words,
    references: Sequence[Words],
    images: Sequence[Sequence[Words]],
    clipped: bool = False,
) -> float:
    """Equation 3 with w_n = 1/4, times 10; images: the references of every image."""
    similarity = clipped_cosine if clipped else cosine
    total = sum(similarity(candidate, r, n, images) for r in references for n in (1, 2, 3, 4))
    return 10 * total / (4 * len(references))


def rouge_1(candidate: Words, references: Sequence[Words]) -> float:
    """ROUGE-N of the CIDEr paper for N = 1."""
    matches = sum((grams(candidate, 1) & grams(r, 1)).total() for r in references)
    words = sum(len(r) for r in references)
    return matches / words if words else 0.0


def common_subsequence(left: Words, right: Words) -> int:
    """The length of the longest common subsequence."""
    row = [0] * (len(right) + 1)
    for word in left:
        above, row = row, [0]
        for place, other in enumerate(right):
            both = above[place] + 1
            row.append(both if word == other else max(above[place + 1], row[-1]))
    return row[-1]
