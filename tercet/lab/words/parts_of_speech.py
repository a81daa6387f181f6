"""The part of speech of words, by the parser of the extra `tuples`."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from tercet.lab.tuples import parser
from tercet.lab.tuples.captions import TAGS, tuples_of

NOUN, VERB, ADJECTIVE, OTHER = "noun", "verb", "adjective", "other"
PARTS = {"NN": NOUN, "VB": VERB, "JJ": ADJECTIVE}
"""By the beginning of the tag of the Penn Treebank."""
_MOST_CAPTIONS = 10
"""Captions that are parsed for each word."""


def parts_of_speech(
    words: Sequence[str], captions: Sequence[Sequence[str]]
) -> list[str]:
    """Find what each word mostly is in the first captions that contain it.

    Parameters
    ----------
    words
        The words.
    captions
        The tokens of each caption.

    Returns
    -------
    list of str
        "noun", "verb", "adjective" or "other", "" where no parser is installed, or where it splits
        the word otherwise.
    """
    if parser.missing():
        return [""] * len(words)

    examples = _examples(words, captions)
    tags = tuples_of(examples, TAGS)
    counted: dict[str, Counter[str]] = defaultdict(Counter)

    for tagged in tags.values():
        counted_once = {(word, PARTS.get(tag[:2], OTHER)) for word, tag in tagged}
        for word, part in counted_once:
            counted[word][part] += 1

    parts = [counted[word] for word in words]
    return [max(sorted(each), key=each.__getitem__, default="") for each in parts]


def parsed_by() -> str:
    """Say which model and packages parse captions."""
    return f"Captions were parsed by {parser.software()}."


def _examples(words: Sequence[str], captions: Sequence[Sequence[str]]) -> list[str]:
    """Return the first captions that contain each word, with spaces between their tokens."""
    left = dict.fromkeys(words, _MOST_CAPTIONS)
    chosen = []
    for tokens in captions:
        wanted = [word for word in set(tokens) if left.get(word)]
        if wanted:
            chosen.append(" ".join(tokens))
        for word in wanted:
            left[word] -= 1

    return chosen
