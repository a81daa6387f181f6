"""Which metrics a plot has room for."""

from collections.abc import Sequence

import metrics

HEADLINE = (
    "CIDEr",
    "CIDEr-D",
    "METEOR",
    "BLEU-1",
    "BLEU-4",
    "ROUGE-1",
    "ROUGE-L",
    "length",
)
"""Of the built-in metrics: all versions of all of them would hide each other."""


def headline(names: Sequence[str]) -> list[str]:
    """All names where they are few, else those of `HEADLINE` and of metrics computed elsewhere."""
    built_in = metrics.names()
    chosen = [
        name for name in names if name in HEADLINE or name not in built_in
    ]
    return chosen if len(names) > len(HEADLINE) and chosen else list(names)
