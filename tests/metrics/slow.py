"""CIDEr and ROUGE straight from the papers, one n-gram at a time: slow, and only to check."""

from collections import Counter
from collections.abc import Sequence
from math import exp, log, sqrt

Words = Sequence[str]
EVEN = (0.25, 0.25, 0.25, 0.25)


def grams(words: Words, n: int) -> Counter[tuple[str, ...]]:
    """h_k: how often each n-gram occurs."""
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def idf(gram: tuple[str, ...], images: Sequence[Sequence[Words]]) -> float:
    """The second factor of equation 1."""
    holders = sum(
        any(grams(r, len(gram))[gram] for r in references) for references in images
    )
    return log(len(images) / max(1, holders))


def vector(
    words: Words, n: int, images: Sequence[Sequence[Words]] | None
) -> dict[tuple[str, ...], float]:
    """g^n, equation 1, with raw counts as the authors' code has them; without images no idf."""
    return {
        gram: count if images is None else count * idf(gram, images)
        for gram, count in grams(words, n).items()
    }


def cosine(
    candidate: Words, reference: Words, n: int, images: Sequence[Sequence[Words]] | None
) -> float:
    """Equation 2 for one reference."""
    left, right = vector(candidate, n, images), vector(reference, n, images)
    dot = sum(left[gram] * right.get(gram, 0) for gram in left)
    return dot / norms(left, right) if dot else 0.0


def clipped_cosine(
    candidate: Words, reference: Words, n: int, images: Sequence[Sequence[Words]] | None
) -> float:
    """Equation 4 for one reference, without the factor 10."""
    left, right = vector(candidate, n, images), vector(reference, n, images)
    dot = sum(min(left[gram], right.get(gram, 0)) * right.get(gram, 0) for gram in left)
    gap = max(len(candidate) - 1, 0) - max(len(reference) - 1, 0)

    return exp(-(gap**2) / 72) * dot / norms(left, right) if dot else 0.0


def norms(
    left: dict[tuple[str, ...], float], right: dict[tuple[str, ...], float]
) -> float:
    """The product of the lengths of two vectors."""
    return sqrt(sum(x * x for x in left.values())) * sqrt(
        sum(x * x for x in right.values())
    )


def cider(
    candidate: Words,
    references: Sequence[Words],
    images: Sequence[Sequence[Words]] | None,
    clipped: bool = False,
    shares: Sequence[float] = EVEN,
    best: bool = False,
) -> float:
    """Equation 3 with w_n = shares, times 10; images: the references of every image."""
    similarity = clipped_cosine if clipped else cosine
    each = [
        sum(
            share * similarity(candidate, r, n, images)
            for n, share in enumerate(shares, start=1)
        )
        for r in references
    ]

    return 10 * (max(each) if best else sum(each) / len(each))


def rouge_n(candidate: Words, references: Sequence[Words], n: int) -> float:
    """Equation 9 of the CIDEr paper."""
    matches = sum((grams(candidate, n) & grams(r, n)).total() for r in references)
    held = sum(grams(r, n).total() for r in references)
    return matches / held if held else 0.0


def rouge_l(candidate: Words, references: Sequence[Words], beta: float) -> float:
    """Equations 10 to 12, of captions that are not empty."""
    common = [common_subsequence(candidate, r) for r in references]
    recalls = [each / len(r) for each, r in zip(common, references, strict=True)]
    return f_score(max(common) / len(candidate), max(recalls), beta)


def skip_bigrams(words: Words) -> Counter[tuple[str, str]]:
    """Pairs of words in their order, with at most four words between them."""
    places = range(len(words))
    return Counter(
        (words[i], words[j]) for i in places for j in places if 0 < j - i <= 5
    )


def rouge_s(candidate: Words, references: Sequence[Words], beta: float) -> float:
    """Equations 13 to 15."""
    ours, theirs = skip_bigrams(candidate), [skip_bigrams(r) for r in references]
    matches = [(ours & each).total() for each in theirs]
    recalls = [
        m / max(each.total(), 1) for m, each in zip(matches, theirs, strict=True)
    ]

    return f_score(max(matches) / max(ours.total(), 1), max(recalls), beta)


def f_score(precision: float, recall: float, beta: float) -> float:
    """How precision and recall are weighed."""
    below = recall + beta**2 * precision
    return (1 + beta**2) * precision * recall / below if below else 0.0


def common_subsequence(left: Words, right: Words) -> int:
    """The length of the longest common subsequence."""
    row = [0] * (len(right) + 1)
    for word in left:
        above, row = row, [0]
        for place, other in enumerate(right):
            both = above[place] + 1
            row.append(both if word == other else max(above[place + 1], row[-1]))

    return row[-1]
