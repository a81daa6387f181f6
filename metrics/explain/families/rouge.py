"""Which n-grams, subsequences and skip bigrams make ROUGE."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from tercet.metrics.corpora.corpus import Corpus
from tercet.metrics.explain.explanation import Explanation, Part, largest_first
from tercet.metrics.explain.f_measure import slopes
from tercet.metrics.explain.grams import SpelledOverlap, overlaps
from tercet.metrics.ngram.rouge import GAP, RECALLS, FComparison, rouge_l, rouge_s

Words = list[str]
Matches = Callable[[Words, Words], list[str]]
"""Lists what a candidate and a reference have in common."""


def explain_recall(corpus: Corpus, name: str, score: float) -> Explanation:
    """Explain ROUGE-n: each clipped match adds one over the references' n-grams."""
    (grams,) = overlaps(corpus, [RECALLS[name]])
    held = sum(counts.total() for counts in grams.theirs)

    return Explanation(
        name,
        score,
        "sum",
        {"n-grams of references": held},
        largest_first(_matched(grams, held)),
        tuple(_unmatched(grams)),
        tuple(_missing(grams, held)),
    )


def _matched(grams: SpelledOverlap, held: int) -> Iterator[Part]:
    for gram, count in grams.ours.items():
        references = grams.references_with(gram)
        if references:
            matches = sum(min(count, each[gram]) for each in grams.theirs)
            yield Part(
                grams.kind,
                grams.texts[gram],
                references,
                matches / held,
                {"count": count, "matches": matches},
            )


def _unmatched(grams: SpelledOverlap) -> Iterator[Part]:
    for gram, count in grams.ours.items():
        if not grams.references_with(gram):
            yield Part(grams.kind, grams.texts[gram], details={"count": count})


def _missing(grams: SpelledOverlap, held: int) -> Iterator[Part]:
    for gram in grams.missing():
        count = sum(each[gram] for each in grams.theirs)
        yield Part(
            grams.kind,
            grams.texts[gram],
            grams.references_with(gram),
            details={"count": count, "recall": count / held},
        )


def explain_subsequence(corpus: Corpus, name: str, score: float) -> Explanation:
    """Explain ROUGE-L by the words of longest common subsequences."""
    comparison = rouge_l(corpus)
    assert isinstance(comparison, FComparison)

    return _explain_f(corpus, name, score, comparison, _Common("word", common))


def explain_skips(corpus: Corpus, name: str, score: float) -> Explanation:
    """Explain ROUGE-S by skip bigrams."""
    comparison = rouge_s(corpus)
    assert isinstance(comparison, FComparison)

    return _explain_f(
        corpus, name, score, comparison, _Common("skip bigram", common_skips)
    )


class _Common(NamedTuple):
    """What a metric counts in common, and how it is called."""

    kind: str
    matches: Matches


def _explain_f(
    corpus: Corpus, name: str, score: float, comparison: FComparison, counted: _Common
) -> Explanation:
    """Explain the mean of the highest precision and the highest recall."""
    precision, recall = comparison.precision, comparison.recall
    best = int(precision.argmax()), int(recall.argmax())
    highest = float(precision.max()), float(recall.max())
    slope = slopes(*highest, comparison.beta**2)

    parts = []
    for side, number, value, share in zip(
        ("precision", "recall"), best, highest, slope, strict=True
    ):
        parts += _sided(corpus, counted, number, side, value * share)

    return Explanation(
        name,
        score,
        "shares",
        {"precision": highest[0], "recall": highest[1]},
        largest_first(_summed(parts)),
    )


def _sided(
    corpus: Corpus, counted: _Common, number: int, side: str, total: float
) -> list[Part]:
    """What the candidate has in common with a reference, with equal shares of a total."""
    (ours,) = corpus.candidates.spelled(corpus.words)
    references = corpus.references.spelled(corpus.words)
    found = counted.matches(ours, references[number])

    return [
        Part(counted.kind, text, (number,), total / len(found), {"for": side})
        for text in found
    ]


def _summed(parts: Sequence[Part]) -> list[Part]:
    """One part for each text of a kind, with the sum of the contributions."""
    by_text: dict[str, list[Part]] = {}
    for part in parts:
        by_text.setdefault(part.text, []).append(part)

    summed = []
    for text, group in by_text.items():
        sides = dict.fromkeys(str(part.details["for"]) for part in group)
        references = {part.references[0] for part in group}
        summed.append(
            Part(
                group[0].kind,
                text,
                tuple(sorted(references)),
                sum(part.contribution or 0.0 for part in group),
                {"for": " and ".join(sides)},
            )
        )

    return summed


def common(ours: Words, theirs: Words) -> list[str]:
    """The words of a longest common subsequence; one empty word for two empty captions."""
    ours, theirs = ours or [""], theirs or [""]
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
            i, j = i + 1, j + 1
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
