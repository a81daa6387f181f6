"""Lower case as Java has it."""

_SIGMA = "\N{GREEK CAPITAL LETTER SIGMA}"
_SMALL_SIGMAS = "\N{GREEK SMALL LETTER SIGMA}\N{GREEK SMALL LETTER FINAL SIGMA}"
_INSIDE_WORDS = str.maketrans(dict.fromkeys("-_0123456789", "'"))


def lower(token: str) -> str:
    """The token in lower case; hyphens and digits do not end a word whose last letter is sigma."""
    if _SIGMA not in token:
        return token.lower()

    one_word = token.translate(_INSIDE_WORDS).lower()

    return "".join(
        sigma if letter in _SMALL_SIGMAS else letter
        for letter, sigma in zip(token.lower(), one_word, strict=True)
    )
