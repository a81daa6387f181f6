"""The length of a candidate, word by word."""

from collections import Counter

from tercet.metrics.corpora.corpus import Corpus
from tercet.metrics.explain.explanation import Explanation, Part, largest_first


def explain_length(corpus: Corpus, name: str, score: float) -> Explanation:
    """Explain the length: each word adds one."""
    counts = Counter(corpus.candidates.tokens.tolist())
    parts = [
        Part("word", corpus.words[number], contribution=float(count))
        for number, count in counts.items()
    ]

    return Explanation(name, score, "sum", matched=largest_first(parts))
