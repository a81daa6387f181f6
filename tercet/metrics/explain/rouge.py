"""Which n-grams, subsequences and skip bigrams make ROUGE."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from tercet.metrics.corpora.corpus import Corpus
from tercet.metrics.explain.explanation import Explanation, Part, largest_first, slopes
from tercet.metrics.explain.grams import overlaps
from tercet.metrics.ngram.rouge import GAP, RECALLS, FComparison, rouge_l, rouge_s

Words = list[str]
Matches = Callable[[Words, Words], list[str]]
"""Lists what a candidate and a reference have in common."""


def explain_recall(corpus: Corpus, name: str, score: float) -> Explanation:
    """Explain ROUGE-n: each clipped match adds one over the references' n-grams."""
    (grams,) = overlaps(corpus, [RECALLS[name]])
    held = sum(counts.total() for counts in grams.theirs)
    matched, unmatched, missing = [], [], []

    for gram, count in grams.ours.items():
        matches = sum(min(count, counts[gram]) for counts in grams.theirs)
        if matches:
            details = {"count": count, "matches": matches}
            matched.append(grams.part(gram, details, matches / held))
        else:
            unmatched.append(grams.part(gram, {"count": count}))

    for gram in grams.missing:
        count = sum(counts[gram] for counts in grams.theirs)
        missing.append(grams.part(gram, {"count": count, "recall": count / held}))

    return Explanation(
        name,
        score,
        "sum",
        {"n-grams of references": held},
        largest_first(matched),
        tuple(unmatched),
        tuple(missing),
    )


def explain_subsequence(corpus: Corpus, name: str, score: float) -> Explanation:
    """Explain ROUGE-L by the words of longest common subsequences."""
    return _explain_f(corpus, score, rouge_l(corpus), "word", common)


def explain_skips(corpus: Corpus, name: str, score: float) -> Explanation:
    """Explain ROUGE-S by skip bigrams."""
    return _explain_f(corpus, score, rouge_s(corpus), "skip bigram", common_skips)


def _explain_f(
    corpus: Corpus, score: float, comparison: FComparison, kind: str, matches: Matches
) -> Explanation:
    """Explain the mean of the highest precision and the highest recall."""
    sides = {"precision": comparison.precision, "recall": comparison.recall}
    highest = {side: float(values.max()) for side, values in sides.items()}
    slope = slopes(**highest, square=comparison.beta**2)
    parts: dict[str, Part] = {}

    for side, values in sides.items():
        number = int(values.argmax())
        found = matches(*_words(corpus, number))
        total = highest[side] * getattr(slope, side)
        for text in found:
            part = Part(kind, text, (number,), total / len(found), {"for": side})
            parts[text] = _added(parts[text], part) if text in parts else part

    return Explanation(
        comparison.name, score, "shares", highest, largest_first(parts.values())
    )


def _words(corpus: Corpus, reference: int) -> tuple[Words, Words]:
    """The words of the only candidate, and of a reference."""
    (ours,) = corpus.candidates.spelled(corpus.words)
    return ours, corpus.references.spelled(corpus.words)[reference]


def _added(part: Part, other: Part) -> Part:
    """One part for two of the same text, with the sum of the contributions."""
    sides = str(part.details["for"])
    if not sides.endswith(str(other.details["for"])):
        sides = f"{sides} and {other.details['for']}"

    return replace(
        part,
        references=tuple(sorted({*part.references, *other.references})),
        contribution=(part.contribution or 0.0) + (other.contribution or 0.0),
        details={"for": sides},
    )


def common(ours: Words, theirs: Words) -> list[str]:
    """The words of a longest common subsequence; one empty word for two empty captions."""
    ours = ours or [""]
    theirs = theirs or [""]
    lengths = np.zeros((len(ours) + 1, len(theirs) + 1), np.int64)
    for i, word in reversed(list(enumerate(ours))):
        for j, other in reversed(list(enumerate(theirs))):
            skipped = max(lengths[i + 1, j], lengths[i, j + 1])
            taken = lengths[i + 1, j + 1] + 1
            lengths[i, j] = taken if word == other else skipped

    words = []
    i = j = 0
    while i < len(ours) and j < len(theirs):
        if ours[i] == theirs[j]:
            words.append(ours[i])
            i = i + 1
            j = j + 1
        elif lengths[i + 1, j] >= lengths[i, j + 1]:
            i += 1
        else:
            j += 1

    return words


def common_skips(ours: Words, theirs: Words) -> list[str]:
    """The skip bigrams of both, each as often as both have it."""
    both = _skips(ours) & _skips(theirs)
    return [f"{first} … {second}" for first, second in both.elements()]


def _skips(words: Words) -> Counter[tuple[str, str]]:
    return Counter(
        (first, second)
        for place, first in enumerate(words)
        for second in words[place + 1 : place + GAP + 2]
    )
